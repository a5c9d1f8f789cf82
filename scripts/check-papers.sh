#!/usr/bin/env bash
# The papers name only what is there: every file in backticks or links exists, and so does every test that
# docs/conformance.md names. (README.md's program is compiled and run as a documentation test of esp-core.)
set -euo pipefail
cd "$(dirname "$0")/.."

bad=0
say() {
    echo "check-papers: $1" >&2
    bad=1
}

papers=$(git ls-files 'README.md' 'ARCHITECTURE.md' 'CONTRIBUTING.md' 'CHANGELOG.md' 'SECURITY.md' 'docs/*.md')

for paper in $papers; do
    # Files: `some/path.ext` from the top of the tree.
    while read -r file; do
        [ -e "$file" ] || say "$paper names $file, which is not there"
    done < <(grep -oE '`[A-Za-z.][A-Za-z0-9._-]*(/[A-Za-z0-9._-]+)+\.(rs|md|sh|py|toml|pcap|json)`' "$paper" | tr -d '`' | sort -u)
    # Links: (some/path) from where the paper lies.
    while read -r link; do
        [ -e "$(dirname "$paper")/${link%%#*}" ] || say "$paper links to $link, which is not there"
    done < <(grep -oE '\]\([^)#: ]+[^): ]*\)' "$paper" | sed 's/^](//; s/)$//' | sort -u)
done

# Tests: a word in the last column with at least one underscore.
functions=$(git ls-files '*.rs' | xargs grep -hoE '\bfn [a-z0-9_]+' | sed 's/^fn //' | sort -u)
tests=$(grep -E '^\|' docs/conformance.md | awk -F'|' '{ print $(NF - 1) }' | grep -oE '`[a-z0-9]+(_[a-z0-9]+)+`' | tr -d '`' | sort -u)
while read -r missing; do
    [ -z "$missing" ] || say "docs/conformance.md names the test $missing, which is not there"
done < <(comm -23 <(printf '%s\n' "$tests") <(printf '%s\n' "$functions"))

[ "$bad" -eq 0 ] && echo "check-papers: $(wc -w <<<"$papers") papers, $(wc -w <<<"$tests") tests named, all there"
exit "$bad"
