#!/usr/bin/env bash
# Makes a Debian package of the tools, their manuals and completions: scripts/deb.sh [folder]
#
# The package is <folder>/kaldi-tables_<version>-1_<machine>.deb (default folder: target/debian). It needs cargo-deb
# (`cargo install cargo-deb`). If lintian is there, it must find no errors.
set -euo pipefail
cd "$(dirname "$0")/.."

target=${CARGO_TARGET_DIR:-target}
folder=${1:-$target/debian}
version=$(sed -n '/^\[workspace.package\]/,/^$/s/^version = "\(.*\)"/\1/p' Cargo.toml)
rm -rf target/deb
scripts/install target/deb > /dev/null
# The day of the last commit, so that the same sources give the same package.
cat > target/deb/changelog <<END
kaldi-tables ($version-1) unstable; urgency=medium

  * Release $version: see CHANGELOG.md.

 -- The kaldi-tables authors <kaldi-tables@users.noreply.github.com>  $(git log -1 --format=%cD 2> /dev/null || date -R)
END
mkdir -p "$folder"
cargo deb --no-build --no-strip --quiet --output "$folder"
package=$(ls -t "$folder"/kaldi-tables_"$version"-1_*.deb | head -n 1)
if command -v lintian > /dev/null; then
    lintian --fail-on error "$package"
fi
du -h --apparent-size "$package"
