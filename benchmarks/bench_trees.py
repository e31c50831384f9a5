"""Labels of boosted trees within a ball: tightness and seconds, ours and others'.

Needs ``pip install 'skrobust[boosting]' dtai-veritas adversarial-robustness-toolbox``;
what is not installed is left out. One core; rows are those that the model has right.

    python benchmarks/bench_trees.py --rows 100 --art-rows 5
"""

import argparse
import time

import numpy as np
from paired import Case
from sklearn.datasets import load_breast_cancer, load_digits, make_classification
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import minmax_scale
from xgboost import XGBClassifier

from skrobust.attacks import ExactTree


def tables():
    X, y = load_breast_cancer(return_X_y=True)
    yield "breast cancer", X, y, (0.01, 0.03, 0.05)
    X, y = load_digits(return_X_y=True)
    yield "digits, odd", X, y % 2, (0.05, 0.1, 0.2)
    X, y = make_classification(5000, 20, n_informative=12, random_state=0)
    yield "20 features", X, y, (0.01, 0.03, 0.06)


def of_ours(model, X, y, eps, n_jobs):
    attack = ExactTree(eps, data_range=(0, 1), node_budget=100, n_jobs=n_jobs)
    bounds = attack.label_bounds(model, X, y)
    return bounds.certified, bounds.attacked


def of_veritas(model, X, y, eps, seconds):
    """Search for the best leaves, as its own robustness search does."""
    import veritas

    trees = veritas.get_addtree(model, silent=True)
    certified, attacked = np.zeros((2, len(X)), dtype=bool)
    for i, (x, label) in enumerate(zip(X, y, strict=True)):
        low, high = np.maximum(x - eps, 0), np.minimum(x + eps, 1)
        high = np.nextafter(high, np.inf)  # its intervals are open above
        box = [veritas.Interval(a, b) for a, b in zip(low, high, strict=True)]
        some = trees.negate_leaf_values() if label == 1 else trees
        some = some.prune(box)
        config = veritas.Config(veritas.HeuristicType.MAX_OUTPUT)
        config.stop_when_optimal = True
        config.ignore_state_when_worse_than = 0.0
        config.stop_when_num_solutions_exceeds = 1
        config.max_focal_size = 1000
        config.focal_eps = 0.2
        config.max_memory = 1 << 30
        search = config.get_search(some, box)
        search.step_for(seconds, 100)
        attacked[i] = search.num_solutions() > 0 and search.get_solution(0).output > 0
        certified[i] = not attacked[i] and search.current_bounds().best < 0
    return certified, attacked


def of_cliques(model, X, y, eps, level):
    """Multi-level cliques of ART, one radius. It knows certified rows alone."""
    from art.estimators.classification import XGBoostClassifier
    from art.metrics import RobustnessVerificationTreeModelsCliqueMethod

    wrapped = XGBoostClassifier(model, nb_features=X.shape[1], nb_classes=2)
    method = RobustnessVerificationTreeModelsCliqueMethod(wrapped, verbose=False)
    how = {"norm": np.inf, "nb_search_steps": 1, "max_clique": 2, "max_level": level}
    errors = [
        method.verify(X[[i]], y[[i]], eps_init=eps, **how)[1] for i in range(len(X))
    ]
    return np.array(errors) == 0, np.zeros(len(X), dtype=bool)


def fitted(X, y, n_trees):
    """Return a fitted model, and test rows that it has right."""
    train, test, y_train, y_test = train_test_split(minmax_scale(X), y, random_state=0)
    # The cliques of ART leave out the base score.
    model = XGBClassifier(
        n_estimators=n_trees, max_depth=6, learning_rate=0.1, base_score=0.5, n_jobs=1
    ).fit(train, y_train)
    right = model.predict(test) == y_test
    return model, test[right], y_test[right]


def cases(short):
    """Yield proofs of trees beside Veritas."""
    name, X, y, radii = next(tables())
    model, rows, labels = fitted(X, y, 50 if short else 200)
    rows, labels = (part[: 5 if short else 50] for part in (rows, labels))
    sides = {
        "ours": lambda: of_ours(model, rows, labels, radii[1], None),
        "veritas": lambda: of_veritas(model, rows, labels, radii[1], 2.0),
    }
    yield Case("certificates", f"boosted trees, {name}", "rows", len(rows), sides)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=100)
    parser.add_argument("--art-rows", type=int, default=5)
    parser.add_argument("--veritas-rows", type=int, default=100)
    parser.add_argument("--trees", type=int, default=500)
    parser.add_argument("--table", help="the only table to run")
    parser.add_argument("--n-jobs", type=int, help="of ours")
    parser.add_argument("--seconds", type=float, default=2.0)
    args = parser.parse_args()
    codes = {
        "ours, 100 parts": (of_ours, args.n_jobs, args.rows),
        f"veritas, {args.seconds:g} s a row": (
            of_veritas,
            args.seconds,
            args.veritas_rows,
        ),
        "cliques of ART, 1 level": (of_cliques, 1, args.art_rows),
        "cliques of ART, 2 levels": (of_cliques, 2, args.art_rows),
    }
    columns = "table", "eps", "code", "rows", "certified", "attacked", "open", "against"
    print("| " + " | ".join((*columns, "ms a row")) + " |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name, X, y, radii in tables():
        if args.table not in (None, name):
            continue
        model, test, y_test = fitted(X, y, args.trees)
        for eps in radii:
            for code, (verify, how, n) in codes.items():
                if not n:
                    continue
                rows, labels = test[:n], y_test[:n]
                begun = time.perf_counter()
                try:
                    certified, attacked = verify(model, rows, labels, eps, how)
                except ImportError:
                    continue
                spent = 1000 * (time.perf_counter() - begun) / len(rows)
                if verify is of_ours:
                    ours = certified, attacked
                # Verdicts that are the opposite of ours.
                against = (certified & ours[1][:n]) | (attacked & ours[0][:n])
                masks = certified, attacked, ~certified & ~attacked, against
                counts = [int(mask.sum()) for mask in masks]
                cells = (name, eps, code, len(rows), *counts, f"{spent:.0f}")
                print("| " + " | ".join(map(str, cells)) + " |", flush=True)


if __name__ == "__main__":
    main()
