#!/usr/bin/env bash
# The tests of the project, and whatever else has to hold before a change lands.
#
#   scripts/check.sh                     builds once, for development, and runs the format check, the tests of all crates, the suite, the
#                                        recorded cases of Kaldi, the examples in documents
#   scripts/check.sh --all               the same, and then all stages
#   scripts/check.sh --stages            all stages alone
#   scripts/check.sh --stage=docs,wheel  stages by name
#   scripts/check.sh --list              the stages, and what each proves
#   scripts/check.sh --quick [commit]    what has changed since the commit (default: the last one, HEAD): the format, the unit tests of
#                                        changed crates, the tests and recorded cases of changed tools, the tests over the list of
#                                        all tools, and those of documents and sources
#
# CONTRIBUTING.md has the time of each. A stage writes to check/<stage>.log in the folder of the build (target), and is shown when it has ended.
set -euo pipefail
cd "$(dirname "$0")/.."

target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
logs=$target/check
mkdir -p "$logs"

# Tests make and remove some hundred thousand files, for which a file system on a disk takes a third of their time: they are in memory, where
# it has the room and programs can be run there.
. scripts/scratch.sh
available_mb() { awk '$1 == "MemAvailable:" { print int($2 / 1024) }' /proc/meminfo; }
if [ -z "${TMPDIR:-}" ] && memory_has 4000 && [ "$(available_mb)" -gt 8000 ]; then
    make_scratch
    printf '#!/bin/sh\n' > "$scratch/run"
    chmod +x "$scratch/run"
    if "$scratch/run" 2> /dev/null; then export TMPDIR=$scratch; fi
fi

# What is built once needs no notes for the next build, and few codegen units.
[ -z "${CI:-}" ] || export CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_CODEGEN_UNITS=4

# The stages of --all, in lanes that run side by side: the release build and what takes seconds with it, those of the development build,
# and what mostly waits. What else needs the release build follows it, each stage in a lane of its own.
release=(package bench)
released=(counts wheel)
development=(conformance stores portable clippy api features)
waiting=(peers)
# What builds much again, needs packages of Debian, root, or an hour: only by name.
by_name=(programs awks every-feature deb site arm64)

# Tests over lists: of all tools, and of documents and sources.
lists=(architecture:: docs:: tools::argument_counts tools::every_ tools::help tools::option_names jobs::every_row)

proves() {
    case $1 in
        tests) echo "format, tests of all crates, suite, recorded cases of Kaldi, examples in documents" ;;
        clippy) echo "no lints, in the library without features either" ;;
        features) echo "the program builds without its features" ;;
        every-feature) echo "scripts/features.sh: the program builds without each of its features, and says what it lacks" ;;
        api) echo "the documentation of all crates has no broken links; all crates can be packaged" ;;
        package) echo "scripts/package.sh: the archive of the release build, unpacked and tried" ;;
        wheel) echo "scripts/python.sh: the wheel, python/tests, mypy, stubtest" ;;
        bench) echo "every row of scripts/bench.sh runs, on little data" ;;
        counts) echo "no row of scripts/bench.sh --counts needs 5 % more instructions than benches/counts.tsv says" ;;
        portable) echo "crates and recorded cases with kernels, on a processor without AVX2" ;;
        conformance) echo "tests/golden is what ../shared/conformance has" ;;
        programs) echo "programs that use our packages build and run outside of the workspace" ;;
        stores) echo "recorded cases of Kaldi with their inputs on the web and in an S3 store" ;;
        awks) echo "tests that call awk pass with mawk, gawk and busybox" ;;
        peers) echo "packages of Python, FFmpeg, a browser, Slurm on what we write, and we on what they write; faults of a cluster" ;;
        deb) echo "scripts/deb.sh: the Debian package" ;;
        site) echo "scripts/site.sh: the site of the documents" ;;
        arm64) echo "scripts/arm64.sh: 64-bit ARM under emulation" ;;
        *) echo "check.sh: there is no stage $1; --list names them" >&2 && exit 2 ;;
    esac
}

step() {
    printf '== %s\n' "$*"
    "$@"
}

format() {
    step cargo fmt --all --check
    # The lists of tools name their files in a macro, which `cargo fmt` does not follow.
    echo "== rustfmt --check src/bin"
    rustfmt --check --edition 2024 src/bin/*/*.rs
}

# What has changed since the commit, files that git does not know included.
changed() {
    git diff --name-only "$1" --
    git ls-files --others --exclude-standard
}

# The names of the tools among changed files: those of the lists, src/bin/<task>/lib.rs.
changed_tools() {
    local names
    names=$(cat src/bin/*/lib.rs | sed -n 's/^ *[a-z0-9_]* "\([a-z0-9-]*\)\.rs" .*/\1/p')
    changed "$1" | sed -n -e 's|^src/bin/[^/]*/\(.*\)\.rs$|\1|p' -e 's|^tests/tools/[^/]*/\(.*\)\.rs$|\1|p' | tr _ - | sort -u |
        grep -Fx -f <(echo "$names") || true
}

quick() {
    local crates tools=() words=() tool
    format
    crates=$(changed "$1" | sed -n 's|^crates/[^/]*/\([^/]*\)/.*|-p \1|p' | sort -u)
    # One package a word.
    # shellcheck disable=SC2086
    [ -z "$crates" ] || step cargo test --locked --lib $crates
    mapfile -t tools < <(changed_tools "$1")
    for tool in "${tools[@]}"; do words+=("::${tool//-/_}::"); done
    # What a new tool must be in, or is in without a line of its own.
    step cargo test --workspace --locked --test suite -- "${lists[@]}" "${words[@]}"
    for tool in "${tools[@]}"; do
        grep -q "\"tool\": \"$tool\"" tests/golden/cases/*.jsonl || continue
        step cargo test --workspace --locked --test golden -- "$tool/"
    done
}

# In all stages the whole workspace is named: cargo builds packages with the features that the named ones ask for, so another choice
# would build most of them again.

# Builds tests, and says what cargo built: lines such as "Executable unittests src/lib.rs (/.../target/debug/deps/kaldi_io-0123)".
executables() {
    CARGO_TERM_COLOR=never cargo test --workspace --locked --no-run "$@" 2>&1 | sed "s|(target/|($target/|"
}

# All is built once; then the suite and the recorded cases, which compute, run beside the tests of crates, many of which wait.
stage_tests() {
    local crates result=0
    format
    step cargo test --workspace --locked --no-run
    tests_of_crates > "$logs/crates.log" 2>&1 &
    crates=$!
    # Tests that wait for a clock hold a thread.
    RUST_TEST_THREADS=${RUST_TEST_THREADS:-$(($(nproc) + 1))} step cargo test --workspace --locked --no-fail-fast --test suite --test golden ||
        result=$?
    wait "$crates" || result=$?
    cat "$logs/crates.log"
    return "$result"
}

# Unit tests, tests of crates beside them, examples in documents.
tests_of_crates() {
    local built others=() result=0
    built=$(executables)
    mapfile -t others < <(sed -n 's|.*Executable tests/.*/\(.*\)-[0-9a-f]*)$|--test=\1|p' <<< "$built" |
        grep -vx -e --test=suite -e --test=golden | sort -u)
    [ ${#others[@]} -gt 0 ] || { echo "expected tests of crates, got: $built" >&2; return 1; }
    step cargo test --workspace --locked --no-fail-fast --lib --bins "${others[@]}" || result=$?
    step cargo test --workspace --locked --no-fail-fast --doc || result=$?
    return "$result"
}

stage_clippy() {
    step cargo clippy --workspace --all-targets --locked -- -D warnings
    # They are no part of all targets.
    step cargo clippy --workspace --test peers --test remote-golden --locked -- -D warnings
    step cargo clippy -p kaldi-tables --no-default-features --locked -- -D warnings
}

stage_features() {
    step cargo check --bins --no-default-features --locked
}

stage_api() {
    RUSTDOCFLAGS='-D warnings' step cargo doc --workspace --no-deps --locked
    step cargo package --workspace --no-verify --allow-dirty --offline --quiet
}

stage_package() {
    step scripts/package.sh
}

stage_wheel() {
    step scripts/python.sh
}

# Prepares the program of package.sh for the measuring program, which the tests have built.
link_tools() {
    "$target/release/kaldi-tables" --print-args=false link "$target/tools"
}

stage_counts() {
    if ! command -v valgrind > /dev/null || ! grep -qw avx2 /proc/cpuinfo; then
        echo "WARNING: valgrind is not there, or no AVX2: INSTRUCTIONS NOT COUNTED" >&2
        return
    fi
    link_tools
    echo "== scripts/bench.sh --counts"
    "$target/debug/examples/bench" "$target/tools" --counts
}

stage_bench() {
    link_tools
    echo "== scripts/bench.sh --small"
    "$target/debug/examples/bench" "$target/tools" --small > /dev/null
}

# The unit tests of crates with kernels, by the programs that the tests have built, and the groups of cases that reach them.
stage_portable() {
    local built crate
    export KALDI_NO_AVX2=1
    built=$(executables --lib)
    for crate in kaldi-simd kaldi-value corpus-quality kaldi-matrix kaldi-gmm kaldi-wave kaldi-feat; do
        echo "== unit tests of $crate"
        (cd crates/*/"$crate" && "$(sed -n "s|.*(\(.*/${crate//-/_}-[0-9a-f]*\))$|\1|p" <<< "$built")")
    done
    CASES_OF=bin,feats,io,models,signal step cargo test --workspace --locked --test golden
}

stage_conformance() {
    if [ ! -d ../shared/conformance ]; then
        echo "WARNING: ../shared/conformance is not there: NOT COMPARED" >&2
        return
    fi
    CONFORMANCE=$PWD/../shared/conformance step cargo test --workspace --locked --test suite -- --ignored the_copy_is_the_suite
}

stage_programs() {
    step cargo test --workspace --locked --test suite -- --ignored docs::library
}

stage_stores() {
    step cargo test --workspace --locked --test remote-golden
}

stage_awks() {
    step scripts/awks.sh
}

stage_peers() {
    local program result=0
    # Without cargo, which would wait between the two for what other stages build.
    program=$(executables --test peers | sed -n "s|.*Executable.*(\(.*\))$|\1|p")
    step "$program" --skip faults:: || result=$?
    step "$program" faults:: || result=$?
    return "$result"
}

stage_every-feature() {
    step scripts/features.sh
}

stage_deb() {
    step scripts/deb.sh
}

stage_site() {
    step scripts/site.sh
}

stage_arm64() {
    step scripts/arm64.sh
}

# Runs a stage, and shows what it wrote, its result, its time, and the time of the processor: its own and the system's.
run() {
    local result=0 TIMEFORMAT='%0R s (processor %0U + %0S s)'
    { time scripts/check.sh --inside "$1" > "$logs/$1.log" 2>&1 < /dev/null || result=$?; } 2> "$logs/$1.time"
    # In one piece: all lanes write.
    {
        flock 9
        printf '\n=== %s: %s\n' "$1" "$(proves "$1")"
        cat "$logs/$1.log"
        printf '=== %s %s after %s\n' "$1" "$([ $result = 0 ] && echo passed || echo FAILED)" "$(cat "$logs/$1.time")"
    } 9>> "$logs/lock"
    [ $result = 0 ] || echo "$1" >> "$logs/failed"
}

# Runs stages one after the other, all of them, whatever fails.
lane() {
    local stage
    for stage in "$@"; do run "$stage"; done
}

# Runs all stages, in their lanes.
stages() {
    local stage
    rm -f "$logs/failed"
    lane "${waiting[@]}" &
    lane "${development[@]}" &
    lane "${release[@]}" &
    wait $!
    for stage in "${released[@]}"; do lane "$stage" & done
    wait
    verdict
}

named() {
    local stage
    for stage in "$@"; do proves "$stage" > /dev/null; done
    rm -f "$logs/failed"
    lane "$@"
    verdict
}

verdict() {
    if [ -s "$logs/failed" ]; then
        echo "FAILED: $(tr '\n' ' ' < "$logs/failed")($SECONDS s)"
        exit 1
    fi
    echo "All stages passed ($SECONDS s)."
}

case ${1-} in
    "")
        stage_tests
        echo "All tests passed ($SECONDS s)."
        ;;
    --all)
        stage_tests
        stages
        ;;
    --stages) stages ;;
    --stage=*)
        IFS=, read -ra words <<< "${1#*=}"
        named "${words[@]}"
        ;;
    --inside) "stage_$2" ;;
    --quick) quick "${2:-HEAD}" ;;
    --list)
        for stage in tests "${release[@]}" "${released[@]}" "${development[@]}" "${waiting[@]}" "${by_name[@]}"; do
            printf '%-14s %s\n' "$stage" "$(proves "$stage")"
        done
        ;;
    *)
        echo "check.sh: expected --quick, --all, --stages, --stage=<name>,... or --list, got $1" >&2
        exit 2
        ;;
esac
