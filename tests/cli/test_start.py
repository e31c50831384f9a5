"""Wrong arguments and the version are answered before large packages are imported."""

import json
import subprocess
import sys

import pytest

pytest.importorskip("click")
HEAVY = [
    "matplotlib",
    "numpy",
    "scipy",
    "sklearn",
    "pandas",
    "joblib",
    "torch",
    "skops",
    "tqdm",
]
COMMANDS = [
    "attack", "compare", "completion", "demo", "doctor", "label", "perturb", "repair",
    "report", "sample", "study",
]  # fmt: skip
CODE = f"""
import json, sys
from skrobust.cli import main
lines = json.loads(sys.argv[1])
codes = [main(line) for line in lines]
loaded = [name for name in {HEAVY} if name in sys.modules]
print(json.dumps([codes, loaded, len(sys.modules)]))
"""


def start(*lines):
    """Return the exit codes of command lines, and what a fresh process loaded."""
    args = [sys.executable, "-c", CODE, json.dumps(lines)]
    run = subprocess.run(args, capture_output=True, text=True, check=True)
    *said, last = run.stdout.splitlines()
    return json.loads(last), "\n".join([*said, run.stderr])


def test_wrong_arguments_load_nothing():
    lines = [[command, "--not-an-option"] for command in COMMANDS]
    lines += [["not-a-command"], ["report"], ["attack", "a", "b", "--seed", "x"]]
    (codes, loaded, n_modules), said = start(*lines)
    assert codes == [2] * len(lines)
    assert said.count("No such option") == len(COMMANDS)
    assert loaded == []
    assert n_modules < 600


def test_the_version_loads_nothing():
    (codes, loaded, _), said = start(["--version"])
    assert codes == [0]
    assert "version" in said
    assert loaded == []


def test_help_still_names_what_is_there():
    (codes, _, _), said = start(["report", "--help"], ["sample", "--help"])
    assert codes == [0, 0]
    said = " ".join(said.split())
    assert "one of asi" in said or "accuracy" in said
    assert "stratified" in said
    assert "None" not in said


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (["report", "m", "d", "--preset", "bogus"], "asi"),
        (["attack", "m", "d", "--eps", "1", "--attack", "bogus"], "FGSM"),
        (["compare", "m", "d", "--fail-under", "bogus=1"], "accuracy"),
        (["sample", "pool", "--sampler", "bogus"], "stratified"),
    ],
)
def test_values_are_checked_as_before(line, words):
    (codes, _, _), said = start(line)
    assert codes == [2]
    assert "bogus" in said
    assert words in said
