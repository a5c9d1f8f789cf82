#!/usr/bin/env python3
"""Writes the capture that tshark_seal.sh seals: DNS, ICMP, a TCP handshake with data, VLAN, QinQ, IPv6 and ARP.

Needs scapy. Usage: make_capture.py OUT  (the result is committed as esp-cli/tests/data/dns_icmp.pcap, and is the same
in every run: no address, number or time in it is random)
"""

import sys

from scapy.layers.dns import DNS, DNSQR, DNSRR
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.inet6 import ICMPv6EchoReply, ICMPv6EchoRequest, IPv6
from scapy.layers.l2 import ARP, Dot1AD, Dot1Q, Ether
from scapy.packet import Raw
from scapy.utils import PcapWriter

HOST, PEER = "02:00:00:00:00:01", "02:00:00:00:00:02"
V4, V6 = ("10.1.0.1", "10.2.0.2"), ("2001:db8:1::1", "2001:db8:2::2")
START = 1_700_000_000


def out(*layers):
    """A frame from the host; layers are stacked."""
    return stack(Ether(src=HOST, dst=PEER), layers)


def back(*layers):
    """A frame to the host."""
    return stack(Ether(src=PEER, dst=HOST), layers)


def stack(frame, layers):
    for layer in layers:
        frame = frame / layer
    return frame


def v4(number, answer=False):
    src, dst = reversed(V4) if answer else V4
    return IP(src=src, dst=dst, id=0x1000 + number, ttl=63, flags="DF" if number % 2 else 0)


def v6(answer=False):
    src, dst = reversed(V6) if answer else V6
    return IPv6(src=src, dst=dst, fl=0xABCDE, hlim=63)


def dns(ip, answer_ip, client, number):
    """A query for an address, and the answer."""
    question = DNSQR(qname="esp.example.org", qtype="A")
    record = DNSRR(rrname="esp.example.org", type="A", ttl=60, rdata="192.0.2.53")
    yield out(ip, UDP(sport=client, dport=53), DNS(id=number, rd=1, qd=question))
    yield back(answer_ip, UDP(sport=53, dport=client), DNS(id=number, qr=1, ra=1, qd=question, an=record))


def tcp(flags, seq, ack, answer=False, data=b""):
    ports = (80, 40000) if answer else (40000, 80)
    segment = TCP(sport=ports[0], dport=ports[1], flags=flags, seq=seq, ack=ack, window=8192)
    frame = (back if answer else out)(v4(seq % 100, answer), segment)
    return frame / Raw(data) if data else frame


def frames():
    yield Ether(src=HOST, dst="ff:ff:ff:ff:ff:ff") / ARP(hwsrc=HOST, psrc=V4[0], pdst=V4[1])
    yield from dns(v4(1), v4(2, True), 33000, 0x1111)
    for seq in range(3):
        payload = bytes(range(56 + seq))
        yield out(v4(10 + seq), ICMP(id=7, seq=seq), Raw(payload))
        yield back(v4(20 + seq, True), ICMP(type=0, id=7, seq=seq), Raw(payload))
    request, answer = b"GET / HTTP/1.0\r\n\r\n", b"HTTP/1.0 204 No Content\r\n\r\n"
    yield tcp("S", 1000, 0)
    yield tcp("SA", 5000, 1001, True)
    yield tcp("A", 1001, 5001)
    yield tcp("PA", 1001, 5001, data=request)
    yield tcp("PA", 5001, 1001 + len(request), True, data=answer)
    yield tcp("FA", 1001 + len(request), 5001 + len(answer))
    yield out(Dot1Q(vlan=42, prio=5), v4(30), ICMP(id=8, seq=1), Raw(bytes(1000)))
    yield out(Dot1AD(vlan=100), Dot1Q(vlan=42), v4(31), UDP(sport=5001, dport=5002), Raw(b"double tagged"))
    yield out(v6(), ICMPv6EchoRequest(id=9, seq=1, data=bytes(range(64))))
    yield back(v6(True), ICMPv6EchoReply(id=9, seq=1, data=bytes(range(64))))
    yield out(Dot1Q(vlan=43), v6(), UDP(sport=5003, dport=5004), Raw(b"six in a VLAN"))
    yield from dns(v6(), v6(True), 33001, 0x2222)


def main():
    with PcapWriter(sys.argv[1], linktype=1, endianness="<") as writer:
        for number, frame in enumerate(frames()):
            frame.time = START + number / 8
            writer.write(frame)


if __name__ == "__main__":
    main()
