#!/usr/bin/env bash
# Runs the tests that call awk once with each awk: mawk, gawk, and busybox, whose sed, sort and grep are tried with it.
#
# scripts/awks.sh [mawk|gawk|busybox ...]
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mapfile -t modules < <(grep -rlw awk --include='*.rs' tests/tools | sed 's|^tests/||; s|/|::|g; s|\.rs$|::|' | sort)

[ $# -gt 0 ] || set -- mawk gawk busybox
for awk in "$@"; do
    path=$(command -v "$awk") || { echo "$awk is missing: apt-get install $awk" >&2; exit 1; }
    names=(awk)
    [ "$awk" = busybox ] && names+=(sed sort grep)
    mkdir "$folder/$awk"
    for name in "${names[@]}"; do
        ln -s "$path" "$folder/$awk/$name"
    done
    echo "== $awk"
    PATH=$folder/$awk:$PATH CASES_THAT_CALL=awk cargo test --workspace --locked --test golden
    PATH=$folder/$awk:$PATH cargo test --workspace --locked --test suite -- pipelines:: "${modules[@]}"
done
