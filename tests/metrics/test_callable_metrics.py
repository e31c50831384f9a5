"""Callable metrics: each gets the response that it takes, in the right direction."""

from functools import partial

import numpy as np
import pytest
import sklearn.metrics
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LinearRegression
from sklearn.metrics import (
    f1_score,
    get_scorer,
    log_loss,
    make_scorer,
    mean_absolute_error,
    roc_auc_score,
    zero_one_loss,
)

from skrobust.evaluation import evaluate_perturbations
from skrobust.metrics import (
    by_group,
    compare_models,
    confidence_interval,
    make_asi_scorer,
    make_robust_scorer,
    make_stability_index_scorer,
    metric_axioms,
    period_stability_index,
    threshold_test,
)
from skrobust.metrics.callable_metrics import direction_of, response_of
from skrobust.perturbations import GaussianNoise
from skrobust.plots import StabilityPatternDisplay

Y = np.array([0, 0, 1, 1])
P = np.array([0.1, 0.6, 0.7, 0.9])  # the area is 1; of its labels it is .75
ROWS = P[:, None]
LOSS = log_loss(Y, P)
STILL = GaussianNoise(std=0)  # changes nothing
AUC = make_scorer(roc_auc_score, response_method=("decision_function", "predict_proba"))


class Stub(ClassifierMixin, BaseEstimator):
    """Classifier whose probability is the first feature."""

    classes_ = np.array([0, 1])

    def fit(self, X, y):
        return self

    def predict_proba(self, X):
        p = np.asarray(X)[:, 0]
        return np.column_stack([1 - p, p])

    def predict(self, X):
        return (np.asarray(X)[:, 0] > 0.5).astype(int)


def plain(y_true, y_pred):
    return 0.5


TWICE = np.tile(np.arange(4), 2)  # two equal periods
ENTRIES = {
    "robust scorer": lambda m: make_robust_scorer(STILL, m)(Stub(), ROWS, Y),
    "asi scorer": lambda m: make_asi_scorer([STILL], metric=m)(Stub(), ROWS, Y),
    "periods scorer": lambda m: make_stability_index_scorer(2, metric=m)(
        Stub(), ROWS[TWICE], Y[TWICE]
    ),
    "axioms": lambda m: metric_axioms(m, n_trials=1, random_state=0),
    "compare_models": lambda m: compare_models(
        {"a": P, "b": P[::-1]}, metric=m, y_true=Y, n_resamples=100, random_state=0
    ).value_first[0],
    "threshold_test": lambda m: (
        threshold_test(m, Y, P, threshold=0.5, n_resamples=100, random_state=0).value
    ),
    "by_group": lambda m: by_group(
        m, Y[TWICE], P[TWICE], groups=np.repeat([0, 1], 4), n_permutations=9
    ).value[0],
    "period_stability_index": lambda m: period_stability_index(
        Y[TWICE], P[TWICE], np.repeat([0, 1], 4), metric=m
    ),
}
OF_MODELS = ["robust scorer", "periods scorer"]
OF_VALUES = sorted(set(ENTRIES) - {"axioms", "asi scorer"})

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")  # of few samples


@pytest.mark.parametrize("entry", ENTRIES)
def test_callables_without_a_direction_are_refused_in_one_sentence(entry):
    for metric in (plain, lambda y, p: 1.0, partial(plain), np.mean):
        with pytest.raises(ValueError, match=r"which way is better.*make_scorer"):
            ENTRIES[entry](metric)


@pytest.mark.parametrize("entry", sorted({*OF_VALUES, "asi scorer"}))
@pytest.mark.parametrize("metric", [roc_auc_score, partial(roc_auc_score), AUC])
def test_the_area_is_not_that_of_labels(entry, metric):
    """Right is 1; the labels of the same model would give .75."""
    assert ENTRIES[entry](metric) == pytest.approx(1)


@pytest.mark.parametrize("entry", OF_VALUES)
def test_a_loss_has_its_sign_where_greater_must_be_better(entry):
    """Scorers and indices are negated; tables of one metric keep its value."""
    tables = ("compare_models", "threshold_test", "by_group")
    expected = LOSS if entry in tables else -LOSS
    assert ENTRIES[entry](log_loss) == pytest.approx(expected)
    assert ENTRIES[entry](get_scorer("neg_log_loss")) == pytest.approx(-LOSS)


@pytest.mark.parametrize("metric", [log_loss, get_scorer("neg_log_loss")])
def test_the_model_with_the_smaller_loss_is_better(metric):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    good, bad = np.where(y, 0.9, 0.1), np.where(y, 0.6, 0.4)
    options = {"y_true": y, "n_resamples": 100, "random_state": 0}
    noise = rng.uniform(-0.05, 0.05, 60)
    found = compare_models(
        {"bad": bad + noise, "good": good + noise}, metric=metric, **options
    )
    ranks = dict(zip(found.ranks.model, found.ranks["rank"], strict=True))
    assert ranks["good"] == 1 < ranks["bad"]
    sign = -1 if metric is not log_loss else 1
    for p, limit, verdict in ((good, 0.4, "passes"), (bad, 0.3, "fails")):
        data = metric, y, p + noise
        test = threshold_test(*data, threshold=sign * limit, random_state=0)
        assert test.verdict == verdict
    groups = np.repeat(["good", "bad"], 60)
    both = np.concatenate([good + noise, bad + noise])
    table = by_group(metric, np.tile(y, 2), both, groups=groups, n_permutations=9)
    assert table.worst_group == "bad"


def test_scores_of_periods_in_an_interval_must_rise():
    rng, periods = np.random.default_rng(0), np.repeat(np.arange(6), 8)
    y = np.tile(Y, 12)
    p = rng.uniform(0.3, 0.6, 48) + 0.2 * y
    data = "stability_index", y, p
    options = {"periods": periods, "random_state": 0}
    with pytest.raises(ValueError, match="greater values are better"):
        confidence_interval(*data, score=log_loss, **options)
    found = confidence_interval(*data, score=AUC, **options)
    plainly = confidence_interval(*data, score=roc_auc_score, **options)
    assert found == plainly


def test_scores_of_shares_must_rise():
    with pytest.raises(ValueError, match="greater values are better"):
        ENTRIES["asi scorer"](zero_one_loss)


def test_regressors_and_weights():
    X = np.linspace(0, 1, 6)[:, None]
    y = np.array([0.0, 1.5, 2.0, 2.5, 4.5, 5.0])
    model, weight = LinearRegression().fit(X, y), np.arange(1, 7)
    error = mean_absolute_error(y, model.predict(X), sample_weight=weight)
    for metric in (mean_absolute_error, get_scorer("neg_mean_absolute_error")):
        scorer = make_robust_scorer(STILL, metric)
        assert scorer(model, X, y, sample_weight=weight) == pytest.approx(-error)
    found = confidence_interval(
        get_scorer("neg_mean_absolute_error"), y, model.predict(X),
        sample_weight=weight, random_state=0,
    )  # fmt: skip
    assert found.value == pytest.approx(-error)


def test_scorers_of_arrays_take_labels_text_and_columns():
    words = np.array(["no", "yes"])[Y]
    wrong = np.array(["no", "yes"])[[1, 0, 1, 1]]
    options = {"random_state": 0, "n_resamples": 100}
    scorer = make_scorer(f1_score, pos_label="yes")
    found = confidence_interval(scorer, words, wrong, **options)
    assert found.value == pytest.approx(f1_score(words, wrong, pos_label="yes"))
    three = np.array([0, 1, 2, 1, 0, 2])
    p = np.eye(3)[three] * 0.7 + 0.1
    found = confidence_interval(get_scorer("roc_auc_ovr"), three, p, **options)
    assert found.value == 1
    with pytest.raises(ValueError, match="for arrays"):  # it asks for rows
        confidence_interval(make_robust_scorer(STILL), Y, Y)
    with pytest.raises(ValueError, match="for arrays"):
        confidence_interval(get_scorer("accuracy"), Y)


def test_displays_of_periods_ask_the_model_for_what_the_metric_takes():
    periods = np.repeat([0, 1], 4)
    data = Stub(), ROWS[TWICE], Y[TWICE], periods
    shown = StabilityPatternDisplay.from_estimator(*data, metric=roc_auc_score)
    np.testing.assert_allclose(shown.scores, [1, 1])
    shown = StabilityPatternDisplay.from_estimator(*data, metric=log_loss)
    np.testing.assert_allclose(shown.scores, [-LOSS, -LOSS])


def test_axioms_of_losses_and_of_probabilities():
    """Log loss of a model is best where it is right, so monotonicity holds."""
    for metric in (log_loss, roc_auc_score, zero_one_loss):
        table = metric_axioms(metric, n_trials=5, random_state=0)
        holds = dict(zip(table.axiom, table.holds, strict=True))
        assert holds["monotonicity"] != "no", metric
    turned = metric_axioms(
        zero_one_loss, n_trials=5, random_state=0, greater_is_better=True
    )
    assert dict(zip(turned.axiom, turned.holds, strict=True))["monotonicity"] == "no"


def test_functions_of_scikit_learn_are_those_of_its_scorers():
    """The response and the direction are those that its own scorers use.

    A scorer is asked which response it takes by a model that notes it.
    """
    pairs = {
        "accuracy": "accuracy_score", "roc_auc": "roc_auc_score", "f1": "f1_score",
        "average_precision": "average_precision_score", "neg_log_loss": "log_loss",
        "neg_brier_score": "brier_score_loss", "r2": "r2_score",
        "neg_mean_absolute_error": "mean_absolute_error",
        "balanced_accuracy": "balanced_accuracy_score",
        "matthews_corrcoef": "matthews_corrcoef",
        "d2_log_loss_score": "d2_log_loss_score",
        "neg_mean_poisson_deviance": "mean_poisson_deviance",
    }  # fmt: skip
    for scorer, name in pairs.items():
        if scorer not in sklearn.metrics.get_scorer_names():
            continue
        function, asked = getattr(sklearn.metrics, name), []

        class Noted(Stub):
            def _note(self, method, X, asked=asked):
                asked.append(method)
                return getattr(Stub, method)(self, X)

            def predict(self, X):
                return self._note("predict", X)

            def predict_proba(self, X):
                return self._note("predict_proba", X)

        y = Y + 1 if "poisson" in scorer else Y
        rows = np.maximum(ROWS, 0.6) if "poisson" in scorer else ROWS
        get_scorer(scorer)(Noted(), rows, y)
        wanted = {"predict": ["predict"]}.get(asked[0], ["predict_proba", "scores"])
        assert response_of(function) in wanted
        assert direction_of(function, "test") is not scorer.startswith("neg_")


@pytest.mark.parametrize("function", [roc_auc_score, log_loss, plain])
def test_scoring_takes_scorers_and_no_functions_of_answers(function):
    with pytest.raises(ValueError, match=r"scoring.*make_scorer"):
        evaluate_perturbations(Stub(), ROWS, Y, [STILL], scoring=function)
    scores = evaluate_perturbations(
        Stub(), ROWS, Y, [STILL], scoring=lambda m, X, y: 0.25
    )
    assert scores.score[0] == 0.25
