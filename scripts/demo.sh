#!/usr/bin/env bash
# Shows the tools at work on the data set in samples/: every command line with what it writes to standard output.
# What they make stays in the folder named by the argument, if there is one. BIN is the folder of the tools; by default,
# links to the program of the release build are made in target/tools. The program is built first if it was not.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ -z "${BIN-}" ]; then
    target=${CARGO_TARGET_DIR:-target}
    if ! [ -x "$target/release/kaldi-tables" ]; then
        command -v cargo > /dev/null || { echo "demo.sh: there is no cargo: Rust is needed, see https://rustup.rs" >&2; exit 1; }
        echo "The tools are built first, which takes some minutes." >&2
        cargo build --release --locked --bins
    fi
    BIN=$target/tools
    "$target/release/kaldi-tables" --print-args=false link "$BIN" 2> "$target/link.log" || { cat "$target/link.log" >&2; exit 1; }
fi
PATH=$(cd "$BIN" && pwd):$PATH
if [ $# -gt 0 ]; then
    mkdir -p "$1"
    folder=$(cd "$1" && pwd)
else
    folder=$(mktemp -d)
    trap 'rm -r "$folder"' EXIT
fi
ln -sfn "$PWD/samples" "$folder/samples"
cd "$folder"

show() {
    printf '$ %s\n' "$1"
    # Log lines would stand between the results; they matter where something fails.
    bash -o pipefail -c "$1" 2> log || { cat log >&2; exit 1; }
}

show 'compute-fbank-feats --num-mel-bins=40 --dither=0 scp:samples/audio/wav.scp ark,scp:fbank.ark,fbank.scp'
show "feats-to-png --wav=scp:samples/audio/wav.scp --value-label='Log energy' scp:fbank.scp pictures"
show 'ls pictures'
show 'feat-to-len scp:samples/feats.scp ark,t:-'
show 'transform-feats --utt2spk=ark:samples/utt2spk ark:samples/fmllr.txt scp:samples/feats.scp ark:- |
  transform-feats samples/lda.mat ark:- ark,scp:lda.ark,lda.scp'
show 'cat lda.scp'
show "echo 'part lda.ark:8[3:5,0:2]' | copy-feats scp:- ark,t:-"
show "copy-feats --compress=true ark:lda.ark 'ark:| gzip -c > lda.ark.gz'"
show "copy-feats 'ark:gunzip -c lda.ark.gz |' ark:- | subset-feats --n=1 ark:- ark:- | select-feats 0,3-2 ark:- ark,t:- | head -n 3"
