#!/usr/bin/env python3
"""Writes src/self_test/known_answers.txt and known_answers_legacy.txt: what `self_test` carries.

Some rows are values printed in RFCs and drafts. The others are packets sealed here from the layouts of the RFCs with
the primitives of `cryptography`, an independent implementation; those of algorithms that scapy knows are opened by its
ESP as well. Needs cryptography 48 and scapy 2.8.

    python3 tests/data/make_known_answers.py      (in esp-crypto)
"""

import hashlib
import hmac
import pathlib
import struct

from cryptography.hazmat.decrepit.ciphers.algorithms import TripleDES
from cryptography.hazmat.primitives import cmac
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESCCM, ChaCha20Poly1305
from scapy.layers.inet import IP, UDP
from scapy.layers.ipsec import ESP, SecurityAssociation
from scapy.packet import Raw

from printed_values import DRAFT_GCM, PRINTED_CIPHERS, PRINTED_MACS

# name: key, salt, IV in the packet, ICV, all in bytes; what it pads to here
COMBINED = {
    **{f"aes-{8 * key}-gcm-{icv}": (key, 4, 8, icv) for key in (16, 24, 32) for icv in (16, 12, 8)},
    "chacha20-poly1305": (32, 4, 8, 16),
    **{f"aes-{8 * key}-ccm-{icv}": (key, 3, 8, icv) for key in (16, 24, 32) for icv in (16, 12, 8)},
    **{f"aes-{8 * key}-gmac": (key, 4, 8, 16) for key in (16, 24, 32)},
    **{f"aes-{8 * key}-gcm-16-iiv": (key, 4, 0, 16) for key in (16, 24, 32)},
    **{f"aes-{8 * key}-ccm-8-iiv": (key, 3, 0, 8) for key in (16, 24, 32)},
    "chacha20-poly1305-iiv": (32, 4, 0, 16),
}
CIPHERS = {
    **{f"aes-{8 * key}-cbc": (key, 0, 16) for key in (16, 24, 32)},
    **{f"aes-{8 * key}-ctr": (key, 4, 8) for key in (16, 24, 32)},
    "null": (0, 0, 0),
}
MACS = {
    "hmac-sha1-96": (20, 12),
    "hmac-sha256-128": (32, 16),
    "hmac-sha384-192": (48, 24),
    "hmac-sha512-256": (64, 32),
    "aes-xcbc-96": (16, 12),
    "aes-cmac-96": (16, 12),
}
LEGACY_CIPHERS = {"3des-cbc": (24, 0, 8), "des-cbc": (8, 0, 8)}
LEGACY_MACS = {"hmac-md5-96": (16, 12), "hmac-sha256-96": (32, 12), "none": (0, 0)}

# case, payload of the inner UDP datagram in bytes, SPI, low and high half of the sequence number
CASES = [
    ("short", 8, 0x1001, 1, None),
    ("esn", 33, 0xC0FFEE01, 0x00000007, 0x00000001),
    ("long-esn", 471, 0x89ABCDEF, 0xFFFFFFFE, 0x156F3126),
]


def bytes_for(label, count):
    """Reproducible bytes without structure."""
    return hashlib.shake_256(label.encode()).digest(count)


def datagram(case, count):
    ip = IP(src="192.0.2.1", dst="198.51.100.2", id=0x4303) / UDP(sport=4000, dport=4001)
    return bytes(ip / Raw(bytes_for(f"payload {case}", count)))


def padded(inner, align):
    """RFC 4303 section 2.4; the next header is IPv4."""
    pad = -(len(inner) + 2) % align
    return inner + bytes(range(1, pad + 1)) + bytes([pad, 4])


def header(case):
    _, _, spi, low, _ = case
    return struct.pack("!LL", spi, low)


def number(case):
    """What a combined mode calls the sequence number: 32 bits, or 64 with ESN."""
    _, _, _, low, high = case
    return struct.pack("!L", low) if high is None else struct.pack("!LL", high, low)


def seal_combined(name, keys, iv, case, payload):
    key_len, _, iv_len, icv_len = COMBINED[name]
    key, salt = keys[:key_len], keys[key_len:]
    # RFC 8750: the number, as eight bytes, is the IV.
    nonce = salt + (iv if iv_len else number(case).rjust(8, b"\0"))
    aad = header(case)[:4] + number(case)
    if name.startswith("chacha20"):
        return header(case) + iv + ChaCha20Poly1305(key).encrypt(nonce, payload, aad)
    if "-ccm" in name:
        return header(case) + iv + AESCCM(key, tag_length=icv_len).encrypt(nonce, payload, aad)
    gcm = Cipher(algorithms.AES(key), modes.GCM(nonce)).encryptor()
    if "-gmac" in name:
        # RFC 4543 section 3.3: all is associated data.
        gcm.authenticate_additional_data(aad + iv + payload)
        gcm.finalize()
        return header(case) + iv + payload + gcm.tag[:icv_len]
    gcm.authenticate_additional_data(aad)
    sealed = gcm.update(payload) + gcm.finalize()
    return header(case) + iv + sealed + gcm.tag[:icv_len]


def encrypt(cipher, keys, iv, payload):
    if cipher == "null":
        return payload
    key_len = {**CIPHERS, **LEGACY_CIPHERS}[cipher][0]
    key, nonce = keys[:key_len], keys[key_len:]
    if cipher.endswith("-ctr"):
        algorithm, mode = algorithms.AES(key), modes.CTR(nonce + iv + struct.pack("!L", 1))
    elif cipher == "des-cbc":
        algorithm, mode = TripleDES(key * 3), modes.CBC(iv)
    else:
        algorithm, mode = (TripleDES if cipher == "3des-cbc" else algorithms.AES)(key), modes.CBC(iv)
    encryptor = Cipher(algorithm, mode).encryptor()
    return encryptor.update(payload) + encryptor.finalize()


def authenticate(mac, key, covered):
    icv_len = {**MACS, **LEGACY_MACS}[mac][1]
    if mac.startswith("hmac"):
        return hmac.new(key, covered, mac.split("-")[1]).digest()[:icv_len]
    if mac == "aes-cmac-96":
        state = cmac.CMAC(algorithms.AES(key))
        state.update(covered)
        return state.finalize()[:icv_len]
    return xcbc(key, covered)[:icv_len] if mac == "aes-xcbc-96" else b""


def xcbc(key, message):
    """RFC 3566 section 4."""
    block = lambda key, data: Cipher(algorithms.AES(key), modes.ECB()).encryptor().update(data)
    xor = lambda a, b: bytes(x ^ y for x, y in zip(a, b))
    k1, k2, k3 = (block(key, bytes([byte]) * 16) for byte in (1, 2, 3))
    blocks = [message[at : at + 16] for at in range(0, len(message), 16)] or [b""]
    last = blocks.pop()
    last = xor(last, k2) if len(last) == 16 else xor((last + b"\x80").ljust(16, b"\0"), k3)
    state = bytes(16)
    for data in blocks:
        state = block(k1, xor(state, data))
    return block(k1, xor(state, last))


def seal_separate(cipher, mac, keys, iv, case, payload):
    cut = sum({**CIPHERS, **LEGACY_CIPHERS}[cipher][:2])
    covered = header(case) + iv + encrypt(cipher, keys[:cut], iv, payload)
    # RFC 4303 section 2.2.1: the high half comes behind, and is not sent.
    high = b"" if case[4] is None else struct.pack("!L", case[4])
    return covered + authenticate(mac, keys[cut:], covered + high)


def made_here(combined, pairs, cases_of):
    for name in combined:
        key_len, salt_len, iv_len, _ = COMBINED[name]
        for case in CASES:
            keys = bytes_for(f"keys {name} {case[0]}", key_len + salt_len)
            iv = bytes_for(f"iv {name} {case[0]}", iv_len)
            payload = padded(datagram(*case[:2]), 4)
            sealed = seal_combined(name, keys, iv, case, payload)
            cipher = {"gcm": "AES-GCM", "ccm": "AES-CCM", "poly1305": "CHACHA20-POLY1305"}.get(name.split("-")[-2])
            cipher = "CHACHA20-POLY1305" if name == "chacha20-poly1305" else cipher
            if cipher and iv and sealed[-16:] and COMBINED[name][3] == SCAPY_ICV[cipher]:
                opened_by_scapy(sealed, case, cipher, keys, "NULL", b"")
            yield name, case, keys, f"{case[0]}/4", payload, sealed
    for cipher, mac in pairs:
        name = f"{cipher}-{mac}"
        key_len, salt_len, iv_len = {**CIPHERS, **LEGACY_CIPHERS}[cipher]
        mac_len = {**MACS, **LEGACY_MACS}[mac][0]
        align = 16 if "cbc" in cipher else 4
        for case in cases_of(cipher, mac):
            keys = bytes_for(f"keys {name} {case[0]}", key_len + salt_len + mac_len)
            iv = bytes_for(f"iv {name} {case[0]}", iv_len)
            payload = padded(datagram(*case[:2]), align)
            sealed = seal_separate(cipher, mac, keys, iv, case, payload)
            if mac in SCAPY_MACS:
                cut = key_len + salt_len
                opened_by_scapy(sealed, case, SCAPY_CIPHERS[cipher], keys[:cut], SCAPY_MACS[mac], keys[cut:])
            yield name, case, keys, f"{case[0]}/{align}", payload, sealed


SCAPY_ICV = {"AES-GCM": 16, "AES-CCM": 16, "CHACHA20-POLY1305": 16}
SCAPY_CIPHERS = {
    **{f"aes-{bits}-cbc": "AES-CBC" for bits in (128, 192, 256)},
    **{f"aes-{bits}-ctr": "AES-CTR" for bits in (128, 192, 256)},
    "null": "NULL",
    "3des-cbc": "3DES",
    "des-cbc": "DES",
}
SCAPY_MACS = {
    "hmac-sha1-96": "HMAC-SHA1-96",
    "hmac-sha256-128": "SHA2-256-128",
    "hmac-sha384-192": "SHA2-384-192",
    "hmac-sha512-256": "SHA2-512-256",
    "aes-cmac-96": "AES-CMAC-96",
    "hmac-md5-96": "HMAC-MD5-96",
}
opened = 0


def opened_by_scapy(sealed, case, cipher, crypt_key, mac, auth_key):
    """scapy's ESP opens `sealed` to the datagram that is in it."""
    global opened
    name, count, spi, _, high = case
    sa = SecurityAssociation(
        ESP,
        spi=spi,
        crypt_algo=cipher,
        crypt_key=crypt_key,
        auth_algo=mac,
        auth_key=auth_key,
        esn_en=high is not None,
        esn=high or 0,
        tunnel_header=IP(src="203.0.113.1", dst="203.0.113.2"),
    )
    outer = IP(bytes(IP(src="203.0.113.1", dst="203.0.113.2", proto=50) / Raw(sealed)))
    assert bytes(sa.decrypt(outer)) == datagram(name, count), (cipher, mac, name)
    opened += 1


def printed_in_rfcs():
    """Name of the transform, case, high half, keys, payload, packet."""
    unhex = bytes.fromhex
    chacha = unhex(
        "0102030400000005101112131415161724039428b97f417e3c13753a4f05087b67c352e6a7fab1b982d466ef407ae5c614"
        "ee8099d52844eb61aa95dfab4c02f72aa71e7c4c4f64c9befe2facc638e8f3cbec163fac469b502773f6fb94e664da9165"
        "b82829f641e076aaa8266b7fb0f7b11b369907e1ad43"
    )
    keys = bytes(range(0x80, 0xA4))
    clear = ChaCha20Poly1305(keys[:32]).decrypt(keys[32:] + chacha[8:16], chacha[16:], chacha[:8])
    yield "chacha20-poly1305", "rfc7634-appendix-a", None, keys, clear, chacha
    # draft-mcgrew-gcm-test-01
    for name, case, high, keys, packet in DRAFT_GCM:
        keys, packet = unhex(keys), unhex(packet)
        number = packet[4:8] if high is None else struct.pack("!L", high) + packet[4:8]
        aad, nonce = packet[:4] + number, keys[-4:] + packet[8:16]
        if name.endswith("gmac"):
            aad, clear = packet[:-16], packet[16:-16]
            gcm = Cipher(algorithms.AES(keys[:-4]), modes.GCM(nonce, packet[-16:])).decryptor()
            gcm.authenticate_additional_data(aad)
            gcm.finalize()
        else:
            gcm = Cipher(algorithms.AES(keys[:-4]), modes.GCM(nonce, packet[-16:])).decryptor()
            gcm.authenticate_additional_data(aad)
            clear = gcm.update(packet[16:-16]) + gcm.finalize()
        yield name, case, high, keys, clear, packet
    # A message of at least eight bytes and its MAC are a packet under NULL.
    for mac, case, keys, message, digest in PRINTED_MACS:
        keys, message, digest = unhex(keys), unhex(message), unhex(digest)
        icv = authenticate(mac, keys, message)
        assert digest.startswith(icv), case
        yield f"null-{mac}", case, None, keys, message[8:], message + icv


def printed_in_rfcs_legacy():
    unhex = bytes.fromhex
    keys, message = b"\x0b" * 16, b"Hi There"
    icv = unhex("9294727a3638bb1c13f48ef8158bfc9d")[:12]
    yield "null-hmac-md5-96", "rfc2202-md5-1", None, keys, b"", message + icv
    # Ciphers alone are packets without integrity; RFC 3686 prints no header.
    header = unhex("0000432100000001")
    for transform, case, keys, iv, clear, sealed in PRINTED_CIPHERS:
        keys, iv, clear, sealed = unhex(keys), unhex(iv), unhex(clear), unhex(sealed)
        assert encrypt(transform.removesuffix("-none"), keys, iv, clear) == sealed, case
        yield transform, case, None, keys, clear, header + iv + sealed


def write(path, rows):
    payloads, lines = {}, []
    for name, case, high, keys, payload_name, payload, sealed in rows:
        assert payloads.setdefault(payload_name, payload) == payload, payload_name
        high = "-" if high is None else f"{high:08x}"
        lines.append(f"answer {name} {case} {high} {keys.hex()} {payload_name} {sealed.hex()}")
    head = ["# Known answers. Written by tests/data/make_known_answers.py; do not edit."]
    head += [f"payload {name} {payload.hex() or '-'}" for name, payload in payloads.items()]
    path.write_text("\n".join(head + lines) + "\n")
    print(f"{path}: {len(lines)} answers")


def main():
    here = pathlib.Path(__file__).parents[2] / "src" / "self_test"
    printed = lambda rows: [(n, c, hi, keys, c, clear, sealed) for n, c, hi, keys, clear, sealed in rows]
    made = lambda rows: [(n, c[0], c[4], keys, p, clear, sealed) for n, c, keys, p, clear, sealed in rows]
    pairs = [(cipher, mac) for cipher in CIPHERS for mac in MACS]
    # The long packet once for each cipher and each MAC.
    few = lambda cipher, mac: CASES if "null" in cipher or mac == "hmac-sha256-128" else CASES[:2]
    write(here / "known_answers.txt", printed(printed_in_rfcs()) + made(made_here(COMBINED, pairs, few)))
    legacy = [(cipher, mac) for cipher in CIPHERS for mac in LEGACY_MACS if (cipher, mac) != ("null", "none")]
    legacy += [(cipher, mac) for cipher in LEGACY_CIPHERS for mac in {**MACS, **LEGACY_MACS}]
    two = lambda cipher, mac: CASES[:2]
    write(here / "known_answers_legacy.txt", printed(printed_in_rfcs_legacy()) + made(made_here([], legacy, two)))
    print(f"{opened} of them opened by scapy")


if __name__ == "__main__":
    main()
