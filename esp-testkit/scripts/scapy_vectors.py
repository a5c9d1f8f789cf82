#!/usr/bin/env python3
"""Seals packets with scapy, an ESP implementation that has nothing to do with ours, into data/scapy.json.

    scapy_vectors.py            write the file
    scapy_vectors.py --check    compare with the file; status 1 where it differs

Needs scapy 2.8 and cryptography. Keys, IVs and numbers are derived from names, so the file is the same
every time. Known to differ from the RFCs: scapy sends a zero UDP checksum over IPv6 too, where RFC 8200
section 8.1 wants one.
"""

import hashlib
import itertools
import json
import pathlib
import sys

from scapy.layers.inet import IP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.ipsec import ESP, SecurityAssociation
from scapy.packet import Raw

FILE = pathlib.Path(__file__).resolve().parent.parent / "data" / "scapy.json"

# name: scapy's cipher, scapy's integrity algorithm, key length in bytes (without the salt)
TRANSFORMS = {
    "aes-128-gcm-16": ("AES-GCM", None, 16),
    "aes-192-gcm-16": ("AES-GCM", None, 24),
    "aes-256-gcm-16": ("AES-GCM", None, 32),
    "chacha20-poly1305": ("CHACHA20-POLY1305", None, 32),
    "null-hmac-sha256-128": ("NULL", "SHA2-256-128", 32),
}
# mode and outer family (None in transport mode), inner family
SHAPES = [(None, 4), (None, 6), (4, 4), (4, 6), (6, 4), (6, 6)]
TUNNELS = {4: ("192.0.2.1", "198.51.100.2"), 6: ("2001:db8:a::1", "2001:db8:b::2")}
PAYLOAD_LENGTHS = [0, 1, 3, 46]
LONG_PAYLOAD = 1400  # for the first SA only
ESN_HIGH = [1, 0xFFFFFFFF, 0x01020304]
PORTS = (45000, 4500)


def main():
    text = render(list(every_sa()))
    if sys.argv[1:] == ["--check"]:
        sys.exit(0 if FILE.read_text() == text else f"{FILE} is not what this script makes")
    FILE.write_text(text)
    print(f"{FILE}: {len(text)} bytes")


def every_sa():
    """One entry an SA, with packets of three of the four payload lengths."""
    choices = itertools.product(TRANSFORMS, SHAPES, (False, True), (False, True))
    for index, (transform, (outer, inner), esn, udp) in enumerate(choices):
        shape = f"tunnel-{inner}-in-{outer}" if outer else f"transport-{inner}"
        name = "/".join([transform, shape, "esn" if esn else "32-bit", "udp" if udp else "ip"])
        lengths = [n for place, n in enumerate(PAYLOAD_LENGTHS) if place != index % 4]
        yield sealed_by_scapy(name, transform, outer, inner, esn, udp, lengths + [LONG_PAYLOAD] * (index == 0))


def sealed_by_scapy(name, transform, outer, inner, esn, udp, lengths):
    cipher, integrity, key_len = TRANSFORMS[transform]
    spi = int.from_bytes(derived("spi", name, 4), "big") | 0x100
    key = derived("key", name, key_len)
    salt = b"" if cipher == "NULL" else derived("salt", name, 4)
    sa = SecurityAssociation(
        ESP,
        spi=spi,
        crypt_algo=cipher,
        crypt_key=None if cipher == "NULL" else key + salt,
        auth_algo=integrity,
        auth_key=key if integrity else None,
        tunnel_header=tunnel_header(outer),
        nat_t_header=UDP(sport=PORTS[0], dport=PORTS[1]) if udp else None,
        esn_en=esn,
    )
    entry = {
        "name": name,
        "transform": transform,
        "spi": spi,
        "key": key.hex(),
        "salt": salt.hex(),
        "esn": esn,
        "tunnel": list(TUNNELS[outer]) if outer else None,
        "udp": list(PORTS) if udp else None,
        "packets": [],
    }
    for length, high in zip(lengths, itertools.cycle(ESN_HIGH)):
        entry["packets"].append(packet(sa, f"{name}/{length}", inner, high if esn else None, length))
    return entry


def packet(sa, name, inner, high, length):
    """One packet; `high` is the high half of its number, None without ESN."""
    esn, high = high is not None, high or 0
    clear = inner_packet(inner, length)
    low = int.from_bytes(derived("seq", name, 4), "big") | 1
    iv = derived("iv", name, sa.crypt_algo.iv_size)
    sealed = sa.encrypt(clear.__class__(bytes(clear)), seq_num=low, iv=iv, esn_en=esn, esn=high)
    opened = sa.decrypt(sealed.__class__(bytes(sealed)), esn_en=esn, esn=high)
    assert bytes(opened) == bytes(clear), f"{name}: scapy does not open what it sealed"
    return {
        "seq": f"{high << 32 | low:#x}",
        "iv": iv.hex(),
        "inner": bytes(clear).hex(),
        "sealed": bytes(sealed).hex(),
    }


def inner_packet(family, length):
    ipv4 = IP(src="10.1.0.1", dst="10.2.0.2", id=0x1111)
    ipv6 = IPv6(src="2001:db8:1::1", dst="2001:db8:2::2")
    datagram = UDP(sport=5001, dport=5002)
    if length:
        datagram /= Raw(bytes(i % 251 for i in range(length)))
    return (ipv4 if family == 4 else ipv6) / datagram


def tunnel_header(family):
    """Identification, traffic class and flags zero, hop limit 64."""
    if family is None:
        return None
    src, dst = TUNNELS[family]
    return IP(src=src, dst=dst, id=0, ttl=64) if family == 4 else IPv6(src=src, dst=dst, hlim=64)


def derived(what, name, length):
    return hashlib.sha256(f"{what} of {name}".encode()).digest()[:length]


def render(sas):
    """JSON with a line for each SA and each packet, so that a difference shows where it is."""
    lines = []
    for sa in sas:
        head = {key: value for key, value in sa.items() if key != "packets"}
        packets = ",\n  ".join(json.dumps(one, separators=(",", ":")) for one in sa["packets"])
        lines.append(f' {json.dumps(head)[:-1]}, "packets": [\n  {packets}]}}')
    return '{"format": "esp-scapy/1", "sas": [\n' + ",\n".join(lines) + "\n]}\n"


if __name__ == "__main__":
    main()
