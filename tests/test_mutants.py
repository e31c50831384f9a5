"""The mutants of benchmarks/mutation: what is changed, and what is patched."""

import ast
import json
import sqlite3
import sys
from pathlib import Path
from types import ModuleType

import pytest

sys.path.append(str(Path(__file__).parents[1] / "benchmarks" / "mutation"))

import changes
import chosen_tests
import mutants as mutation
import patched_code

SOURCE = '''
"""Text - 1."""

LIMIT = 3


def share(hits, n, *, low=0.5, strict=False):
    """Return hits / n."""
    check(n)
    if hits < n and not strict:
        return max(hits / n, low)
    raise ValueError(f"{hits - 1} of {n}")


class Sum:
    scale = 2

    def add(self, x):
        self.total -= x
        return [y + 1 for y in x]
'''


def mutants():
    return {m.key.removeprefix("f.py: "): m for m in changes.mutants_of(SOURCE, "f.py")}


def text(mutant):
    return ast.unparse(changes.mutated(SOURCE, mutant.site))


@pytest.mark.parametrize(
    ("key", "before", "after"),
    [
        ("share: check(n) -> pass", "check(n)", "pass"),
        ("share: hits < n -> hits <= n", "hits < n", "hits <= n"),
        ("share: not strict -> strict", "and (not strict)", "and strict"),
        ("share: hits / n -> hits * n", "max(hits / n", "max(hits * n"),
        ("share: hits / n -> hits", "max(hits / n", "max(hits"),
        ("share: max(hits / n, low) -> min(hits / n, low)", "max(", "min("),
        ("share: False -> True", "strict=False", "strict=True"),
        ("share: 0.5 -> 1.5", "low=0.5", "low=1.5"),
        ("module: 3 -> 4", "LIMIT = 3", "LIMIT = 4"),
        ("Sum: 2 -> 1", "scale = 2", "scale = 1"),
        ("Sum.add: self.total -= x -> self.total += x", "total -= x", "total += x"),
        ("Sum.add: y + 1 -> y - 1", "y + 1", "y - 1"),
    ],
)
def test_a_mutant_is_one_change(key, before, after):
    original = ast.unparse(ast.parse(SOURCE))
    assert text(mutants()[key]) == original.replace(before, after)


def test_texts_are_left_alone():
    assert not any("Text" in key or "hits - 1 ->" in key for key in mutants())


def test_what_runs_on_import_asks_the_tests_of_its_owner():
    found = mutants()
    assert found["share: 0.5 -> 1.5"].lines == (8, 12)
    assert found["Sum: 2 -> 1"].lines == (15, 20)
    assert found["share: hits < n -> hits <= n"].lines == (10, 10)


def module_of(source):
    module = ModuleType("mutated_here")
    exec(compile(source, "/here/f.py", "exec", dont_inherit=True), vars(module))
    module.check = lambda n: None
    return module


@pytest.mark.parametrize(
    ("key", "way", "expected"),
    [
        ("share: hits / n -> hits * n", "code", 8.0),
        ("share: 0.5 -> 1.5", "defaults", 1.5),
        ("share: control", "code", 0.5),
        ("module: 3 -> 4", None, None),
        ("Sum: 2 -> 1", None, None),
    ],
)
def test_living_functions_change(key, way, expected):
    module = module_of(SOURCE)
    share = module.share  # as other modules hold it
    mutant = mutants().get(key) or changes.control_of(SOURCE, "f.py", 0)
    tree = changes.mutated(SOURCE, mutant.site)
    codes = [
        compile(source, "/here/f.py", "exec", dont_inherit=True)
        for source in (SOURCE, tree)
    ]
    functions = patched_code.functions_by_place("/here")
    pairs = patched_code.changed_codes(*codes)
    defaults = patched_code.changed_defaults(ast.parse(SOURCE), tree, "/here/f.py")
    assert (pairs is not None) == (way == "code")
    assert (defaults is not None) == (way == "defaults")
    if way == "code":
        assert patched_code.patch(pairs, functions)
    elif way == "defaults":
        assert patched_code.patch_defaults(defaults, functions)
    if way:
        assert share(2, 4) == expected


def test_tests_of_a_line_are_asked_near_and_quick_ones_first(tmp_path):
    path = tmp_path / "lines.db"
    near, far = "tests/sampling/test_draws.py", "tests/cli/test_report.py"
    seconds = {f"{near}::slow": 2.0, f"{near}::quick": 0.1, f"{far}::other": 0.01,
               f"{near}::beside": 0.1, f"{far}::beside": 0.1}  # fmt: skip
    with sqlite3.connect(path) as file:
        file.execute("create table tests (name, seconds, outcome)")
        file.execute("create table lines (file, test, bits)")
        for name, time in seconds.items():
            file.execute("insert into tests values (?, ?, 'passed')", [name, time])
        for name in (f"{near}::slow", f"{near}::quick", f"{far}::other"):
            bits = (1 << 7).to_bytes(1, "little")
            row = ["skrobust/sampling/draws.py", name, bits]
            file.execute("insert into lines values (?, ?, ?)", row)
    asked = chosen_tests.ChosenTests(path)
    names, covering = asked.chosen("skrobust/sampling/draws.py", (7, 8), 10)
    assert covering == 3
    ends = [name.rpartition("::")[2] for name in names]
    assert ends == ["quick", "other", "slow", "beside"]
    assert asked.chosen("skrobust/sampling/draws.py", (7, 7), 0.2)[0] == names[:2]
    assert asked.chosen("skrobust/sampling/draws.py", (8, 8), 10) == ([], 0)


def test_cases_that_name_a_class_are_asked_of_its_file(tmp_path):
    source = "class Noise:\n    pass\n\n\nclass _Part:\n    pass\n\n\ndef draw(): ..."
    assert chosen_tests.public_names(source) == {"Noise", "draw"}
    path = tmp_path / "lines.db"
    with sqlite3.connect(path) as file:
        file.execute("create table tests (name text, seconds real, outcome text)")
        file.execute("create table lines (file text, test text, bits blob)")
        for case, seconds in [("Blur", 0.1), ("Salt", 0.2)]:
            row = [f"tests/test_all.py::test_default[{case}-x]", seconds, "passed"]
            file.execute("insert into tests values (?, ?, ?)", row)
    cases = ["Blur-x", "Salt-x", "Noise-scale", "x-Noise", "NoiseGate-x"]
    collected = [f"tests/test_all.py::test_default[{case}]" for case in cases]
    collected.append("tests/test_never_measured.py::test_one[Noise]")
    asked = chosen_tests.ChosenTests(path, collected)
    given = asked.chosen("skrobust/perturbations/noise.py", (1, 2), 10, {"Noise"})
    assert given == (collected[2:4], 2)
    assert asked.seconds[collected[2]] == pytest.approx(0.15)
    assert asked.chosen("skrobust/perturbations/noise.py", (1, 2), 10) == ([], 0)


def test_what_fails_for_a_control_kills_nothing(tmp_path):
    path = tmp_path / "results.jsonl"
    rows = [
        ("a", "comparison", "killed", "t.py::test_weak[1]"),
        ("b", "comparison", "killed", "t.py::test_sound"),
        ("c", "comparison", "killed", None),
        ("d", "control", "killed", "t.py::test_weak[2]"),
        ("e", "control", "killed", None),
    ]
    names = ("key", "kind", "state", "test")
    records = [dict(zip(names, row, strict=True)) for row in rows]
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    states = {key: record["state"] for key, record in mutation.read(path).items()}
    assert states.pop("a") == "survived"
    assert set(states.values()) == {"killed"}


def test_another_seed_draws_another_sample_of_any_size():
    def keys(*given):
        return [m.key for m in mutation.drawn("base", *given) if m.kind != "control"]

    first = keys(40)
    assert len(set(first)) == 40
    assert keys(40, 0) == keys(40) == first
    assert keys(40, 1) == keys(40, 1)
    assert len(set(keys(40, 1)) & set(first)) < 5
    assert len(keys(7, 1)) == 7
