"""Every path of the robust ratios names rows that an attack left clean."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.preprocessing import minmax_scale

from skrobust import metrics
from skrobust.attacks import PGD
from skrobust.metrics.robust.unmoved import full_attack, warn_unmoved
from skrobust.perturbations import GaussianNoise

LEFT_CLEAN = "did not change at all.*objective='probability_shift'"


@pytest.fixture(scope="module")
def case():
    """Return a model of low accuracy, rows, and its answers under both objectives."""
    X, y = load_digits(return_X_y=True)
    X = minmax_scale(X)
    model = LogisticRegression(max_iter=500).fit(X[:60], y[:60])
    X, y = X[1000:1200], y[1000:1200]

    def under(objective):
        attack = PGD(0.05, data_range=(0, 1), objective=objective, random_state=0)
        return model.predict_proba(attack.perturb(model, X, y))

    p = model.predict_proba(X)
    return model, X, y, p, under(None), under("probability_shift")


def paths(p, q, y):
    """Return every public function that takes these probabilities."""
    groups, clips = np.arange(len(p)) % 2, np.arange(len(p)) // 4
    at, draws = {"tolerance": 0.1}, {"n_permutations": 19, "random_state": 0}
    shift = np.abs(p - q)[np.arange(len(p)), p.argmax(axis=1)]
    own = np.repeat(np.arange(50), 4)
    grouped = {"groups": groups, **draws}
    return {
        "score": lambda: metrics.robust_ratio_score(p, q, **at),
        "curve": lambda: metrics.robust_ratio_curve(p, q),
        "area": lambda: metrics.area_under_robust_ratio_curve(
            *metrics.robust_ratio_curve(p, q)
        ),
        "shift": lambda: metrics.probability_shift(p, q),
        "band": lambda: metrics.robust_ratio_band(p, q),
        "band of shifts": lambda: metrics.robust_ratio_band(shift),
        "groups": lambda: metrics.group_robust_ratio(p, q, groups, **at, **draws),
        "curve of groups": lambda: metrics.group_robust_ratio_curve(
            p, q, groups, tolerances=[0.1], **draws
        ),
        "by group": lambda: metrics.by_group("robust_ratio", p, q, **grouped, **at),
        "clips": lambda: metrics.clip_robustness(
            np.repeat(y[::4], 4), p, q, clips, n_resamples=9, random_state=0
        ),
        "interval": lambda: metrics.confidence_interval("robust_ratio", p, q, **at),
        "interval of clusters": lambda: metrics.confidence_interval(
            "robust_ratio", p, q, clusters=own, **at
        ),
        "comparison": lambda: metrics.compare_models(
            {"a": (p, q), "b": (p, q[:, ::-1])},
            metric="robust_ratio",
            n_resamples=100,
            random_state=0,
            **at,
        ),
        "with reference": lambda: metrics.robust_ratio_score(
            p, q, reference="max", **at
        ),
    }


NAMES = list(paths(np.eye(2).repeat(100, 0), np.eye(2).repeat(100, 0), np.zeros(200)))


@pytest.mark.parametrize("name", NAMES)
def test_rows_left_clean_are_named_once(case, name):
    _, _, y, p, q, _ = case
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        paths(p, q, y)[name]()
    texts = [str(w.message) for w in found if "did not change at all" in str(w.message)]
    assert len(texts) == 1, texts
    stays = int((p == q).all(axis=1).sum())
    assert f"{stays} of 200 rows ({stays / 200:.1%})" in texts[0]
    # It points at the line of the user.
    where = [w for w in found if str(w.message) in texts]
    assert where[0].filename == __file__


@pytest.mark.parametrize("name", NAMES)
def test_full_attack_is_silent(case, name):
    _, _, y, p, _, q = case
    paths(p, q, y)[name]()


def test_the_trap_flatters_and_the_scorer_does_not(case):
    model, X, y, p, quick, full = case
    with pytest.warns(UserWarning, match=LEFT_CLEAN):
        flattered = metrics.robust_ratio_score(p, quick, tolerance=0.1)
    truth = metrics.robust_ratio_score(p, full, tolerance=0.1)
    assert flattered > truth + 0.1
    # Rows that stay are those that were wrong.
    assert np.array_equal((p == quick).all(axis=1), model.predict(X) != y)
    attack = PGD(0.05, data_range=(0, 1), random_state=0)
    scorer = metrics.make_robust_scorer(attack, "robust_ratio", tolerance=0.1)
    assert scorer(model, X, y) == truth


def test_scorer_names_what_an_unknown_object_left_clean(case):
    model, X, y, *_ = case

    class Wrapped:
        def perturb(self, estimator, X, y):
            return PGD(0.05, data_range=(0, 1)).perturb(estimator, X, y)

    scorer = metrics.make_robust_scorer(Wrapped(), "robust_ratio", tolerance=0.1)
    with pytest.warns(UserWarning, match=LEFT_CLEAN):
        scorer(model, X, y)
    noise = GaussianNoise(std=0.05, random_state=0)
    metrics.make_robust_scorer(noise, "robust_ratio", tolerance=0.1)(model, X, y)


def test_answers_that_rows_share_are_no_evidence(case):
    _, X, y, *_ = case
    forest = RandomForestClassifier(5, random_state=0).fit(X, y)
    p, q = forest.predict_proba(X), forest.predict_proba(X + 0.001)
    assert (p == q).all(axis=1).mean() > 0.02
    metrics.robust_ratio_score(p, q, tolerance=0.1)
    metrics.robust_ratio_band(metrics.probability_shift(p, q))


def test_identical_arrays_are_named():
    p = np.random.default_rng(0).dirichlet([1, 1], size=20)
    for one in (p, p[None]):
        with pytest.warns(UserWarning, match=r"no row changed \(20 rows\)"):
            assert metrics.robust_ratio_score(p, one, tolerance=0) == 1
    with pytest.warns(UserWarning, match="no row changed"):
        metrics.robust_ratio_band(np.zeros(20))
    # The clean condition among others is none of it.
    metrics.robust_ratio_score(p, np.stack([p, p[:, ::-1]]), tolerance=0.5)


def test_threshold_is_two_percent_and_five_rows():
    rng = np.random.default_rng(0)
    for n, stays, is_named in ((100, 4, 0), (100, 5, 1), (400, 7, 0), (400, 8, 1)):
        p, q = rng.dirichlet([1, 1], size=(2, n))
        q[:stays] = p[:stays]
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            metrics.robust_ratio_score(p, q, tolerance=0.1)
        assert len(found) == is_named, (n, stays)
    with full_attack():
        metrics.robust_ratio_score(p, q, tolerance=0.1)
    with full_attack(False), pytest.warns(UserWarning, match=LEFT_CLEAN):
        metrics.robust_ratio_score(p, q, tolerance=0.1)


def test_single_precision_is_compared_in_single_precision():
    p = np.random.default_rng(0).dirichlet([1, 1], size=50)
    with pytest.warns(UserWarning, match="no row changed"):
        metrics.robust_ratio_score(p, p.astype(np.float32), tolerance=0.1)


def test_predictions_that_stay_are_named(case):
    _, X, y, *_ = case
    model = Ridge().fit(X, y)
    clean, moved = model.predict(X), model.predict(X + 0.01)
    moved[:20] = clean[:20]
    data = clean, moved
    for call in (
        lambda: metrics.regression_robust_ratio_score(*data, tolerance=0.1),
        lambda: metrics.regression_robust_ratio_curve(*data),
        lambda: metrics.prediction_shift(*data),
        lambda: metrics.prediction_shift(*data, reference="true", y_true=y),
    ):
        with pytest.warns(UserWarning, match="20 of 200 .*'prediction_shift'"):
            call()


def test_band_reports_the_share(case):
    *_, p, q, full = case
    with pytest.warns(UserWarning, match=LEFT_CLEAN):
        band = metrics.robust_ratio_band(p, q)
    assert band.share_unmoved == (p == q).all(axis=1).mean()
    assert metrics.robust_ratio_band(p, full).share_unmoved == 0


def test_probabilities_of_exactly_one_are_no_answers_of_their_own():
    # A third of the rows has its own probabilities and stays; the others are certain,
    # and move. Counted as answers, these would look like a model of few answers.
    rng = np.random.default_rng(0)
    share = np.r_[rng.uniform(0.2, 0.8, 60), np.ones(120)]
    clean = np.column_stack([share, 1 - share])
    moved = clean.copy()
    moved[60:] = [0.9, 0.1]
    with pytest.warns(UserWarning, match="60 of 180 rows.* did not change"):
        found = warn_unmoved(clean, moved[None], "probabilities", "here")
    assert found == 60 / 180
    moved[:60, 0] -= 0.1
    moved[60:] = clean[60:]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert warn_unmoved(clean, moved[None], "probabilities", "here") == 0
