#!/usr/bin/env bash
# Makes the Python virtual environment in which tests/peers runs other people's software: peers in the folder of the
# build. Does nothing where it has been made of the same requirements before.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=${CARGO_TARGET_DIR:-target}/peers
requirements=tests/peers/requirements.txt
stamp=$folder/requirements.sum

wanted=$(cksum < $requirements)
if [ -x "$folder/bin/python" ] && [ "$(cat "$stamp" 2> /dev/null)" = "$wanted" ]; then
    exit 0
fi
python3 -m venv --clear "$folder"
"$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --only-binary=:all: -r $requirements
echo "$wanted" > "$stamp"
