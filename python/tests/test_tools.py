"""The tools that the package brings along, and the package itself. Needs an installed wheel."""

import importlib.metadata
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig

import kaldi_tables as kt
import numpy
import pytest

WORKSPACE = pathlib.Path(__file__).resolve().parents[2]
try:
    importlib.metadata.distribution("kaldi-tables")
except importlib.metadata.PackageNotFoundError:
    pytest.skip("the package is not installed: scripts/python.sh does it", allow_module_level=True)


def lines(*command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True, **options).stdout.splitlines()


def test_every_tool_is_beside_the_interpreter():
    names = kt.tools.names()
    assert len(names) > 200 and "copy-feats" in names and "kaldi-tables" not in names
    for name in [*names, "kaldi-tables"]:
        assert kt.tools.path(name) == os.path.join(sysconfig.get_path("scripts"), name)
        assert os.access(kt.tools.path(name), os.X_OK)


def test_versions_agree():
    manifest = (WORKSPACE / "Cargo.toml").read_text()
    version = re.search(r'\[workspace\.package\]\nversion = "(.*)"', manifest).group(1)
    assert kt.__version__ == version
    assert importlib.metadata.version("kaldi-tables") == version
    assert kt.tools.run("copy-feats", "--version", capture_output=True, text=True).stdout == f"copy-feats {version}\n"


def test_numpy_is_all_that_the_package_needs():
    needed = [line for line in importlib.metadata.requires("kaldi-tables") if "extra" not in line]
    assert needed == ["numpy>=1.22"]


def test_a_launcher_is_the_tool():
    command = [kt.tools.path("copy-matrix"), f"scp:{WORKSPACE}/samples/feats.scp", "ark,t:-"]
    run = subprocess.run(command, cwd=WORKSPACE, capture_output=True, text=True)
    assert run.returncode == 0 and run.stdout.startswith("anna-01  [")
    # Its name in the echo and in log lines is its own, and arguments arrive as they are.
    assert run.stderr.startswith("copy-matrix scp:")
    refused = subprocess.run([kt.tools.path("copy-matrix"), "a b", "$x*"], capture_output=True, text=True)
    assert refused.returncode == 255 and "copy-matrix 'a b' '$x*'" in refused.stderr and "(copy-matrix[" in refused.stderr


def test_a_launcher_changes_no_variable():
    command = f"sed -e '' {WORKSPACE}/samples/feats.ark | if env -u _ -u SHLVL -u PWD -u OLDPWD > /dev/stderr; then cat; fi |"
    shown = subprocess.run(
        [kt.tools.path("copy-matrix"), "--print-args=false", f"ark:{command}", "ark:/dev/null"],
        env={"PATH": os.defpath, "d": "1", "p": "2"}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    variables = {line for line in shown.stderr.splitlines() if re.match(r"\w+=", line)}
    assert {"d=1", "p=2"} <= variables and {line.split("=")[0] for line in variables} <= {"PATH", "d", "p", "LC_CTYPE"}


def test_a_launcher_is_found_through_links_and_names_without_a_folder(tmp_path):
    launcher = kt.tools.path("copy-vector")
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "copy-vector").symlink_to(launcher)
    (tmp_path / "two").symlink_to("one/copy-vector")
    shown = [f"copy-vector {kt.__version__}"]
    assert lines(tmp_path / "two", "--version") == shown
    assert lines("./two", "--version", cwd=tmp_path) == shown
    assert lines("copy-vector", "--version", env={"PATH": f"{tmp_path}/one:{os.defpath}"}) == shown
    assert lines("sh", "copy-vector", "--version", cwd=os.path.dirname(launcher)) == shown


def test_python_m_is_the_tool():
    module = [sys.executable, "-m", "kaldi_tables"]
    assert lines(*module, "copy-vector", "--version") == [f"copy-vector {kt.__version__}"]
    assert "Tables" in lines(*module)
    missing = subprocess.run([*module, "copy-vector", "ark:/nonexistent", "ark:-"], capture_output=True)
    assert missing.returncode == 255


def test_python_m_ends_like_the_tool_if_nobody_reads():
    words = ["copy-feats", "--print-args=false", "scp:samples/feats.scp", "ark,t:-"]
    ends = []
    for command in ([kt.tools.path(words[0])], [sys.executable, "-m", "kaldi_tables", words[0]]):
        reading, writing = os.pipe()
        os.close(reading)
        run = subprocess.run([*command, *words[1:]], cwd=WORKSPACE, stdout=writing, stderr=subprocess.PIPE)
        os.close(writing)
        ends.append((run.returncode, run.stderr))
    assert ends[0] == ends[1] and ends[0][0] != 0


def test_run_returns_what_subprocess_returns(tmp_path):
    copied = kt.tools.run("copy-matrix", "--print-args=false", b"scp:samples/feats.scp", f"ark:{tmp_path}/a.ark", cwd=WORKSPACE)
    assert copied.returncode == 0 and (tmp_path / "a.ark").exists()
    with pytest.raises(subprocess.CalledProcessError) as failed:
        kt.tools.run("copy-matrix", "ark:/nonexistent", "ark:/dev/null", stderr=subprocess.PIPE)
    assert failed.value.returncode == 255 and b"/nonexistent" in failed.value.stderr
    assert kt.tools.run("copy-matrix", "ark:/nonexistent", "ark:/dev/null", check=False, capture_output=True).returncode == 255


@pytest.mark.parametrize("name", ["copy-feat", "python", "", "../bin/copy-feats", "kaldi_tables"])
def test_what_is_no_tool_is_refused(name):
    for function in (kt.tools.path, kt.tools.run):
        with pytest.raises(kt.MissingFileError, match="there is no tool") as refused:
            function(name)
        assert isinstance(refused.value, FileNotFoundError)
    if name == "copy-feat":
        assert "copy-feats was probably meant" in str(refused.value)


@pytest.mark.parametrize("layout", ["--target", "--prefix"])
def test_tools_are_found_wherever_pip_has_put_them(layout, tmp_path):
    """The files of the installed package, laid out as pip does it; without what pip writes down of them."""
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    packages = tmp_path if layout == "--target" else tmp_path / "lib" / version / "site-packages"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(packages), os.path.dirname(os.path.dirname(numpy.__file__))])}
    shutil.copytree(os.path.dirname(kt.__file__), packages / "kaldi_tables")
    (tmp_path / "bin").mkdir()
    for name in ("kaldi-tables", "copy-feats"):
        shutil.copy(kt.tools.path(name), tmp_path / "bin")
    found = lines(sys.executable, "-c", "import kaldi_tables as kt; print(kt.tools.path('copy-feats'))", env=environment)
    assert found == [str(tmp_path / "bin" / "copy-feats")]


def test_the_platform_of_the_wheel_is_the_oldest_library_that_program_and_module_run_with():
    files = [pathlib.Path(file).read_bytes() for file in (kt.tools.path("kaldi-tables"), kt._core.__file__)]
    needed = [int(minor) for file in files for minor in re.findall(rb"GLIBC_2\.([0-9]+)", file)]
    wheel = importlib.metadata.distribution("kaldi-tables").read_text("WHEEL")
    tags = re.findall(r"^Tag: (.*)$", wheel, re.MULTILINE)
    if needed:
        assert any(f"manylinux_2_{max(needed)}_" in tag for tag in tags), tags
    assert not any("-linux_" in tag for tag in tags), tags
