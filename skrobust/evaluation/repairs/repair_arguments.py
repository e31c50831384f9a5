"""Arguments of a repair: what was tested, what is tried, and on which rows."""

import numpy as np
from sklearn.base import is_classifier

from skrobust._array_checks import check_same_length
from skrobust._results import Results
from skrobust._validation import invalid
from skrobust.base import BaseAttack
from skrobust.evaluation.repairs.repair_candidates import KINDS
from skrobust.evaluation.repairs.repair_parts import Part, split_parts
from skrobust.metrics.labels import label_array


def read_tests(results, caller):
    """Return the conditions and the attacks that results were made with."""
    listed = (
        [results] if _is_results(results) or hasattr(results, "perturb") else results
    )
    rule = (
        "results of evaluate_perturbations or evaluate_attack, or a list of these or "
        "of objects with perturb"
    )
    if not isinstance(listed, (list, tuple)) or not listed:
        raise invalid("results", caller, rule, results)
    found = []
    for one in listed:
        if _is_results(one) and "perturbations" in one:
            found += list(one["perturbations"])
        elif hasattr(one, "perturb") and not isinstance(one, type):
            found.append(one)
        else:
            raise invalid("results", caller, rule, results)
    attacks = [one for one in found if isinstance(one, BaseAttack)]
    return [one for one in found if not isinstance(one, BaseAttack)], attacks


def _is_results(value):
    return isinstance(value, Results)


def check_criterion(criterion, conditions, attacks, caller):
    """Return the criterion that was tested, the mean before the attack."""
    there = {"mean": conditions, "attack": attacks}
    known = [name for name, found in there.items() if found]
    if criterion is None:
        return known[0]
    if not isinstance(criterion, str) or criterion not in known:
        rule = f"None or one of {', '.join(map(repr, known))}, as tested"
        raise invalid("criterion", caller, rule, criterion)
    return criterion


def check_candidates(candidates, caller):
    """Return None, kinds each once, or classifiers by name; raise for others."""
    if candidates is None:
        return None
    if isinstance(candidates, dict):
        if not candidates or not all(
            isinstance(name, str) and hasattr(one, "fit") and is_classifier(one)
            for name, one in candidates.items()
        ):
            rule = "a dict of names to classifiers"
            raise invalid("candidates", caller, rule, candidates)
        return candidates
    listed = isinstance(candidates, (list, tuple)) and candidates
    if not listed or any(kind not in KINDS for kind in candidates):
        rule = f"None, a dict of classifiers, or a list of {', '.join(KINDS)}"
        raise invalid("candidates", caller, rule, candidates)
    return list(dict.fromkeys(candidates))


def read_parts(X, y, X_train, y_train, clusters, seed, caller):
    """Return the rows that fit, choose and report."""
    if (X_train is None) != (y_train is None):
        raise ValueError(f"{caller} needs X_train and y_train together, or neither.")
    if clusters is not None:
        clusters = label_array(clusters, caller, "clusters")
        check_same_length(caller, X=X, clusters=clusters)
    rng = np.random.default_rng(seed)
    n_parts = 3 if X_train is None else 2
    parts = split_parts(X, y, clusters, n_parts, rng)
    if X_train is not None:
        y_train = label_array(y_train, caller, "y_train")
        check_same_length(caller, X_train=X_train, y_train=y_train)
        parts.insert(0, Part(X_train, y_train))
    if min(len(part.y) for part in parts) < 10:
        sizes = ", ".join(str(len(part.y)) for part in parts)
        raise ValueError(
            f"{caller} needs ten rows or more that fit, that choose, and that report. "
            f"Got {sizes}."
        )
    return parts
