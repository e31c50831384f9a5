"""A new thing is one file of at most 40 lines and one name: it is found everywhere."""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import skrobust

pytest.importorskip("click")
pytest.importorskip("jinja2")
pytest.importorskip("matplotlib")
pytest.importorskip("skops")

TESTS = Path(__file__).parent
FILES = TESTS / "extension"
# File: its folder in the package, its family, and the name that it adds to the family.
ADDED = {
    "sensor_bias": ("perturbations/tables", "perturbations", "SensorBias"),
    "sensor_faults": ("perturbations/tables", "perturbations", "sensor_faults"),
    "several_steps": ("attacks", "attacks", "SeveralSteps"),
    "newton_steps": ("attacks", "attacks", "NewtonSteps"),
    "near_accuracy": ("metrics/robust", "metrics", "near_accuracy_score"),
    "square_sampler": ("sampling", "sampling", "SquareSampler"),
}
SCRIPT = FILES / "find_everywhere.py"
PLACES = re.findall(r"@place\ndef (\w+)", SCRIPT.read_text(encoding="utf-8"))


def add_name(init, module, name):
    """Add an import and a name to a family, the only edit of a known file."""
    text = init.read_text(encoding="utf-8")
    text = text.replace(
        "\n__all__ = [", f"\nfrom {module} import {name}\n\n__all__ = ["
    )
    text = text.replace("\n__all__ = [\n", f'\n__all__ = [\n    "{name}",\n')
    assert name in ast.literal_eval(text.split("__all__ = ")[1].split("]")[0] + "]")
    init.write_text(text, encoding="utf-8")


@pytest.fixture(scope="module")
def errors(tmp_path_factory):
    """Return by place what a copy of the package with the new files says there."""
    root = tmp_path_factory.mktemp("extended")
    package = root / "skrobust"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(skrobust.__file__).parent, package, ignore=ignored)
    for file, (folder, family, name) in ADDED.items():
        shutil.copy(FILES / f"{file}.py", package / folder / f"_{file}.py")
        module = f"skrobust.{folder.replace('/', '.')}._{file}"
        add_name(package / family / "__init__.py", module, name)
    work = tmp_path_factory.mktemp("work")
    done = subprocess.run(
        [sys.executable, SCRIPT, TESTS, TESTS.parent, work],
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
        cwd=work,
        env={**os.environ, "PYTHONPATH": str(root), "MPLBACKEND": "Agg"},
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("file", ADDED)
def test_a_new_thing_takes_at_most_40_lines(file):
    text = (FILES / f"{file}.py").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 40
    ruff = shutil.which("ruff", path=str(Path(sys.executable).parent))
    if ruff:  # the lines are those that the formatter writes
        args = [ruff, "format", "--check", FILES / f"{file}.py"]
        assert subprocess.run(args, check=False).returncode == 0


@pytest.mark.slow
@pytest.mark.parametrize("place", PLACES)
def test_a_new_thing_is_found(errors, place):
    if errors[place]:
        pytest.fail(errors[place], pytrace=False)


@pytest.mark.slow
def test_every_place_was_looked_at(errors):
    assert sorted(errors) == sorted(PLACES)
    assert len(PLACES) > 20
