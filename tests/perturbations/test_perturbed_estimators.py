"""Where perturbations act: functions, sides of a model, training rows, positions."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from problems import digit_rows, linear_problem
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_diabetes
from sklearn.ensemble import AdaBoostClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import check_estimator

from skrobust.attacks import FGSM
from skrobust.base import BasePerturbation
from skrobust.base.streams import other_noise
from skrobust.evaluation import cross_validate_perturbations
from skrobust.metrics import make_robust_scorer
from skrobust.perturbations import (
    FunctionPerturbation,
    GaussianNoise,
    PerturbationSampler,
    PerturbationSequence,
    PerturbedClassifier,
    PerturbedRegressor,
    Rotation,
    SaltAndPepper,
    get_preset,
    two_factor_grid,
)

DIGITS, LABELS = digit_rows()
DIGITS, LABELS = DIGITS[:500], LABELS[:500]
NOISE = GaussianNoise(std=0.3, data_range=(0, 16), random_state=0)
_, X, Y = linear_problem(120, d=4, classes=3)
SMALL = GaussianNoise(std=0.1, random_state=0)


# Functions


def shift(X, by=1.0):
    X += by  # the copy may be changed
    return X


def jitter(X, rng, scale=0.1):
    return X + scale * rng.normal(size=X.shape)


def by_place(X, rng, /):
    return X + rng.random(X.shape)


def dice(X, rng):
    return X + rng.integers(6, size=X.shape)


def test_functions_with_and_without_draws():
    before = X.copy()
    assert np.array_equal(FunctionPerturbation(shift).perturb(None, X), X + 1)
    assert np.array_equal(before, X)
    settings = {"kw_args": {"by": 2.0}, "draws": False}
    assert np.array_equal(
        FunctionPerturbation(shift, **settings).transform.__self__.fit(X).transform(X),
        X + 2,
    )
    assert np.array_equal(FunctionPerturbation(np.negative).perturb(None, X), -X)
    p = FunctionPerturbation(jitter, random_state=0)
    assert np.array_equal(p.perturb(None, X[::-1])[::-1], p.perturb(None, X))
    wide = FunctionPerturbation(jitter, kw_args={"scale": 0.2}, random_state=0)
    assert np.allclose(wide.perturb(None, X) - X, 2 * (p.perturb(None, X) - X))
    placed = FunctionPerturbation(by_place, draws=True, random_state=0)
    assert ((placed.perturb(None, X) - X) > 0).all()
    two = PerturbationSequence([p, clone(p)], random_state=0).perturb(None, X)
    assert not np.allclose(two - X, 2 * (p.perturb(None, X) - X))
    assert np.array_equal(
        pickle.loads(pickle.dumps(p)).perturb(None, X), p.perturb(None, X)
    )


def test_functions_in_frames():
    frame = pd.DataFrame(X, columns=list("abcd"), index=np.arange(len(X)) + 7)
    p = FunctionPerturbation(jitter, random_state=0)
    out = p.perturb(None, frame)
    assert list(out.columns) == list("abcd")
    assert out.index.equals(frame.index)
    assert np.array_equal(out.to_numpy(), p.perturb(None, X))
    out = p.perturb(None, pl.DataFrame(X, schema=list("abcd")))
    assert np.array_equal(out.to_numpy(), p.perturb(None, X))


def test_names_of_functions():
    assert str(FunctionPerturbation(shift)) == "shift"
    assert str(FunctionPerturbation(shift, name="moved")) == "moved"
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(FunctionPerturbation(lambda X: X))


# Sides


@pytest.mark.parametrize("on", ["predict", "fit", "both"])
def test_sides_by_hand(on):
    model = PerturbedClassifier(SVC(), NOISE, on=on).fit(DIGITS[:300], LABELS[:300])
    train, test = DIGITS[:300], DIGITS[300:]
    if on != "predict":
        train = other_noise(NOISE, "side", "fit").perturb(None, train)
    if on != "fit":
        test = NOISE.perturb(None, test)
    by_hand = SVC().fit(train, LABELS[:300])
    assert np.array_equal(model.predict(DIGITS[300:]), by_hand.predict(test))
    assert np.array_equal(
        model.decision_function(DIGITS[300:]), by_hand.decision_function(test)
    )
    assert model.score(DIGITS[300:], LABELS[300:]) == by_hand.score(test, LABELS[300:])
    assert not hasattr(model, "predict_proba")
    assert model.classes_.tolist() == list(range(10))
    assert model.n_features_in_ == 64


def test_both_sides_draw_other_noise():
    fit_side = other_noise(NOISE, "side", "fit").perturb(None, DIGITS)
    predict_side = NOISE.perturb(None, DIGITS)
    inner = (fit_side > 0) & (fit_side < 16) & (predict_side > 0) & (predict_side < 16)
    a, b = (fit_side - DIGITS)[inner], (predict_side - DIGITS)[inner]
    assert abs(np.corrcoef(a, b)[0, 1]) < 0.5  # both are cut at the ends of the range
    middle = np.full((500, 64), 8.0)
    a = other_noise(NOISE, "side", "fit").perturb(None, middle) - 8
    b = NOISE.perturb(None, middle) - 8
    assert abs(np.corrcoef(a.ravel(), b.ravel())[0, 1]) < 4 / np.sqrt(a.size)


def test_predict_side_is_what_the_robust_scorer_sees():
    model = PerturbedClassifier(SVC(), NOISE)
    inside = cross_val_score(model, DIGITS, LABELS, cv=3)
    scorer = make_robust_scorer(NOISE)
    assert np.array_equal(
        inside, cross_val_score(SVC(), DIGITS, LABELS, cv=3, scoring=scorer)
    )


def test_search_over_severity_finds_what_one_fit_finds():
    severities = [0, 1, 3, 5]
    noise = GaussianNoise(image_shape=(8, 8), data_range=(0, 16), random_state=0)
    search = GridSearchCV(
        PerturbedClassifier(SVC(), noise), {"perturbation__severity": severities}, cv=3
    ).fit(DIGITS, LABELS)
    conditions = [clone(noise).set_params(severity=s) for s in severities]
    once = cross_validate_perturbations(SVC(), DIGITS, LABELS, conditions, cv=3)
    assert np.allclose(search.cv_results_["mean_test_score"], once.conditions.score)
    both = GridSearchCV(
        PerturbedClassifier(SVC(), noise),
        {"perturbation__severity": [0, 5], "estimator__C": [0.01, 1]},
        cv=3,
    ).fit(DIGITS, LABELS)
    assert both.best_params_ == {"perturbation__severity": 0, "estimator__C": 1}


class Scaled(BasePerturbation):
    """Adds the standard deviation of the training rows."""

    def __init__(self, random_state=0):
        self.random_state = random_state

    def _learn(self, values):
        self.scale_ = values.std(axis=0)

    def _perturb(self, X, rng):
        return X + self.scale_


def test_scales_are_learned_in_fit():
    model = PerturbedRegressor(LinearRegression(), Scaled()).fit(X, X @ [1, 2, 3, 4])
    expected = (X[:9] + X.std(axis=0)) @ [1, 2, 3, 4]
    assert np.allclose(model.predict(X[:9]), expected)


def test_frozen_models_are_kept():
    fitted = SVC().fit(DIGITS[:300], LABELS[:300])
    model = PerturbedClassifier(FrozenEstimator(fitted), NOISE)
    model.fit(DIGITS[300:400], LABELS[300:400])
    expected = fitted.predict(NOISE.perturb(None, DIGITS[400:]))
    assert np.array_equal(model.predict(DIGITS[400:]), expected)


def test_pipelines_frames_and_names():
    frame = pd.DataFrame(X, columns=list("abcd"))
    pipe = make_pipeline(StandardScaler(), LogisticRegression())
    model = PerturbedClassifier(pipe, SMALL).fit(frame, Y)
    assert model.feature_names_in_.tolist() == list("abcd")
    plain = PerturbedClassifier(pipe, SMALL).fit(X, Y)
    assert np.allclose(model.predict_proba(frame), plain.predict_proba(X))
    assert np.allclose(np.exp(model.predict_log_proba(frame)), plain.predict_proba(X))
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[list("dcba")])
    outer = make_pipeline(StandardScaler(), PerturbedClassifier(SVC(), SMALL, on="fit"))
    assert outer.fit(X, Y).score(X, Y) > 0.5


def test_weights_reach_the_estimator():
    w = np.random.default_rng(0).random(len(Y))
    model = PerturbedClassifier(LogisticRegression(), SMALL).fit(X, Y, sample_weight=w)
    by_hand = LogisticRegression().fit(X, Y, sample_weight=w)
    assert np.array_equal(model.estimator_.coef_, by_hand.coef_)
    rows = SMALL.perturb(None, X)
    assert model.score(X, Y, sample_weight=w) == by_hand.score(rows, Y, w)
    boosted = AdaBoostClassifier(PerturbedClassifier(LogisticRegression(), SMALL))
    assert boosted.fit(X, Y).score(X, Y) > 0.5
    with config_context(enable_metadata_routing=True):
        inner = LogisticRegression().set_fit_request(sample_weight=True)
        inner.set_score_request(sample_weight=True)  # as for a step of a Pipeline
        routed = PerturbedClassifier(inner, SMALL).fit(X, Y, sample_weight=w)
        search = GridSearchCV(PerturbedClassifier(inner, SMALL), {"on": ["fit"]})
        search.fit(X, Y, sample_weight=w)
    assert np.array_equal(routed.estimator_.coef_, by_hand.coef_)


class Unweighted(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self


def repeated_rows(estimator):
    # Repeated rows get independent noise; a weighted one gets one.
    reason = "repeated training rows get independent noise"
    return {"check_sample_weight_equivalence_on_dense_data": reason}


@pytest.mark.parametrize("on", ["fit", "both"])
@pytest.mark.parametrize(
    ("kind", "inner"),
    [(PerturbedClassifier, LogisticRegression()), (PerturbedRegressor, Ridge())],
)
def test_estimator_checks_of_training_sides(kind, inner, on):
    model = kind(inner, GaussianNoise(std=0.05, random_state=0), on=on)
    results = check_estimator(
        model, expected_failed_checks=repeated_rows(model), on_skip=None
    )
    status = [r["status"] for r in results]
    assert status.count("passed") >= 50
    assert status.count("xfail") == 1


def test_regressors():
    X, y = load_diabetes(return_X_y=True)
    noise = GaussianNoise(std=0.1, random_state=0)
    model = PerturbedRegressor(Ridge(), noise).fit(X, y)
    by_hand = Ridge().fit(X, y).score(noise.fit(X).perturb(None, X), y)
    assert model.score(X, y) == by_hand
    many = PerturbedRegressor(Ridge(), noise, on="both").fit(X, np.c_[y, -y])
    assert many.predict(X).shape == (len(X), 2)


def test_score_is_that_of_the_estimator():
    y = np.where(LABELS < 8, 0, 1)  # unbalanced, so that the two scores differ
    inner = GridSearchCV(SVC(), {"C": [1]}, scoring="balanced_accuracy", cv=2)
    model = PerturbedClassifier(inner, NOISE).fit(DIGITS, y)
    seen = NOISE.perturb(None, DIGITS)
    assert model.score(DIGITS, y) == model.estimator_.score(seen, y)
    assert model.score(DIGITS, y) != (model.predict(DIGITS) == y).mean()


# Training rows


def test_added_rows_and_their_order():
    codes = np.repeat([0, 1, 2], [60, 40, 20])
    sampler = PerturbationSampler(SMALL, n_copies=2, share=0.5, random_state=0)
    new, y_new = sampler.fit_resample(X, codes)
    rows = sampler.sample_indices_
    assert np.array_equal(new[:120], X)
    assert np.array_equal(y_new, codes[rows])
    assert np.bincount(y_new).tolist() == [120, 80, 40]
    first, second = rows[120:180], rows[180:]
    assert (np.diff(first) > 0).all()
    assert (np.diff(second) > 0).all()
    assert not np.array_equal(first, second)
    for k, chosen in enumerate((first, second)):
        noise = other_noise(clone(SMALL).fit(X), "side", "fit", "copy", k)
        part = new[120 + 60 * k : 180 + 60 * k]
        assert np.array_equal(part, noise.perturb(None, X[chosen]))
    again = clone(sampler).fit_resample(X, codes)[0]
    assert np.array_equal(new, again)


def test_replaced_rows():
    sampler = PerturbationSampler(SMALL, mode="replace", share=0.25, random_state=0)
    new, y_new = sampler.fit_resample(X, Y)
    assert np.array_equal(y_new, Y)
    changed = (new != X).any(axis=1)
    expected = [int(0.25 * n + 0.5) for n in np.bincount(Y)]
    assert np.bincount(Y[changed]).tolist() == expected
    assert np.array_equal(sampler.sample_indices_, np.arange(len(X)))


def test_balance_is_kept_or_made():
    y = np.array(["a"] * 60 + ["b"] * 50 + ["c"] * 10)
    sampler = PerturbationSampler(SMALL, sampling_strategy="auto", random_state=0)
    new, y_new = sampler.fit_resample(X, y)
    assert np.unique(y_new, return_counts=True)[1].tolist() == [60, 60, 60]
    assert sampler.sampling_strategy_ == {"a": 0, "b": 10, "c": 50}
    # Each row of a class is used once before any is used twice.
    uses = np.bincount(sampler.sample_indices_, minlength=120)
    assert set(uses[110:]) == {6}
    assert set(uses[:60]) == {1}
    assert len(np.unique(new, axis=0)) == 180
    sampler.set_params(sampling_strategy={"c": 13})
    assert np.unique(sampler.fit_resample(X, y)[1], return_counts=True)[1].tolist() == [
        60,
        50,
        13,
    ]
    balanced = y[:0].tolist() + ["a", "b"] * 60
    assert (
        len(
            PerturbationSampler(SMALL, sampling_strategy="auto").fit_resample(
                X, balanced
            )[1]
        )
        == 120
    )


def test_containers_of_training_rows():
    frame = pd.DataFrame(X.astype(np.float32), columns=list("abcd"))
    y = pd.Series(Y, name="class", index=np.arange(len(Y)) + 9)
    for mode in ("add", "replace"):
        sampler = PerturbationSampler(SMALL, mode=mode, share=0.5, random_state=0)
        new, y_new = sampler.fit_resample(frame, y)
        assert list(new.columns) == list("abcd")
        assert (new.dtypes == np.float32).all()
        assert new.index.equals(pd.RangeIndex(len(new)))
        assert y_new.index.equals(new.index)
        assert y_new.name == "class"
        polar = pl.DataFrame(X.astype(np.float32), schema=list("abcd"))
        other, y_other = sampler.fit_resample(polar, pl.Series("class", Y))
        assert np.array_equal(other.to_numpy(), new.to_numpy())
        assert y_other.to_list() == y_new.tolist()
        assert set(other.dtypes) == {pl.Float32}


def test_pipelines_of_imbalanced_learn():
    pipeline = pytest.importorskip("imblearn.pipeline")
    sampler = PerturbationSampler(NOISE, random_state=0)
    model = pipeline.make_pipeline(sampler, SVC()).fit(DIGITS[:300], LABELS[:300])
    by_hand = SVC().fit(*sampler.fit_resample(DIGITS[:300], LABELS[:300]))
    assert np.array_equal(model.predict(DIGITS[300:]), by_hand.predict(DIGITS[300:]))
    grid = {"perturbationsampler__perturbation__std": [0.0, 0.1]}
    assert GridSearchCV(model, grid, cv=2).fit(DIGITS, LABELS).best_score_ > 0.8


def imblearn_checks():
    checks = pytest.importorskip("imblearn.utils.estimator_checks")
    samplers = [
        PerturbationSampler(SMALL, random_state=0),
        PerturbationSampler(SMALL, mode="replace", share=0.5, random_state=0),
        PerturbationSampler(SMALL, sampling_strategy="auto", random_state=0),
    ]
    return list(checks.parametrize_with_checks(samplers).args[1])


def test_checks_of_imbalanced_learn():
    checks = imblearn_checks()
    assert len(checks) >= 42
    for sampler, check in checks:
        check(sampler)


# Positions


def test_noise_by_position():
    steps = [GaussianNoise(std=0.1)]
    p = PerturbationSequence(steps, noise_key="position", random_state=0)
    noise = p.perturb(None, np.full((6, 3), 0.5)) - 0.5
    moved = p.perturb(None, np.full((6, 3), 0.4)) - 0.4
    assert np.allclose(noise, moved)
    assert len(np.unique(noise)) == 18
    assert np.allclose(p.perturb(None, np.full((2, 3), 0.5)) - 0.5, noise[:2])
    assert p.__sklearn_tags__().non_deterministic
    assert not PerturbationSequence(steps).__sklearn_tags__().non_deterministic
    results = check_estimator(p, on_fail=None, on_skip=None)
    assert not [r for r in results if r["status"] == "failed"]


# Grids and presets

TURN, BLUR = (Rotation(), "angle", [10, 20]), (GaussianNoise(), "std", [0.1, 0.2])


def test_any_two_factors():
    grid = two_factor_grid(TURN, BLUR, random_state=0)
    assert len(grid) == 1 + 2 * (3 * 3 - 1)
    assert [c.number for c in grid] == list(range(1, 18))
    assert grid[1].name == "Rotation0GaussianNoise0.1"
    assert grid[9].name == "GaussianNoise0Rotation10"
    assert len(two_factor_grid(TURN, BLUR, unique=True)) == 1 + 4 + 8
    single = two_factor_grid(TURN, BLUR, include="single")
    assert {len(c.steps) for c in single[1:]} == {1}
    pairs = two_factor_grid(
        TURN, BLUR, include="pairs", both_orders=False, random_state=0
    )
    assert [c.name for c in pairs[1:]] == [
        f"Rotation{a}GaussianNoise{s}" for a in (10, 20) for s in (0.1, 0.2)
    ]
    everything = {c.number: c.name for c in grid}
    for part in (single, pairs):
        assert all(everything[c.number] == c.name for c in part)
    images = np.random.default_rng(0).random((3, 8, 8))
    by_hand = PerturbationSequence(
        [Rotation(10), GaussianNoise(std=0.1)], random_state=0
    ).perturb(None, images)
    cell = next(c for c in pairs if c.name == "Rotation10GaussianNoise0.1")
    assert np.array_equal(cell.perturb(None, images), by_hand)


def test_forms_of_factors():
    grid = two_factor_grid(SaltAndPepper(), (GaussianNoise(), [2, 4]), unique=True)
    assert len(grid) == 1 + 5 + 2 + 20
    assert grid[1].steps[0].severity == 2
    same = two_factor_grid(
        (GaussianNoise(), "mean", [0.1]), (GaussianNoise(), "std", [0.1])
    )
    assert same[3].name == "GaussianNoise[mean]0.1GaussianNoise[std]0.1"


def test_parts_of_the_published_grid():
    whole = {c.number: c.name for c in two_factor_grid("asi68")}
    single = two_factor_grid("asi68", include="single")
    assert len(single) == 27
    assert len(two_factor_grid("asi68", include="single", unique=True)) == 11
    assert len(two_factor_grid("asi68", include="pairs")) == 43
    first = two_factor_grid("asi68", both_orders=False)
    assert len(first) == 1 + 15 + 19
    assert all(c.name.startswith(("SP", "CLEAN")) for c in first)
    assert all(whole[c.number] == c.name for c in [*single, *first])


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("asi68", {"image_shape": (8, 8)}),
        ("cifar_c", {}),
        ("imagenet_c", {}),
        ("mnist_c", {}),
        ("series", {}),
        ("tabular", {}),
        ("text", {}),
    ],
)
def test_presets(name, shape):
    conditions = get_preset(name, random_state=0, **shape)
    assert conditions[0].name == "CLEAN"
    assert [c.number for c in conditions] == list(range(1, len(conditions) + 1))
    assert len({c.name for c in conditions}) > 1
    with pytest.raises(
        ValueError, match=f"'{name}'.*'nothing'; it takes .*random_state"
    ):
        get_preset(name, nothing=1)


# Bad input

ONE = FunctionPerturbation(shift)
BAD = {
    "function": (lambda: FunctionPerturbation(3).perturb(None, X), "'function' param"),
    "kw_args": (
        lambda: FunctionPerturbation(shift, kw_args=3).fit(X), "'kw_args' param"),
    "draws": (lambda: FunctionPerturbation(shift, draws=1).fit(X), "'draws' parameter"),
    "name": (lambda: FunctionPerturbation(shift, name=1).fit(X), "'name' parameter"),
    "shape": (lambda: FunctionPerturbation(np.ravel).perturb(None, X), "'ravel' of"),
    "text": (
        lambda: FunctionPerturbation(np.char.mod, draws=False).perturb(None, X),
        "|missing"),
    "verb": (
        lambda: FunctionPerturbation(dice).perturb(None, X),
        "'dice' of FunctionPerturbation asks rng for 'integers'; "
        ".* normal, .*uniform.$"),
    "on": (
        lambda: PerturbedClassifier(SVC(), SMALL, on="x").fit(X, Y), "'on' parameter"),
    "attack": (
        lambda: PerturbedClassifier(SVC(), FGSM(0.1)).fit(X, Y), "make_robust_scorer"),
    "perturbation": (
        lambda: PerturbedClassifier(SVC(), 3).fit(X, Y), "'perturbation' p"),
    "estimator": (lambda: PerturbedClassifier(3, SMALL).fit(X, Y), "'estimator' p"),
    "regressor": (
        lambda: PerturbedClassifier(Ridge(), SMALL).fit(X, Y), "must be a classifier"),
    "classifier": (
        lambda: PerturbedRegressor(SVC(), SMALL).fit(X, Y), "must be a regressor"),
    "mode": (
        lambda: PerturbationSampler(SMALL, mode="x").fit(X, Y), "'mode' parameter"),
    "copies": (
        lambda: PerturbationSampler(SMALL, n_copies=0).fit(X, Y), "'n_copies' p"),
    "share": (lambda: PerturbationSampler(SMALL, share=0).fit(X, Y), "'share' param"),
    "sampled": (lambda: PerturbationSampler(3).fit(X, Y), "'perturbation' parameter"),
    "strategy": (
        lambda: PerturbationSampler(SMALL, sampling_strategy="x").fit(X, Y),
        "'sampling_strategy' parameter"),
    "strategy class": (
        lambda: PerturbationSampler(
            SMALL, sampling_strategy={7: 99}).fit_resample(X, Y),
        "a dict of classes"),
    "strategy low": (
        lambda: PerturbationSampler(SMALL, sampling_strategy={0: 1}).fit_resample(X, Y),
        "at least the rows"),
    "strategy and copies": (
        lambda: PerturbationSampler(
            SMALL, sampling_strategy="auto", n_copies=2).fit(X, Y),
        "takes its numbers from"),
    "replace copies": (
        lambda: PerturbationSampler(SMALL, mode="replace", n_copies=2).fit(X, Y),
        "keeps the number of rows"),
    "one class": (lambda: PerturbationSampler(SMALL).fit(X, 0 * Y), "two classes"),
    "noise_key": (
        lambda: PerturbationSequence([], noise_key="x").fit(X), "'noise_key' param"),
    "noise_keys": (
        lambda: PerturbationSequence(
            [PerturbationSequence([], noise_key="position")]).fit(X),
        "one noise_key for all"),
    "include": (lambda: two_factor_grid(include="x"), "'include' parameter"),
    "both_orders": (lambda: two_factor_grid(both_orders=2), "'both_orders' parameter"),
    "second": (lambda: two_factor_grid("asi68", BLUR), "'second' parameter"),
    "no second": (lambda: two_factor_grid(TURN), "'second' parameter"),
    "first": (lambda: two_factor_grid(("a", "b", [1]), BLUR), "'first' parameter"),
    "parameter": (
        lambda: two_factor_grid((Rotation(), "size", [1]), BLUR),
        "names 'size'; Rotation has no such parameter"),
    "level 0": (
        lambda: two_factor_grid((Rotation(), "angle", [0, 1]), BLUR),
        "different and not"),
    "level twice": (
        lambda: two_factor_grid((Rotation(), "angle", [1, 1]), BLUR),
        "different and not"),
    "level high": (
        lambda: two_factor_grid((Rotation(), [9]), BLUR), "'severity' param"),
    "grid shape": (
        lambda: two_factor_grid(TURN, BLUR, image_shape=(8, 8)), "'asi68' alone"),
    "preset": (lambda: get_preset("x"), "'name' parameter of get_preset .*'tabular'"),
}  # fmt: skip


@pytest.mark.parametrize("call, sentence", BAD.values(), ids=BAD)
def test_perturbed_estimators_refuse_wrong_parameters(call, sentence):
    with pytest.raises((ValueError, TypeError), match=sentence) as caught:
        call()
    assert len(str(caught.value)) < 400


def test_weights_that_nobody_takes():
    with pytest.raises(TypeError, match="Unweighted takes none"):
        PerturbedClassifier(Unweighted(), SMALL).fit(
            X, Y, sample_weight=np.ones(len(Y))
        )


def test_seeds_of_other_streams():
    a = other_noise(SMALL, "repeat", 1)
    assert SMALL.random_state == 0
    assert 0 <= a.random_state < 2**32
    assert a.random_state != other_noise(SMALL, "repeat", 2).random_state
    assert other_noise(SMALL) is SMALL
    fresh = GaussianNoise(std=0.1)
    assert other_noise(fresh, "repeat", 1) is fresh
    nested = PerturbedClassifier(SVC(), SMALL)
    other = other_noise(nested, "repeat", 1)
    assert other.perturbation.random_state == a.random_state
    assert nested.perturbation.random_state == 0
