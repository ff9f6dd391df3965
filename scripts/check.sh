#!/usr/bin/env bash
# Everything that has to hold before a change lands: format, lints, tests, documentation.
#
# scripts/check.sh --quick [commit] is for the daily round: format, lints, and the tests of what has changed since the commit
# (default: the last one, HEAD): the unit tests of changed crates, the tests and recorded cases of changed tools, and those that
# check documents and sources.
#
# scripts/check.sh --all is for a release: then what needs Debian's tools or an hour follows: the Debian package (scripts/deb.sh), the
# site of the documents (scripts/site.sh, which builds mdbook first, a minute), and 64-bit ARM under emulation
# (scripts/arm64.sh).
set -euo pipefail
cd "$(dirname "$0")/.."

step() {
    printf '== %s\n' "$*"
    "$@"
}

# What has changed since the commit, files that git does not know included.
changed() {
    git diff --name-only "$1" --
    git ls-files --others --exclude-standard
}

quick() {
    local crates tools=() words=() tool
    crates=$(changed "$1" | sed -n 's|^crates/\([^/]*\)/.*|-p \1|p' | sort -u)
    # One package a word.
    # shellcheck disable=SC2086
    if [ -n "$crates" ]; then
        step cargo test --locked --lib $crates
    fi
    mapfile -t tools < <(changed "$1" | sed -n -e 's|^src/bin/[^/]*/\(.*\)\.rs$|\1|p' -e 's|^tests/tools/[^/]*/\(.*\)\.rs$|\1|p' | tr _ - | sort -u)
    for tool in "${tools[@]}"; do
        words+=("${tool//-/_}::")
    done
    step cargo test --locked --test suite -- architecture:: docs:: "${words[@]}"
    for tool in "${tools[@]}"; do
        step cargo test --locked --test golden -- "$tool/"
    done
}

step cargo fmt --all --check
# The lists of tools name their files in a macro, which `cargo fmt` does not follow.
step rustfmt --check --edition 2024 src/bin/*/*.rs
[ "${1-}" = --quick ] || export CARGO_INCREMENTAL=0
step cargo clippy --workspace --all-targets --locked -- -D warnings
if [ "${1-}" = --quick ]; then
    quick "${2:-HEAD}"
    exit
fi
# Once more without features, as a user of the library may have it.
step cargo clippy -p kaldi-tables --no-default-features --locked -- -D warnings
# The program without stores.
step cargo check --bins --no-default-features --locked
step cargo test --workspace --locked -- --skip faults::
# The trials of a cluster's faults mostly wait, so they run beside what follows. The whole workspace is named, as in all
# steps: another choice of packages has other features, and would build the program that others run at the time.
faults=$(mktemp)
trap 'wait; rm -f "$faults"' EXIT
cargo test --workspace --test peers --locked -- faults:: > "$faults" 2>&1 &
trials=$!
# What processors without AVX2 run. The same packages and features, so that nothing is built again.
KALDI_NO_AVX2=1 step cargo test --workspace --lib --test golden --locked
step cargo package --workspace --no-verify --allow-dirty --offline --quiet
RUSTDOCFLAGS='-D warnings' step cargo doc --workspace --no-deps --locked
step scripts/package.sh
# Every row of the benchmark, once, on little data: the program of package.sh, measured by what the tests have built.
target=$(realpath "${CARGO_TARGET_DIR:-target}")
"$target/release/kaldi-tables" --print-args=false link "$target/tools"
echo "== scripts/bench.sh --small"
"$target/debug/examples/bench" "$target/tools" --small > /dev/null
# The wheel has the program of package.sh.
step scripts/python.sh
failed=0
step wait "$trials" || failed=$?
cat "$faults"
if [ "${1-}" = --all ]; then
    step scripts/deb.sh
    step scripts/site.sh
    step scripts/arm64.sh
fi
exit "$failed"
