"""Axioms of a metric: pairs of cases whose values must be ordered or equal."""

from dataclasses import replace

import numpy as np

from skrobust.metrics.axioms.cases import Case

_FIRST, _LAST = 0.9, 0.7  # of the falling line of periods


def monotonicity(maker):
    """Return a case and the same with one prediction corrected."""
    case = maker.random(even=maker.rng.random() < 0.5)
    return _improved(maker, case, single=True)


def improvement(maker):
    """Return a case and the same with several predictions corrected."""
    case = maker.random(even=maker.rng.random() < 0.5)
    return _improved(maker, case, single=False)


def constant_model(maker):
    """Return the best constant prediction and a more accurate model."""
    y = maker.targets()
    constant = maker.constant(y)
    share = np.mean(constant.predicted[0] == y) if maker.has_classes else 0.3
    better = Case(y, maker.answers(y, maker.qualities(share)))
    wins = np.abs(better.predicted - y).mean() < np.abs(constant.predicted - y).mean()
    if maker.has_classes:
        correct = better.predicted == y
        parts = [correct[:, block].mean(axis=1) > share for block in maker.blocks()]
        wins = np.all(parts)
    return (constant, better) if wins else None


def shift(maker):
    """Return a case and the same with shifted labels."""
    case = maker.random()
    return case, replace(case, y=case.y + 10, predicted=case.predicted + 10)


def scale(maker):
    """Return a case and the same with labels of another unit."""
    case = maker.random()
    return case, replace(case, y=case.y * 10, predicted=case.predicted * 10)


def noise_features(maker):
    """Return a case and the same with more columns."""
    case = maker.random()
    return case, replace(case, n_features=8 * case.n_features)


def class_ratio(maker):
    """Return two cases of the same recalls and different class sizes."""
    if not maker.has_classes:
        return None
    even, skewed = map(maker.with_recalls, maker.class_sizes())
    return even, skewed


def perfect_model(maker):
    """Return perfect predictions on two sets of class sizes."""
    if not maker.has_classes:
        return None
    pair = map(maker.with_recalls, maker.class_sizes())
    even, skewed = (
        replace(case, predicted=np.tile(case.y, (maker.n_conditions, 1)))
        for case in pair
    )
    return even, skewed


def sampling_interval(maker):
    """Return one line over time with few and with many points."""
    if maker.n_periods == 1:
        return None
    case = maker.random()
    coarse, fine = (np.linspace(_FIRST, _LAST, n) for n in (12, 23))
    return replace(case, scores=coarse), replace(case, scores=fine)


def duplicates(maker):
    """Return a case and the same with every row twice."""
    case = maker.random()
    return case, case.taken(np.repeat(np.arange(len(case.y)), 2))


def order_of_rows(maker):
    """Return a case and the same in another order."""
    case = maker.random()
    return case, case.taken(maker.rng.permutation(len(case.y)))


def _improved(maker, case, *, single):
    """Return a case and the same with some wrong predictions of a condition right."""
    row = maker.rng.integers(maker.n_conditions)
    wrong = np.flatnonzero(case.predicted[row] != case.y)
    if len(wrong) == 0:
        return None
    first = maker.rng.choice(wrong)
    chosen = [first]
    if not single:
        block = next(b for b in maker.blocks() if first in b)
        block = np.intersect1d(wrong, block)
        n = maker.rng.integers(1, len(block) + 1)
        chosen = maker.rng.choice(block, n, replace=False)
    predicted = case.predicted.copy()
    predicted[row, chosen] = case.y[chosen]
    return case, replace(case, predicted=predicted)


# Whether the second value may be greater than the first one. The cases of the last
# named axioms are not random.
FIXED = {"class ratio", "perfect model", "sampling interval"}
AXIOMS = {
    "monotonicity": (
        monotonicity,
        True,
        "Correcting one prediction does not lower the value.",
    ),
    "improvement": (
        improvement,
        True,
        "Correcting predictions of one condition or period does not lower the value.",
    ),
    "constant model": (
        constant_model,
        True,
        "The best constant prediction is not ahead of a more accurate model.",
    ),
    "shift": (shift, False, "Adding a constant to all labels changes nothing."),
    "scale": (scale, False, "Multiplying all labels by a constant changes nothing."),
    "noise features": (
        noise_features,
        False,
        "Columns that do not change the predictions change nothing.",
    ),
    "class ratio": (
        class_ratio,
        False,
        "Other class sizes with the same recall of each class change nothing.",
    ),
    "perfect model": (
        perfect_model,
        False,
        "Perfect predictions have the same value on all class sizes.",
    ),
    "sampling interval": (
        sampling_interval,
        False,
        "Measuring one line over time twice as often changes nothing.",
    ),
    "duplicates": (duplicates, False, "Having every row twice changes nothing."),
    "order of rows": (order_of_rows, False, "Another order of rows changes nothing."),
}
