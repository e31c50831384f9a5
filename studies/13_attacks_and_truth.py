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
from skrobust.metrics import proportion_interval, robust_ratio_score
from skrobust.nets import small_cnn_classifier

TOLERANCE = 0.1
BOX = {"data_range": (0, 1)}
MEASURES = ("RA", "RR of examples", "RR in full")


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


def over(row, measure):
    """Return what an attack reports above the most that can be true."""
    return row[measure] - row[measure.split()[0] + " at most"]


def known(row, measure):
    """Return whether bounds enclose no other value than one."""
    measure = measure.split()[0]
    return row[f"{measure} at least"] == row[f"{measure} at most"]


def in_full(row):
    return over(row, "RR in full")


def with_limits(row, measure, n):
    """Return an excess with its interval: it is a count of rows, of n."""
    value = over(row, measure)
    low, high = proportion_interval(round(value * n), n)
    return f"{value:.3f} [{low:.3f}, {high:.3f}]"


def excesses(rows, n):
    """Return a row for each attack and norm: mean and largest excess over its cases."""
    found = []
    for kind in dict.fromkeys(row["attack"] for row in rows):
        for norm in ("", "Linf", "L2"):
            own = [
                row
                for row in rows
                if row["attack"] == kind and row["ball"].startswith(norm)
            ]
            if not own:
                continue
            line = {"attack": kind, "balls": norm or "all", "cases": len(own)}
            for measure in MEASURES:
                largest = max(own, key=lambda row, m=measure: over(row, m))
                mean = np.mean([over(row, measure) for row in own])
                line[f"{measure}, mean"] = float(mean)
                line[f"{measure}, largest"] = with_limits(largest, measure, n)
            found.append(line)
    return found


def largest(rows, measure, n):
    """Return as text the largest excess of the rows, whose it is and its interval."""
    row = max(rows, key=lambda row: over(row, measure))
    at = f"{row['attack']}, {row['model']}, {row['ball']}"
    return f"{with_limits(row, measure, n)} ({at})"


def run(study):
    rows, n = [], study.size(250, 40)
    for name, model, X, y, balls, has_gradient in cases(study.quick):
        for ball in balls:
            rows += study.kept(measured, name, model, X[:n], y[:n], ball, has_gradient)
    table = excesses(rows, n)
    of = {(line["attack"], line["balls"]): line for line in table}
    text = "; ".join(
        f"{kind} {line['RA, mean']:.3f} and {line['RR of examples, mean']:.3f} "
        f"({line['cases']})"
        for (kind, balls), line in of.items()
        if balls == "all"
    )
    in_l2 = ", ".join(
        f"{kind} {line['RR of examples, mean']:.3f}"
        for (kind, balls), line in of.items()
        if balls == "L2"
    )
    study.answer(
        "Robust accuracy and robust ratio (of the examples) are above the lowest value "
        f"that any method found by, on average over the cases of each attack: {text}. "
        f"These cases differ; in the same L2 cases the ratio is above by: {in_l2}."
    )
    on_labels = [row for row in rows if row["attack"] != "ProbabilityShift"]
    total = len({(row["model"], row["ball"]) for row in rows})
    count = {
        m: len({(row["model"], row["ball"]) for row in rows if known(row, m)})
        for m in MEASURES
    }
    exact = {m: [row for row in on_labels if known(row, m)] for m in MEASURES}
    others = [row for row in exact["RA"] if row["attack"] != "FGSM"]
    study.answer(
        f"Where robust accuracy is known exactly ({count['RA']} of {total} cases), "
        "attacks that aim at labels report at most this much above it: "
        f"{largest(exact['RA'], 'RA', n)}, those other than FGSM at most "
        f"{max(over(row, 'RA') for row in others):.3f}; the search for moves of the "
        "probability, which does not aim at labels, "
        f"{largest([r for r in rows if known(r, 'RA')], 'RA', n)}. "
        f"Where the ratio is known ({count['RR of examples']} cases, one linear model "
        "of two classes), their examples are above it by up to "
        f"{largest(exact['RR of examples'], 'RR of examples', n)}."
    )
    tried = [row for row in on_labels if not known(row, "RR in full")]
    worst = [
        max((row for row in tried if row["attack"] == kind), key=in_full)
        for kind in dict.fromkeys(row["attack"] for row in tried)
    ]
    text = "; ".join(
        f"{row['attack']} {with_limits(row, 'RR in full', n)} ({row['model']}, "
        f"{row['ball']})"
        for row in sorted(worst, key=in_full, reverse=True)
        if row["attack"] != "Square"  # alone in its case, so that its excess is 0
    )
    linear = [over(row, "RR in full") for row in exact["RR in full"]]
    study.answer(
        "Run in full on the probability, the same attacks are above the ratio by "
        f"{max(linear):.3f} for the linear model of two classes, whose probability has "
        "one direction, but above the lowest value found elsewhere by up to: "
        f"{text} (95 % intervals, Wilson, over the {n} test rows)."
    )
    study.table("truth", rows, f"Robust accuracy, and robust ratio at {TOLERANCE}")
    study.table("excesses", table, "Above the lowest value found, by attack and norm")
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), sharey=True)
    kinds = list(dict.fromkeys(row["attack"] for row in rows))
    for ax, measure in zip(axes, ("RA", "RR of examples"), strict=True):
        for place, kind in enumerate(kinds):
            points = [over(row, measure) for row in rows if row["attack"] == kind]
            ax.plot(points, np.full(len(points), place), "o", alpha=0.6)
        ax.set(title=measure, xlabel="above the lowest value found")
    axes[0].set_yticks(range(len(kinds)), kinds)
    study.picture("excess", figure, "What attacks report above the lowest value found")


if __name__ == "__main__":
    main(run, __file__)
