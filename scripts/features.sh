#!/usr/bin/env bash
# Builds the program without features, and checks what it then says: a tool, a format or a name that is not in the build is one
# clear line, with the feature that it needs, and exit status 255. Without each single feature the program compiles.
#
# Builds go to a folder of their own (target/features), since another choice of features would replace the program that others run.
set -euo pipefail
cd "$(dirname "$0")/.."

target=$(realpath -m "${CARGO_TARGET_DIR:-target}")/features
export CARGO_TARGET_DIR=$target CARGO_INCREMENTAL=0
scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT
failed=0

fail() {
    printf 'features.sh: %s\n' "$*" >&2
    failed=1
}

# Whether a command line fails with 255, nothing on standard output, and one line on standard error that ends like this.
says() {
    local expected=$1 status=0
    shift
    "$@" > "$scratch/out" 2> "$scratch/err" || status=$?
    [ "$status" = 255 ] || fail "$*: expected status 255, got $status"
    [ -s "$scratch/out" ] && fail "$*: expected nothing on standard output, got $(head -c 200 "$scratch/out")"
    [ "$(wc -l < "$scratch/err")" = 1 ] || fail "$*: expected one line, got $(cat "$scratch/err")"
    grep -q -- "$expected\$" "$scratch/err" || fail "$*: expected $expected, got $(cat "$scratch/err")"
}

# The end of the line for something and its feature.
lacks() {
    printf '%s is not in this build, which lacks the feature %s; cargo build --release --features=%s makes one with it' "$1" "$2" "$2"
}

features=$(sed -n 's/^default = \[\(.*\)\]$/\1/p' Cargo.toml | tr -d '",')
[ "$features" ] || { echo "features.sh: expected a line \"default = [...]\" in Cargo.toml, got none" >&2; exit 1; }
for feature in $features; do
    others=$(for other in $features; do [ "$other" = "$feature" ] || echo "$other"; done)
    # The feature gcs has the feature stores.
    [ "$feature" != stores ] || others=$(grep -v '^gcs$' <<< "$others")
    printf '== without %s\n' "$feature"
    RUSTFLAGS="${RUSTFLAGS-} -D warnings" cargo check --locked --bins --no-default-features --features="$(paste -sd, <<< "$others")"
done

program=$target/debug/kaldi-tables
echo '== without features'
cargo build --locked --bins --no-default-features
run() { "$program" "$@"; }
quiet() { local tool=$1; shift; "$program" "$tool" --print-args=false "$@"; }
for tool in table-view table-report; do
    says "$(lacks "$tool" view)" run "$tool"
    says "$(lacks "$tool" view)" run "$tool" --help
    says "$(lacks "$tool" view)" run help "$tool"
    says "$(lacks "$tool" view)" run --print-args=false manual "$tool"
done
says "$(lacks kaldi-store stores)" run store ls s3://bucket/
says "$(lacks 'what opens names in stores and on the web' stores)" quiet copy-matrix ark:s3://bucket/feats.ark ark:-
says "$(lacks 'what opens names in stores and on the web' stores)" quiet copy-matrix ark:samples/feats.ark ark:gs://bucket/feats.ark
says "$(lacks 'what decodes MP3' codecs)" quiet wav-copy crates/bytes/sound-files/tests/files/lame.mp3 "$scratch/lame.wav"
says "$(lacks 'what writes FLAC' codecs)" quiet wav-copy --format=flac samples/audio/anna.wav "$scratch/anna.flac"
columns='what reads and writes Parquet and Arrow'
parquet=tests/data/parquet/twice.parquet
says "$(lacks "$columns" columns)" quiet table-head "$parquet"
says "$(lacks "$columns" columns)" quiet table-import "$parquet" "ark:$scratch/twice.ark"
says "$(lacks "$columns" columns)" quiet table-export samples/feats.ark "$scratch/feats.parquet"
says "$(lacks "$columns" columns)" quiet make-data-dir "$parquet" "$scratch/data"
[ "$(find "$scratch" -type f ! -name out ! -name err)" = "" ] || fail "expected no files, got $(ls "$scratch")"

# Lists have such tools with the feature, links lead to the message, and manuals are those of the others.
run list | grep -q '^  table-view .* (not in this build: feature view)$' || fail "list: expected table-view with its feature"
run --json list > "$scratch/list.json" 2> "$scratch/err"
missing=$(python3 -c 'import json, sys; print(*sorted({(t["name"], t["missing_feature"]) for t in json.load(sys.stdin) if t["missing_feature"]}))' < "$scratch/list.json")
expected="('kaldi-store', 'stores') ('table-report', 'view') ('table-view', 'view')"
[ "$missing" = "$expected" ] || fail "--json list: expected $expected, got $missing"
run link "$scratch/tools" 2> "$scratch/err"
says "$(lacks table-view view)" "$scratch/tools/table-view" samples
run manuals "$scratch/manuals" 2> "$scratch/err"
[ -f "$scratch/manuals/copy-matrix.1" ] && [ ! -e "$scratch/manuals/table-view.1" ] || fail "manuals: expected those of tools of the build"

echo '== without gcs'
cargo build --locked --bins --no-default-features --features=stores
says "$(lacks "what opens names of Google's store" gcs)" quiet copy-matrix ark:gs://bucket/feats.ark ark:-
says "$(lacks "what opens names of Google's store" gcs)" run store --print-args=false ls gs://bucket/
exit "$failed"
