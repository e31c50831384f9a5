"""Deprecated names warn at the line that uses them, by one helper."""

import ast
import warnings
from pathlib import Path

import pytest

import skrobust.base
import skrobust.metrics
from skrobust._deprecation import REMOVED_IN, warn_deprecated

PACKAGE = Path(skrobust.__file__).parent


def test_the_text_names_the_cure_and_the_release():
    with pytest.warns(FutureWarning) as caught:
        warn_deprecated("old", "new")
    text = f"old is deprecated and will be removed in {REMOVED_IN}; use new instead."
    assert str(caught[0].message) == text
    assert caught[0].filename == __file__


def test_former_names_warn_where_they_are_used():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        _ = skrobust.metrics.make_stability_scorer
        _ = skrobust.base.BaseSampler
    assert [w.category for w in caught] == [FutureWarning] * 2
    assert [w.filename for w in caught] == [__file__] * 2


def test_nothing_else_of_the_package_warns_of_a_removal():
    for path in PACKAGE.rglob("*.py"):
        names = {
            node.id
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.Name)
        }
        own = path.stem == "_deprecation"
        found = names & {"FutureWarning", "DeprecationWarning"}
        assert not found or own, f"{path.name}: use warn_deprecated"
