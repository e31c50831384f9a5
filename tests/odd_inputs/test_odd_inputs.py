"""Odd inputs in every argument of every public name: a value, or one sentence.

``python -m pytest tests/odd_inputs -s -m thorough`` prints the line of the table in
CONTRIBUTING.
"""

import os

import pytest
from odd_inputs import odd_arrays, odd_values
from odd_inputs.known_cases import KNOWN
from odd_inputs.recorded_calls import FAMILIES, public_names, recorded
from odd_inputs.runner import RESULTS, Case, Tally, chosen, run_name, show

pytest.importorskip("pandas")
pytest.importorskip("polars")
pytest.importorskip("pyarrow")
pytest.importorskip("torch")
pyplot = pytest.importorskip("matplotlib.pyplot")

PUBLIC = public_names()
FAST, FULL = 48, 12  # one odd input of so many
LEAST = 40  # of a name, in the full part, where its arguments have as many
FEWER = 6  # one name of so many, in the quick part: each runs its example first


@pytest.fixture(scope="module")
def tally():
    whole = Tally()
    yield whole
    show(whole)


def try_family(family, share, tally, folder, fewer=1, least=0):
    """Try the odd inputs of one family in a folder of its own."""
    names = [name for name in PUBLIC if name.partition(".")[0] == family]
    names = [name for name in names if name not in RESULTS][::fewer]
    found, here = Tally(), os.getcwd()
    os.chdir(folder)
    try:
        for name in names:
            programs, _ = recorded(name, PUBLIC)
            own = [one for one in programs if is_of(one, name)]
            run_name(own, found, share, least)
    finally:
        os.chdir(here)
        pyplot.close("all")
    tally.include(found)
    return found


def is_of(program, name):
    """Return whether a call is that of a public name, or of a method of its class."""
    return program.name == name or program.name.startswith(f"{name}.")


def unknown(found):
    """Return what was found and is not counted among the known cases."""
    return [case for case in found.found if case[:3] not in KNOWN]


@pytest.mark.parametrize("family", FAMILIES)
def test_some_odd_inputs(family, tally, tmp_path):
    found = try_family(family, FAST, tally, tmp_path, FEWER)
    assert not unknown(found), unknown(found)


@pytest.mark.slow
@pytest.mark.thorough
@pytest.mark.parametrize("family", FAMILIES)
def test_odd_inputs(family, tally, tmp_path):
    found = try_family(family, FULL, tally, tmp_path, least=LEAST)
    assert not unknown(found), unknown(found)


@pytest.mark.parametrize("kind", ["numbers", "counts", "names", "flags", "anything"])
def test_there_are_forty_odd_values_of_each_kind(kind):
    valid = {"numbers": 0.5, "counts": 3, "names": "a", "flags": True}.get(kind)
    names = [name for name, *_ in getattr(odd_values, kind)(valid)]
    assert len(names) == len(set(names)) >= 40


@pytest.mark.parametrize("array", [[1.0, 2.0], [1, 2], ["a", "b"], [[1.0, 2], [3, 4]]])
def test_there_are_forty_odd_arrays_of_each_kind(array):
    import numpy as np

    a = np.array(array)
    names = [name for name, *_ in (*odd_arrays.forms(a), *odd_arrays.values(a))]
    assert len(names) == len(set(names)) >= 40


def test_the_full_part_takes_forty_of_each_name():
    cases = [Case("metrics.name", "X", str(i), *[None] * 5) for i in range(200)]
    some = chosen(cases, 12)
    assert 5 < len(some) < 40
    assert len(chosen(cases, 12, least=LEAST)) >= 40 == LEAST
    assert len(chosen(cases[:30], 12, least=LEAST)) == 30
    few = [Case("testing.name", "X", str(i), *[None] * 5) for i in range(200)]
    assert len(chosen(few, 12)) < len(some)
    assert len(chosen(few, 12, least=LEAST)) >= 40


@pytest.mark.slow
def test_every_public_name_is_called():
    called = set()
    for name in PUBLIC:
        programs, _ = recorded(name, PUBLIC)
        called |= {".".join(one.name.split(".")[:2]) for one in programs}
    assert set(PUBLIC) - called <= RESULTS
