"""Intervals by name of metrics that take summaries, from the outcomes of samples."""

import numpy as np
import pytest
from interval_problems import coverage, draw_clusters, draw_images, quiet
from scipy.stats import norm

from skrobust.metrics import (
    area_under_robust_ratio_curve,
    by_group,
    compare_models,
    confidence_interval,
    effective_robustness,
    flip_rate,
    mean_corruption_error,
    robust_ratio_band,
    robust_ratio_curve,
    robustness_score,
)
from skrobust.metrics.intervals.function_of_means import ALIKE, UNKNOWN

RNG = np.random.default_rng(0)
N = 240
SKILL = RNG.random((N, 1))
LUCK = RNG.random((2, N, 4)) - 0.5
CORRECT = 0.3 * LUCK[0] + [0.85, 0.7, 0.6, 0.5] > SKILL
REFERENCE = 0.6 * LUCK[1] + [0.6, 0.5, 0.4, 0.3] > SKILL
CLEAN = SKILL[:, 0] < 0.92
REFERENCE_CLEAN = SKILL[:, 0] < 0.8
WEIGHT = RNG.uniform(0.5, 3.0, N)
CLIPS = RNG.integers(0, 40, N)
CORRUPTIONS = np.array(["noise", "blur", "noise", "blur"])
LINE = {"reference_clean": [0.7, 0.8, 0.9], "reference_shifted": [0.4, 0.5, 0.7]}


def score(w, kind="ratio"):
    parts = [np.average(CORRECT[:, k], weights=w) for k in range(4)]
    return robustness_score(parts, np.average(CLEAN, weights=w), kind=kind)


def error(w, *, base=None, relative=False):
    wrong = 1 - np.average(CORRECT, axis=0, weights=w)
    named = {} if base is None else {"reference": "AlexNet"}
    more = {}
    if relative:
        more = {"relative": True, "clean_error": 1 - np.average(CLEAN, weights=w)}
    if base is not None:
        base = 1 - np.average(base, axis=0, weights=w)
        base = base.reshape(2, 2).T
        if relative:
            more["reference_clean_error"] = 1 - np.average(REFERENCE_CLEAN, weights=w)
    wrong = wrong.reshape(2, 2).T  # one row per corruption
    return mean_corruption_error(wrong, base, **named, **more).value


def beyond(w, **options):
    shifted, clean = (np.average(x, weights=w) for x in (CORRECT.mean(axis=1), CLEAN))
    return effective_robustness(shifted, clean, **LINE, **options)


NAMED = {"corruptions": CORRUPTIONS}
RISE = {"relative": True, "clean": CLEAN}
CASES = {
    "ratio": ("robustness_score", (CORRECT, CLEAN), {}, score),
    "drop": (
        "robustness_score",
        (CORRECT, CLEAN),
        {"kind": "drop"},
        lambda w: score(w, "drop"),
    ),
    "mean error": ("mean_corruption_error", (CORRECT,), NAMED, error),
    "mean rise": (
        "mean_corruption_error",
        (CORRECT,),
        NAMED | RISE,
        lambda w: error(w, relative=True),
    ),
    "mCE": (
        "mce",
        (CORRECT, REFERENCE),
        NAMED,
        lambda w: error(w, base=REFERENCE),
    ),
    "relative mCE": (
        "mce",
        (CORRECT, REFERENCE),
        NAMED | RISE | {"reference_clean": REFERENCE_CLEAN},
        lambda w: error(w, base=REFERENCE, relative=True),
    ),
    "logit": ("effective_robustness", (CORRECT, CLEAN), LINE, beyond),
    "linear": (
        "effective_robustness",
        (CORRECT, CLEAN),
        LINE | {"link": "linear"},
        lambda w: beyond(w, link="linear"),
    ),
}


def delta_error(function, weight, clusters):
    """Return the sandwich error from numerical derivatives by the weights."""
    step, slopes = 1e-5, []
    for i in range(N):
        up, down = weight.copy(), weight.copy()
        up[i] += step
        down[i] -= step
        slopes.append((function(up) - function(down)) / (2 * step))
    sums = np.bincount(clusters, weights=weight * np.array(slopes))
    g = len(sums)
    return np.sqrt(g / (g - 1) * (sums**2).sum())


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_intervals_are_those_of_the_delta_method(case, clustered, weighted):
    name, data, options, function = CASES[case]
    options = dict(options)
    weight = np.ones(N)
    if weighted:
        weight = options["sample_weight"] = WEIGHT
    clusters = CLIPS if clustered else np.arange(N)
    if clustered:
        options["clusters"] = CLIPS
    found = confidence_interval(name, *data, **options)
    assert found.value == pytest.approx(function(weight))
    std_error = delta_error(function, weight, clusters)
    assert found.std_error == pytest.approx(std_error, rel=0.12 if clustered else 0.04)
    assert found.low < found.value < found.high
    wide = found.high - found.low
    assert wide == pytest.approx(2 * norm.ppf(0.975) * std_error, rel=0.25)
    assert (found.unit, found.n) == (("clusters", 40) if clustered else ("samples", N))


@pytest.mark.parametrize("case", ["ratio", "mCE", "relative mCE", "logit"])
def test_errors_are_those_of_the_bootstrap(case):
    name, data, options, function = CASES[case]
    found = confidence_interval(name, *data, **options)
    counts = np.random.default_rng(1).multinomial(N, np.full(N, 1 / N), size=400)
    draws = np.array([function(w.astype(float)) for w in counts])
    assert draws.std() == pytest.approx(found.std_error, rel=0.12)


def test_the_area_is_that_of_the_band_and_of_the_curve():
    shift = RNG.beta(1, 8, N)
    b = [0.0, 0.2, 0.05]
    name = "area_under_robust_ratio_curve"
    settings = {"sample_weight": WEIGHT, "clusters": CLIPS}
    found = confidence_interval(name, shift, tolerances=b, **settings)
    band = robust_ratio_band(shift, tolerances=b, **settings)
    assert found == band.area
    clean = np.column_stack([np.full(N, 0.9), np.full(N, 0.1)])
    moved = np.column_stack([0.9 - shift / 2, 0.1 + shift / 2])
    pair = confidence_interval(area_under_robust_ratio_curve, clean, moved)
    curve = robust_ratio_curve(clean, moved)
    assert pair.value == pytest.approx(area_under_robust_ratio_curve(*curve))
    with pytest.raises(ValueError, match="different tolerances"):
        confidence_interval(name, shift, tolerances=[0.1, 0.1])
    with pytest.raises(TypeError, match="has no parameter 'kind'; it takes tolerances"):
        confidence_interval(name, shift, kind="mean")


def test_equal_weights_and_labels_change_nothing_and_counts_repeat_rows():
    plain = confidence_interval("robustness_score", CORRECT, CLEAN)
    equal = np.full(N, 7.0)
    again = confidence_interval("robustness_score", CORRECT, CLEAN, sample_weight=equal)
    assert tuple(again) == pytest.approx(tuple(plain))
    y = RNG.integers(0, 3, N)
    predicted = np.where(CORRECT.T, y, y + 1)
    labels = y, predicted, np.where(CLEAN, y, y + 1)
    assert confidence_interval(robustness_score, *labels) == plain
    counts = RNG.integers(0, 3, N)
    frequency = {"sample_weight": counts, "weight_type": "frequency"}
    found = confidence_interval("mce", CORRECT, REFERENCE, **frequency)
    data = (np.repeat(x, counts, axis=0) for x in (CORRECT, REFERENCE))
    assert found == confidence_interval("mce", *data)
    kept = counts > 0  # rows of weight 0 are absent
    found = confidence_interval("mce", CORRECT, REFERENCE, sample_weight=kept)
    assert tuple(found) == pytest.approx(
        tuple(confidence_interval("mce", CORRECT[kept], REFERENCE[kept]))
    )


def test_known_errors_of_the_reference_have_no_noise():
    known = np.array([0.8, 0.6, 0.5, 0.9])
    found = confidence_interval("mce", CORRECT, reference_errors=known)
    rows = ((1 - CORRECT) / known).mean(axis=1)
    assert found.value == pytest.approx(rows.mean())
    assert found.std_error == pytest.approx(rows.std(ddof=1) / np.sqrt(N))
    itself = quiet(confidence_interval, "mce", REFERENCE, REFERENCE)
    assert itself.value == 1.0  # always, whatever is drawn
    assert itself.low < 1 < itself.high
    assert itself.warnings == (ALIKE,)


def test_other_test_sets_are_independent_samples():
    n, m = 150, N
    settings = LINE | {"link": "linear", "paired": False}
    shifted = CORRECT[:n, 0]
    found = confidence_interval("effective_robustness", shifted, CLEAN, **settings)
    slope = np.polyfit(LINE["reference_clean"], LINE["reference_shifted"], 1)[0]
    parts = shifted.var() / n, slope**2 * CLEAN.var() / m
    assert found.value == pytest.approx(
        effective_robustness(shifted.mean(), CLEAN.mean(), link="linear", **LINE)
    )
    assert found.std_error == pytest.approx(np.sqrt(sum(parts)), rel=0.01)
    assert found.n == n + m
    with pytest.raises(ValueError, match=r"as many shifted as clean .* paired=False"):
        confidence_interval("effective_robustness", shifted, CLEAN, **LINE)
    right = np.ones(n, bool)
    with pytest.raises(ValueError, match=r"accuracy in \(0, 1\) for link='logit'"):
        confidence_interval("effective_robustness", shifted, right, **LINE)


ONES = np.ones((60, 3), bool)
FLAT = {
    "robustness_score": ((ONES, ONES[:, 0]), {}),
    "mean_corruption_error": ((ONES,), {}),
    "mce": ((ONES,), {"reference_errors": [0.5, 0.5, 0.5]}),
    "effective_robustness": ((ONES, ONES[:, 0]), LINE | {"link": "linear"}),
    "area_under_robust_ratio_curve": ((np.full(60, 0.01),), {"tolerances": [0.1, 0.2]}),
}


@pytest.mark.parametrize("name", FLAT)
@pytest.mark.parametrize("clusters", [None, np.arange(60) // 3])
def test_no_interval_has_zero_width(name, clusters):
    data, options = FLAT[name]
    found = quiet(confidence_interval, name, *data, clusters=clusters, **options)
    assert found.std_error == pytest.approx(0.0, abs=1e-12)
    missed = 1 - 0.025 ** (1 / (60 if clusters is None else 20))
    assert found.warnings == (ALIKE,)
    assert found.high - found.low > 0.9 * missed
    if (
        name == "robustness_score"
    ):  # so many may fail, or succeed on perturbed rows alone
        assert tuple(found) == pytest.approx((1 - missed, 1 / (1 - missed)))
    if name == "mean_corruption_error":
        assert tuple(found) == pytest.approx((0.0, missed))


@pytest.mark.parametrize("name", ["robustness_score", "mean_corruption_error"])
def test_more_failures_do_not_make_one_surer_of_success(name):
    correct, limits = ONES.copy(), []
    side = 0 if name == "robustness_score" else 1
    for failures in range(25):
        correct[:failures, 0] = False
        data = (correct, ONES[:, 0]) if side == 0 else (correct,)
        limits.append(tuple(quiet(confidence_interval, name, *data))[side])
    steps = np.diff(limits) * (-1 if side == 0 else 1)
    assert (steps >= -1e-12).all()


@pytest.mark.parametrize("clustered", [False, True])
def test_ratios_are_covered(clustered):
    rng = np.random.default_rng(3)

    def draw():
        if not clustered:
            correct = draw_images(rng, 150, [0.9, 0.8, 0.6])
            return quiet(
                confidence_interval, "robustness_score", correct[:, 1:], correct[:, 0]
            )
        hits, clips = draw_clusters(rng, 25, 12, 0.4, 0.8)
        clean = hits | (rng.random(len(hits)) < 0.5)
        options = {"clusters": clips}
        return quiet(confidence_interval, "robustness_score", hits, clean, **options)

    truth = 0.8 / 0.9 if clustered else 0.7 / 0.9
    share = coverage(draw, truth, 250)
    assert share > 0.95 - 3 * np.sqrt(0.95 * 0.05 / 250)


def test_scores_of_conditions_are_refused_under_both_names():
    scores, no_sample = [0.9, 0.8, 0.7, 0.6], "takes no scores of conditions"
    for metric in (robustness_score, "robustness_score", "mce"):
        with pytest.raises(ValueError, match=no_sample):
            confidence_interval(metric, scores)
    with pytest.raises(ValueError, match=no_sample):
        confidence_interval(robustness_score, scores, 0.9)
    with pytest.raises(ValueError, match=no_sample):
        confidence_interval(effective_robustness, 0.7, 0.9, **LINE)
    with pytest.raises(ValueError, match="correctness of each sample as booleans"):
        confidence_interval(robustness_score, scores, scores)


def test_other_bad_data():
    with pytest.raises(ValueError, match="cannot divide by the reference's 0 on noise"):
        confidence_interval("mce", CORRECT, np.ones((N, 4)), **NAMED)
    with pytest.raises(ValueError, match="one error for each of the 4 conditions"):
        confidence_interval("mce", CORRECT, reference_errors=[0.5])
    with pytest.raises(ValueError, match="one name for each of the 4 conditions"):
        confidence_interval("mce", CORRECT, corruptions=["noise"])
    with pytest.raises(ValueError, match="needs clean when relative=True"):
        confidence_interval("mce", CORRECT, relative=True)
    with pytest.raises(ValueError, match="must be the correctness of each sample on"):
        confidence_interval("mce", CORRECT, relative=True, clean=0.9)
    with pytest.raises(ValueError, match="error rate beside reference_errors"):
        confidence_interval(
            "mce", CORRECT, reference_errors=[0.5] * 4, reference_clean=CLEAN, **RISE
        )
    with pytest.raises(ValueError, match="must be right for some samples"):
        confidence_interval("robustness_score", CORRECT, ~np.ones(N, bool))
    with pytest.raises(ValueError, match=r"method.* must be one of"):
        confidence_interval("robustness_score", CORRECT, CLEAN, method="wilson")
    one = np.arange(N) == 3
    with pytest.warns(UserWarning, match="undefined without one of the units"):
        found = confidence_interval("robustness_score", CORRECT, one)
    assert found.warnings == (UNKNOWN,)
    assert np.isnan(found.low)


def test_comparisons_and_groups_take_the_same_data():
    models = {"one": (CORRECT, CLEAN), "other": (REFERENCE, REFERENCE_CLEAN)}
    table = compare_models(models, metric="robustness_score", random_state=0)
    values = [robustness_score(c.mean(axis=0), k.mean()) for c, k in models.values()]
    assert table.difference[0] == pytest.approx(values[0] - values[1])
    group = np.arange(N) % 2
    found = by_group("mce", CORRECT, groups=group, random_state=0)
    expected = [1 - CORRECT[group == g].mean() for g in (0, 1)]
    assert found.value == pytest.approx(expected)


def test_flip_rates_are_means_over_the_sequences():
    sequences = RNG.integers(0, 3, (12, 6))
    for against in ("previous", "first"):
        each = [flip_rate(s[None], against=against) for s in sequences]
        found = confidence_interval("flip_rate", sequences, against=against)
        assert found.value == pytest.approx(flip_rate(sequences, against=against))
        error = np.std(each, ddof=1) / np.sqrt(12)
        assert found.std_error == pytest.approx(error)
        assert found.low < found.value < found.high
    with pytest.warns(UserWarning, match="No unit differs"):
        still = confidence_interval("flip_rate", np.zeros((12, 6), dtype=int))
    assert still.value == still.low == 0
    assert still.high > 0.2  # a share that 12 sequences may miss
