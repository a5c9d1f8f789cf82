#!/usr/bin/env python3
"""Lets scapy, and tshark where it is there, judge the esp program, for every transform that one of them knows.

Each cell is a transform, a mode, the outer and inner address family, ESN and UDP. All cells are SAs of one file, told
apart by selectors, so that one run of `esp seal` seals all of them. Some transforms are tried in every combination of
these, the others in tunnel mode, transport mode and UDP, each with and without ESN.

  seal    scapy opens what esp seals, and finds the packet that went in
  open    esp opens what scapy seals, and finds the packet that went in
  tshark  given the esp_sa file that esp writes, decrypts what esp seals and calls every ICV good; it cannot judge an ESN
          ICV, so those cells are counted apart

What nobody here knows is listed with the reason. At the end scapy is told the wrong ESN high half and tshark gets packets
with a changed ICV, of a combined mode and of a separate MAC: both must notice.

usage: outsiders.py ESP     (the program to test). Needs scapy and cryptography. Exit code 1 if someone disagrees.
"""

import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from scapy.layers.inet import ICMP, IP, UDP
from scapy.layers.inet6 import ICMPv6EchoRequest, IPv6
from scapy.layers.ipsec import ESP, SecurityAssociation
from scapy.packet import Raw
from scapy.utils import PcapReader, PcapWriter

KEY = bytes.fromhex("9f8b2c63d1e40a7758c6b3f0142d9ea5117a0c44e85d3b96f2a1c7085e93d6b4" * 4)
LENGTHS = (0, 1, 2, 3, 15, 16, 17, 1300)
# Tried in every combination of modes, families, ESN and UDP.
EVERY_SHAPE = ("aes-128-gcm-16", "chacha20-poly1305", "null-hmac-sha256-128", "aes-256-cbc-hmac-sha512-256")
SCAPY_MACS = {
    "hmac-sha1-96": "HMAC-SHA1-96",
    "hmac-sha256-128": "SHA2-256-128",
    "hmac-sha384-192": "SHA2-384-192",
    "hmac-sha512-256": "SHA2-512-256",
    "hmac-md5-96": "HMAC-MD5-96",
    "aes-cmac-96": "AES-CMAC-96",
}
MAC_LENGTHS = {
    "hmac-sha1-96": 20,
    "hmac-sha256-128": 32,
    "hmac-sha256-96": 32,
    "hmac-sha384-192": 48,
    "hmac-sha512-256": 64,
    "hmac-md5-96": 16,
    "aes-xcbc-96": 16,
    "aes-cmac-96": 16,
    "none": 0,
}


class Transform(NamedTuple):
    """A transform as each side has it."""

    name: str
    # Keying material of the cipher, salt last, and of the MAC, in bytes.
    cipher_len: int
    mac_len: int
    iv_len: int
    # What scapy calls them; None with the reason if it does not know them.
    cipher: str | None
    mac: str | None
    icv_len: int | None
    stranger: str
    # Whether tshark 4.0 reads it.
    tshark: bool
    legacy: bool

    @property
    def seals(self) -> bool:
        """esp sends nothing under DES."""
        return not self.name.startswith("des-")


def transform(name: str) -> Transform:
    """What the name says."""
    explicit, implicit = name.removesuffix("-iiv"), name.endswith("-iiv")
    parts = explicit.split("-")
    bits = int(parts[1]) // 8 if parts[0] == "aes" else 0
    legacy = parts[0] in ("3des", "des") or explicit.endswith(("-hmac-md5-96", "-hmac-sha256-96", "-none"))
    plain = Transform(name, 0, 0, 0 if implicit else 8, None, None, None, "", False, legacy)
    if implicit:
        plain = plain._replace(stranger="scapy and tshark 4.0 know no implicit IV")
    if explicit == "chacha20-poly1305":
        return plain._replace(cipher_len=36, cipher="CHACHA20-POLY1305")
    if parts[0] == "aes" and parts[2] == "gmac":
        return plain._replace(cipher_len=bits + 4, cipher="AES-NULL-GMAC")
    if parts[0] == "aes" and parts[2] == "ccm":
        return plain._replace(cipher_len=bits + 3, cipher="AES-CCM", icv_len=int(parts[3]))
    if parts[0] == "aes" and parts[2] == "gcm":
        known = plain._replace(cipher_len=bits + 4, cipher="AES-GCM", tshark=not implicit)
        if parts[3] != "16":
            return known._replace(stranger="scapy's AES-GCM has an ICV of 16 bytes")
        return known
    return separate(plain, explicit, bits)


def separate(plain: Transform, name: str, bits: int) -> Transform:
    """A cipher and a MAC."""
    cipher, length, iv_len = next(
        row
        for prefix, *row in (
            ("null-", "NULL", 0, 0),
            ("3des-cbc-", "3DES", 24, 8),
            ("des-cbc-", "DES", 8, 8),
            (f"aes-{bits * 8}-cbc-", "AES-CBC", bits, 16),
            (f"aes-{bits * 8}-ctr-", "AES-CTR", bits + 4, 8),
        )
        if name.startswith(prefix)
    )
    mac = next(mac for mac in MAC_LENGTHS if name.endswith(f"-{mac}"))
    known = plain._replace(cipher_len=length, mac_len=MAC_LENGTHS[mac], iv_len=iv_len, cipher=cipher)
    in_tshark = mac.startswith("hmac-") and cipher != "DES"
    if mac not in SCAPY_MACS:
        reason = "nothing to judge without an ICV" if mac == "none" else f"scapy has no {mac}"
        return known._replace(stranger=reason, tshark=in_tshark)
    return known._replace(mac=SCAPY_MACS[mac], tshark=in_tshark)


class Cell(NamedTuple):
    """One combination; the number makes its SPI and its inner addresses."""

    number: int
    transform: Transform
    tunnel: bool
    outer: int
    inner: int
    esn: bool
    udp: bool

    @property
    def spi(self) -> int:
        return 0x1000 + self.number

    @property
    def hosts(self) -> tuple[str, str]:
        high, low = divmod(self.number, 200)
        if self.inner == 4:
            return f"10.{high}.{low}.1", f"10.{high}.{low}.2"
        return f"fd00:{high}:{low + 1}::1", f"fd00:{high}:{low + 1}::2"

    @property
    def ends(self) -> tuple[str, str]:
        return ("192.0.2.1", "192.0.2.2") if self.outer == 4 else ("2001:db8::1", "2001:db8::2")

    @property
    def keys(self) -> tuple[bytes, bytes]:
        """Of the cipher, with its salt, and of the MAC. No two SAs share one."""
        mixed = bytes(byte ^ (self.number * 31 + at & 0xFF) for at, byte in enumerate(KEY))
        length = self.transform.cipher_len
        return mixed[:length], mixed[length : length + self.transform.mac_len]

    @property
    def in_scapy(self) -> bool:
        return not self.transform.stranger

    def packets(self) -> list:
        """The packets that go in, of awkward lengths."""
        src, dst = self.hosts
        made = []
        for length in LENGTHS:
            data = Raw(bytes(at & 0xFF for at in range(length)))
            if self.inner == 4:
                made.append(IP(src=src, dst=dst, id=length + 1) / UDP(sport=5000, dport=6000) / data)
            else:
                made.append(IPv6(src=src, dst=dst) / UDP(sport=5000, dport=6000) / data)
        if self.inner == 4:
            made.append(IP(src=src, dst=dst, id=99) / ICMP(seq=1) / Raw(b"ping"))
        else:
            made.append(IPv6(src=src, dst=dst) / ICMPv6EchoRequest(seq=1, data=b"ping"))
        return [type(packet)(bytes(packet)) for packet in made]

    def toml(self, direction: str) -> str:
        """The SA as esp reads it."""
        src, dst = self.ends
        inside = " ".join(f'{name} = "{host}",' for name, host in zip(("src", "dst"), self.hosts))
        lines = [
            "[[sa]]",
            f'name = "{direction} {self.number}"',
            f'direction = "{direction}"',
            f"spi = {self.spi}",
            f'transform = "{self.transform.name}"',
            f'key = "{self.keys[0].hex()}"',
            f'mode = "{"tunnel" if self.tunnel else "transport"}"',
            f"esn = {str(self.esn).lower()}",
            f"selectors = [{{ {inside.rstrip(',')} }}]",
        ]
        if self.keys[1]:
            lines.append(f'integrity_key = "{self.keys[1].hex()}"')
        if self.transform.legacy:
            lines.append("allow_legacy = true")
        if self.tunnel:
            lines += [f'src = "{src}"', f'dst = "{dst}"']
        if self.udp:
            lines.append("udp = {}")
        return "\n".join(lines) + "\n\n"

    def scapy(self) -> SecurityAssociation:
        """The SA as scapy has it."""
        tunnel = None
        if self.tunnel:
            src, dst = self.ends
            tunnel = IP(src=src, dst=dst) if self.outer == 4 else IPv6(src=src, dst=dst)
        crypt_key, auth_key = self.keys
        auth = {"auth_algo": self.transform.mac, "auth_key": auth_key} if self.transform.mac else {}
        nat_t = UDP(sport=4500, dport=4500) if self.udp else None
        return SecurityAssociation(
            ESP,
            spi=self.spi,
            crypt_algo=self.transform.cipher,
            crypt_key=crypt_key,
            crypt_icv_size=self.transform.icv_len,
            tunnel_header=tunnel,
            nat_t_header=nat_t,
            esn_en=self.esn,
            **auth,
        )


def cells(esp: str) -> list[Cell]:
    """The cells of every transform that the program itself lists, and of which somebody else knows."""
    listed = json.loads(run(esp, "selftest", "--json").stdout)["tiers"]
    transforms = [transform(name) for name in dict.fromkeys(row["transform"] for row in listed)]
    tunnels = [(True, outer, inner) for outer in (4, 6) for inner in (4, 6)]
    transports = [(False, family, family) for family in (4, 6)]
    every = list(itertools.product(tunnels + transports, (False, True), (False, True)))
    some = [
        (shape, esn, udp)
        for esn in (False, True)
        for shape, udp in (((True, 4, 6), False), ((False, 6, 6), False), ((True, 6, 4), False), ((False, 4, 4), True))
    ]
    made = []
    for one in transforms:
        if one.stranger and not one.tshark:
            continue
        for shape, esn, udp in every if one.name in EVERY_SHAPE else some:
            made.append(Cell(len(made) + 1, one, *shape, esn, udp))
    unjudged: dict[str, list[str]] = {}
    for one in transforms:
        if one.stranger:
            unjudged.setdefault(one.stranger, []).append(one.name)
    for reason, names in unjudged.items():
        print(f"skipped {len(names)} transforms in scapy: {reason}: {', '.join(names)}")
    return made


def run(*command: str, code: int = 0, **more) -> subprocess.CompletedProcess:
    """Runs a command that must end with this exit code."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False, **more)
    if done.returncode != code:
        sys.exit(f"failed: {' '.join(map(str, command))}: {done.stderr or done.stdout}")
    return done


def write(path: Path, packets: list) -> None:
    """A capture of raw IP packets."""
    with PcapWriter(str(path), linktype=101) as writer:
        for packet in packets:
            writer.write(bytes(packet))


def read(path: Path) -> list:
    """The packets of a capture."""
    with PcapReader(str(path)) as reader:
        return [bytes(packet) for packet in reader]


def as_ip(data: bytes):
    """Bytes as the packet that they are."""
    return IP(data) if data[0] >> 4 == 4 else IPv6(data)


def private(path: Path, text: str) -> None:
    """A file for its owner alone: it holds keys."""
    path.touch(mode=0o600)
    path.write_text(text)


def judge_seal(all_cells: list[Cell], sealed: list[bytes]) -> tuple[int, int]:
    """scapy opens every sealed packet, in order; cells and packets that it judged."""
    at = judged = packets = 0
    for cell in all_cells:
        sa = cell.scapy() if cell.in_scapy else None
        for packet in cell.packets():
            if sa is not None:
                opened = sa.decrypt(as_ip(sealed[at]))
                if bytes(opened) != bytes(packet):
                    sys.exit(f"failed: {cell}: scapy opens another packet than went in: {opened!r}")
                packets += 1
            at += 1
        judged += sa is not None
    if at != len(sealed):
        sys.exit(f"failed: {len(sealed)} packets sealed, {at} expected")
    return judged, packets


def scapy_notices(cell: Cell, sealed: bytes) -> None:
    """A wrong high half must not pass."""
    try:
        cell.scapy().decrypt(as_ip(sealed), esn=1)
    except Exception:  # scapy and its library raise several kinds
        return
    sys.exit("failed: scapy opens a packet under the wrong high half, so its word counts for nothing")


def judge_open(esp: str, work: Path, all_cells: list[Cell]) -> tuple[int, int]:
    """esp opens what scapy seals; cells and packets."""
    before, sealed = [], []
    known = [cell for cell in all_cells if cell.in_scapy]
    for cell in known:
        sa = cell.scapy()
        for number, packet in enumerate(cell.packets(), start=1):
            before.append(bytes(packet))
            iv = (number * 0x9E3779B97F4A7C15F39CC0605CEDC835 % 2**128).to_bytes(16, "big")[: cell.transform.iv_len]
            sealed.append(sa.encrypt(packet, seq_num=number, iv=iv or None))
    write(work / "theirs.pcap", sealed)
    run(esp, "open", "--sa", work / "in.toml", work / "theirs.pcap", work / "ours.pcap")
    after = read(work / "ours.pcap")
    for number, (one, other) in enumerate(zip(before, after, strict=True)):
        if one != other:
            sys.exit(f"failed: esp opens another packet {number} than scapy sealed")
    return len(known), len(after)


def tshark(work: Path, capture: str, fields: list[str], display: str = "esp") -> list[list[str]]:
    """What tshark says of each ESP packet."""
    wanted = itertools.chain.from_iterable(("-e", field) for field in fields)
    done = run(
        "tshark", "-n", "-r", work / capture, "-Y", display,
        "-o", "esp.enable_encryption_decode:TRUE", "-o", "esp.enable_authentication_check:TRUE",
        "-T", "fields", "-E", "separator=|", "-E", "occurrence=a", *wanted,
        env={**os.environ, "WIRESHARK_CONFIG_DIR": str(work / "ws")},
    )  # fmt: skip
    return [line.split("|") for line in done.stdout.splitlines()]


def judge_tshark(work: Path, all_cells: list[Cell]) -> tuple[int, int]:
    """Cells with every ICV good, and cells decrypted but not judged."""
    by_spi: dict[int, list[tuple[bool, str]]] = {}
    for spi, good, source in tshark(work, "sealed.pcap", ["esp.spi", "esp.icv_good", "udp.dstport"]):
        by_spi.setdefault(int(spi, 16), []).append((good in ("1", "True"), source))
    judged = decrypted = 0
    for cell in all_cells:
        seen = by_spi.get(cell.spi, [])
        if len(seen) != len(cell.packets()):
            sys.exit(f"failed: {cell}: tshark sees {len(seen)} ESP packets")
        if not cell.transform.tshark:
            continue
        # The port inside stands in the clear only once the packet is decrypted; the last packet is a ping.
        inside = sum(port.split(",")[-1] == "6000" for _, port in seen)
        if inside != len(LENGTHS):
            sys.exit(f"failed: {cell}: tshark finds {inside} of {len(LENGTHS)} packets inside")
        if cell.esn:
            decrypted += 1
        elif all(good for good, _ in seen):
            judged += 1
        else:
            sys.exit(f"failed: {cell}: tshark calls an ICV bad")
    return judged, decrypted


def tshark_notices(work: Path, sealed: list[bytes]) -> None:
    """A changed ICV must not pass."""
    write(work / "forged.pcap", [packet[:-1] + bytes([packet[-1] ^ 1]) for packet in sealed])
    if len(tshark(work, "forged.pcap", ["frame.number"], "esp.icv_bad == 1")) != len(sealed):
        sys.exit("failed: tshark does not notice a forged ICV, so its word counts for nothing")


def main() -> None:
    """Judges everything."""
    esp = sys.argv[1]
    all_cells = cells(esp)
    sealing = [cell for cell in all_cells if cell.transform.seals]
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        private(work / "out.toml", "".join(cell.toml("outbound") for cell in sealing))
        private(work / "in.toml", "".join(cell.toml("inbound") for cell in all_cells))
        write(work / "clear.pcap", [packet for cell in sealing for packet in cell.packets()])
        run(esp, "seal", "--sa", work / "out.toml", work / "clear.pcap", work / "sealed.pcap")
        sealed = read(work / "sealed.pcap")
        judged, packets = judge_seal(sealing, sealed)
        print(f"seal    {judged} cells, {packets} packets: scapy opens them all")
        per_cell = len(all_cells[0].packets())

        def first(cell: Cell) -> bytes:
            """Its first packet as esp sealed it."""
            return sealed[sealing.index(cell) * per_cell]

        one_of_each = [
            next(cell for cell in sealing if cell.in_scapy and bool(cell.transform.mac) == separate)
            for separate in (False, True)
        ]
        for cell in one_of_each:
            extended = next(one for one in sealing if one.esn and one.transform == cell.transform)
            scapy_notices(extended, first(extended))
        judged, packets = judge_open(esp, work, all_cells)
        print(f"open    {judged} cells, {packets} packets: esp opens all that scapy seals")
        if shutil.which("tshark") is None:
            print("tshark  skipped: not found")
            return
        (work / "ws").mkdir()
        private(work / "known.toml", "".join(cell.toml("outbound") for cell in sealing if cell.transform.tshark))
        run(esp, "sa", "convert", work / "known.toml", work / "ws" / "esp_sa")
        judged, decrypted = judge_tshark(work, sealing)
        tshark_notices(
            work,
            [first(next(one for one in sealing if one.transform == cell.transform and not one.esn)) for cell in one_of_each],
        )
        print(f"tshark  {judged} cells with every ICV good, {decrypted} with ESN decrypted")


if __name__ == "__main__":
    main()
