#!/usr/bin/env bash
# Makes the Python virtual environment in which tests/peers runs other people's software: peers in the folder of the
# build. Does nothing where it has been made of the same requirements before.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=${CARGO_TARGET_DIR:-target}/peers
requirements=tests/peers/requirements.txt
# Written last; the tests look at it, too.
made=$folder/requirements.txt

if [ -x "$folder/bin/python" ] && cmp -s "$made" $requirements; then
    exit 0
fi
python3 -m venv --clear "$folder"
"$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --only-binary=:all: -r $requirements
# A second version of a package has a folder of its own, which one script looks into.
second=$(sed -n 's/^# Alone in lhotse2: //p' $requirements)
"$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --only-binary=:all: --target "$folder/lhotse2" "$second"
cp $requirements "$made"
