#!/bin/sh
# Lets tshark judge what `esp seal` makes: every sealed packet must decrypt with a good ICV, and every field of the
# packet inside must be the original's. Then `esp open` must give back the very frames that were sealed.
#
# usage: scripts/interop/tshark_seal.sh [CAPTURE]     an Ethernet capture without padding; default: dns_icmp.pcap
# ESP names the program to test; without it, it is built. Prints `skipped: ..` and ends well without tshark.
set -eu

cd "$(dirname "$0")/../.."
capture=${1:-esp-cli/tests/data/dns_icmp.pcap}
spi=0x00001001
salt=a0a1a2a3
key128=101112131415161718191a1b1c1d1e1f
key256=${key128}202122232425262728292a2b2c2d2e2f
# What tells packets apart, in headers and in payload. All of it lies inside ESP, or stays in front of it unchanged.
fields='eth.src eth.dst vlan.id ip.src ip.dst ip.id ip.ttl ip.flags.df ipv6.src ipv6.dst ipv6.flow ipv6.hlim
    udp.srcport udp.dstport udp.checksum tcp.srcport tcp.dstport tcp.seq_raw tcp.ack_raw tcp.flags tcp.checksum
    tcp.payload icmp.type icmp.ident icmp.seq icmp.checksum icmpv6.type icmpv6.echo.identifier
    icmpv6.echo.sequence_number icmpv6.checksum dns.id dns.qry.name dns.a data.data arp.dst.proto_ipv4'

if ! command -v tshark >/dev/null 2>&1; then
    echo 'skipped: tshark not found'
    exit 0
fi
esp=${ESP:-}
if [ -z "$esp" ]; then
    cargo build -q -p esp-cli
    esp=${CARGO_TARGET_DIR:-target}/debug/esp
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

fail() {
    echo "failed: $label: $1" >&2
    exit 1
}

# sa_file TRANSFORM KEY MODE-LINES: both directions of one SA.
sa_file() {
    umask 077
    for direction in outbound inbound; do
        printf '[[sa]]\nname = "%s"\ndirection = "%s"\nspi = %s\ntransform = "%s"\nkey = "%s"\n%b\n\n' \
            "$direction" "$direction" "$spi" "$1" "$2" "$3"
    done >"$work/sa.toml"
}

# shark FILE ARGUMENT..: tshark with the SA's keys, for both outer IP versions.
shark() {
    file=$1
    shift
    tshark -n -r "$file" \
        -o esp.enable_encryption_decode:TRUE -o esp.enable_authentication_check:TRUE \
        -o "uat:esp_sa:\"IPv4\",\"*\",\"*\",\"$spi\",$algorithms" \
        -o "uat:esp_sa:\"IPv6\",\"*\",\"*\",\"$spi\",$algorithms" "$@" 2>"$work/stderr" ||
        fail "tshark: $(cat "$work/stderr")"
}

# count FILE FILTER: how many packets match.
count() {
    shark "$1" -Y "$2" -T fields -e frame.number | wc -l | tr -d ' '
}

# table FILE: the fields of each packet, one line a packet; a field that occurs in several headers has all values.
table() {
    columns=
    for field in $fields; do columns="$columns -e $field"; done
    # shellcheck disable=SC2086  # one word a field
    shark "$1" -T fields -E separator=/t -E occurrence=a -E aggregator=, $columns
}

# same_inside: each original value is the innermost value of the sealed packet.
same_inside() {
    table "$capture" >"$work/original"
    table "$work/sealed.pcap" >"$work/inside"
    paste "$work/original" "$work/inside" | awk -F '\t' -v names="$fields" '
        BEGIN { width = split(names, name, /[ \n]+/) }
        NF != 2 * width { printf "packet %d: %d columns, not %d\n", NR, NF, 2 * width; exit 1 }
        {
            for (i = 1; i <= width; i++) {
                outside = length($(width + i)) - length($i)
                if (outside < 0 || substr($(width + i), outside + 1) != $i) {
                    printf "packet %d: %s is %s, was %s\n", NR, name[i], $(width + i), $i
                    exit 1
                }
                if ($i != "") compared++
            }
        }
        END { if (compared < 5 * NR) { print "too few fields to compare"; exit 1 } }' >"$work/differs" ||
        fail "$(cat "$work/differs")"
}

# check TRANSFORM KEY MODE: one SA over the whole capture.
check() {
    sa_file "$1" "$2" "$3"
    "$esp" seal --sa "$work/sa.toml" --json "$capture" "$work/sealed.pcap" >"$work/json" || fail 'esp seal'
    sealed=$(sed -n 's/^  "sealed": \([0-9]*\),$/\1/p' "$work/json")
    good=$(count "$work/sealed.pcap" 'esp.icv_good == 1')
    bad=$(count "$work/sealed.pcap" 'esp.icv_bad == 1')
    [ "$sealed" -gt 0 ] && [ "$good" = "$sealed" ] && [ "$bad" = 0 ] ||
        fail "of $sealed sealed packets tshark calls $good ICVs good and $bad bad"
    [ "$(count "$work/sealed.pcap" "$outer")" = "$sealed" ] || fail "not every sealed packet is $outer"
    same_inside
    "$esp" open --sa "$work/sa.toml" "$work/sealed.pcap" "$work/opened.pcap" 2>"$work/stderr" ||
        fail "esp open: $(cat "$work/stderr")"
    tail -c +25 "$capture" >"$work/before"
    tail -c +25 "$work/opened.pcap" >"$work/after"
    cmp "$work/before" "$work/after" || fail 'esp open does not give back what was sealed'
    echo "ok: $label: $sealed packets"
    cases=$((cases + 1))
}

# forged: tshark must notice a changed last byte (of the last ICV), or the checks above mean nothing.
forged() {
    last=$(tail -c 1 "$work/sealed.pcap" | od -An -tu1 | tr -d ' ')
    { head -c -1 "$work/sealed.pcap" && printf "\\$(printf %o $((last ^ 1)))"; } >"$work/forged.pcap"
    [ "$(count "$work/forged.pcap" 'esp.icv_bad == 1')" = 1 ] || fail 'tshark does not notice a forged ICV'
}

cases=0
v4='src = "192.0.2.1"\ndst = "192.0.2.2"'
v6='src = "2001:db8:f::1"\ndst = "2001:db8:f::2"'
for transform in aes-128-gcm-16 aes-256-gcm-16 null-hmac-sha256-128; do
    case $transform in
    aes-128-gcm-16) key=$key128$salt ;;
    aes-256-gcm-16) key=$key256$salt ;;
    *) key=$key256 ;;
    esac
    algorithms="\"AES-GCM with 16 octet ICV [RFC4106]\",\"0x$key\",\"NULL\",\"\""
    if [ "$transform" = null-hmac-sha256-128 ]; then
        algorithms="\"NULL\",\"\",\"HMAC-SHA-256-128 [RFC4868]\",\"0x$key\""
    fi
    for udp in '' '\nudp = {}'; do
        in_udp=${udp:+, in UDP}
        port=${udp:+ && udp.port == 4500}
        label="$transform, tunnel over IPv4$in_udp"
        outer="esp && ip.src == 192.0.2.1$port" check "$transform" "$key" "mode = \"tunnel\"\n$v4$udp"
        label="$transform, tunnel over IPv6$in_udp"
        outer="esp && ipv6.src == 2001:db8:f::1$port" check "$transform" "$key" "mode = \"tunnel\"\n$v6$udp"
        label="$transform, transport$in_udp"
        outer="esp && !(ip.src == 192.0.2.1)$port" check "$transform" "$key" "mode = \"transport\"$udp"
    done
    forged
done
echo "all $cases cases pass"
