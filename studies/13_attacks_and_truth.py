"""Robust accuracy and robust ratio by attacks, where the truth is known."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from kit import main
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import minmax_scale

from skrobust.attacks import FGSM, PGD, CarliniWagner, ProbabilityShift, Square
from skrobust.evaluation import robust_accuracy_bounds, robust_ratio_bounds
from skrobust.metrics import robust_ratio_score
from skrobust.nets import small_cnn_classifier

TOLERANCE = 0.1
BOX = {"data_range": (0, 1)}


def attacks(eps, norm, has_gradient):
    """Return the attacks of one ball by name."""
    ball = {"eps": eps, "norm": norm, **BOX}
    if not has_gradient:
        return {"Square": Square(**ball, max_queries=1000, random_state=0)}
    found = {
        "FGSM": FGSM(**ball),
        "PGD": PGD(**ball, random_state=0),
        "CW": CarliniWagner(**ball, random_state=0),
        "ProbabilityShift": ProbabilityShift(**ball, random_state=0),
    }
    if norm != 2:
        del found["CW"]  # searches by the Euclidean norm
    return found


def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return train_test_split(minmax_scale(X), y, test_size=0.5, random_state=0)


def digits(pair=None):
    X, y = load_digits(return_X_y=True)
    if pair is not None:
        X, y = X[np.isin(y, pair)], y[np.isin(y, pair)]
    return train_test_split(X / 16, y, test_size=0.4, random_state=0)


def cases(quick):
    """Yield name, model, test rows and labels, and the balls."""
    X, X_test, y, y_test = cancer()
    linear = LogisticRegression(C=1.0, max_iter=5000).fit(X, y)
    balls = [(0.05, np.inf), (0.2, 2)]
    yield "logistic, breast cancer", linear, X_test, y_test, balls, True
    forest = RandomForestClassifier(20, max_depth=4, random_state=0).fit(X, y)
    yield "forest, breast cancer", forest, X_test, y_test, [(0.05, np.inf)], False
    X, X_test, y, y_test = digits()
    linear = LogisticRegression(max_iter=5000).fit(X, y)
    yield "logistic, digits", linear, X_test, y_test, [(0.05, np.inf), (0.2, 2)], True
    net = small_cnn_classifier((8, 8), 10, random_state=0)
    net.fit(X.astype(np.float32), y)
    n = 60 if quick else 250
    rows = X_test[:n].astype(np.float32), y_test[:n]
    yield "small CNN, digits", net, *rows, [(0.02, np.inf), (0.1, 2)], True


def measured(name, model, X, y, ball, has_gradient):
    """Return a row for each attack: what it finds, beside what the bounds say."""
    eps, norm = ball
    rows, options = [], {"eps": eps, "norm": norm, **BOX, "random_state": 0}
    everything = attacks(eps, norm, has_gradient)
    on_labels = [a for kind, a in everything.items() if kind != "ProbabilityShift"]
    ra = robust_accuracy_bounds(model, X, y, on_labels, **options)
    rr = robust_ratio_bounds(
        model, X, y, list(everything.values()), tolerances=[TOLERANCE], **options
    )
    truth = {
        "RA at least": ra.lower,
        "RA at most": ra.upper,
        "RR at least": float(rr["lower"][0]),
        "RR at most": float(rr["upper"][0]),
    }
    for kind, attack in everything.items():
        moved = attack.perturb(model, X, y)
        right = model.predict(moved) == y
        chances = model.predict_proba(X), model.predict_proba(moved)
        of_examples = robust_ratio_score(*chances, tolerance=TOLERANCE)
        alone = robust_ratio_bounds(
            model, X, y, [attack], tolerances=[TOLERANCE], **options
        )
        rows.append(
            {
                "model": name,
                "ball": f"L{norm} {eps}",
                "attack": kind,
                "RA": right.mean(),
                "RR of examples": of_examples,
                "RR in full": float(alone["upper"][0]),
            }
            | truth
        )
    return rows


def excess(rows, measure, truth):
    """Return by attack the mean of what it reports above the most that can be true."""
    found = {}
    for row in rows:
        found.setdefault(row["attack"], []).append(row[measure] - row[truth])
    return {kind: float(np.mean(values)) for kind, values in found.items()}


def run(study):
    rows = []
    for name, model, X, y, balls, has_gradient in cases(study.quick):
        n = study.size(250, 40)
        for ball in balls:
            rows += study.kept(measured, name, model, X[:n], y[:n], ball, has_gradient)
    columns = {
        "RA": ("RA", "RA at most"),
        "RR of examples": ("RR of examples", "RR at most"),
        "RR in full": ("RR in full", "RR at most"),
    }
    over = {title: excess(rows, *pair) for title, pair in columns.items()}
    known = [row for row in rows if row["RA at least"] == row["RA at most"]]
    ratio_known = [row for row in rows if row["RR at least"] == row["RR at most"]]
    text = "; ".join(
        f"{kind} {over['RA'][kind]:.3f} and {over['RR of examples'][kind]:.3f}"
        for kind in over["RA"]
    )
    study.answer(
        "Robust accuracy and robust ratio are, on average over the cases, above the "
        f"lowest value that any method found by: {text}."
    )
    study.answer(
        f"Where the truth is known exactly ({len(known)} of {len(rows)} rows for "
        f"robust accuracy, {len(ratio_known)} for the ratio), the largest excess is "
        f"{max(row['RA'] - row['RA at most'] for row in known):.3f} and "
        f"{max(row['RR of examples'] - row['RR at most'] for row in ratio_known):.3f}; "
        "run in full on the probability, the latter is "
        f"{max(row['RR in full'] - row['RR at most'] for row in ratio_known):.3f}."
    )
    study.table("truth", rows, f"Robust accuracy, and robust ratio at {TOLERANCE}")
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), sharey=True)
    kinds = list(over["RA"])
    for ax, measure in zip(axes, ("RA", "RR of examples"), strict=True):
        for place, kind in enumerate(kinds):
            points = [
                row[measure] - row[columns[measure][1]]
                for row in rows
                if row["attack"] == kind
            ]
            ax.plot(points, np.full(len(points), place), "o", alpha=0.6)
        ax.set(title=measure, xlabel="above the lowest value found")
    axes[0].set_yticks(range(len(kinds)), kinds)
    study.picture("excess", figure, "What attacks report above the lowest value found")


if __name__ == "__main__":
    main(run, __file__)
