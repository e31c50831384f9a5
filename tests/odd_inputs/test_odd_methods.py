"""Odd inputs in every argument of the methods that keep state or read rows.

``python -m pytest tests/odd_inputs/test_odd_methods.py -s -m thorough`` prints the
line of the table in CONTRIBUTING.
"""

import os

import pytest
from odd_inputs.runner import Tally, run_name, show

for library in ("polars", "pyarrow", "torch", "PIL"):
    pytest.importorskip(library)

FAST = 30  # one odd input of so many


def try_methods(share, folder):
    """Try odd inputs of all methods in a folder of its own, and print the counts."""
    from odd_inputs.method_calls import programs  # which makes what it calls

    found, here = Tally(), os.getcwd()
    os.chdir(folder)
    try:
        run_name(programs(), found, share)
    finally:
        os.chdir(here)
    show(found)
    return found


def test_some_odd_inputs_of_methods(tmp_path):
    found = try_methods(FAST, tmp_path)
    assert not found.found, found.found
    assert found.tried > 200


@pytest.mark.slow
@pytest.mark.thorough
def test_odd_inputs_of_methods(tmp_path):
    found = try_methods(1, tmp_path)
    assert not found.found, found.found
    assert found.tried > 6000
