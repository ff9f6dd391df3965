"""Builds the wheel: the one program and a launcher for each tool, and then, by maturin, the module.

maturin packs a program or a module, not both. But what is in `kaldi_tables.data/scripts` goes into the wheel as it is, and pip
puts it on the path. So this backend (PEP 517) fills that folder before it calls maturin.
"""

import gzip
import json
import os
import re
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

import maturin

PYTHON = Path(__file__).resolve().parents[1]
WORKSPACE = PYTHON.parent
SCRIPTS = PYTHON / "kaldi_tables.data" / "scripts"

# A link to a launcher is followed only if the program is not beside the link. There are no variables: the tool and its commands
# would inherit them.
LAUNCHER = """\
#!/bin/sh
[ -f "${{0%/*}}/kaldi-tables" ] && exec "${{0%/*}}/kaldi-tables" {tool} "$@"
exec "$(dirname "$(readlink -f "$0")")/kaldi-tables" {tool} "$@"
"""


def _enter():
    """Goes to the folder of pyproject.toml, which maturin looks for."""
    if not (WORKSPACE / "Cargo.lock").exists():
        raise SystemExit("the folder above python/ is missing: pip before 21.3 copies a part of the checkout only")
    if not shutil.which("cargo"):
        raise SystemExit("there is no cargo: Rust is needed, see https://rustup.rs")
    os.chdir(PYTHON)
    SCRIPTS.mkdir(parents=True, exist_ok=True)


def _run(*command):
    return subprocess.run(command, cwd=WORKSPACE, stdout=subprocess.PIPE, check=True).stdout


def _cargo(*arguments):
    """The lines that cargo prints, which are JSON."""
    return [json.loads(line) for line in _run("cargo", *arguments, "--locked").splitlines()]


def _add_tools():
    """Builds the program, and fills the folder of what pip puts on the path. Returns the file of the program."""
    messages = _cargo("build", "--release", "--bins", "--message-format=json-render-diagnostics")
    (program,) = (message["executable"] for message in messages if message.get("executable"))
    tools = json.loads(_run(program, "--print-args=false", "--json"))
    shutil.rmtree(SCRIPTS)
    SCRIPTS.mkdir()
    shutil.copy(program, SCRIPTS / "kaldi-tables")
    for tool in tools:
        launcher = SCRIPTS / tool["name"]
        launcher.write_text(LAUNCHER.format(tool=tool["name"]))
        launcher.chmod(0o755)
    return Path(program)


def _with_platform(config_settings, program):
    """Names the oldest C library that the program runs with as the platform of the wheel; maturin looks at the module alone, and refuses
    it if it needs a newer one. It refuses names, too, that its list of policies does not have, such as that of a library newer than
    itself; then nothing is audited. Programs of musl, and a platform that is given, are left as they are."""
    settings = dict(config_settings or {})
    given = settings.get("build-args", "")
    needed = [int(minor) for minor in re.findall(rb"GLIBC_2\.([0-9]+)", program.read_bytes())]
    if needed and "--compatibility" not in given:
        platform = f"manylinux_2_{max(needed)}"
        is_known = f'"{platform}"'.encode() in Path(shutil.which("maturin")).read_bytes()
        audit = "" if is_known else " --auditwheel=skip"
        settings["build-args"] = f"{given} --compatibility {platform}{audit}".strip()
    return settings


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    _enter()
    return maturin.prepare_metadata_for_build_wheel(metadata_directory, config_settings)


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    _enter()
    program = _add_tools()
    return maturin.build_wheel(wheel_directory, _with_platform(config_settings, program), metadata_directory)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    _enter()
    _add_tools()
    return maturin.build_editable(wheel_directory, config_settings, metadata_directory)


def _sources():
    """The files of the workspace: what git knows or would add, or all files of an unpacked source distribution."""
    if (WORKSPACE / ".git").exists():
        listed = _run("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard").decode().split("\0")
        return sorted({name for name in listed if name and os.path.lexists(WORKSPACE / name)})
    made = {"target", "kaldi_tables.data", "__pycache__"}
    files = [path.relative_to(WORKSPACE) for path in WORKSPACE.rglob("*") if path.is_symlink() or path.is_file()]
    return sorted(str(file) for file in files if not made & set(file.parts) and file.suffix != ".so")


def build_sdist(sdist_directory, config_settings=None):
    """Packs the whole workspace. The pyproject.toml at its top is that of this folder, with paths from there."""
    _enter()
    with tempfile.TemporaryDirectory() as scratch:
        info = maturin.prepare_metadata_for_build_wheel(scratch, config_settings)
        shutil.copy(Path(scratch, info, "METADATA"), Path(scratch, "PKG-INFO"))
        project = (PYTHON / "pyproject.toml").read_text(encoding="utf-8")
        project = project.replace('["backend"]', '["python/backend"]').replace('"README.md"', '"python/README.md"')
        Path(scratch, "pyproject.toml").write_text(project, encoding="utf-8")
        files = {name: WORKSPACE / name for name in _sources()}
        files.update((name, Path(scratch, name)) for name in ("PKG-INFO", "pyproject.toml"))
        top = info[: -len(".dist-info")]
        archive = Path(sdist_directory, f"{top}.tar.gz")
        # Without names and times of this machine: the same files give the same bytes.
        with gzip.GzipFile(archive, "wb", mtime=0) as packed, tarfile.open(fileobj=packed, mode="w") as tar:
            for name in sorted(files):
                entry = tar.gettarinfo(files[name], f"{top}/{name}")
                entry.uid = entry.gid = entry.mtime = 0
                entry.uname = entry.gname = ""
                entry.mode = 0o755 if entry.mode & 0o100 else 0o644
                with files[name].open("rb") as content:
                    tar.addfile(entry, content if entry.isreg() else None)
    return archive.name
