"""Types of public names: as the docstrings say, and as users need them."""

import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TESTS = Path(__file__).parent


@pytest.mark.slow
def test_the_stubs_are_those_of_the_docstrings():
    pytest.importorskip("numpydoc")
    pytest.importorskip("torch")
    found = importlib.util.spec_from_file_location("stubs", ROOT / ".ci" / "stubs.py")
    script = importlib.util.module_from_spec(found)
    found.loader.exec_module(script)
    for path, text in script.stubs().items():
        assert path.read_text(encoding="utf-8") == text, f"{path}: run `make types`"


def checked(name, cache, monkeypatch):
    """Return the lines with errors that mypy finds in a file."""
    api = pytest.importorskip("mypy.api")
    monkeypatch.setenv("MYPYPATH", str(ROOT))
    words = ["--strict", "--follow-imports=silent", "--no-error-summary"]
    words += ["--cache-dir", str(cache), str(TESTS / name)]
    out, err, _ = api.run(words)
    assert not err, err
    lines = [line for line in out.splitlines() if ": error:" in line]
    places = [re.match(r".*?([\w.]+):(\d+): error", line) for line in lines]
    assert all(place[1] == name for place in places), out
    return {int(place[2]) for place in places}, out


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("mypy")


@pytest.mark.slow
def test_what_users_write_passes(cache, monkeypatch):
    found, out = checked("typing_right.py", cache, monkeypatch)
    assert not found, out


@pytest.mark.slow
def test_mistakes_are_found(cache, monkeypatch):
    lines = (TESTS / "typing_wrong.py").read_text().splitlines()
    wanted = {i for i, line in enumerate(lines, 1) if line.endswith("# mistake")}
    found, out = checked("typing_wrong.py", cache, monkeypatch)
    assert found == wanted, out
