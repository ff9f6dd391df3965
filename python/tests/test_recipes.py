"""The recipes of docs/python.md print what is shown below them."""

import importlib.util
import os
import pathlib
import re
import subprocess
import sys

import pytest

WORKSPACE = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^## (.*?)$|^```python\n(.*?)^```\n\n```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def recipes():
    heading, found = None, []
    for match in BLOCK.finditer((WORKSPACE / "docs" / "python.md").read_text()):
        heading = match[1] or heading
        if match[2]:
            found.append(pytest.param(match[2], match[3], id=heading))
    return found


def test_every_recipe_is_found():
    text = (WORKSPACE / "docs" / "python.md").read_text()
    assert len(recipes()) == text.count("```python") >= 15


@pytest.mark.parametrize("recipe, printed", recipes())
def test_recipe_prints_what_is_shown(recipe, printed, tmp_path):
    environment = dict(os.environ)
    if "import torch" in recipe and not importlib.util.find_spec("torch"):
        paths = [str(pathlib.Path(__file__).parent / "stand_in"), os.environ.get("PYTHONPATH")]
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    (tmp_path / "samples").symlink_to(WORKSPACE / "samples")
    program = tmp_path / "recipe.py"
    program.write_text(recipe)
    run = subprocess.run([sys.executable, program.name], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert run.stdout == printed
