"""Agreement of annotators, two by two."""

from itertools import combinations

import numpy as np

from skrobust._results import Results


def agreement_table(answers):
    """Return how often each two annotators agree, as ``Results``.

    Parameters
    ----------
    answers : list of (int, str, object, bool)
        Input, annotator, label and whether it failed.
    """
    by_name = {}
    for i, who, _, failed in answers:
        by_name.setdefault(who, {})[i] = failed
    rows = []
    for one, two in combinations(sorted(by_name), 2):
        shared = sorted(set(by_name[one]) & set(by_name[two]))
        if shared:
            a = np.array([by_name[one][i] for i in shared])
            b = np.array([by_name[two][i] for i in shared])
            rows.append((one, two, len(shared), *_agreement(a, b)))
    columns = ("first", "second", "n", "agreement", "kappa")
    values = zip(*rows, strict=True) if rows else [()] * len(columns)
    table = {name: np.array(v) for name, v in zip(columns, values, strict=True)}
    return Results(columns=columns, **table)


def _agreement(a, b):
    """Return the share of equal outcomes, and Cohen's kappa."""
    share = float((a == b).mean())
    chance = float(a.mean() * b.mean() + (1 - a.mean()) * (1 - b.mean()))
    return share, (share - chance) / (1 - chance) if chance < 1 else np.nan
