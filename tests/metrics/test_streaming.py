"""Metrics over batches: any partition and any order of merges gives the whole."""

import pickle
import re
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from skrobust.metrics import StreamingMetric, confidence_interval, stability_index
from skrobust.metrics import registry as module
from skrobust.metrics.registry import MetricSpec, get_metric, metric_names, register
from skrobust.metrics.robust.unmoved import full_attack
from skrobust.metrics.streaming.compensated_sums import CompensatedSums
from skrobust.metrics.streaming.score_cells import ScoreCells

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
N = 300
RNG = np.random.default_rng(0)
Y = np.array(["cat", "dog", "owl"])[RNG.integers(0, 3, N)]
PREDICTED = np.where(RNG.random(N) < 0.8, Y, np.roll(Y, 1))
UNDER = np.stack(
    [np.where(RNG.random(N) < p, Y, np.roll(Y, 1)) for p in (0.9, 0.6, 0.7)]
)
CORRECT, CLEAN = (UNDER == Y).T, PREDICTED == Y
P = RNG.dirichlet(np.ones(3), N)
MOVED = np.clip(P + RNG.normal(0, 0.05, P.shape), 0, None)
MOVED /= MOVED.sum(axis=1, keepdims=True)
TARGET = RNG.normal(1e3, 2, N)
ANSWER = TARGET + RNG.normal(0, 0.7, N)
POINTS = RNG.normal(0, 1, (N, 4)) + (Y == "cat")[:, None]
WEEK = RNG.integers(0, 7, N)
SCORE = np.round(RNG.normal(0, 1, N) + CLEAN, 2)
WEIGHT = RNG.uniform(0.5, 3, N) * (RNG.random(N) < 0.8)
CLIPS = RNG.integers(0, 40, N)
LINE = {"reference_clean": [0.7, 0.8, 0.9], "reference_shifted": [0.4, 0.5, 0.7]}
SIZE = {"n_features": 40, "n_samples": 500}


def of_function(name):
    def value(*data, **options):
        return get_metric(name).function(*data, **options)

    return value


def of_rows(name):
    def value(*data, **options):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = confidence_interval(name, *data, **options)
        return found.value if found.plug_in is None else found.plug_in

    return value


def of_weeks(values, periods):
    return stability_index([values[periods == week].mean() for week in range(7)])


def of_areas(y_true, y_score, periods):
    weeks = [periods == week for week in range(7)]
    return stability_index(
        [2 * roc_auc_score(y_true[w], y_score[w]) - 1 for w in weeks]
    )


# Name, data with the axis of the samples, options, options by row, weights, value.
CASES = [
    ("accuracy", [(Y, 0), (PREDICTED, 0)], {}, {}, True, of_function),
    ("robust_accuracy", [(Y, 0), (UNDER, 1)], {}, {}, True, of_function),
    ("robust_ratio", [(P, 0), (MOVED, 0)], {"tolerance": 0.05}, {}, True, of_function),
    (
        "robust_ratio",
        [(P, 0), (np.stack([MOVED, P[:, [1, 0, 2]]]), 1)],
        {"tolerance": 0.3, "reference": "true", "labels": ["cat", "dog", "owl"]},
        {"y_true": Y},
        True,
        of_function,
    ),
    ("flip_rate", [(UNDER.T, 0)], {"against": "first"}, {}, False, of_function),
    ("flip_rate", [(UNDER.T, 0)], {}, {}, True, of_rows),
    ("accuracy_stability_index", [(CORRECT, 0)], {}, {}, False, of_rows),
    ("accuracy_stability_index", [(Y, 0), (UNDER, 1)], {}, {}, False, of_rows),
    ("stability_index", [(SCORE, 0)], {}, {"periods": WEEK}, False, of_weeks),
    (
        "stability_index",
        [(CLEAN, 0), (SCORE, 0)],
        {"score": "gini"},
        {"periods": WEEK},
        False,
        of_areas,
    ),
    (
        "area_under_robust_ratio_curve",
        [(P, 0), (MOVED, 0)],
        {"tolerances": [0.0, 0.02, 0.1]},
        {},
        True,
        of_rows,
    ),
    ("accuracy_skill", [(Y, 0), (PREDICTED, 0)], {}, {}, True, of_function),
    ("normalized_accuracy", [(Y, 0), (PREDICTED, 0)], SIZE, {}, True, of_function),
    (
        "normalized_accuracy",
        [(CLEAN, 0), (CORRECT[:, 0], 0)],
        {"n_features": 3, "snr": "squared", "labels": [False, True]},
        {},
        True,
        of_function,
    ),
    ("normalized_r2", [(TARGET, 0), (ANSWER, 0)], SIZE, {}, True, of_function),
    (
        "normalized_r2",
        [(TARGET, 0), (ANSWER, 0)],
        {**SIZE, "center": True},
        {},
        True,
        of_function,
    ),
    ("normalized_clustering", [(Y, 0), (WEEK, 0)], SIZE, {}, False, of_function),
    (
        "normalized_clustering",
        [(Y, 0), (WEEK, 0)],
        SIZE,
        {"X": POINTS},
        False,
        of_function,
    ),
    ("robustness_score", [(CORRECT, 0), (CLEAN, 0)], {}, {}, True, of_rows),
    (
        "robustness_score",
        [(CORRECT, 0), (CLEAN, 0)],
        {"kind": "drop"},
        {},
        True,
        of_rows,
    ),
    (
        "mean_corruption_error",
        [(CORRECT, 0), (CORRECT[::-1], 0)],
        {"corruptions": ["noise", "blur", "noise"], "relative": True},
        {"clean": CLEAN, "reference_clean": np.roll(CLEAN, 5) | (SCORE > 0)},
        True,
        of_rows,
    ),
    (
        "mean_corruption_error",
        [(CORRECT, 0)],
        {"reference_errors": [0.1, 0.3, 0.5]},
        {},
        True,
        of_rows,
    ),
    ("effective_robustness", [(CORRECT, 0), (CLEAN, 0)], LINE, {}, True, of_rows),
    (
        "regression_robust_ratio",
        [(TARGET, 0), (ANSWER, 0)],
        {"tolerance": 0.5},
        {},
        True,
        of_function,
    ),
    ("gini_stability", [(CLEAN, 0), (SCORE, 0), (WEEK, 0)], {}, {}, True, of_function),
]
IDS = [f"{case[0]}-{i}" for i, case in enumerate(CASES)]


def part(case, rows, weight=None, clusters=None):
    _, data, _, by_row, _, _ = case
    arrays = [np.take(array, rows, axis=axis) for array, axis in data]
    options = {name: values[rows] for name, values in by_row.items()}
    if weight is not None:
        options["sample_weight"] = weight[rows]
    if clusters is not None:
        options["clusters"] = clusters[rows]
    return arrays, options


def gather(case, batches, **more):
    """Return the metric of batches, gathered in pieces that are merged at random."""
    rng = np.random.default_rng(len(batches))
    pieces = [StreamingMetric(case[0], **case[2]) for _ in range(3)]
    with full_attack():
        for rows in batches:
            arrays, options = part(case, rows, **more)
            piece = pieces[rng.integers(3)]
            assert piece.partial_update(*arrays, **options) is piece
    order = rng.permutation(3)
    whole = pickle.loads(pickle.dumps(pieces[order[0]]))
    return whole.merge(pieces[order[1]]).merge(pieces[order[2]])


def value_of(case, rows, **more):
    arrays, options = part(case, rows, **more)
    with full_attack():
        return (
            case[5](case[0])(*arrays, **options, **case[2])
            if case[5]
            in (
                of_function,
                of_rows,
            )
            else case[5](*arrays, **options)
        )


def test_every_metric_of_the_registry_is_gathered_over_batches():
    assert {case[0] for case in CASES} == set(metric_names())


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_partitions_and_merges_give_the_whole(case):
    @settings(max_examples=5, deadline=None, derandomize=True)
    @given(st.lists(st.integers(0, 6), min_size=N, max_size=N), st.randoms())
    def check(batch_of, random):
        order = list(range(N))
        random.shuffle(order)
        batches = [[i for i in order if batch_of[i] == b] for b in range(7)]
        whole = np.concatenate(batches).astype(int)
        weights = (None, WEIGHT) if case[4] else (None,)
        for weight in weights:
            found = gather(case, batches, weight=weight)
            wanted = value_of(case, whole, weight=weight)
            assert found.compute() == pytest.approx(wanted, rel=1e-12, abs=1e-12)
            assert found.n_samples == (N if weight is None else (WEIGHT > 0).sum())
            assert found.error_bound == 0

    check()


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_sorted_rows_whose_batches_lack_classes_give_the_whole(case):
    order = np.lexsort([WEEK, CLEAN, Y])
    batches = np.split(order, range(20, N, 20))
    found = gather(case, [*batches, order[:0]])
    assert found.compute() == pytest.approx(value_of(case, order), rel=1e-12, abs=1e-12)


SAME = [
    case
    for case in CASES
    if "stability_index" not in case[0][:15] or case[5] is of_rows
]
SAME = [c for c in SAME if c[0] != "gini_stability" and "X" not in c[3]]


@pytest.mark.parametrize("kind", ["rows", "clusters", "weights"])
@pytest.mark.parametrize("case", SAME, ids=[f"{c[0]}-{i}" for i, c in enumerate(SAME)])
def test_intervals_of_few_rows_are_those_of_rows_in_memory(case, kind):
    more = {}
    if kind == "clusters":
        more["clusters"] = CLIPS
    if kind == "weights":
        if not case[4]:
            pytest.skip("this metric takes no weights")
        more["weight"] = WEIGHT
    metric = StreamingMetric(case[0], **case[2])
    with full_attack():
        for rows in np.split(np.arange(N), [100, 170]):
            arrays, options = part(case, rows, **more)
            metric.partial_update(*arrays, **options)
        arrays, options = part(case, np.arange(N), **more)
        how = {"random_state": 0, "n_resamples": 100}
        wanted = confidence_interval(case[0], *arrays, **case[2], **options, **how)
    found = metric.interval(**how)
    for name in ("value", "low", "high", "std_error"):
        pair = getattr(found, name), getattr(wanted, name)
        assert pair[0] == pytest.approx(pair[1], rel=1e-9, abs=1e-12, nan_ok=True), name
    assert (found.unit, found.method) == (wanted.unit, wanted.method)
    assert found.n_units == wanted.n_units


WEIGHTED = [case for case in SAME if case[4]]


def interval_of(case, rows, **more):
    arrays, options = part(case, rows, **more)
    how = {"random_state": 0, "n_resamples": 100}
    with full_attack():
        return confidence_interval(case[0], *arrays, **case[2], **options, **how)


@pytest.mark.parametrize("clusters", [None, CLIPS], ids=["rows", "clusters"])
@pytest.mark.parametrize("case", WEIGHTED, ids=lambda case: case[0])
def test_rows_of_weight_0_are_as_absent(case, clusters):
    @settings(max_examples=4, deadline=None, derandomize=True)
    @given(st.integers(0, 2**32 - 1), st.floats(0.4, 1))
    def check(seed, share):
        kept = np.random.default_rng(seed).random(N) < share
        weight = np.where(kept, WEIGHT + 0.1, 0.0)
        every, some = np.arange(N), np.flatnonzero(kept)
        found = interval_of(case, every, weight=weight, clusters=clusters)
        wanted = interval_of(case, some, weight=weight, clusters=clusters)
        for name in ("value", "low", "high", "std_error", "n_units", "warnings"):
            one, other = getattr(found, name), getattr(wanted, name)
            if isinstance(other, float):
                other = pytest.approx(other, rel=1e-9, abs=1e-12, nan_ok=True)
            assert one == other, name
        metric = StreamingMetric(case[0], **case[2])
        with full_attack():
            for rows in np.split(every, [100, 170]):
                arrays, options = part(case, rows, weight=weight, clusters=clusters)
                metric.partial_update(*arrays, **options)
        streamed = metric.interval(random_state=0, n_resamples=100)
        pair = (streamed.low, streamed.high), (wanted.low, wanted.high)
        assert pair[0] == pytest.approx(pair[1], rel=1e-9, abs=1e-12, nan_ok=True)

    check()


RESAMPLED = ("accuracy_skill", "normalized")
GROUPED = [
    pytest.param(c, marks=[pytest.mark.slow] * c[0].startswith(RESAMPLED), id=c[0])
    for c in SAME
]


@pytest.mark.parametrize("case", GROUPED)
def test_intervals_of_groups_of_rows_are_about_as_wide(case):
    times = 14  # 4,200 rows, more than are units of their own
    metric = StreamingMetric(
        case[0], **{k: v for k, v in case[2].items() if k != "n_samples"}
    )
    arrays, options = part(case, np.tile(np.arange(N), times))
    fixed = {k: v for k, v in case[2].items() if k != "n_samples"}
    how = {"random_state": 0, "n_resamples": 400}
    with full_attack():
        metric.partial_update(*arrays, **options)
        wanted = confidence_interval(case[0], *arrays, **fixed, **options, **how)
    found = metric.interval(**how)
    assert (found.n_units, found.unit) == (N * times, "samples")
    assert found.high - found.low == pytest.approx(wanted.high - wanted.low, rel=0.2)


@pytest.mark.slow
def test_intervals_of_periods_are_those_of_rows_but_for_the_draws():
    metric = StreamingMetric("stability_index").partial_update(SCORE, periods=WEEK)
    found = metric.interval(random_state=0)
    wanted = confidence_interval("stability_index", SCORE, periods=WEEK, random_state=0)
    assert tuple(found) == pytest.approx(tuple(wanted), rel=0.1)
    metric = StreamingMetric("stability_index")
    metric.partial_update(SCORE, periods=WEEK, clusters=CLIPS)
    wanted = confidence_interval(
        "stability_index", SCORE, periods=WEEK, random_state=0, clusters=CLIPS
    )
    assert tuple(metric.interval(random_state=0)) == pytest.approx(
        tuple(wanted), rel=0.2
    )
    metric = StreamingMetric("gini_stability").partial_update(CLEAN, SCORE, WEEK)
    found = metric.interval(random_state=0)
    wanted = confidence_interval("gini_stability", CLEAN, SCORE, WEEK, random_state=0)
    assert tuple(found) == pytest.approx(tuple(wanted), rel=0.1)


def test_areas_of_many_scores_lie_within_their_bound():
    rng = np.random.default_rng(3)
    y = rng.random(20_000) < 0.3
    scores = rng.normal(size=len(y)) * 10 + 4 * y
    exact = roc_auc_score(y, scores)
    for size in (16, 256, 4096):
        pieces = [ScoreCells(size) for _ in range(4)]
        for i, rows in enumerate(np.array_split(rng.permutation(len(y)), 9)):
            pieces[i % 4].update(y[rows].astype(int), scores[rows], None)
        for other in pieces[1:]:
            pieces[0].merge(other)
        cells = pieces[0]
        once = ScoreCells(size)
        once.update(y.astype(int), scores, None)
        assert np.array_equal(once.weights, cells.weights)
        assert len(cells.first) <= size
        assert 0 < cells.area_bound() < 1
        assert abs(cells.area(1) - exact) <= cells.area_bound()
        assert cells.area(0) == pytest.approx(1 - cells.area(1))
    assert cells.area_bound() < 1e-3


def test_stability_of_many_scores_lies_within_its_bound():
    rng = np.random.default_rng(4)
    y, week = rng.random(9000) < 0.4, rng.integers(0, 9, 9000)
    scores = rng.normal(size=len(y)) + y
    metric = StreamingMetric("gini_stability", max_cells=64)
    metric.partial_update(y, scores, week)
    exact = get_metric("gini_stability").function(y, scores, week)
    assert 0 < abs(metric.compute() - exact) <= metric.error_bound
    finer = StreamingMetric("gini_stability", max_cells=512)
    finer.partial_update(y, scores, week)
    assert finer.error_bound < metric.error_bound / 4


def test_areas_have_the_error_of_delong():
    # Pairs of rows: the area is a mean of 4 comparisons; worked out by hand.
    cells = ScoreCells()
    cells.update(np.array([1, 1, 0, 0]), np.array([3.0, 1.0, 2.0, 0.0]), None)
    # Shares of the other class below: 1 and 1/2; above: 1/2 and 1.
    assert cells.area(1) == 0.75
    assert cells.area_error(1) == pytest.approx(np.sqrt(2 * 0.125 / 2))


def test_small_numbers_are_not_lost_beside_large_ones():
    sums, part = CompensatedSums(1), np.full((1, 1), 0.1)
    sums.add_totals(np.array([1e16]))
    plain = 1e16
    for _ in range(1000):
        sums.add(part)
        plain += 0.1
    sums.add_totals(np.array([-1e16]))
    assert sums.totals[0] == pytest.approx(100, abs=1e-11)
    assert plain - 1e16 == 0


def test_ordered_categories_and_dates_are_periods():
    pandas = pytest.importorskip("pandas")
    names = np.array(["low", "mid", "top"])[WEEK % 3]
    kind = pandas.CategoricalDtype(["top", "low", "mid"], ordered=True)
    series = pandas.Series(names).astype(kind)
    metric = StreamingMetric("stability_index")
    for rows in np.split(np.arange(N), [50]):
        metric.partial_update(SCORE[rows], periods=series.iloc[rows])
    means = [SCORE[names == name].mean() for name in ("top", "low", "mid")]
    assert metric.compute() == pytest.approx(stability_index(means))
    other = pandas.Categorical(["mid", "top"], ["mid", "top"], ordered=True)
    late = pandas.Categorical(["end"], ["top", "low", "mid", "end"], ordered=True)
    before = metric.compute()
    for bad in (other, ["first"]):
        with pytest.raises(ValueError, match="'periods' parameter of StreamingMetric"):
            metric.partial_update(SCORE[: len(bad)], periods=bad)
    more = StreamingMetric("stability_index").partial_update(SCORE[:2], periods=other)
    with pytest.raises(ValueError, match="ordered by the same categories"):
        metric.merge(more)
    assert metric.compute() == before
    metric.partial_update([SCORE[0]], periods=late)
    assert metric.compute() == pytest.approx(stability_index([*means, SCORE[0]]))
    dates = np.datetime64("2026-01-01") + WEEK
    metric = StreamingMetric("stability_index").partial_update(SCORE, periods=dates)
    assert metric.compute() == pytest.approx(of_weeks(SCORE, WEEK))


@pytest.fixture
def registered(monkeypatch):
    """Return ``register``, whose metrics are forgotten after the test."""
    monkeypatch.setattr(module, "_SPECS", dict(module._SPECS))
    return register


def distance(y_true, y_pred, sample_weight=None):
    """Compute the mean distance."""
    return float(np.average(np.abs(y_true - y_pred), weights=sample_weight))


def test_a_new_metric_is_gathered_by_its_values_of_samples(registered):
    values = lambda y_true, y_pred: np.abs(y_true - y_pred)  # noqa: E731
    registered(MetricSpec("distance", distance, per_sample=values))
    metric = StreamingMetric("distance")
    for rows in np.split(np.arange(N), [11, 200]):
        metric.partial_update(TARGET[rows], ANSWER[rows], sample_weight=WEIGHT[rows])
    wanted = distance(TARGET, ANSWER, WEIGHT)
    assert metric.compute() == pytest.approx(wanted, rel=1e-13)
    found = pickle.loads(pickle.dumps(metric)).interval(random_state=0)
    wanted = confidence_interval(
        "distance", TARGET, ANSWER, sample_weight=WEIGHT, random_state=0
    )
    assert found.std_error == pytest.approx(wanted.std_error, rel=0.1)
    registered(MetricSpec("other", lambda y_true, y_pred: 0.0))
    with pytest.raises(ValueError, match=r"neither per_sample .* nor streaming"):
        StreamingMetric("other")


def test_bad_input_gets_one_sentence():
    metric = StreamingMetric("accuracy")
    with pytest.raises(ValueError, match="needs at least one sample; got none"):
        metric.compute()
    assert metric.partial_update([], []).n_samples == 0
    assert metric.partial_update([1], [1], sample_weight=[0]).n_samples == 0
    metric.partial_update([1, 0], [1, 1])
    with pytest.raises(ValueError, match="with every batch or with none"):
        metric.partial_update([1, 0], [1, 1], clusters=[1, 2])
    with pytest.raises(ValueError, match=r"parameter of StreamingMetric\.merge"):
        metric.merge(StreamingMetric("accuracy_skill"))
    with pytest.raises(ValueError, match="of the same options"):
        StreamingMetric("robust_ratio", tolerance=0.1).merge(
            StreamingMetric("robust_ratio", tolerance=0.2)
        )
    index = StreamingMetric("asi").partial_update(CORRECT)
    with pytest.raises(ValueError, match="the same conditions in every batch"):
        index.partial_update(CORRECT[:, :2])
    with pytest.raises(ValueError, match="needs periods="):
        StreamingMetric("stability_index").partial_update([0.5, 0.6])
    with pytest.raises(TypeError, match="has no parameter 'tolerance'"):
        StreamingMetric("stability_index", tolerance=1)
    with pytest.raises(TypeError, match="has no parameter 'tolerance'"):
        StreamingMetric("accuracy", tolerance=1).partial_update([1], [1])
    with pytest.raises(ValueError, match=re.escape("needs two classes")):
        StreamingMetric("gini_stability").partial_update(
            [1, 2, 3], [1, 2, 3], [0, 0, 0]
        )
    clustering = StreamingMetric("normalized_clustering", **SIZE)
    clustering.partial_update(Y, WEEK, X=POINTS)
    with pytest.raises(ValueError, match="no interval with X"):
        clustering.interval()


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_a_batch_that_is_refused_changes_nothing(case):
    metric = StreamingMetric(case[0], **case[2])
    rows = np.arange(60)
    arrays, options = part(case, rows, clusters=CLIPS)
    with full_attack():
        metric.partial_update(*arrays, **options)
        before = metric.compute(), metric.n_samples
        options["clusters"] = CLIPS[:7]
        with pytest.raises(ValueError, match="equal length"):
            metric.partial_update(*arrays, **options)
    assert (metric.compute(), metric.n_samples) == before
    units = getattr(metric._gathered, "of_units", None)
    assert units is None or units.n_rows == 60
    with pytest.raises(ValueError, match="must be another object"):
        metric.merge(metric)


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_memory_does_not_grow_with_the_rows(case):
    metric, sizes = StreamingMetric(case[0], **case[2] | _of_many(case)), []
    arrays, options = part(case, np.arange(N))
    with full_attack():
        for i in range(60):
            metric.partial_update(*arrays, **options)
            if i in (19, 59):
                sizes.append(len(pickle.dumps(metric)))
    assert sizes[1] < 1.05 * sizes[0]


def _of_many(case):
    """Return the size of a data set that holds all rows."""
    return {"n_samples": 99_999} if "n_samples" in case[2] else {}


def test_options_are_checked_without_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        metric = StreamingMetric("normalized_r2", n_features=1, n_samples=100)
        metric.partial_update([0.0, 1.0, 2.0], [0.0, 1.0, 1.0])
    assert 0 < metric.compute() <= 1
    with pytest.raises(ValueError, match="n_features"):
        StreamingMetric("normalized_r2", n_features=0).partial_update([1.0], [1.0])


def test_single_rows_iterators_and_missing_options_get_a_sentence():
    metric = StreamingMetric("accuracy")
    for row in (1, (i for i in (1, 2))):
        with pytest.raises(ValueError, match=r"for each row .* Pass a list"):
            metric.partial_update(row, [1])
    assert metric.n_samples == 0
    with pytest.raises(TypeError, match=r"needs n_features=; pass it as Streaming"):
        StreamingMetric("normalized_r2")
    with pytest.raises(TypeError, match="needs tolerance="):
        StreamingMetric("robust_ratio")


def test_checks_of_options_warn_of_no_rows_that_were_not_given():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        metric = StreamingMetric("normalized_r2", n_features=3)
        metric.partial_update(TARGET, ANSWER)
    with pytest.raises(TypeError, match="no_option"):
        StreamingMetric("normalized_r2", n_features=3, no_option=1).partial_update(
            TARGET, ANSWER
        )
