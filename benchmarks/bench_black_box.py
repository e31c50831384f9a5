"""Black-box attacks on a forest, boosting and a linear model, compared with ART.

    OMP_NUM_THREADS=1 python benchmarks/bench_black_box.py [--rows 20] [--peers PATH]

Prints, for each model and norm: the share of rows that HopSkipJump fools, the median
length, rows shown to the model and calls for each row attacked, and CPU milliseconds a
row. ART (optional) starts from the same rows, the nearest of another class. Then the
accuracy that is left at a radius under the attacks inside a ball.
"""

import argparse
import importlib.util
import sys
import time
import warnings

import numpy as np
from paired import Case
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import minmax_scale

from skrobust.attacks import ZOO, HopSkipJump, RandomSearch, Square


class Counting:
    """Passes questions on and counts them."""

    def __init__(self, model):
        self._model, self.classes_ = model, model.classes_
        self.n_rows = self.n_calls = 0

    def _pass(self, name, X):
        self.n_rows += len(X)
        self.n_calls += 1
        return getattr(self._model, name)(X)

    def predict(self, X):
        """Return labels."""
        return self._pass("predict", X)

    def predict_proba(self, X):
        """Return probabilities."""
        return self._pass("predict_proba", X)


def art_hop_skip_jump(model, X, norm, starts):
    from art.attacks.evasion import HopSkipJump as Peer
    from art.estimators.classification import SklearnClassifier

    classifier = SklearnClassifier(model, clip_values=(0, 1))
    attack = Peer(classifier, norm=norm, max_iter=10, init_eval=100, verbose=False)
    X = X.astype(np.float32)
    return attack.generate(X, x_adv_init=starts.astype(np.float32))


def art_zoo(model, X):
    from art.attacks.evasion import ZooAttack
    from art.estimators.classification import SklearnClassifier

    classifier = SklearnClassifier(model, clip_values=(0, 1))
    attack = ZooAttack(
        classifier, max_iter=20, binary_search_steps=10, nb_parallel=5,
        use_resize=False, use_importance=False, verbose=False,
    )  # fmt: skip
    return attack.generate(X.astype(np.float32))


def timed(run, model, X):
    """Return what run(counting model) returns, the counter, and CPU ms a row."""
    counting = Counting(model)
    begun = time.process_time()
    out = run(counting)
    return out, counting, 1000 * (time.process_time() - begun) / len(X)


def line(name, model, X, y, out, norm, milliseconds, counting=None):
    fooled = model.predict(out) != y
    size = np.linalg.norm(out - X, norm, axis=1)
    median = np.median(size[fooled]) if fooled.any() else np.nan
    asked = ""
    if counting is not None:
        per_row = counting.n_rows / len(X), counting.n_calls / len(X)
        asked = "  rows {:6.0f}  calls {:6.1f}".format(*per_row)
    print(
        f"  {name:24s} fooled {fooled.mean():.2f}  median {median:.4f}"
        f"  {milliseconds:8.1f} ms a row{asked}"
    )


def compare_nearest(model, rows, labels, X_train, norm, has_art):
    """Compare the nearest fooling points."""
    attack = HopSkipJump(norm=norm, data_range=(0, 1), starts=X_train, random_state=0)
    out, counting, ours = timed(lambda m: attack.perturb(m, rows, labels), model, rows)
    line(f"HopSkipJump {norm}", model, rows, labels, out, norm, ours, counting)
    if not has_art:
        return
    gaps = np.linalg.norm(X_train - rows[:, None], norm, axis=2)
    gaps[model.predict(X_train) == labels[:, None]] = np.inf
    starts = X_train[gaps.argmin(axis=1)]
    out, _, theirs = timed(
        lambda m: art_hop_skip_jump(model, rows, norm, starts), model, rows
    )
    line(f"ART HopSkipJump {norm}", model, rows, labels, out, norm, theirs)
    print(f"  ours / ART: {ours / theirs:.3f} of the time")


def compare_ball(model, rows, labels, eps, has_art):
    """Compare attacks inside a cube."""
    for kind in (RandomSearch, Square, ZOO):
        attack = kind(eps, data_range=(0, 1), random_state=0)
        out, counting, ours = timed(
            lambda m, a=attack: a.perturb(m, rows, labels), model, rows
        )
        name = f"{kind.__name__} at {eps:g}"
        line(name, model, rows, labels, out, np.inf, ours, counting)
    if has_art:
        out, _, theirs = timed(lambda m: art_zoo(model, rows), model, rows)
        inside = np.abs(out - rows).max(axis=1) <= eps + 1e-6
        out = np.where(inside[:, None], out, rows)
        line("ART ZOO, what is inside", model, rows, labels, out, np.inf, theirs)


def problem(n_rows):
    """Return training rows, and for each model rows that it has right."""
    X, y = load_breast_cancer(return_X_y=True)
    split = train_test_split(minmax_scale(X), y, random_state=0, test_size=0.3)
    X_train, X_test, y_train, y_test = split
    models = [
        RandomForestClassifier(100, random_state=0),
        GradientBoostingClassifier(random_state=0),
        LogisticRegression(),
    ]
    found = []
    for model in models:
        model.fit(X_train, y_train)
        right = np.flatnonzero(model.predict(X_test) == y_test)[:n_rows]
        found.append((model, X_test[right], y_test[right]))
    return X_train, found


def cases(short):
    """Yield HopSkipJump beside that of ART, from the same starts."""
    n_rows = 2 if short else 8
    X_train, found = problem(n_rows)
    for model, rows, labels in found[:1] if short else found:
        gaps = np.linalg.norm(X_train - rows[:, None], axis=2)
        gaps[model.predict(X_train) == labels[:, None]] = np.inf
        starts = X_train[gaps.argmin(axis=1)]
        attack = HopSkipJump(norm=2, data_range=(0, 1), starts=X_train, random_state=0)

        def ours(attack=attack, model=model, rows=rows, labels=labels):
            return attack.perturb(model, rows, labels)

        def art(model=model, rows=rows, starts=starts):
            return art_hop_skip_jump(model, rows, 2, starts)

        what = f"HopSkipJump, {type(model).__name__}"
        sides = {"ours": ours, "ART": art}
        yield Case("attacks", what, "rows", len(rows), sides, most=2)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=20)
    parser.add_argument("--eps", type=float, default=0.1)
    parser.add_argument("--peers", help="folder with ART, if not installed")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    if arguments.peers:
        sys.path.append(arguments.peers)
    has_art = importlib.util.find_spec("art") is not None
    if not has_art:
        print("ART is not installed; left out")
    X_train, found = problem(arguments.rows)
    for model, rows, labels in found:
        print(type(model).__name__)
        for norm in (2, np.inf):
            compare_nearest(model, rows, labels, X_train, norm, has_art)
        compare_ball(model, rows, labels, arguments.eps, has_art)


if __name__ == "__main__":
    main()
