#!/usr/bin/env bash
# Makes the files of a release: scripts/release.sh [folder]
#
# The folder (default: target/release-files) gets the source and the built tools, and their checksums:
#
#   kaldi-tables-<version>.tar.gz                    the files of the last commit
#   kaldi-tables-<version>-<machine>-linux.tar.gz    what scripts/package.sh makes
#   SHA256SUMS                                       for sha256sum -c
#
# Everything has to be committed, and CHANGELOG.md has to have a section of the version, with a date.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
    echo "release.sh: $*" >&2
    exit 1
}

folder=${1:-${CARGO_TARGET_DIR:-target}/release-files}
version=$(sed -n '/^\[workspace.package\]/,/^$/s/^version = "\(.*\)"/\1/p' Cargo.toml)
grep -qE "^## ${version//./\\.} \([0-9]{4}-[0-9]{2}-[0-9]{2}\)$" CHANGELOG.md ||
    fail "CHANGELOG.md has no section \"## $version (year-month-day)\""
[ -z "$(git status --porcelain)" ] || fail "some changes are not committed"

mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
stage=$(mktemp -d "$folder/stage.XXXXXX")
trap 'rm -rf "$stage"' EXIT

# Without names and times of this machine, so that everybody who packs the commit gets the same bytes.
source=kaldi-tables-$version.tar.gz
git archive --format=tar --prefix="kaldi-tables-$version/" HEAD | gzip -n -9 > "$stage/$source"
scripts/package.sh "$stage" > /dev/null
built=$(cd "$stage" && echo kaldi-tables-"$version"-*-linux.tar.gz)
(cd "$stage" && sha256sum "$source" "$built" > SHA256SUMS)

# The files are tried before they get their names. (package.sh has run a packed tool on the samples.)
mkdir "$stage/trial"
(cd "$stage" && sha256sum --quiet -c SHA256SUMS)
tar -C "$stage/trial" -xzf "$stage/$source"
(cd "$stage/trial/kaldi-tables-$version" && cargo metadata --locked --offline --no-deps --format-version=1 > /dev/null) ||
    fail "the source archive is not complete"
tar -C "$stage/trial" -xzf "$stage/$built"
written=$("$stage/trial/${built%.tar.gz}/bin/copy-vector" --version)
[ "$written" = "copy-vector $version" ] || fail "the packed copy-vector is another version: $written"

mv "$stage/$source" "$stage/$built" "$stage/SHA256SUMS" "$folder"
cat "$folder/SHA256SUMS"
