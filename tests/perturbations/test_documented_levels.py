"""Severities are the levels that the docstrings list, for every perturbation."""

import inspect
import re

import numpy as np
import pandas as pd
import pytest
from perturbation_table import DATA, LAWS, MIXED, at, same
from sklearn.neighbors import KNeighborsClassifier

import skrobust.perturbations as sp

NUMBER = r"(\d*\.?\d+)"
FIVE = re.compile(
    rf"{NUMBER}, {NUMBER}, {NUMBER}, {NUMBER},? (?:and |or )?{NUMBER}( %)?"
)
# Of classes that list levels of two parameters, what makes the second one the strength.
SECOND = {"Jitter": {"unit": "db"}}


def documented_levels(cls):
    """Return the lists of five levels in a docstring, as numbers."""
    text = " ".join((inspect.getdoc(cls) or "").partition("References")[0].split())
    lists = [
        np.array([float(number) for number in found[:5]]) / (100 if found[5] else 1)
        for found in FIVE.findall(text)
    ]
    return [tuple(levels.tolist()) for levels in lists]


def own_levels(cls):
    """Return the parameters whose levels are the same for all rows."""
    return [n for n, s in cls._strengths.items() if s.levels and not s.large]


LISTED = [
    pytest.param(law, *pair, id=f"{law}-{pair[0]}")
    for law in LAWS
    for pair in zip(own_levels(law.cls), documented_levels(law.cls), strict=False)
    if not any(s.large for s in law.cls._strengths.values())
]


def test_every_level_that_no_publication_has_is_listed():
    named = {(law.name, name) for law, name, _ in (p.values for p in LISTED)}
    own = {
        (law.name, name)
        for law in LAWS
        if not any(s.large for s in law.cls._strengths.values())
        for name in own_levels(law.cls)
    }
    assert named == own
    assert len(named) > 50


@pytest.mark.parametrize(("law", "name", "levels"), LISTED)
def test_a_severity_is_its_documented_level(law, name, levels):
    X, make = next(x for x in DATA[law.kind].values() if x.dtype in (float, object)), at
    if getattr(law.cls, "_acts_on", "") in ("category", "time"):
        X, make = MIXED, lambda law, severity=None, **params: law(severity, **params)
    declared = law.cls._strengths
    more = {} if name == next(iter(declared)) else SECOND[law.name]
    assert declared[name].levels == levels
    for severity, level in enumerate(levels, start=1):
        given = {name: int(level) if declared[name].whole else level}
        outs = [
            p.fit(X).transform(X)
            for p in (make(law, severity, **more), make(law, **more, **given))
        ]
        if hasattr(X, "columns"):
            pd.testing.assert_frame_equal(*outs)
        else:
            assert same(*outs)


def test_severities_of_label_noise_are_the_documented_rates():
    (rates,) = documented_levels(sp.LabelNoiseClassifier)
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 2)), rng.integers(0, 3, 200)

    def learned(**how):
        nearest = KNeighborsClassifier(1)
        return sp.LabelNoiseClassifier(nearest, **how, random_state=0).fit(X, y)

    for severity, rate in enumerate(rates, start=1):
        by_severity = learned(severity=severity).predict(X)
        assert np.array_equal(by_severity, learned(rate=rate).predict(X))
        assert (by_severity != y).mean() == pytest.approx(rate, abs=0.1)
