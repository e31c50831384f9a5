"""Every perturbation in the places where it is used: searches, scorers, training."""

import tracemalloc
import warnings

import numpy as np
import pytest
from perturbation_table import DATA, LAWS, at, same, strong
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline

from skrobust.evaluation import evaluate_perturbations
from skrobust.metrics import make_asi_scorer, make_robust_scorer
from skrobust.perturbations import (
    FunctionPerturbation,
    PerturbationSampler,
    PerturbedClassifier,
)

IDS = {"ids": str}
every_law = pytest.mark.parametrize("law", LAWS, **IDS)
IMAGES = [law for law in LAWS if law.kind == "images"]


def size(row):
    """Return one number for a row of any kind."""
    if isinstance(row, str):
        return sum(map(ord, row)) / 1000
    values = np.asarray(row, dtype=float).ravel()
    return np.nansum(values * np.cos(np.arange(values.size)))


class Threshold(ClassifierMixin, BaseEstimator):
    """A classifier of rows of any kind by one number each."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.limit_ = np.median([size(row) for row in X])
        return self

    def predict(self, X):
        return (np.array([size(row) for row in X]) > self.limit_).astype(int)


def problem(law):
    X = next(X for X in DATA[law.kind].values() if X.dtype in (np.float64, object))
    X = np.concatenate([X, X[::-1]])  # equal rows, too
    return X, Threshold().fit(X, np.arange(len(X)) % 2).predict(X)


@every_law
def test_in_pipelines_and_searches(law):
    X, y = problem(law)
    steps = [("perturbation", at(law, 1)), ("model", Threshold())]
    grid = {"perturbation__severity": [0, 5]}
    search = GridSearchCV(Pipeline(steps), grid, cv=2, error_score="raise").fit(X, y)
    assert search.best_params_["perturbation__severity"] in (0, 5)
    plain = cross_val_score(Threshold(), X, y, cv=2)
    clean = search.cv_results_["mean_test_score"][0]
    assert clean == pytest.approx(plain.mean())
    model = PerturbedClassifier(Threshold(), at(law, 1), on="both")
    search = GridSearchCV(model, grid, cv=2, error_score="raise").fit(X, y)
    assert search.cv_results_["mean_test_score"][0] == pytest.approx(plain.mean())


# Rare faults change none of these few rows at severity 1.
@pytest.mark.filterwarnings("ignore:.* changed no row")
@every_law
def test_in_scorers_and_evaluations(law):
    X, y = problem(law)
    model = Threshold().fit(X, y)
    fitted = strong(law).fit(X)
    expected = np.mean(model.predict(fitted.perturb(None, X)) == y)
    assert make_robust_scorer(fitted)(model, X, y) == expected
    by_reference = make_robust_scorer(strong(law), X_ref=X)
    assert by_reference(model, X, y) == expected
    scores = cross_val_score(model, X, y, cv=2, scoring=by_reference)
    again = cross_val_score(model, X, y, cv=2, scoring=clone(by_reference, safe=False))
    assert np.array_equal(scores, again)
    conditions = [at(law, s) for s in (0, 1, 5)]
    index = make_asi_scorer(conditions, X_ref=X)(model, X, y)
    assert np.isfinite(index)
    table = evaluate_perturbations(model, X, y, conditions, X_ref=X)
    assert table.score[0] == 1
    assert table.score.shape == (3,)
    perturbed = PerturbedClassifier(Threshold(), strong(law)).fit(X, y)
    assert perturbed.score(X, y) == expected
    unfitted = make_robust_scorer(strong(law))
    if law.learns:
        with pytest.raises(NotFittedError, match=f"{law}.*[.]$"):
            unfitted(model, X, y)
    else:
        assert unfitted(model, X, y) == expected


@every_law
def test_as_training_noise(law):
    X, y = problem(law)
    for mode, share in (("add", 1.0), ("replace", 0.5)):
        sampler = PerturbationSampler(
            strong(law), mode=mode, share=share, random_state=0
        )
        new, labels = sampler.fit_resample(X, y)
        source = sampler.sample_indices_
        assert np.array_equal(labels, y[source])
        assert new.shape[1:] == X.shape[1:]
        if mode == "add":
            assert same(new[: len(X)], X)
        again = clone(sampler).fit_resample(X, y)[0]
        assert same(again, new)
        assert not same(new, X[source])


@pytest.mark.parametrize("law", IMAGES, **IDS)
@pytest.mark.parametrize(
    "shape", [(1, 1), (1, 8), (8, 1), (2, 2), (8, 8), (28, 28), (5, 7)], ids=str
)
def test_small_images(law, shape):
    rng = np.random.default_rng(3)
    shape = (4, *shape, 3) if law.name == "Saturate" else (4, *shape)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for severity in (0.01, 1, 5):
            for dtype in (np.float64, np.uint8):
                X = rng.random(shape)
                X = np.rint(255 * X).astype(dtype) if dtype == np.uint8 else X
                p = law(severity, channel_axis=-1)
                out = p.perturb(None, X)
                assert out.dtype == X.dtype
                assert out.shape == X.shape
                assert out.min() >= 0
                assert out.max() <= (255 if dtype == np.uint8 else 1)
                assert same(p.perturb(None, X[2:3]), out[2:3])


@pytest.mark.parametrize("law", IMAGES, **IDS)
def test_bytes_are_rounded_not_cut_off(law):
    X = DATA["images"]["bytes"]
    coarse = strong(law).fit(X).transform(X)
    fine = strong(law, data_range=(0, 255)).perturb(None, X.astype(np.float64))
    error = coarse - fine
    within = np.abs(error) < 0.51
    # A comparison within rounding of its threshold may fall on either side of it.
    assert within.mean() > 0.98
    assert abs(error[within].mean()) < 0.03  # cut off it would be -0.5


@pytest.mark.slow
@pytest.mark.parametrize("law", IMAGES, **IDS)
def test_memory_is_the_result_and_a_batch(law):
    # Even one byte for each value of the 400 images more would be 1.2 MB.
    X = np.random.default_rng(0).integers(0, 256, (1800, 32, 32, 3), dtype=np.uint8)
    p, more = at(law, 3), []
    for n in (1400, 1800):  # more than two batches of 170 or 680 images
        tracemalloc.start()
        out = p.perturb(None, X[:n])
        more.append(tracemalloc.get_traced_memory()[1] - out.nbytes)
        tracemalloc.stop()
    assert more[1] < more[0] + 1e6
    # A batch is 2 MB in floats; coordinates and sorted values take several of 8 bytes.
    assert more[1] < 36e6


@every_law
@pytest.mark.parametrize("what", ["no rows", "infinity", "nothing", "NaN"])
def test_bad_rows_get_a_sentence(law, what):
    X = problem(law)[0]
    p = at(law, 1).fit(X)
    numbers = X.dtype != object
    if what == "no rows":
        bad, sentence = X[:0], f"0 sample.*{law}"
        if not numbers:
            assert p.transform(bad).shape == (0,)  # a list of no texts is no error
            return
    elif what == "nothing":
        bad, sentence = None, str(law)
        if numbers:
            sentence += " must be an array of rows|Expected 2D array"
    else:
        bad, sentence = X.copy(), f"{law} (needs|takes) "
        bad.reshape(len(X), -1)[2, 0] = np.nan if what == "NaN" else np.inf
        if what == "NaN" and law.kind != "images":
            out = p.transform(bad)
            assert out.shape == X.shape
            return
        moves_any = getattr(law.cls, "_acts_on", "number") != "number"
        if moves_any:  # which never computes with the values
            assert p.transform(bad).shape == X.shape
            return
    with pytest.raises((ValueError, TypeError), match=sentence) as raised:
        p.perturb(None, bad)
    assert len(str(raised.value)) < 400


def test_any_function_keeps_the_laws():
    def drop(X, rng, share=0.3):
        return np.where(rng.random(X.shape) < share, 0.0, X)

    X = np.random.default_rng(0).normal(size=(30, 6))
    p = FunctionPerturbation(drop, random_state=0)
    out = p.perturb(None, X)
    order = np.random.default_rng(1).permutation(30)
    assert same(p.perturb(None, X[order]), out[order])
    assert same(p.perturb(None, X[7:8]), out[7:8])
    narrow = p.perturb(None, X.astype(np.float32))
    assert np.array_equal(narrow == 0, out == 0)
