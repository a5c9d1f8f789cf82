#!/usr/bin/env python3
"""Writes src/self_test/vectors.rs: the known answers that `self_test` carries.

Two rows are values printed in RFCs. The others are packets made by scapy's ESP and checked here with the
primitives of `cryptography`, from the RFC's layout alone. Needs scapy 2.8 and cryptography.

    python3 scripts/selftest_vectors.py | rustfmt --edition 2024 --config-path .. > src/self_test/vectors.rs
"""

import hashlib
import hmac
import struct
import sys

from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305
from scapy.layers.inet import IP, UDP
from scapy.layers.ipsec import ESP, SecurityAssociation
from scapy.packet import Raw

# name in Rust, scapy cipher, scapy MAC, bytes of keying material, AEAD of `cryptography`
TRANSFORMS = [
    ("Aes128Gcm16", "AES-GCM", None, 20, AESGCM),
    ("Aes192Gcm16", "AES-GCM", None, 28, AESGCM),
    ("Aes256Gcm16", "AES-GCM", None, 36, AESGCM),
    ("ChaCha20Poly1305", "CHACHA20-POLY1305", None, 36, ChaCha20Poly1305),
    ("NullHmacSha256_128", "NULL", "SHA2-256-128", 32, None),
]

# case, payload of the inner UDP datagram in bytes, SPI, low and high half of the sequence number
CASES = [
    ("short", 8, 0x1001, 1, None),
    ("esn", 33, 0xC0FFEE01, 0x00000007, 0x00000001),
    ("long-esn", 471, 0x89ABCDEF, 0xFFFFFFFE, 0x156F3126),
]

ICV = 16


def bytes_for(label, count):
    """Reproducible bytes without structure."""
    return hashlib.shake_256(label.encode()).digest(count)


def datagram(case, count):
    ip = IP(src="192.0.2.1", dst="198.51.100.2", id=0x4303) / UDP(sport=4000, dport=4001)
    return ip / Raw(bytes_for(f"payload {case}", count))


def scapy_packet(cipher, mac, keys, iv, case):
    _, count, spi, low, high = case
    key, salt = (keys[:-4], keys[-4:]) if mac is None else (b"", b"")
    sa = SecurityAssociation(
        ESP,
        spi=spi,
        crypt_algo=cipher,
        crypt_key=key + salt,
        auth_algo=mac,
        auth_key=keys if mac else None,
        esn_en=high is not None,
        esn=high or 0,
        tunnel_header=IP(src="203.0.113.1", dst="203.0.113.2"),
    )
    sealed = sa.encrypt(datagram(case[0], count), seq_num=low, iv=iv)
    return bytes(sealed[ESP])


def plaintext(aead, keys, iv_len, high, sealed):
    """Opens `sealed` without scapy; the ICV must verify."""
    header, iv, rest = sealed[:8], sealed[8 : 8 + iv_len], sealed[8 + iv_len :]
    spi, low = struct.unpack("!LL", header)
    if aead is None:
        covered = sealed[:-ICV] + (b"" if high is None else struct.pack("!L", high))
        assert hmac.new(keys, covered, "sha256").digest()[:ICV] == sealed[-ICV:]
        return rest[:-ICV]
    aad = header if high is None else struct.pack("!LLL", spi, high, low)
    return aead(keys[:-4]).decrypt(keys[-4:] + iv, rest, aad)


def made_by_scapy():
    for rust, cipher, mac, key_len, aead in TRANSFORMS:
        for case in CASES:
            name, _, _, _, high = case
            keys = bytes_for(f"keys {rust} {name}", key_len)
            iv = b"" if mac else bytes_for(f"iv {rust} {name}", 8)
            sealed = scapy_packet(cipher, mac, keys, iv, case)
            clear = plaintext(aead, keys, len(iv), high, sealed)
            assert len(clear) % 4 == 0 and clear[-1] == 4, "padded to 4 bytes, tunnel of IPv4"
            yield rust, name, keys, high, sealed, clear


def printed_in_rfcs():
    keys = bytes(range(0x80, 0xA0)) + bytes(range(0xA0, 0xA4))
    sealed = bytes.fromhex(
        "0102030400000005101112131415161724039428b97f417e3c13753a4f05087b67c352e6a7fab1b982d466ef407ae5c614"
        "ee8099d52844eb61aa95dfab4c02f72aa71e7c4c4f64c9befe2facc638e8f3cbec163fac469b502773f6fb94e664da9165"
        "b82829f641e076aaa8266b7fb0f7b11b369907e1ad43"
    )
    clear = plaintext(ChaCha20Poly1305, keys, 8, None, sealed)
    yield "ChaCha20Poly1305", "rfc7634-appendix-a", keys, None, sealed, clear
    # Its message is eight bytes, so with the ICV it is an ESP packet without payload.
    keys, sealed = b"\x0b" * 32, b"Hi There" + bytes.fromhex("198a607eb44bfbc69903a0f1cf2bbdc5")
    assert plaintext(None, keys, 0, None, sealed) == b""
    yield "NullHmacSha256_128", "rfc4868-auth256-1", keys, None, sealed, b""


def hex_literal(data):
    text = data.hex()
    lines = [text[at : at + 96] for at in range(0, len(text), 96)] or [""]
    return '"' + "\\\n         ".join(lines) + '"'


def main():
    out = sys.stdout.write
    rows = [*printed_in_rfcs(), *made_by_scapy()]
    payloads = {}
    for _, name, _, _, _, clear in rows:
        assert payloads.setdefault(name, clear) == clear, "a case has one payload for all transforms"
    out("//! Known answers. Written by `scripts/selftest_vectors.py`; do not edit.\n\n")
    out("use super::KnownAnswer;\nuse crate::Transform;\n\n")
    for name, clear in payloads.items():
        out(f"const {constant(name)}: &str = {hex_literal(clear)};\n\n")
    out("pub(super) const KNOWN_ANSWERS: &[KnownAnswer] = &[\n")
    for rust, name, keys, high, sealed, _ in rows:
        seq_hi = "None" if high is None else f"Some({high:#010x})"
        out(f'KnownAnswer {{ transform: Transform::{rust}, case: "{name}", seq_hi: {seq_hi},\n')
        out(f"keys: {hex_literal(keys)}, payload: {constant(name)},\n")
        out(f"sealed: {hex_literal(sealed)} }},\n")
    out("];\n")


def constant(name):
    return name.upper().replace("-", "_")


if __name__ == "__main__":
    main()
