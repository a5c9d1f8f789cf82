#!/usr/bin/env bash
# Which crate of the workspace may import which. Fails on an arrow that is not listed here, and on a crate that has no
# line here. ARCHITECTURE.md draws the picture.
set -euo pipefail
cd "$(dirname "$0")/.."

leaves="esp-wire esp-crypto esp-replay esp-stats esp-sad"

# may CRATE: the crates that CRATE may import.
may() {
    case "$1" in
        esp-wire | esp-crypto | esp-stats | esp-testkit) echo "" ;;
        esp-replay | esp-sad) echo "esp-wire" ;;
        esp-core) echo "$leaves" ;;
        esp-cli | esp-benches) echo "$leaves esp-core" ;;
        *) return 1 ;;
    esac
}

# Tests, examples and benches of any crate may import this one as well.
for_tests=esp-testkit

# ours CRATE EDGES: the crates of this workspace that CRATE imports directly by such edges.
ours() {
    cargo tree --quiet --package "$1" --depth 1 --edges "$2" --prefix none --all-features --target all --format '{p}' |
        sed -n 's/^\(esp-[a-z]*\) v.*/\1/p' | grep -vx "$1" | sort -u || true
}

bad=0
say() {
    echo "check-arrows: $1" >&2
    bad=1
}

# check CRATE KIND IMPORTS ALLOWED
check() {
    local import
    for import in $3; do
        case " $4 " in
            *" $import "*) ;;
            *) say "$1 must not import $import ($2)" ;;
        esac
    done
}

members=$(cargo tree --quiet --workspace --depth 0 --prefix none --format '{p}' | sed -n 's/ v.*//p' | sort -u)
[ -n "$members" ] || say "no members found"
for member in $members; do
    if ! allowed=$(may "$member"); then
        say "$member has no line in this script: say what it may import"
        continue
    fi
    check "$member" "dependency" "$(ours "$member" normal,build)" "$allowed"
    check "$member" "dev-dependency" "$(ours "$member" dev)" "$allowed $for_tests"
done
[ "$bad" -eq 0 ] && echo "check-arrows: $(wc -w <<<"$members") crates, every arrow allowed"
exit "$bad"
