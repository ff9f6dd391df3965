#!/usr/bin/env bash
# Makes an archive of the built tools, manuals, completions and documents: scripts/package.sh [folder]
#
# The archive is <folder>/kaldi-tables-<version>-<machine>-linux.tar.gz (default folder: target/package). Unpacked, it is
# what scripts/install puts under a prefix. Programs without libraries, which run on any Linux, are made by
# CARGO_BUILD_TARGET=x86_64-unknown-linux-musl (rustup target add, and musl-gcc); then the name ends with -linux-musl.tar.gz.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=${1:-${CARGO_TARGET_DIR:-target}/package}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
version=$(sed -n '/^\[workspace.package\]/,/^$/s/^version = "\(.*\)"/\1/p' Cargo.toml)
machine=${CARGO_BUILD_TARGET:-$(uname -m)}
name=kaldi-tables-$version-${machine%%-*}-linux
[[ $machine != *-musl ]] || name=$name-musl
stage=$(mktemp -d "$folder/stage.XXXXXX")
trap 'rm -rf "$stage"' EXIT

scripts/install "$stage/$name" > /dev/null
docs=$stage/$name/share/doc/kaldi-tables
mkdir -p "$docs"
cp -r README.md CHANGELOG.md LICENSE docs "$docs"
tar -C "$stage" --owner=0 --group=0 --sort=name -czf "$stage/archive" "$name"

# What was packed is tried before it gets its name.
mkdir "$stage/trial"
tar -C "$stage/trial" -xzf "$stage/archive"
lengths=$(PATH=$stage/trial/$name/bin:/usr/bin:/bin kaldi-tables feat-to-len --print-args=false scp:samples/feats.scp ark,t:-)
[ "$lengths" = $'anna-01 28 \nanna-02 33 \nben-01 30 ' ] || { echo "the packed tools wrote: $lengths" >&2; exit 1; }
for file in man/man1/copy-feats.1 bash-completion/completions/copy-feats zsh/site-functions/_kaldi-tables \
    fish/vendor_completions.d/copy-feats.fish doc/kaldi-tables/README.md; do
    [ -s "$stage/trial/$name/share/$file" ] || { echo "$file is missing" >&2; exit 1; }
done
mv "$stage/archive" "$folder/$name.tar.gz"
du -sh --apparent-size "$folder/$name.tar.gz"
