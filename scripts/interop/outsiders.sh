#!/bin/sh
# scapy and tshark judge every transform, mode, address family, ESN and UDP: outsiders.py says how.
#
# ESP names the program to test; without it, it is built. Prints `skipped: ..` and ends well without scapy.
set -eu

cd "$(dirname "$0")/../.."
esp=${ESP:-}
if [ -z "$esp" ]; then
    cargo build -q -p esp-cli
    esp=${CARGO_TARGET_DIR:-target}/debug/esp
fi
python=${PYTHON:-python3}
if ! "$python" -c 'import scapy, cryptography' 2>/dev/null; then
    echo 'skipped: scapy not found (pip install scapy cryptography)'
    exit 0
fi
"$python" scripts/interop/outsiders.py "$esp"
