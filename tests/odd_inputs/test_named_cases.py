"""Odd inputs that once gave a wrong value, one for each reader of arguments."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from messages import check_one_sentence
from sklearn.linear_model import LogisticRegression, Ridge

import skrobust
from skrobust import perturbations
from skrobust._containers import to_array
from skrobust.attacks import FGSM, AutoAttack, Square, WordSubstitution
from skrobust.base.changed_rows import row_distortion, same_cells
from skrobust.certificates import SmoothedClassifier
from skrobust.datasets import BatchedRows, FaceCrop, load_image_folder
from skrobust.evaluation import verify_record
from skrobust.metrics import (
    BaseScorer,
    accuracy_stability_f_score,
    by_group,
    compare_models,
    normalized_accuracy_score,
    normalized_r2_score,
    period_stability_index,
    probability_shift,
    proportion_interval,
    robust_accuracy_score,
)
from skrobust.perturbations import (
    FeatureNoise,
    GaussianBlur,
    GaussianNoise,
    LabelNoiseClassifier,
    PerturbedRegressor,
    SaltAndPepper,
    TimeWarp,
    Translation,
    UnitError,
)
from skrobust.perturbations.tables import array_table
from skrobust.report import build_markdown, build_report, report_from_json
from skrobust.sampling import (
    ConfidenceStratifiedSampler,
    LikelihoodSurprise,
    MahalanobisSurprise,
    SimpleRandomSampler,
    plan_two_phase,
    two_phase_accuracy,
)
from skrobust.testing._check_perturbation import _rows_for as rows_for

Y = np.arange(12) % 2
P = np.column_stack([1 - Y * 0.6 - 0.2, Y * 0.6 + 0.2])
X = np.random.default_rng(0).random((12, 3))
MASK = np.arange(12) == 3


def masked(values):
    return np.ma.array(
        values, mask=np.arange(np.size(values)).reshape(values.shape) == 3
    )


@pytest.mark.parametrize(
    "call",
    [
        lambda of: robust_accuracy_score(of(Y), Y),
        lambda of: probability_shift(of(P), P[::-1]),
        lambda of: GaussianNoise(std=0.1).perturb(None, of(X)),
        lambda of: FeatureNoise(sd=0.1).fit(of(X)),
        lambda of: FGSM(0.1).perturb(LogisticRegression().fit(X, Y), of(X), Y),
        lambda of: SimpleRandomSampler().fit(of(P[:, 0])),
        lambda of: PerturbedRegressor(Ridge(), GaussianNoise(std=0.1)).fit(X, of(Y)),
    ],
)
def test_a_mask_is_never_ignored(call):
    check_one_sentence(lambda: call(masked), "missing|mask|NaN")
    call(np.ma.array)  # without a mask it is an array
    call(lambda values: np.ma.array(values, mask=np.zeros(values.shape, bool)))


def test_fractions_are_numbers():
    scores = [0.9, 0.8, 0.7]
    half = accuracy_stability_f_score(scores, beta=0.5)
    assert accuracy_stability_f_score(scores, beta=Fraction(1, 2)) == half
    exact = [Fraction(9, 10), Fraction(4, 5), Fraction(7, 10)]
    assert accuracy_stability_f_score(exact, beta=0.5) == pytest.approx(half, abs=1e-15)
    rows = np.ones((2, 4, 4))
    outs = [
        GaussianNoise(std=std, random_state=0).perturb(None, rows)
        for std in (0.5, Fraction(1, 2))
    ]
    np.testing.assert_array_equal(*outs)
    # Other parameters of a class are computed with as they are.
    check_one_sentence(lambda: FGSM(Fraction(1, 2)).perturb(None, X), "'eps'.*float")


def strengths():
    """Yield the perturbations, with each of their strengths that is no count."""
    for cls in map(vars(perturbations).get, perturbations.__all__):
        for name, strength in getattr(cls, "_strengths", {}).items():
            value = cls._strong_params.get(name) or (*strength.levels, None)[0]
            if value and not strength.whole:
                yield cls, name, float(value)


def test_every_strength_may_be_a_fraction():
    n = 0
    for cls, name, value in strengths():
        made = [cls(**{name: v}, random_state=0) for v in (value, Fraction(value))]
        rows = rows_for(made[0])
        try:
            right, out = (p.fit(rows).perturb(None, rows) for p in made)
        except ValueError:  # needs a column of dates, three channels, a sampling rate
            assert cls.__name__ in {"CategoryFlip", "DateShift", "MainsHum", "Saturate"}
            continue
        np.testing.assert_array_equal(out, right)
        n += 1
    assert n > 80


@pytest.mark.parametrize("number", [2**63, 10**400])
def test_counts_end(number):
    models = {"a": Y == 1, "b": Y == 0}
    check_one_sentence(
        lambda: compare_models(models, n_resamples=number), "'n_resamples'.*at most"
    )
    check_one_sentence(
        lambda: normalized_accuracy_score(Y, Y, n_features=number), "'n_features'"
    )
    check_one_sentence(
        lambda: accuracy_stability_f_score([0.9, 0.8], beta=10**400), "'beta'"
    )


def test_answers_are_of_the_kind_of_the_predictions():
    sampler = SimpleRandomSampler(random_state=0).fit(
        np.ones(12), y_pred=Y.astype("S1")
    )
    ids = sampler.ask(4)
    check_one_sentence(lambda: sampler.tell(ids, Y[ids]), "different types")
    assert sampler.tell(ids, Y[ids].astype("S1")).result().accuracy == 1
    assert sampler.tell(sampler.ask(2), Y.astype(str)[sampler.pending_]) is sampler


@pytest.mark.parametrize("label", [np.nan, None, b"1", "1", 1j])
def test_predictions_are_read_as_the_labels_of_metrics(label):
    mixed = np.array([*Y[:-1].tolist(), label], dtype=object)
    sampler = SimpleRandomSampler()
    check_one_sentence(lambda: sampler.fit(np.ones(12), y_pred=mixed), "y_pred")


def test_a_period_is_finite():
    times = np.repeat([1.0, 2.0, np.inf], 4)
    check_one_sentence(lambda: period_stability_index(Y, Y, times), "finite times")


@pytest.mark.parametrize(
    "perturbation",
    [Translation(distance=1e308), GaussianBlur(std=1e308), TimeWarp(std=1e4)],
)
def test_strengths_beyond_reason_are_refused(perturbation):
    rows = np.random.default_rng(0).random(
        (2, 8, 8 if "W" not in str(perturbation) else 2)
    )
    check_one_sentence(
        lambda: perturbation.fit(rows).perturb(None, rows), "number|at most"
    )


@pytest.mark.parametrize("severity", [5e-324, 1e-300])
def test_the_least_severity_changes_next_to_nothing(severity):
    rows = np.random.default_rng(0).random((2, 8, 8))
    for kind in (GaussianBlur, GaussianNoise, Translation):
        out = kind(severity, random_state=0).perturb(None, rows)
        np.testing.assert_allclose(out, rows, atol=1e-12)


@pytest.mark.parametrize(
    "odd", [iter([[0.0, 1.0]]), {"a": [0, 1]}, {0, 1}, [[0.0], [0.0, 1.0]], 3, None, 1j]
)
def test_what_is_no_array_is_named(odd):
    check_one_sentence(lambda: GaussianNoise(std=0.1).perturb(None, odd), "X")


@pytest.mark.parametrize("path", [b"a", 3, "", "a\0b", "\ud800", "x" * 300, ["a"]])
def test_what_names_no_file_is_refused_before_the_work(path):
    for call in (report_from_json, verify_record, load_image_folder):
        check_one_sentence(lambda call=call: call(path), "path|source")


@pytest.mark.parametrize("collected", [None, {}, [], "text", {"models": []}])
def test_what_is_no_report_is_named(collected):
    for call in (build_report, build_markdown):
        check_one_sentence(lambda call=call: call(collected), "'collected'")


def test_numbers_of_nullable_frames_and_of_objects_are_numbers():
    numbers = np.round(X, 3)
    whole = pd.DataFrame({"a": numbers[:, 0], "b": np.arange(12)}).convert_dtypes()
    gone = whole.mask(whole["b"] == 3)
    assert to_array(whole).dtype == np.float64
    np.testing.assert_array_equal(np.isnan(to_array(gone)).sum(axis=0), [1, 1])
    assert to_array(whole[["b"]]).dtype.kind == "i"
    moved = numbers + 0.5
    distance, unit = row_distortion(numbers.astype(object), moved.astype(object))
    assert unit == "root mean square"
    np.testing.assert_allclose(distance, 0.5)


def test_a_metric_that_takes_no_such_data_says_so():
    def exact_score(y_true, y_pred):
        if y_true.dtype.kind == "U":
            raise ValueError("this metric takes numbers")
        return np.mean(y_true == y_pred)

    groups = {"groups": Y, "n_permutations": 9}
    with pytest.raises(ValueError, match="takes numbers"):
        by_group(exact_score, Y.astype(str), Y, **groups)
    assert (by_group(exact_score, Y, Y, **groups).value == 1).all()


def test_the_last_count_is_that_of_all_counts():
    check_one_sentence(
        lambda: FGSM(0.1, batch_size=2**63).perturb(
            LogisticRegression().fit(X, Y), X, Y
        ),
        "'batch_size'.*at most",
    )


def test_halves_are_no_parameters():
    model = LogisticRegression().fit(X, Y)
    check_one_sentence(
        lambda: FGSM(np.float16(0.1)).perturb(model, X, Y), "'eps'.*float"
    )
    FGSM(np.float32(0.1)).perturb(model, X, Y)


def test_beyond_the_largest_number_a_surprise_is_infinite():
    surprise = LikelihoodSurprise().fit(
        np.random.default_rng(0).normal(size=(50, 2)), np.zeros(50)
    )
    far = surprise.score_samples([[1e308, 0.0], [1.0, 1.0]], [0, 0])
    assert far[0] == np.inf
    assert np.isfinite(far[1])


def test_a_score_without_a_unit_has_no_largest_number():
    y, p = np.array([3.0, 5, 2, 7]), np.array([2.5, 5, 2, 8])
    sizes = {"n_features": 1, "n_samples": 100}
    score = normalized_r2_score(y, p, **sizes)
    assert normalized_r2_score(y * 1e300, p * 1e300, **sizes) == pytest.approx(score)


@pytest.mark.parametrize("target", [object(), [1], {"a": 1}])
def test_a_target_is_a_label(target):
    model = LogisticRegression().fit(X, Y)
    attack = AutoAttack(0.1, attacks=[FGSM()], target=target)
    check_one_sentence(lambda: attack.perturb(model, X), "target")


@pytest.mark.parametrize(
    "share", [[[1.0], [0.5, 0.5]], [1j], ["1"], [True, False], {1}]
)
@pytest.mark.parametrize("name", ["pool_shares", "label_shares"])
def test_shares_are_a_list_of_numbers(name, share):
    sampler = ConfidenceStratifiedSampler(**{name: share})
    check_one_sentence(lambda: sampler.fit(P[:, 0]), f"'{name}'.*sum to 1")


@pytest.mark.parametrize("odd", [np.array(1.0), np.float64(1), np.void(b"abc")])
def test_one_value_is_no_rows_of_batches(odd):
    check_one_sentence(lambda: BatchedRows.from_arrays(odd), "'X'.*one axis")


@pytest.mark.parametrize("margin", [1e308, 1e9, 100])
def test_a_square_beyond_the_image_is_the_image(margin):
    square = FaceCrop(margin).square((40, 20, 50, 60), height=200, width=300)
    assert square == (0, 0, 300, 200)


def test_measured_numbers_are_no_classes():
    measured = np.where(MASK, 0.5, Y)
    noisy = LabelNoiseClassifier(LogisticRegression(), rate=0.1)
    calls = [
        lambda: MahalanobisSurprise().fit(X, y_pred=measured),
        lambda: LikelihoodSurprise().fit(X, Y).score_samples(X, measured),
        lambda: SmoothedClassifier(LogisticRegression()).fit(X, measured),
        lambda: noisy.fit(X, measured),
    ]
    for call in calls:
        check_one_sentence(call, "as classes.*Unknown label type: continuous")


def test_budgets_of_two_phases_end():
    costs = {"judge_cost": 0.02, "expert_cost": 3.0}
    guesses = {"agreement": 0.95, "expected_accuracy": 0.8}
    for budget in (2**64, 1e300):
        check_one_sentence(
            lambda budget=budget: plan_two_phase(budget, **costs, **guesses),
            "'budget'.*at most",
        )
    cheap = costs | {"judge_cost": 5e-324}
    check_one_sentence(lambda: plan_two_phase(300, **cheap, **guesses), "'judge_cost'")
    assert plan_two_phase(3e7, **costs, **guesses).n_expert > 10**6


@pytest.mark.parametrize("odd", [10**400, "1", 2, 1j])
def test_an_expert_says_yes_or_no(odd):
    judge = Y.astype(float)
    expert = np.array([odd, *Y[1:].tolist()], dtype=object)
    check_one_sentence(lambda: two_phase_accuracy(judge, expert), "expert")
    gone = [two_phase_accuracy(judge, [one, *Y[1:].tolist()]) for one in (None, pd.NA)]
    assert gone[0].accuracy == gone[1].accuracy


@pytest.mark.parametrize("odd", ["01", b"01", {0, 1}, [0, np.nan], [1, 1], [[0, 1]], 3])
def test_a_range_has_two_ends(odd):
    def predict(rows):
        return np.column_stack([1 - rows[:, 0], rows[:, 0]])

    check_one_sentence(
        lambda: skrobust.wrap(predict, classes=[0, 1], sample=X, data_range=odd),
        "data_range",
    )
    check_one_sentence(
        lambda: skrobust.wrap(predict, sample=X, data_range=iter((0, 1))), "data_range"
    )
    made = [
        skrobust.wrap(predict, classes=[0, 1], sample=X, data_range=pair)
        for pair in ((0, 2), (Fraction(0), Fraction(2)), np.array([0, 2], np.float16))
    ]
    assert {one.data_range for one in made} == {(0.0, 2.0)}


@pytest.mark.parametrize("value", [[0], {"a": 1}, {1}, np.zeros(2)])
def test_a_label_is_one_value(value):
    y = np.array([None, *Y[1:]], dtype=object)
    y[0] = value
    model = LogisticRegression().fit(X, Y)
    for call in (
        lambda: FGSM(0.1).perturb(model, X, y),
        lambda: Square(0.1, max_queries=5).perturb(model, X, y),
        lambda: normalized_accuracy_score(y, Y, n_features=2),
    ):
        check_one_sentence(call, "one value for each row")


@pytest.mark.parametrize("odd", [iter((0, 1)), {0, 1}, {0: 1, 1: 2}])
def test_a_range_is_read_again_and_has_an_order(odd):
    model = LogisticRegression().fit(X, Y)
    for rows in (X, pd.DataFrame(X)):
        attack = FGSM(0.1, data_range=odd)
        check_one_sentence(
            lambda a=attack, r=rows: a.perturb(model, r, Y), "data_range"
        )


def test_small_integers_are_no_parameters():
    many = np.tile(X, (20, 1))
    model = LogisticRegression().fit(X, Y)
    for size in (np.int8(100), np.uint8(200), np.int16(100)):
        attack = FGSM(0.1, batch_size=size)
        check_one_sentence(lambda a=attack: a.perturb(model, many), "'batch_size'.*int")
    right = FGSM(0.1, batch_size=100).perturb(model, many)
    out = FGSM(0.1, batch_size=np.int64(100)).perturb(model, many)
    np.testing.assert_array_equal(out, right)


def test_factors_are_a_list():
    rows = np.array([[20.0], [100.0]])
    odd = UnitError(share=1.0, factors={0: "C->F"})
    check_one_sentence(lambda: odd.perturb(None, rows), "factors")


@pytest.mark.parametrize("odd", [{"fine": 1}, {"fine": [1]}, {"fine": iter(["good"])}])
def test_substitutes_are_words(odd):
    attack = WordSubstitution(substitutions=odd)
    check_one_sentence(lambda: attack.run(None, ["a fine day"], [0]), "substitutions")


@pytest.mark.parametrize("odd", [3, 1j, None, np.datetime64("NaT"), np.ma.masked])
def test_texts_are_several(odd):
    attack = WordSubstitution(substitutions={"fine": ["good"]})
    check_one_sentence(lambda: attack.run(None, odd, [0]), "X|texts")


def test_weights_have_a_finite_sum_and_masks_are_named_in_scores():
    model = LabelNoiseClassifier(LogisticRegression(), rate=0.1).fit(X, Y)
    huge = np.full(len(Y), 1e308)
    check_one_sentence(lambda: model.score(X, Y, huge), "'sample_weight'")
    assert model.score(X, Y, np.ones(len(Y))) == model.score(X, Y)

    class Accuracy(BaseScorer):
        def _score(self, estimator, X, y, sample_weight):
            return np.mean(estimator.predict(X) == y)

    check_one_sentence(lambda: Accuracy()(model, masked(X), Y), "X is a masked array")


def test_shares_of_any_number_of_trials_have_limits():
    low, high = proportion_interval(0.5e308, 1e308)
    assert low == pytest.approx(0.5)
    assert high == pytest.approx(0.5)


def test_flags_and_cells_of_perturbations():
    images = np.zeros((2, 8, 8, 3))
    for odd in ([], np.array([1, 0]), "yes", None):
        noise = SaltAndPepper(density=0.5, per_channel=odd)
        check_one_sentence(lambda n=noise: n.perturb(None, images), "'per_channel'")
    assert not same_cells(0.5, 10**400)
    days = np.full((4, 2), np.datetime64("2024-01-01"))
    with pytest.raises(ValueError, match="holds no float64"):
        array_table._common_type(days.dtype, 0.5)
