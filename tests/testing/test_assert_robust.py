"""assert_robust: passes, fails readably, and decides as it says."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_wine
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skrobust.attacks import FGSM, ExactLinear
from skrobust.metrics import proportion_interval
from skrobust.testing import assert_robust


class Sign(ClassifierMixin, BaseEstimator):
    """Right where the first column is positive; probabilities move with it."""

    classes_ = np.array([0, 1])

    def __sklearn_is_fitted__(self):
        return True

    def predict(self, X):
        return (np.asarray(X)[:, 0] > 0).astype(int)

    def predict_proba(self, X):
        p = 1 / (1 + np.exp(-np.asarray(X)[:, 0]))
        return np.column_stack([1 - p, p])


class Flip:
    """Turns the sign of the first n rows."""

    def __init__(self, n):
        self.n, self.name = n, f"flip {n}"

    def __repr__(self):
        return f"Flip({self.n})"

    def perturb(self, estimator, X, y):
        X = np.array(X)
        X[: self.n] *= -1
        return X


X, Y = np.ones((100, 2)), np.ones(100, dtype=int)


def failure(**kwargs):
    with pytest.raises(AssertionError) as caught:
        assert_robust(Sign(), X, Y, **kwargs)
    return str(caught.value)


@pytest.mark.parametrize("bar", [{"min_accuracy": 0.8}, {"max_drop": 0.2}])
def test_threshold_itself_passes_and_one_row_more_fails(bar):
    assert_robust(Sign(), X, Y, perturbation=Flip(20), **bar)
    assert "is not robust enough" in failure(perturbation=Flip(21), **bar)


def test_robust_ratio_counts_rows_that_move():
    # The probability moves by 2 * expit(1) - 1 = 0.462 in the rows that are flipped.
    settings = {"perturbation": Flip(30), "min_robust_ratio": 0.7}
    assert_robust(Sign(), X, Y, **settings)
    assert_robust(Sign(), X, Y, perturbation=Flip(31), min_robust_ratio=1.0,
                  tolerance=0.47)  # fmt: skip
    text = failure(perturbation=Flip(31), min_robust_ratio=0.7)
    assert "robust ratio at 0.05 is 0.6900" in text


def test_message_says_all_that_is_needed():
    changes = [Flip(1), Flip(40), Flip(30)]
    text = failure(conditions=changes, min_accuracy=0.9)
    low, high = proportion_interval(60, 100)
    assert "Sign is not robust enough: its accuracy is 0.6000" in text
    assert f"{low:.4f} to {high:.4f} (95 %, 100 rows)" in text
    assert "flip 40, the worst of 2 that failed; 3 checked" in text
    assert "0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 30 more" in text
    assert "Flip(40).perturb(estimator, X, y)" in text


def test_three_decisions_around_the_interval():
    low, high = proportion_interval(80, 100)
    change = {"perturbation": Flip(20)}
    for decide, fails in (
        ("estimate", 0.801),
        ("unless_refuted", high + 0.001),
        ("only_if_shown", low + 0.001),
    ):
        failure(min_accuracy=fails, decide=decide, **change)
        passes = fails - 0.002
        assert_robust(Sign(), X, Y, min_accuracy=passes, decide=decide, **change)


def test_the_message_names_the_limit_that_decides():
    low, high = proportion_interval(80, 100)
    settings = {"perturbation": Flip(20), "min_accuracy": 0.79}
    text = failure(decide="only_if_shown", **settings)
    assert f"its accuracy has the lower limit {low:.4f} (estimate 0.8000)" in text
    assert "and must be at least 0.79." in text
    settings["min_accuracy"] = 0.99
    text = failure(decide="unless_refuted", **settings)
    assert f"has the upper limit {high:.4f} (estimate 0.8000)" in text
    text = failure(perturbation=Flip(20), max_drop=0.25, decide="only_if_shown")
    assert "its drop of accuracy has the upper limit 0.2" in text
    assert "(estimate 0.2000), and must be at most 0.25." in text


def test_a_drop_is_shown_to_be_small_with_the_stated_error():
    # No row of 100 drops: 1 - 0.025 ** (1 / 100) = 0.0362 is not excluded.
    settings = {"perturbation": Flip(0), "decide": "only_if_shown"}
    assert_robust(Sign(), X, Y, max_drop=0.0365, **settings)
    failure(max_drop=0.036, **settings)


def test_refutation_shares_its_level_among_conditions():
    _, one = proportion_interval(80, 100)
    _, shared = proportion_interval(80, 100, confidence=1 - 0.05 / 4)
    bar, settings = (one + shared) / 2, {"decide": "unless_refuted"}
    failure(perturbation=Flip(20), min_accuracy=bar, **settings)
    assert_robust(Sign(), X, Y, conditions=[Flip(20)] * 4, min_accuracy=bar, **settings)


def test_attack_and_unchanged_input():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(80, 3))
    y = (rows[:, 0] > 0).astype(int)
    model = LogisticRegression().fit(rows, y)
    before = rows.copy()
    rows.flags.writeable = False
    with pytest.raises(AssertionError, match="FGSM"):
        assert_robust(model, rows, y, attack=FGSM(1.0), min_accuracy=0.9)
    assert_robust(model, rows, y, attack=FGSM(1e-9), min_robust_ratio=1.0)
    assert np.array_equal(rows, before)


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"min_accuracy": 0.5}, "exactly one of"),
        ({"perturbation": Flip(1), "attack": Flip(1), "max_drop": 0}, "exactly one"),
        ({"perturbation": Flip(1)}, "needs a threshold"),
        ({"conditions": [], "max_drop": 0}, "The 'conditions' parameter"),
        ({"conditions": Flip(1), "max_drop": 0}, "The 'conditions' parameter"),
        ({"perturbation": 3, "max_drop": 0}, "The 'perturbation' parameter"),
        ({"perturbation": Flip(1), "max_drop": 2}, "The 'max_drop' parameter"),
        ({"perturbation": Flip(1), "max_drop": "1"}, "The 'max_drop' parameter"),
        ({"perturbation": Flip(1), "max_drop": 0, "decide": "x"}, "'decide'"),
        ({"perturbation": Flip(1), "max_drop": 0, "confidence": 1}, "'confidence'"),
        ({"perturbation": Flip(1), "max_drop": 0, "tolerance": -1}, "'tolerance'"),
        ({"attack": "auto", "max_drop": 0}, "needs eps"),
        ({"perturbation": Flip(1), "max_drop": 0, "eps": 1}, "attack='auto' alone"),
    ],
)
def test_assert_robust_refuses_wrong_settings(settings, text):
    with pytest.raises(ValueError, match=text):
        assert_robust(Sign(), X, Y, **settings)


def test_auto_is_the_truth_on_a_linear_model():
    X, y = load_wine(return_X_y=True)
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
    exact = ExactLinear(0.5).perturb(model, X, y)
    truth = float(np.mean(model.predict(exact) == y))
    call = {"attack": "auto", "eps": 0.5}
    assert_robust(model, X, y, min_accuracy=truth, **call)
    with pytest.raises(AssertionError, match=f"{truth:.4f}"):
        assert_robust(model, X, y, min_accuracy=truth + 1 / len(y), **call)
    assert_robust(model, X, y, attack="auto", eps="0.01 std", min_accuracy=0.95)


def test_rows_and_kind():
    with pytest.raises(ValueError, match="assert_robust"):
        assert_robust(Sign(), X, Y[:5], perturbation=Flip(1), max_drop=0)
    model = LinearRegression().fit(X, Y)
    with pytest.raises(ValueError, match="assert_robust"):
        assert_robust(model, X, Y, perturbation=Flip(1), max_drop=0)


@pytest.mark.slow
def test_pytest_shows_no_line_of_ours(tmp_path):
    (tmp_path / "test_user.py").write_text(
        "import numpy as np\n"
        "from sklearn.dummy import DummyClassifier\n"
        "from skrobust.perturbations import FeatureNoise\n"
        "from skrobust.testing import assert_robust\n"
        "def test_model():\n"
        "    X, y = np.ones((10, 2)), np.arange(10) % 2\n"
        "    noise = FeatureNoise(sd=1.0, random_state=0).fit(X)\n"
        "    model = DummyClassifier().fit(X, y)\n"
        "    assert_robust(model, X, y, perturbation=noise, min_accuracy=0.9)\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", tmp_path],
        capture_output=True, text=True, timeout=120, cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )  # fmt: skip
    assert done.returncode == 1
    assert "DummyClassifier is not robust enough" in done.stdout, done.stdout
    assert "_assert_robust.py" not in done.stdout
