"""The ask/tell contract of samplers: ids, answers, errors, models, containers."""

import copy
import pickle

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import check_estimator
from small_samplers import FAILED, SCORES, facts

from skrobust.sampling import (
    DeepESTSampler,
    GradientSampler,
    OperationalSampler,
    SamplingResult,
    SimpleRandomSampler,
)

SAMPLERS = [
    SimpleRandomSampler(random_state=0),
    SimpleRandomSampler(interval="wilson", random_state=0),
    DeepESTSampler(random_state=0),
    DeepESTSampler(rule="released", random_state=0),
]
every_sampler = pytest.mark.parametrize("sampler", SAMPLERS, ids=repr)


def row_sums(X):
    return np.abs(np.asarray(X)).sum(axis=1)


@pytest.fixture(scope="module")
def classes():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    y = np.where(X[:, 0] + rng.normal(size=80) > 0, "yes", "no")
    return X, y


@every_sampler
def test_ids_are_distinct_and_asked_once(sampler):
    sampler = clone(sampler).fit(SCORES)
    ids = np.concatenate([sampler.ask(7), sampler.ask(), sampler.ask(52)])
    assert sorted(ids) == list(range(60))
    np.testing.assert_array_equal(sampler.ids_, ids)
    with pytest.raises(ValueError, match="0 left, 1 asked"):
        sampler.ask()


@every_sampler
def test_asking_at_once_is_asking_one_by_one(sampler):
    at_once, one_by_one = clone(sampler).fit(SCORES), clone(sampler).fit(SCORES)
    ids = [one_by_one.ask()[0] for _ in range(20)]
    np.testing.assert_array_equal(at_once.ask(20), ids)
    np.testing.assert_array_equal(
        at_once.draw_probabilities_, one_by_one.draw_probabilities_
    )


@every_sampler
def test_asking_too_many_changes_nothing(sampler):
    sampler = clone(sampler).fit([0.1, 0.5, 0.9])
    sampler.ask(2)
    with pytest.raises(ValueError, match="1 left, 5 asked"):
        sampler.ask(5)
    assert len(sampler.ids_) == 2
    assert len(sampler.ask(1)) == 1


@pytest.mark.parametrize("n", [0, -1, 1.5, True, "2"])
def test_ask_wants_a_count(n):
    with pytest.raises(ValueError, match="'n' parameter"):
        DeepESTSampler().fit(SCORES).ask(n)


@every_sampler
def test_same_int_same_ids_and_generators_move_on(sampler):
    first = clone(sampler).fit(SCORES).ask(20)
    np.testing.assert_array_equal(clone(sampler).fit(SCORES).ask(20), first)
    other = clone(sampler).set_params(random_state=1).fit(SCORES).ask(20)
    assert (first != other).any()
    for source in (np.random.RandomState(0), np.random.default_rng(0), None):
        again = clone(sampler).set_params(random_state=source)
        assert (again.fit(SCORES).ask(20) != again.fit(SCORES).ask(20)).any()
    with pytest.raises(ValueError, match="'random_state' parameter"):
        clone(sampler).set_params(random_state="seed").fit(SCORES)


@every_sampler
def test_answers_out_of_order_give_the_same_result(sampler):
    in_order, shuffled = clone(sampler).fit(SCORES), clone(sampler).fit(SCORES)
    ids = in_order.ask(20)
    shuffled.ask(20)
    in_order.tell(ids, failed=FAILED[ids])
    late = np.random.default_rng(0).permutation(ids)
    for part in (late[:3], late[3:4], late[4:]):
        shuffled.tell(part, failed=FAILED[part])
    assert facts(shuffled.result()) == facts(in_order.result())


@every_sampler
def test_open_questions_are_not_divided_by(sampler):
    sampler, short = clone(sampler).fit(SCORES), clone(sampler).fit(SCORES)
    ids = sampler.ask(20)
    short.tell(short.ask(8), failed=FAILED[ids[:8]])
    told = np.delete(ids, 8)
    result = sampler.tell(told, failed=FAILED[told]).result()
    assert result.accuracy == short.result().accuracy
    assert result.std_error == short.result().std_error
    assert result.n_labels == 19
    assert result.n_failures == FAILED[told].sum()
    assert result.warnings[0].startswith("11 told answers are not in the estimate")
    assert f"answer or skip id {ids[8]}," in result.warnings[0]
    np.testing.assert_array_equal(sampler.pending_, ids[8:9])


@every_sampler
def test_bad_ids_and_answers_change_nothing(sampler):
    sampler = clone(sampler).fit(SCORES, y_pred=np.arange(60))
    ids = sampler.ask(6)
    sampler.tell(ids[:3], failed=[1, 0, 0])
    free = next(i for i in range(60) if i not in ids)
    before = facts(sampler.result())
    a, b = ids[3], ids[4]
    bad = [
        ([a, ids[0]], {"failed": [0, 0]}, f"id {ids[0]} was told already"),
        ([a, a], {"failed": [0, 0]}, f"id {a} was told already"),
        ([a, free], {"failed": [0, 0]}, f"id {free} was never asked"),
        ([a, 99], {"failed": [0, 0]}, "id 99 is outside the pool of 60"),
        ([a, -1], {"failed": [0, 0]}, "id -1 is outside"),
        ([a, b], {"failed": [0]}, "2 ids, 1 failed"),
        ([a, b], {"failed": FAILED}, r"60 failed; pass failed\[ids\]"),
        ([a, b], {"y_true": [1, 2, 3]}, "2 ids, 3 y_true"),
        ([a, b], {}, "one of the three"),
        ([a, b], {"y_true": [0, 0], "failed": [0, 0]}, "one of the three"),
        ([a, b], {"failed": [0, 2]}, f"got 2 for id {b}"),
        ([a, b], {"failed": ["no", "yes"]}, f"got 'no' for id {a}"),
        ([a, b], {"y_true": ["1", "2"]}, f"of id {a} are of different types"),
        ([a, b], {"y_true": np.eye(2)}, "'y_true' parameter"),
        ([True, False], {"failed": [0, 0]}, "'ids' parameter"),
        ([0.5], {"failed": [0]}, "'ids' parameter"),
    ]
    for told, answers, message in bad:
        with pytest.raises(ValueError, match=message):
            sampler.tell(told, **answers)
        assert facts(sampler.result()) == before
    sampler.tell(ids[3:], failed=[True, False, True])
    assert sampler.result().n_labels == 6


@every_sampler
def test_nothing_is_claimed_before_two_labels(sampler):
    sampler = clone(sampler).fit(SCORES)
    with_one = clone(sampler).fit(SCORES)
    with_one.tell(with_one.ask(), failed=[True])
    for result in (sampler.result(), with_one.result()):
        assert np.isnan(result.accuracy)
        assert np.isnan(result.std_error)
        assert result.interval == (0, 1)
        assert result.warnings
    assert with_one.result().n_failures == 1


@every_sampler
def test_the_whole_pool_gives_the_exact_accuracy(sampler):
    sampler = clone(sampler).fit(SCORES)
    nearly = sampler.sample(59, lambda ids: FAILED[ids])
    low, high = nearly.interval
    assert low <= 1 - FAILED.mean() <= high
    # One input is unknown; only an unbiased estimate may lie beyond.
    most = 1 - nearly.n_failures / 60
    assert high <= max(most, nearly.accuracy) + 1e-12
    assert low >= min(most - 1 / 60, nearly.accuracy) - 1e-12
    result = sampler.sample(1, lambda ids: FAILED[ids])
    assert result.accuracy == 1 - FAILED.mean()
    assert result.interval == (result.accuracy, result.accuracy)
    assert (result.std_error, result.method) == (0, "census")


@every_sampler
def test_interval_is_inside_the_counts_and_grows_with_confidence(sampler):
    sampler = clone(sampler).fit(SCORES)
    sampler.sample(25, lambda ids: FAILED[ids])
    wide, narrow = sampler.result(confidence=0.99), sampler.result(confidence=0.6)
    assert wide.interval[0] <= narrow.interval[0] < narrow.interval[1]
    assert wide.interval[1] - wide.interval[0] > narrow.interval[1] - narrow.interval[0]
    f, n, n_pool = wide.n_failures, 25, 60
    assert wide.interval[0] >= 1 - (f + n_pool - n) / n_pool - 1e-12
    assert wide.interval[1] <= 1 - f / n_pool + 1e-12
    for bad in (0, 1, 95, np.nan, "0.95", True):
        with pytest.raises(ValueError, match="'confidence' parameter"):
            sampler.result(confidence=bad)


@every_sampler
def test_agreement_of_all_answers_is_no_certainty(sampler):
    for answer in (0, 1):
        fresh = clone(sampler).fit(np.full(1000, 0.2))
        result = fresh.sample(20, lambda ids, a=answer: [a] * len(ids))
        low, high = result.interval
        assert result.accuracy == 1 - answer
        assert high - low > 0.1
        assert low <= result.accuracy <= high


def test_few_effective_residuals_are_warned_of():
    scores = np.r_[np.full(10, 0.9), np.full(2000, 0.01)]
    sampler = DeepESTSampler(rule="released", random_state=0).fit(scores)
    one = sampler.ask(100)
    result = sampler.tell(one, failed=one == one[-1]).result()
    # Rare draws met one misprediction; the interval covers what they cannot exclude.
    assert result.method == "t, widened"
    assert result.effective_n < 10
    assert "widened by what these cannot exclude" in result.warnings[0]
    assert result.interval[0] < result.accuracy - 0.1
    many = DeepESTSampler(random_state=0).fit(np.full(2000, 0.5))
    result = many.sample(200, lambda ids: ids % 2)
    assert result.effective_n > 100
    assert result.warnings == ()


def test_wilson_matches_the_textbook_where_the_pool_is_large():
    sampler = SimpleRandomSampler(interval="wilson", random_state=0)
    sampler.fit(np.ones(10**6))
    sampler.tell(sampler.ask(100), failed=np.arange(100) < 10)
    # Newcombe's formula at 10 of 100
    assert sampler.result().interval == pytest.approx((0.82563, 0.94478), abs=2e-5)


@every_sampler
def test_a_pickled_sampler_goes_on_bit_for_bit(sampler):
    sampler = clone(sampler).fit(SCORES)
    sampler.tell(sampler.ask(9)[:4], failed=[0, 1, 0, 1])
    resumed = pickle.loads(pickle.dumps(sampler))
    for _ in range(3):
        np.testing.assert_array_equal(resumed.ask(11), sampler.ask(11))
    np.testing.assert_array_equal(
        resumed.draw_probabilities_, sampler.draw_probabilities_
    )
    assert facts(resumed.result()) == facts(sampler.result())


@every_sampler
def test_clone_keeps_the_fitted_model(sampler, classes):
    X, y = classes
    model = LogisticRegression().fit(X, y)
    coefficients = model.coef_.copy()
    fitted = clone(sampler).set_params(estimator=model).fit(X)
    fresh = clone(fitted)
    assert fresh.estimator is model
    assert fitted.estimator is model
    np.testing.assert_array_equal(model.coef_, coefficients)
    assert fresh.get_params(deep=False) == fitted.get_params(deep=False)
    with pytest.raises(NotFittedError):
        fresh.ask()
    np.testing.assert_array_equal(fresh.fit(X).ask(10), fitted.ask(10))


@every_sampler
@pytest.mark.parametrize("verb", ["ask", "result", "tell"])
def test_unfitted(sampler, verb):
    arguments = ([0], [1]) if verb == "tell" else ()
    with pytest.raises(NotFittedError):
        getattr(clone(sampler), verb)(*arguments)


@every_sampler
@pytest.mark.parametrize("pool", [[], np.empty(0), np.empty((0, 3))])
def test_empty_pool(sampler, pool, classes):
    with pytest.raises(ValueError, match="at least one input"):
        clone(sampler).fit(pool)
    model = LogisticRegression().fit(*classes)
    with pytest.raises(ValueError, match="at least one input"):
        clone(sampler).set_params(estimator=model).fit(pool)


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ([0.1, -0.2], "at least 0"),
        ([0.1, np.nan], "finite"),
        ([0.1, np.inf], "finite"),
        (["a", "b"], "1-D array of numbers"),
        (0.5, "1-D array of numbers"),
    ],
)
@every_sampler
def test_bad_scores(sampler, scores, message):
    with pytest.raises(ValueError, match=message):
        clone(sampler).fit(scores)


def test_rows_need_a_model_or_a_callable():
    with pytest.raises(ValueError, match="1-D scores"):
        DeepESTSampler().fit(np.ones((5, 2)))
    assert SimpleRandomSampler().fit(np.ones((5, 2))).n_pool_ == 5


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"rule": "both"}, "'rule'"),
        ({"threshold": "mean"}, "'threshold'"),
        ({"threshold": np.nan}, "'threshold'"),
        ({"mixing": 1}, "'mixing'"),
        ({"mixing": -0.1}, "'mixing'"),
        ({"auxiliary": "gini"}, "'auxiliary'"),
        ({"standardize": "sd"}, "'standardize'"),
        ({"threshold": ("dsa", 0.5)}, "'threshold'"),
        ({"threshold": ("confidence", 1.5)}, "'threshold'"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        DeepESTSampler(**parameters).fit(SCORES)
    with pytest.raises(ValueError, match="'interval'"):
        SimpleRandomSampler(interval="t").fit(SCORES)


def test_thresholds():
    scores = np.array([0.0, 1.0, 2.0, 5.0])
    found = {
        rule: DeepESTSampler(threshold=rule).fit(scores).threshold_
        for rule in ("auto", "mean+2sd", "mean+sd", "mean+var", 0.25)
    }
    sd = np.sqrt(3.5)
    assert found == pytest.approx(
        {
            "auto": 2 + 2 * sd,
            "mean+2sd": 2 + 2 * sd,
            "mean+sd": 2 + sd,
            "mean+var": 5.5,
            0.25: 0.25,
        }
    )
    assert DeepESTSampler().fit(scores / 5).threshold_ == pytest.approx(0.3)
    by_array = DeepESTSampler(auxiliary=scores / 5).fit(np.ones((4, 1)))
    assert by_array.threshold_ == pytest.approx((2 + 2 * sd) / 5)


def test_suspicion_is_one_minus_confidence(classes):
    X, y = classes
    model = LogisticRegression().fit(X, y)
    sampler = DeepESTSampler(model, random_state=0).fit(X)
    confidence = model.predict_proba(X).max(axis=1)
    np.testing.assert_allclose(sampler.scores_, 1 - confidence)
    np.testing.assert_array_equal(sampler.y_pred_, model.predict(X))
    taken = np.arange(80) == np.argmin(confidence)
    q = sampler._probabilities(taken)
    free = np.flatnonzero(~taken)
    assert (np.diff(q[free[np.argsort(confidence[free])]]) <= 1e-15).all()


@every_sampler
def test_true_labels_are_compared_with_predictions(sampler, classes):
    X, y = classes
    model = LogisticRegression().fit(X, y)
    truth = model.score(X, y)
    by_model = clone(sampler).set_params(estimator=model).fit(X)
    assert by_model.sample(80, lambda ids: y[ids]).accuracy == truth
    by_scores = clone(sampler).fit(SCORES, y_pred=model.predict(X[:60]))
    wrong = model.predict(X) != y
    result = by_scores.sample(40, lambda ids: list(y[ids]))
    np.testing.assert_array_equal(
        result.failures, by_scores.ids_[wrong[by_scores.ids_]]
    )
    without = clone(sampler).fit(SCORES)
    with pytest.raises(ValueError, match="pass failed="):
        without.tell(without.ask(), ["yes"])


@pytest.mark.parametrize(
    ("y_pred", "y_true"),
    [
        (np.array([1, 2, 3]), [1.0, 5.0, 3.0]),
        (np.array([True, False, True]), np.array([True, True, True])),
        (np.array([(1, 2), "b", None, 0], dtype=object)[[1, 1, 1]], ["b", "c", "b"]),
        (np.array(["a", "b", "c"]), np.array(["a", "longer", "c"], dtype=object)),
    ],
)
def test_labels_of_any_type(y_pred, y_true):
    sampler = SimpleRandomSampler(random_state=0).fit([0.1] * 3, y_pred=y_pred)
    for i in sampler.ask(3):
        sampler.tell(i, y_true[i])
    np.testing.assert_array_equal(sampler.result().failures, [1])


def test_a_frame_gives_positions_whatever_its_index():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"colour": rng.choice(["red", "green"], size=50), "size": rng.normal(size=50)},
        index=np.arange(50) * 7 + 1000,
    )
    y = pd.Series(np.where(rng.random(50) < 0.3, "a", "b"), index=frame.index)
    model = make_pipeline(OneHotEncoder(handle_unknown="ignore"), LogisticRegression())
    model.fit(frame, y)
    sampler = DeepESTSampler(model, random_state=0).fit(frame)
    assert sampler.n_features_in_ == 2
    ids = sampler.ask(20)
    assert ids.max() < 50
    result = sampler.tell(ids, y.iloc[ids]).result()
    expected = (model.predict(frame) != y.to_numpy())[ids]
    assert result.n_failures == expected.sum()
    scores = pd.Series(SCORES, index=np.arange(60)[::-1] + 5)
    np.testing.assert_array_equal(
        DeepESTSampler(random_state=0).fit(scores).ask(30),
        DeepESTSampler(random_state=0).fit(SCORES).ask(30),
    )


class Watcher(ClassifierMixin, BaseEstimator):
    """A model that keeps what it was given, and cannot be fitted again."""

    def fit(self, X, y=None):
        raise AssertionError("the model must not be refitted")

    def predict(self, X):
        self.seen = X
        return np.arange(len(X)) % 2

    def predict_proba(self, X):
        return np.tile(np.float32([0.1, 0.9]), (len(X), 1))


@pytest.mark.parametrize(
    "X",
    [np.zeros((6, 1, 4, 4), dtype=np.float32), [["a text"], ["another"]], ["a", "b"]],
    ids=["images", "rows of strings", "texts"],
)
@every_sampler
def test_inputs_reach_the_model_as_they_are(sampler, X):
    model = Watcher()
    sampler = clone(sampler).set_params(estimator=model).fit(X)
    assert type(model.seen) is type(X)  # a copy, which the model may write to
    assert np.array_equal(model.seen, X)
    assert np.asarray(model.seen).dtype == np.asarray(X).dtype
    assert sampler.n_pool_ == len(X)


def test_models_without_probabilities_or_labels(classes):
    X, y = classes
    model = LinearSVC().fit(X, y)
    with pytest.raises(ValueError, match="predict_proba"):
        DeepESTSampler(model).fit(X)
    sampler = SimpleRandomSampler(model, random_state=0).fit(X)
    assert sampler.scores_ is None
    result = sampler.sample(80, lambda ids: y[ids])
    assert result.accuracy == model.score(X, y)
    by_margin = DeepESTSampler(
        model, auxiliary=lambda X: 1 / (1 + np.abs(model.decision_function(X)))
    )
    assert by_margin.fit(X).scores_.shape == (80,)
    regressor = LinearRegression().fit(X, X[:, 0])
    sampler = DeepESTSampler(regressor, auxiliary=row_sums, random_state=0).fit(X)
    ids = sampler.ask(3)
    with pytest.raises(ValueError, match="pass failed="):
        sampler.tell(ids, X[ids, 0])
    assert sampler.tell(ids, failed=[0, 1, 0]).result().n_failures == 1


@every_sampler
def test_lengths_must_agree(sampler, classes):
    with pytest.raises(ValueError, match="equal length"):
        clone(sampler).fit(SCORES, y_pred=[1, 2])
    X, y = classes
    model = LogisticRegression().fit(X, y)
    with pytest.raises(ValueError, match="equal length"):
        clone(sampler).set_params(estimator=model, auxiliary=SCORES).fit(X)


@pytest.mark.parametrize(
    "sampler",
    [DeepESTSampler(auxiliary=row_sums), SimpleRandomSampler(auxiliary=row_sums)],
    ids=["DeepESTSampler", "SimpleRandomSampler"],
)
def test_scikit_learn_checks(sampler):
    results = check_estimator(sampler, on_skip=None, on_fail=None)
    passed = [r for r in results if r["status"] == "passed"]
    failed = {r["check_name"]: r["exception"] for r in results if "fail" in r["status"]}
    assert failed == {}
    assert len(passed) >= 30


def test_result_reads_well():
    sampler = DeepESTSampler(random_state=0).fit(SCORES)
    result = sampler.sample(20, lambda ids: FAILED[ids])
    assert isinstance(result, SamplingResult)
    assert f"accuracy {result.accuracy:.4f}, 95 % interval" in str(result)
    assert f"20 of 60 labelled, {result.n_failures} mispredictions" in str(result)
    assert f"accuracy={result.accuracy:.4f}" in repr(result)
    assert result._repr_html_().startswith("<p>accuracy")
    with pytest.raises(AttributeError):
        result.accuracy = 1.0


def test_parameters_set_after_drawing_change_nothing():
    scores = np.linspace(0.1, 1, 200)
    sampler = DeepESTSampler(random_state=0, threshold=0.0).fit(scores)
    sampler.tell(sampler.ask(50), failed=np.zeros(50))
    before = sampler.result().interval
    assert sampler.set_params(mixing=0.1, rule="released").result().interval == before
    with pytest.raises(ValueError, match="'mixing'"):
        sampler.set_params(mixing=1.0).result()
    plain = SimpleRandomSampler(random_state=0).fit(np.ones(10))
    with pytest.raises(ValueError, match="'interval'"):
        plain.set_params(interval="guess").result()


def test_a_copy_is_a_sampler_of_its_own():
    sampler = DeepESTSampler(rule="released", threshold=0.0, random_state=1)
    sampler.fit(np.linspace(0.1, 1, 8)).ask(1)
    copy.copy(sampler).ask(3)
    twin = copy.deepcopy(sampler)
    assert np.array_equal(sampler.ask(5), twin.ask(5))
    assert np.allclose(sampler.draw_probabilities_, twin.draw_probabilities_)
    assert len(sampler.ids_) == 6


def test_predictions_are_copied():
    predicted = np.zeros(50, int)
    sampler = SimpleRandomSampler(random_state=0).fit(np.ones(50), y_pred=predicted)
    ids = sampler.ask(5)
    predicted[:] = 1
    assert sampler.tell(ids, np.zeros(5, int)).result().accuracy == 1


@pytest.mark.parametrize(
    "kind", [SimpleRandomSampler, GradientSampler, OperationalSampler]
)
def test_labels_in_place_of_an_oracle_are_refused_before_anything_is_asked(kind):
    # The message must come before a first draw.
    sampler = kind(random_state=0).fit(np.linspace(0, 1, 50))
    labels = np.zeros(50, dtype=bool)
    with pytest.raises(ValueError, match="'oracle' parameter of"):
        sampler.sample(10, labels)
    assert not len(sampler.ids_)
    assert sampler.sample(10, labels.take).n_labels == 10
