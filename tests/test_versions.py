"""Declared floors, the files of the wheel, and the bill of materials."""

import importlib.util
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

pytest.importorskip("packaging")
from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]
# Lowest versions without a known hole in what we use; pyproject.toml names them.
SAFE = {
    "torch": "2.10",
    "skops": "0.13",
    "pillow": "12.3",
    "jinja2": "3.1.6",
    "tqdm": "4.66.3",
    "distributed": "2026.1.1",
}


def script(name):
    found = importlib.util.spec_from_file_location(name, ROOT / ".ci" / f"{name}.py")
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


@pytest.mark.parametrize("extra", [None, *EXTRAS])
def test_floors_follow_the_advisories(extra):
    for text in PROJECT["dependencies"] if extra is None else EXTRAS[extra]:
        one = Requirement(text)
        safe = SAFE.get(one.name.lower())
        if safe is not None:
            (lowest,) = (s.version for s in one.specifier if s.operator == ">=")
            assert Version(lowest) >= Version(safe), f"{extra}: {text}"


@pytest.mark.parametrize("python", ["3.11", "3.12", "3.13"])
@pytest.mark.parametrize("extras", list(script("versions").EXTRAS))
def test_each_package_has_one_floor(extras, python):
    versions = script("versions")
    found = versions.floors(versions.EXTRAS[extras], python)
    assert {"numpy", "scipy", "scikit-learn", "joblib"} <= set(found)
    assert Version(found["numpy"]) >= Version("2.0" if python < "3.13" else "2.1")


def test_every_extra_of_users_is_tried():
    tried = {name for names in script("versions").EXTRAS.values() for name in names}
    left_out = {"all", "test", "doc", "bench"}  # of ours, or the others together
    assert set(EXTRAS) - left_out - tried == {"tflite"}  # Linux on x86 only


def test_the_tests_of_the_script_are_there():
    for tests in script("versions").TESTS.values():
        for test in tests.split():
            assert (ROOT / "tests" / f"{test}.py").is_file(), test


@pytest.mark.parametrize("extras", [["report"], ["report", "torch"], ["none", ""]])
def test_the_bill_has_all_that_is_needed_and_nothing_twice(extras):
    facts = script("sbom").bill(extras)
    references = [part["bom-ref"] for part in facts["components"]]
    assert len(references) == len(set(references))
    own = facts["metadata"]["component"]["bom-ref"]
    for node in facts["dependencies"]:
        assert {node["ref"], *node["dependsOn"]} <= {own, *references}
    names = {part["name"].lower() for part in facts["components"]}
    assert {"numpy", "scipy", "scikit-learn", "joblib", "threadpoolctl"} <= names
    assert ("click" in names) == ("report" in extras)
    assert script("sbom").bill(extras) == facts


@pytest.mark.slow
def test_the_wheel_has_every_file_of_the_package(tmp_path):
    """Built from a copy of the tree, as `pip wheel` does where setuptools is there."""
    pytest.importorskip("setuptools", "77")
    import shutil

    source = tmp_path / "source"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "skrobust", source / "skrobust", ignore=ignored)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source / name)
    words = ["wheel", "--no-deps", "--no-build-isolation", "--no-index", "-q", "-w"]
    command = [sys.executable, "-m", "pip", *words, str(tmp_path / "out"), str(source)]
    subprocess.run(command, check=True, cwd=tmp_path)
    (wheel,) = (tmp_path / "out").glob("*.whl")
    packed = {
        name for name in zipfile.ZipFile(wheel).namelist() if "dist-info" not in name
    }
    there = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "skrobust").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert packed == there
