#!/bin/sh
# How fast `esp` goes through a large capture, and how much memory it takes: packets a second with and without crypto.
#
# usage: scripts/measure/capture_rate.sh [MEGABYTES]     default 1000; the folder TMPDIR gets three times as much
# ESP names the program; without it, it is built. Prints one line a run: what, packets, seconds, packets/s, memory.
set -eu

cd "$(dirname "$0")/../.."
megabytes=${1:-1000}
esp=${ESP:-}
if [ -z "$esp" ]; then
    cargo build -q --release -p esp-cli
    esp=${CARGO_TARGET_DIR:-target}/release/esp
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

"$esp" sa generate --transform aes-128-gcm-16 --src 192.0.2.1 --dst 192.0.2.2 "$work/west.toml" "$work/east.toml" 2>"$work/log"

# timed NAME COMMAND..: the program's own count of packets over the time that it took, and its peak memory.
timed() {
    name=$1
    shift
    python3 - "$name" "$@" <<'PY'
import json, resource, subprocess, sys, time
name, command = sys.argv[1], sys.argv[2:]
began = time.monotonic()
done = subprocess.run(command, capture_output=True, text=True)
took = time.monotonic() - began
packets = json.loads(done.stdout)["read"]
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
print(f"{name:<28} {packets:>10} packets {took:7.2f} s {packets / took:>11.0f} packets/s {peak:6.1f} MB")
PY
}

for size in 64 1400; do
    python3 - "$work/clear.pcap" "$size" "$megabytes" <<'PY'
import struct, sys
path, size, megabytes = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
packet = struct.pack(">BBHHHBBH4s4sHHHH", 0x45, 0, size, 1, 0, 64, 17, 0, b"\x0a\1\0\1", b"\x0a\2\0\2", 9, 9, size - 20, 0)
packet += bytes(size - len(packet))
record = struct.pack("<IIII", 1_700_000_000, 0, size, size) + packet
block = record * 10_000
with open(path, "wb") as capture:
    capture.write(struct.pack("<IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101))
    for _ in range(megabytes * 1_000_000 // len(block)):
        capture.write(block)
PY
    timed "$size bytes, copied" "$esp" open --json --sa "$work/east.toml" "$work/clear.pcap" "$work/sealed.pcap"
    timed "$size bytes, sealed" "$esp" seal --json --sa "$work/west.toml" "$work/clear.pcap" "$work/sealed.pcap"
    timed "$size bytes, opened" "$esp" open --json --sa "$work/east.toml" "$work/sealed.pcap" "$work/opened.pcap"
    rm -f "$work/opened.pcap"
done
