"""Odd inputs of methods that once gave a wrong value, or an error from inside."""

import tempfile
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from messages import check_one_sentence
from odd_inputs.method_calls import Echo, images
from sklearn.linear_model import LogisticRegression

import skrobust
from skrobust.datasets import BatchedRows
from skrobust.metrics import StreamingMetric, compare_models, confidence_interval
from skrobust.sampling import (
    AccuracyGate,
    Annotations,
    ConfidencePredictor,
    CrossEntropySampler,
    LivingPool,
    OperationalSampler,
    SimpleRandomSampler,
    StratifiedSampler,
    ThresholdPredictor,
)

N = 40
LABELS, ONES = np.arange(N) % 2, np.ones(N)
X = np.random.default_rng(0).normal(size=(N, 2))
MODEL = LogisticRegression().fit(X, LABELS)
HIDDEN = np.ma.array(X, mask=np.arange(X.size).reshape(X.shape) == 0)
FIRST = [True, False, False]


def asked(**settings):
    sampler = SimpleRandomSampler(random_state=0, **settings)
    sampler.fit(ONES, y_pred=LABELS).ask(20)
    return sampler


def answered():
    sampler = asked()
    return sampler.tell(sampler.ids_, LABELS[sampler.ids_])


# Answers and their ids


def test_a_gate_reads_no_masked_outcome():
    gate = AccuracyGate(0.9, margin=0.05)
    hidden = np.ma.array([1] + [0] * 80, mask=[1] + [0] * 80)
    check_one_sentence(lambda: gate.decide(hidden), "outcomes.*1 of 81 are missing")
    check_one_sentence(lambda: gate.decide(np.zeros((0, 3))), "outcomes")
    assert gate.decide([]) == gate.decide(np.zeros(0, bool))


def test_a_gate_of_the_ends_of_a_pool():
    for margin in (0.05, 1e-300):  # below the threshold lies an accuracy of 0 alone
        gate = AccuracyGate(1e-300, margin=margin, n_pool=50)
        assert gate.pass_probability(0.0) <= 0.05
        assert gate.pass_probability(1 / 50) > (0.95 if margin < 0.01 else 0.5)
        assert gate.decide([1, 1, 0]).verdict == "passes"
    check_one_sentence(
        lambda: AccuracyGate(0.9, margin=1e-10).decide([0]), "'margin'.*wide enough"
    )


@pytest.mark.parametrize(
    ("ids", "sentence"),
    [
        (np.ma.array([7, 6, 1], mask=FIRST), "ids is a masked array"),
        ([True, False, True], "'ids'.*integer positions"),
        (np.array([7, 6, 1], dtype=object), "'ids'.*integer positions"),
        ([7.0, 6.0, 1.0], "'ids'.*integer positions"),
        ([[7], [6, 1], [2]], "rows of one shape"),
        ([7, 6, 99], "id 99 is outside the pool"),
    ],
)
def test_annotations_and_pools_read_ids_as_samplers_do(ids, sentence):
    pool = LivingPool(SimpleRandomSampler(), random_state=0).extend(ONES)
    pool.ask(20)
    notes = Annotations(asked(), random_state=0)
    failed = [0, 1, 0]
    check_one_sentence(lambda: asked().tell(ids, failed=failed), sentence)
    check_one_sentence(
        lambda: notes.tell(ids, failed=failed, annotator="ann"), sentence
    )
    check_one_sentence(lambda: pool.tell(ids, failed=failed), f"{sentence}|below {N}")
    assert not notes._answers


def test_no_answers_change_nothing():
    pool = LivingPool(SimpleRandomSampler(), random_state=0).extend(ONES)
    pool.ask(5)
    notes = Annotations(asked())
    assert pool.tell([], failed=[]) is pool
    assert notes.tell([], failed=[], annotator="ann") is notes
    assert not notes._answers


@pytest.mark.parametrize(
    "half", [Fraction(1, 2), np.longdouble("0.5"), np.float16(0.5)]
)
def test_answers_of_any_number_can_be_saved(half):
    whole = type(half)(1)
    for given in ({"loss": [half, whole]}, {"failed": [whole, whole]}):
        sampler = asked()
        sampler.tell(sampler.ids_[:2], **given)
        plain = asked()
        (kind, values), *_ = given.items()
        plain.tell(plain.ids_[:2], **{kind: [float(one) for one in values]})
        again = SimpleRandomSampler.from_json(sampler.to_json())
        assert again.result().interval == plain.result().interval
        assert again.to_json() == sampler.to_json()


def test_labels_of_annotations_can_be_saved():
    notes = Annotations(asked(), random_state=0)
    ids = notes.sampler.ids_
    for name in "ab":
        labels = [Fraction(int(i) % 2) for i in ids]
        notes.tell(ids, labels, annotator=name)
    again = Annotations.from_json(notes.to_json(), notes.sampler)
    assert str(again.noise()) == str(notes.noise())
    pairs = np.empty(N, dtype=object)
    pairs[:] = [(int(i) % 2, 1) for i in range(N)]
    sampler = SimpleRandomSampler(random_state=0).fit(ONES, y_pred=pairs)
    notes = Annotations(sampler).tell(sampler.ask(1), [(1, 1)], annotator="ann")
    check_one_sentence(notes.to_json, "true label.*cannot be written as JSON")


@pytest.mark.parametrize("odd", [[[0]] * 20, [[0], *[[1, 2]] * 19], [np.ones(2)] * 20])
def test_an_answer_is_one_value(odd):
    for sampler in (asked(), asked(loss=lambda y, p: abs(y - p) / 2)):
        ids = sampler.ids_
        check_one_sentence(lambda s=sampler, i=ids: s.tell(i, odd), "'y_true'.*one")


@pytest.mark.parametrize(
    ("odd", "sentence"),
    [
        (lambda n: np.ma.array(np.zeros(n), mask=np.arange(n) == 0), "masked array"),
        (lambda n: [[0]] + [[1, 2]] * (n - 1), "rows of one shape"),
        (lambda n: np.zeros(n) + 1j, "real losses"),
        (lambda n: None, "one number for each"),
    ],
)
def test_losses_of_a_function_are_read(odd, sentence):
    sampler = asked(loss=lambda y, p: odd(len(p)))
    check_one_sentence(lambda: sampler.tell(sampler.ids_, ONES[:20]), sentence)


# Arguments of samplers


@pytest.mark.parametrize(
    "odd", ["False", 0, None, pd.NA, np.array([1, 2]), [], np.array(True)]
)
def test_flags_of_stored_samplers(odd, tmp_path):
    sampler = answered()
    text = sampler.to_json()
    for call, name in [
        (lambda: SimpleRandomSampler.from_json(text, frozen=odd), "frozen"),
        (lambda: sampler.to_json(include_pool=odd), "include_pool"),
        (lambda: sampler.save(tmp_path / "a", include_pool=odd), "include_pool"),
    ]:
        check_one_sentence(call, f"'{name}'.*True or False")


@pytest.mark.parametrize("odd", [None, 3, "", b"a\0b", [], "a\0b"])
def test_a_state_is_saved_at_a_path(odd):
    check_one_sentence(lambda: answered().save(odd), "'path'.*save must be a path")


@pytest.mark.parametrize(
    "odd", [np.array(["a", "b"]), pd.DataFrame({"a": [1]}), pd.NA, ["a"], np.nan]
)
def test_names_of_compared_models(odd):
    sampler = answered().add_model("b", y_pred=1 - LABELS)
    check_one_sentence(lambda: sampler.compare(odd), "knows no model")
    check_one_sentence(lambda: sampler.compare("b", odd), "knows no model")
    check_one_sentence(lambda: sampler.compare("b", "b"), "'second'.*another model")


@pytest.mark.parametrize("odd", [0.1, np.array(0.1), object(), len])
def test_a_predictor_has_a_value_for_each_input(odd):
    sampler = answered()
    check_one_sentence(lambda: sampler.metric("recall", predictor=odd), "'predictor'")
    check_one_sentence(lambda: sampler.estimate(np.equal, predictor=odd), "'predictor'")


@pytest.mark.parametrize(
    ("odd", "sentence"),
    [
        (lambda n: np.zeros(n) + 1j, "Complex"),
        (lambda n: np.full(n, np.nan), "finite number"),
    ],
)
def test_what_is_expected_over_classes_is_a_number(odd, sentence):
    def number(y_true, y_pred):  # odd for the pool alone, of which it is expected
        return odd(N) if len(y_pred) == N else np.zeros(len(y_pred))

    sampler = answered()
    predictor = np.full(N, 0.25)
    check_one_sentence(lambda: sampler.estimate(number, predictor=predictor), sentence)


@pytest.mark.parametrize("kind", [OperationalSampler, StratifiedSampler])
def test_any_budget_may_be_spent(kind):
    for scale in (1.0, 1e-300):
        results = []
        for budget in (1e4, 1e20, 1e300):
            sampler = kind(random_state=0)
            sampler.fit(np.linspace(0, 1, N), costs=np.full(N, scale))
            result = sampler.sample(budget=budget * scale, oracle=lambda ids: ids > 30)
            results.append((result.n_labels, result.accuracy))
        assert set(results) == {(N, results[0][1])}
    check_one_sentence(
        lambda: kind().fit(np.linspace(0, 1, N), costs=np.full(N, 1e308)), "'costs'"
    )


@pytest.mark.parametrize("odd", [10**400, "a", None, np.nan, 1j])
def test_features_are_finite_numbers(odd):
    rows = np.array([[odd]] * N, dtype=object)
    check_one_sentence(
        lambda: answered().result(estimator="learned", features=rows),
        "features|Complex|finite",
    )
    check_one_sentence(
        lambda: OperationalSampler().fit(ONES / 2, features=rows), "features"
    )


def test_settings_of_results_are_named_with_their_owner():
    pool = LivingPool(SimpleRandomSampler(), random_state=0).extend(ONES)
    pool.tell(pool.ask(9), failed=np.arange(9) % 2)
    for call, sentence in [
        (lambda: pool.result(foo=1), r"LivingPool\.result has no argument foo"),
        (lambda: pool.results_by_part(foo=1), r"LivingPool\.results_by_part has no"),
        (lambda: Annotations(asked()).result(foo=1), r"Annotations\.result has no"),
    ]:
        check_one_sentence(call, sentence)
    check_one_sentence(
        lambda: pool.extend(ONES).ask(part=np.timedelta64(1, "D")), "'part'"
    )


def test_cross_entropy_sampling_cannot_say_when_to_stop():
    sampler = CrossEntropySampler(random_state=0).fit(np.linspace(0.1, 0.9, 60))
    sampler.tell(sampler.ask(40), failed=np.arange(40) % 4 == 0)
    check_one_sentence(
        lambda: sampler.should_stop(0.1), r"should_stop needs an interval"
    )


def test_lists_are_no_predicted_labels():
    lists = np.empty(N, dtype=object)
    lists[:] = [[i] for i in range(N)]
    for call in (
        lambda: SimpleRandomSampler().fit(ONES, y_pred=lists),
        lambda: answered().add_model("b", y_pred=lists),
    ):
        check_one_sentence(call, "'y_pred'.*one value for each row")


# Rows


@pytest.mark.parametrize(
    "call",
    [
        lambda rows: ConfidencePredictor(MODEL).fit(rows, LABELS),
        lambda rows: ThresholdPredictor(MODEL).fit(X, LABELS).predict_failure(rows),
        lambda rows: skrobust.wrap(MODEL).predict(rows),
        lambda rows: skrobust.wrap(lambda rows: rows[:, 0], response="values").predict(
            rows
        ),
        lambda rows: answered().add_model("b", MODEL, rows),
        lambda rows: BatchedRows.from_arrays(rows),
    ],
)
def test_masked_rows_are_never_handed_to_a_model(call):
    check_one_sentence(lambda: call(HIDDEN), "X is a masked array")
    call(np.ma.array(X))


@pytest.mark.parametrize("odd", [(r for r in X), {"a": 1}, {1}, None, 3, np.array(1.0)])
def test_a_wrapped_function_takes_rows(odd):
    model = skrobust.wrap(lambda rows: rows[:, 0], response="values")
    check_one_sentence(lambda: model.predict(odd), "wrap.*an array, a list or a frame")
    for text in ("abc", b"abc", bytearray(b"abc")):
        check_one_sentence(lambda t=text: model.predict(t), "'X'.*list of texts")


def test_an_endpoint_takes_rows():
    endpoint = Echo("http://localhost")
    for odd in (None, 3, np.array(1.0)):
        check_one_sentence(lambda o=odd: endpoint(o), "'rows'.*HTTPEndpoint")
    assert endpoint([np.float32(0.5)] * 2) == [1, 1]


@pytest.mark.parametrize(
    "odd",
    [
        [0.0, 1.0], None, "a", [[0], [1]], [[0], [1, 2]], np.array([0], object), [7],
        [-4], [True], slice("a"), iter([0]), {0: 1}, np.uint64(2**64 - 1),
        np.ma.array([0, 1], mask=[1, 0]), [np.nan], np.timedelta64(1, "D"),
    ],
)  # fmt: skip
def test_rows_of_images_are_positions_or_a_mask(odd):
    found = images()
    check_one_sentence(lambda: found.take(odd), "rows")
    check_one_sentence(lambda: found.images.take(odd), "rows")


def test_images_are_taken_by_any_positions():
    found = images()
    for rows, right in [
        ([], []), (1, [1]), (np.int8(-1), [2]), (slice(None, None, -1), [2, 1, 0]),
        ([True, False, True], [0, 2]), (pd.Series([2, 0]), [2, 0]), ((), []),
    ]:  # fmt: skip
        part = found.take(rows)
        assert part.target.tolist() == found.target[right].tolist()
        assert (
            part.images.shape == found.images.take(rows).shape == (len(right), 4, 4, 3)
        )
        assert part.filenames.tolist() == found.filenames[right].tolist()
        assert repr(part).startswith(f"ImageSet({len(right)} images")
    hidden = np.ma.array([0, 1], mask=[1, 0])
    check_one_sentence(lambda: found.images[hidden], "masked array")


def test_a_mapped_file_without_a_name():
    with tempfile.TemporaryFile() as file:
        mapped = np.memmap(file, dtype=float, mode="w+", shape=X.shape)
        mapped[:] = X
        parts = [part for part, _ in BatchedRows.from_arrays(mapped, batch_size=7)]
    np.testing.assert_array_equal(np.concatenate(parts), X)


def test_batches_of_frames_and_tensors():
    torch = pytest.importorskip("torch")
    for rows in (pd.DataFrame(X), torch.tensor(X), torch.tensor(X, requires_grad=True)):
        parts = [np.asarray(part) for part, _ in BatchedRows.from_arrays(rows)]
        np.testing.assert_array_equal(np.concatenate(parts), X)


# Metrics


def test_models_may_answer_with_tensors():
    torch = pytest.importorskip("torch")
    both = {"a": LABELS, "b": np.where(np.arange(N) % 5, LABELS, 0)}
    tensors = {name: torch.tensor(one) for name, one in both.items()}
    settings = {"y_true": LABELS, "random_state": 0}
    right, found = (compare_models(one, **settings) for one in (both, tensors))
    assert repr(found) == repr(right)


@pytest.mark.parametrize("size", [1e200, 1e-200])
def test_weights_can_be_squared(size):
    answers = np.where(np.arange(N) % 5, LABELS, 0)
    weight = np.linspace(1, 2, N)
    stream = StreamingMetric("accuracy")
    for call in (
        lambda w: stream.partial_update(LABELS, answers, sample_weight=w),
        lambda w: confidence_interval("accuracy", LABELS, answers, sample_weight=w),
        lambda w: compare_models(
            {"a": answers, "b": 1 - answers}, y_true=LABELS, sample_weight=w
        ),
    ):
        check_one_sentence(lambda c=call: c(weight * size), "'sample_weight'.*squared")
        call(weight * size**0.5)
