#!/usr/bin/env bash
# Prints how fast the tools are, as a Markdown table: times beside their goals and the yardsticks of the same run.
#
# --json <file> also writes the medians, minima and spreads of all rows. --against <file> names the rows that are slower by more
# than 3 % than in such a file, and exits with 1 if there are any. --small runs every row once on little data, in seconds, to see
# whether it fails. Rows that fail are named with their messages, the others still run, and the exit code is 1.
#
# --counts counts the instructions of some rows by valgrind, with AVX2 and without, and compares them with benches/counts.tsv: rows
# that need 5 % more are named, and the exit code is 1. --counts --write writes that file: rows that need fewer, after a change that
# costs what it has to, or all of them after a new compiler.
#
# Makes its data in TMPDIR (3 GB) and removes it. KALDI_BIN=<folder of Kaldi's programs> adds columns for these, and
# KALDI=<checkout of Kaldi> whole recipes, by its scripts,
# ROUNDS=<number> tells how often everything is measured (3; the best counts), ROWS=<text> does only the rows with it in
# their names. Rows of remote names have curl as their yardstick, rows of sound have
# sox. The package kaldi_native_fbank is measured where PYTHON (python3) has it.
# PYTHON_MODULE=<python of an environment with the module> adds a table of the module, and one of epochs of training data beside
# kaldiio, kaldi_native_io, lhotse, pyarrow with torchaudio, and WeNet (WENET=<checkout of version 2.2>), as far as they are there.
set -euo pipefail
started_in=$PWD
cd "$(dirname "$0")/.."
cargo build --release --locked --quiet --example bench
# By itself: what the benchmark needs of libraries would make the program larger.
cargo build --release --locked --quiet --bins
target=$(realpath "${CARGO_TARGET_DIR:-target}")
# A copy, as an installation makes it: the system maps the file of the linker in smaller pieces, so that it starts later.
install -D "$target/release/kaldi-tables" "$target/installed/kaldi-tables"
"$target/installed/kaldi-tables" --print-args=false link "$target/installed"
# Files are named from the folder of the caller.
(cd "$started_in" && "$target/release/examples/bench" "$target/installed" "$@")
if [ -n "${PYTHON_MODULE:-}" ]; then
    "$PYTHON_MODULE" python/bench.py "${ROWS:-}"
    "$PYTHON_MODULE" python/bench_epoch.py "${ROWS:-}"
fi
