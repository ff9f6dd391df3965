#!/usr/bin/env bash
# Makes the wheel, installs it into a virtual environment, and tests it there: scripts/python.sh [word of pytest ...]
#
# The environment is `python` in the folder of the build (target), with what python/tests/requirements.txt lists. The program in
# the wheel is the one that scripts/package.sh builds, too. Where Python cannot make environments or pip cannot get the packages, all of
# this is skipped with a warning.
set -euo pipefail
cd "$(dirname "$0")/.."

skip() {
    echo "WARNING: the module for Python is NOT TESTED, $*:" \
        "its wheel, python/tests, the recipes of docs/python.md, doctests, mypy, stubtest" >&2
    exit 0
}

target=${CARGO_TARGET_DIR:-target}
mkdir -p "$target"
folder=$(cd "$target" && pwd)/python-environment
python=$folder/bin/python
requirements=python/tests/requirements.txt
if ! { [ -x "$python" ] && cmp -s "$folder/requirements.txt" $requirements; }; then
    python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' || skip "since there is no Python 3.9 or later"
    python3 -m venv --clear "$folder" || skip "since python3 -m venv fails"
    "$python" -m pip install --quiet --disable-pip-version-check --only-binary=:all: -r $requirements ||
        skip "since pip cannot install $requirements"
    cp $requirements "$folder/requirements.txt"
fi

# The tests are to use what is installed.
unset PYTHONPATH
export PYTHONDONTWRITEBYTECODE=1
PATH=$folder/bin:$PATH
wheels=$(mktemp -d "$folder/wheels.XXXXXX")
trap 'rm -rf "$wheels"' EXIT
pip() { "$python" -m pip --quiet --disable-pip-version-check "$@"; }
pip wheel --no-deps --no-build-isolation --wheel-dir "$wheels" ./python
du -h --apparent-size "$wheels"/*.whl
if [ "$(stat -c %s "$wheels"/*.whl)" -ge 24000000 ]; then
    echo "the wheel has 24 MB or more" >&2
    exit 1
fi
pip install --no-deps --no-index --force-reinstall "$wheels"/*.whl
"$python" -m pytest -q -rs -p no:cacheprovider python/tests "$@"
if [ $# = 0 ]; then
    # An editable installation: the module is beside its sources, the tools are in the environment. All is compiled already.
    editable=$folder/editable
    "$python" -m venv --clear --without-pip "$editable"
    packages='import sysconfig; print(sysconfig.get_path("purelib"))'
    "$python" -c "$packages" > "$("$editable/bin/python" -c "$packages")/others.pth"
    module=python/kaldi_tables/_core.abi3.so
    [ -e $module ] || trap 'rm -rf "$wheels" $module' EXIT
    pip --python "$editable/bin/python" install --ignore-installed --no-deps --no-build-isolation -e ./python
    (cd "$wheels" && "$editable/bin/python" -c "
import kaldi_tables as kt
assert '/python/kaldi_tables/' in kt._core.__file__, kt._core.__file__
assert kt.tools.path('copy-feats').startswith('$editable'), kt.tools.path('copy-feats')
kt.tools.run('copy-feats', '--version')")
    "$python" -m mypy --config-file=python/tests/mypy.ini --cache-dir="$folder/mypy" -p kaldi_tables
    # Modules that have a stub, by name: kaldi_tables/_core.pyi is kaldi_tables._core.
    stubs=$(cd python && find kaldi_tables -name '*.pyi' | sed 's/\.pyi$//; s,/__init__$,,; s,/,.,g')
    # shellcheck disable=SC2086
    (cd python/tests && "$python" -m mypy.stubtest --mypy-config-file=mypy.ini --allowlist=stubtest.txt --ignore-unused-allowlist $stubs)
fi
