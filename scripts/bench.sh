#!/usr/bin/env bash
# Prints how fast the tools are, as a Markdown table: times beside their goals and the yardsticks of the same run.
#
# Makes its data in TMPDIR (3 GB) and removes it. KALDI_BIN=<folder of Kaldi's programs> adds columns for these,
# ROUNDS=<number> tells how often everything is measured (3; the best counts), ROWS=<text> does only the rows with it in
# their names. Rows of remote names have curl as their yardstick. The package kaldi_native_fbank is measured where PYTHON (python3) has it.
# PYTHON_MODULE=<python of an environment with the module> adds a table of the module.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo build --release --locked --quiet --example bench
# By itself: what the benchmark needs of libraries would make the program larger.
cargo build --release --locked --quiet --bins
target=${CARGO_TARGET_DIR:-target}
"$target/release/kaldi-tables" --print-args=false link "$target/tools"
"$target/release/examples/bench" "$target/tools"
if [ -n "${PYTHON_MODULE:-}" ]; then
    "$PYTHON_MODULE" python/bench.py "${ROWS:-}"
fi
