#!/usr/bin/env python3
"""Lets scapy, and tshark where it is there, judge the esp program, for every transform it has.

Each cell is a transform, a mode, the outer and inner address family, ESN and UDP. All cells are SAs of one file, told
apart by selectors, so that one run of `esp seal` seals all of them.

  seal    scapy opens what esp seals, and finds the packet that went in
  open    esp opens what scapy seals, and finds the packet that went in
  tshark  given the esp_sa file that esp writes, decrypts what esp seals and calls every ICV good; it cannot judge an ESN
          ICV, and version 4.0 knows no ChaCha20-Poly1305: those cells are counted apart

At the end scapy is told the wrong ESN high half and tshark gets a packet with a changed ICV: both must notice.

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

KEY = bytes.fromhex("9f8b2c63d1e40a7758c6b3f0142d9ea5117a0c44e85d3b96f2a1c7085e93d6b4")
SALT = bytes.fromhex("c07d31fe")
LENGTHS = (0, 1, 2, 3, 15, 16, 17, 1300)
KNOWN = {
    "aes-128-gcm-16": ("AES-GCM", 16, True, True),
    "aes-192-gcm-16": ("AES-GCM", 24, True, True),
    "aes-256-gcm-16": ("AES-GCM", 32, True, True),
    "chacha20-poly1305": ("CHACHA20-POLY1305", 32, True, False),
    "null-hmac-sha256-128": ("NULL", 32, False, True),
}


class Cell(NamedTuple):
    """One combination; the number makes its SPI and its inner addresses."""

    number: int
    transform: str
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
    def key(self) -> bytes:
        _, length, salted, _ = KNOWN[self.transform]
        # No two SAs share a key.
        mixed = bytes(byte ^ (self.number * 31 + at & 0xFF) for at, byte in enumerate(KEY[:length]))
        return mixed + (SALT if salted else b"")

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
            f'transform = "{self.transform}"',
            f'key = "{self.key.hex()}"',
            f'mode = "{"tunnel" if self.tunnel else "transport"}"',
            f"esn = {str(self.esn).lower()}",
            f"selectors = [{{ {inside.rstrip(',')} }}]",
        ]
        if self.tunnel:
            lines += [f'src = "{src}"', f'dst = "{dst}"']
        if self.udp:
            lines.append("udp = {}")
        return "\n".join(lines) + "\n\n"

    def scapy(self) -> SecurityAssociation:
        """The SA as scapy has it."""
        cipher, _, salted, _ = KNOWN[self.transform]
        tunnel = None
        if self.tunnel:
            src, dst = self.ends
            tunnel = IP(src=src, dst=dst) if self.outer == 4 else IPv6(src=src, dst=dst)
        keys = {"crypt_key": self.key} if salted else {"auth_algo": "SHA2-256-128", "auth_key": self.key}
        nat_t = UDP(sport=4500, dport=4500) if self.udp else None
        return SecurityAssociation(
            ESP, spi=self.spi, crypt_algo=cipher, tunnel_header=tunnel, nat_t_header=nat_t, esn_en=self.esn, **keys
        )


def cells(esp: str) -> list[Cell]:
    """Every cell of the transforms that the program itself lists."""
    listed = json.loads(run(esp, "selftest", "--json").stdout)["tiers"]
    transforms = [row["transform"] for row in listed]
    strangers = [name for name in transforms if name not in KNOWN]
    if strangers:
        sys.exit(f"failed: no one here judges {', '.join(strangers)}")
    shapes = [(True, outer, inner) for outer in (4, 6) for inner in (4, 6)]
    shapes += [(False, family, family) for family in (4, 6)]
    every = itertools.product(transforms, shapes, (False, True), (False, True))
    return [
        Cell(number, name, *shape, esn, udp) for number, (name, shape, esn, udp) in enumerate(every, start=1)
    ]


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


def judge_seal(all_cells: list[Cell], sealed: list[bytes]) -> int:
    """scapy opens every sealed packet, in order."""
    at = 0
    for cell in all_cells:
        sa = cell.scapy()
        for packet in cell.packets():
            opened = sa.decrypt(as_ip(sealed[at]))
            if bytes(opened) != bytes(packet):
                sys.exit(f"failed: {cell}: scapy opens another packet than went in: {opened!r}")
            at += 1
    if at != len(sealed):
        sys.exit(f"failed: {len(sealed)} packets sealed, {at} expected")
    return at


def scapy_notices(cell: Cell, sealed: bytes) -> None:
    """A wrong high half must not pass."""
    try:
        cell.scapy().decrypt(as_ip(sealed), esn=1)
    except Exception:  # scapy and its library raise several kinds
        return
    sys.exit("failed: scapy opens a packet under the wrong high half, so its word counts for nothing")


def judge_open(esp: str, work: Path, all_cells: list[Cell]) -> int:
    """esp opens what scapy seals."""
    before, sealed = [], []
    for cell in all_cells:
        sa = cell.scapy()
        for number, packet in enumerate(cell.packets(), start=1):
            before.append(bytes(packet))
            sealed.append(sa.encrypt(packet, seq_num=number, iv=number.to_bytes(8, "big") if KNOWN[cell.transform][2] else None))
    write(work / "theirs.pcap", sealed)
    run(esp, "open", "--sa", work / "in.toml", work / "theirs.pcap", work / "ours.pcap")
    after = read(work / "ours.pcap")
    for number, (one, other) in enumerate(zip(before, after, strict=True)):
        if one != other:
            sys.exit(f"failed: esp opens another packet {number} than scapy sealed")
    return len(after)


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


def judge_tshark(work: Path, all_cells: list[Cell]) -> tuple[int, int, int]:
    """Cells with every ICV good, cells decrypted but not judged, cells it cannot read."""
    by_spi: dict[int, list[tuple[bool, str]]] = {}
    for spi, good, source in tshark(work, "sealed.pcap", ["esp.spi", "esp.icv_good", "udp.dstport"]):
        by_spi.setdefault(int(spi, 16), []).append((good in ("1", "True"), source))
    judged = decrypted = unread = 0
    for cell in all_cells:
        seen = by_spi.get(cell.spi, [])
        if len(seen) != len(cell.packets()):
            sys.exit(f"failed: {cell}: tshark sees {len(seen)} ESP packets")
        if not KNOWN[cell.transform][3]:
            unread += 1
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
    return judged, decrypted, unread


def tshark_notices(work: Path, sealed: list[bytes]) -> None:
    """A changed ICV must not pass."""
    write(work / "forged.pcap", [sealed[0][:-1] + bytes([sealed[0][-1] ^ 1])])
    if len(tshark(work, "forged.pcap", ["frame.number"], "esp.icv_bad == 1")) != 1:
        sys.exit("failed: tshark does not notice a forged ICV, so its word counts for nothing")


def main() -> None:
    """Judges everything."""
    esp = sys.argv[1]
    all_cells = cells(esp)
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        private(work / "out.toml", "".join(cell.toml("outbound") for cell in all_cells))
        private(work / "in.toml", "".join(cell.toml("inbound") for cell in all_cells))
        write(work / "clear.pcap", [packet for cell in all_cells for packet in cell.packets()])
        run(esp, "seal", "--sa", work / "out.toml", work / "clear.pcap", work / "sealed.pcap")
        sealed = read(work / "sealed.pcap")
        print(f"seal    {len(all_cells)} cells, {judge_seal(all_cells, sealed)} packets: scapy opens them all")
        per_cell = len(all_cells[0].packets())
        extended = next(cell for cell in all_cells if cell.esn)
        scapy_notices(extended, sealed[(extended.number - 1) * per_cell])
        print(f"open    {len(all_cells)} cells, {judge_open(esp, work, all_cells)} packets: esp opens all that scapy seals")
        if shutil.which("tshark") is None:
            print("tshark  skipped: not found")
            return
        (work / "ws").mkdir()
        run(esp, "sa", "convert", work / "out.toml", work / "ws" / "esp_sa")
        judged, decrypted, unread = judge_tshark(work, all_cells)
        tshark_notices(work, sealed)
        print(f"tshark  {judged} cells with every ICV good, {decrypted} with ESN decrypted, {unread} of ciphers it lacks")


if __name__ == "__main__":
    main()
