"""Clips: aggregated frames, robustness of clips, one draw over a clip."""

import itertools

import numpy as np
import pytest
from problems import linear_problem
from sklearn.base import clone

from skrobust.evaluation import evaluate_perturbations
from skrobust.metrics import (
    aggregate_clips,
    clip_robustness,
    robust_accuracy_score,
    robust_ratio_band,
    rr_linearity,
)
from skrobust.perturbations import (
    ClipPerturbation,
    Contrast,
    GaussianNoise,
    MotionBlur,
    Occlusion,
    PerturbationSequence,
    Rotation,
    SaltAndPepper,
    Typos,
)

RNG = np.random.default_rng(0)
HOWS = ("mean", "median", "vote", "max")


def two(p):
    p = np.asarray(p)
    return np.stack([1 - p, p], axis=-1)


def problem(n_clips=40, n_frames=5, classes=2, seed=0):
    """Frames of clips: probabilities that share most of their noise within a clip."""
    rng = np.random.default_rng(seed)
    clips = np.repeat(np.arange(n_clips), n_frames)
    y = np.repeat(rng.integers(0, classes, n_clips), n_frames)
    scores = rng.normal(size=(n_clips, classes))[clips] + rng.normal(
        size=(len(clips), classes)
    )
    scores[np.arange(len(y)), y] += 1.5
    moved = scores + 0.3 * rng.normal(size=scores.shape)
    p, q = (np.exp(s) / np.exp(s).sum(axis=1, keepdims=True) for s in (scores, moved))
    order = rng.permutation(len(y))
    return y[order], p[order], q[order], clips[order]


def positive(how):
    return {"positive": 0} if how == "max" else {}


# ------------------------------------------------------------------ aggregate_clips


def test_values_by_hand():
    p = two([0.1, 0.9, 0.6, 0.3, 0.2])
    clips = ["b", "a", "a", "b", "b"]
    for how, wanted in {
        "mean": [0.2, 0.75],
        "median": [0.2, 0.75],
        "vote": [0.0, 1.0],
        "max": [0.1, 0.6],  # where column 0 is the largest
    }.items():
        values, names = aggregate_clips(p, clips, how=how, **positive(how))
        assert names.tolist() == ["b", "a"]  # as they first occur
        assert np.allclose(values[:, 1], wanted)
        assert np.allclose(values.sum(axis=1), 1)


def test_a_column_of_numbers_and_labels():
    clips = [3, 3, 3, 1]
    numbers = [0.1, 0.5, 0.9, 0.4]
    for how, wanted in {"mean": 0.5, "median": 0.5, "max": 0.9}.items():
        values, names = aggregate_clips(numbers, clips, how=how)
        assert names.tolist() == [3, 1]
        assert np.allclose(values, [wanted, 0.4])
    labels, _ = aggregate_clips(["real", "fake", "real", "fake"], clips, how="vote")
    assert labels.tolist() == ["real", "fake"]
    tied, _ = aggregate_clips([True, False, 1, 0], [0, 0, 0, 0], how="vote")
    assert not tied[0]  # the smallest of equals


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("classes", [2, 4])
def test_laws_of_aggregation(how, classes):
    _, p, _, clips = problem(classes=classes)
    values, names = aggregate_clips(p, clips, how=how, **positive(how))
    assert np.allclose(values.sum(axis=1), 1)
    order = RNG.permutation(len(p))
    again, others = aggregate_clips(p[order], clips[order], how=how, **positive(how))
    place = {name: i for i, name in enumerate(others.tolist())}
    assert np.allclose(again[[place[n] for n in names.tolist()]], values)
    # Each row a clip of its own: nothing to aggregate (a vote is all or nothing).
    alone, _ = aggregate_clips(p, np.arange(len(p)), how=how, **positive(how))
    if how == "vote":
        assert np.array_equal(alone, np.eye(classes)[p.argmax(axis=1)])
    else:
        assert np.allclose(alone, p)
    single = aggregate_clips(p.astype(np.float32), clips, how=how, **positive(how))[0]
    assert single.dtype == np.float32
    before = p.copy()
    p.flags.writeable = False
    aggregate_clips(np.asfortranarray(p)[::-1], clips[::-1], how=how, **positive(how))
    assert np.array_equal(p, before)


def test_medians_that_are_all_zero_fall_back_to_the_mean():
    values, _ = aggregate_clips(np.eye(3), [0, 0, 0], how="median")
    assert np.allclose(values, 1 / 3)


@pytest.mark.parametrize(
    "values, clips, params, sentence",
    [
        (two([0.1, 0.2]), [0], {}, "equal length"),
        (two([0.1]), [], {}, "clips"),
        (two([0.1, np.nan]), [0, 0], {}, "NaN"),
        (two([0.1, 1.4]), [0, 0], {}, "fractions"),
        (two([0.1, 0.2]), [0, None], {}, "clips"),
        (two([0.1, 0.2]), [0, 0], {"how": "min"}, "'how'"),
        (two([0.1, 0.2]), [0, 0], {"how": "max"}, "positive"),
        (two([0.1, 0.2]), [0, 0], {"how": "max", "positive": 2}, "at most 1"),
        (two([0.1, 0.2]), [0, 0], {"positive": 0}, "how='max' only"),
        ([0.1, 0.2], [0, 0], {"how": "vote"}, "vote of labels"),
        ([0.1, 0.2], [0, 0], {"how": "max", "positive": 0}, "columns"),
        (["a", "b"], [0, 0], {"how": "mean"}, "numbers"),
        ([], [], {}, "at least one"),
        (np.zeros((2, 2, 2)), [0, 0], {}, "1-D"),
    ],
)
def test_aggregate_clips_refuses_wrong_values(values, clips, params, sentence):
    with pytest.raises(ValueError, match=sentence):
        aggregate_clips(values, clips, **params)


# ------------------------------------------------------------------ clip_robustness


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("classes", [2, 3])
def test_clip_robustness_is_made_of_the_known_metrics(how, classes):
    y, p, q, clips = problem(classes=classes)
    results = clip_robustness(y, p, q, clips, how=how, n_resamples=20, **positive(how))
    frame = robust_ratio_band(p, q, clusters=clips)
    assert np.allclose(results.frame_ratio, frame.ratio)
    assert np.allclose(results.frame_ratio_low, frame.low)
    assert np.allclose(results.frame_ratio_high, frame.high)
    P, Q = (aggregate_clips(x, clips, how=how, **positive(how))[0] for x in (p, q))
    whole = robust_ratio_band(P, Q)
    assert np.allclose(results.clip_ratio, whole.ratio)
    assert np.allclose(results.clip_ratio_high, whole.high)
    assert np.allclose(results.difference, whole.ratio - frame.ratio)
    table = results.accuracy
    assert table.unit.tolist() == ["frames", "clips"]
    assert table.n.tolist() == [len(y), 40]
    assert np.isclose(table.robust[0], robust_accuracy_score(y, q.argmax(axis=1)))
    label = np.array([y[clips == c][0] for c in results.per_clip.clip])
    assert np.array_equal(label, results.per_clip.label)
    assert np.isclose(table.robust[1], np.mean(Q.argmax(axis=1) == label))
    for name in ("r_squared_chord", "r_squared", "max_deviation"):
        for i, ratio in enumerate((frame.ratio, whole.ratio)):
            own = rr_linearity(frame.tolerance, ratio)[name]
            assert np.isclose(results.linearity[name][i], own, equal_nan=True)


def test_limits_of_the_linearity_are_those_of_the_jackknife():
    y, p, q, clips = problem()
    table = clip_robustness(y, p, q, clips, n_resamples=5).linearity
    names = np.unique(clips)
    for name in ("r_squared_chord", "r_squared", "max_deviation"):
        left_out = []
        for clip in names:
            keep = clips != clip
            ratio = robust_ratio_band(p[keep], q[keep]).ratio
            tolerances = np.arange(21) / 100
            left_out.append(rr_linearity(tolerances, ratio)[name])
        left_out = np.array(left_out)
        error = np.sqrt(39 / 40 * ((left_out - left_out.mean()) ** 2).sum())
        low, value, high = (table[name + end][0] for end in ("_low", "", "_high"))
        assert low < value <= high
        assert 1.95 * error < value - low < 3.5 * error  # t with fewer than 39 degrees


def spread_clips(n, rng, k=5):
    shift = rng.gamma(1.5, 0.05, n)[:, None] + rng.normal(0, 0.03, (n, k))
    p = rng.uniform(0.5, 0.95, (n, k))
    both = [
        np.stack([x, 1 - x], -1).reshape(-1, 2) for x in (p, p - np.clip(shift, 0, 0.4))
    ]
    y, clips = np.zeros(n * k, dtype=int), np.repeat(np.arange(n), k)
    return y, both[0], np.clip(both[1], 0, 1), clips


@pytest.mark.filterwarnings("ignore:clip_robustness found")  # shifts cut at 0
def test_limits_of_the_linearity_cover_that_of_all_clips():
    rng, options = np.random.default_rng(0), {"n_resamples": 2, "labels": [0, 1]}
    truth = clip_robustness(*spread_clips(5000, rng), **options).linearity
    names = ("r_squared_chord", "r_squared", "max_deviation")
    covered = dict.fromkeys(names, 0)
    for _ in range(60):
        found = clip_robustness(*spread_clips(40, rng), **options).linearity
        for name in names:
            low, high = found[f"{name}_low"], found[f"{name}_high"]
            assert ((low <= found[name]) & (found[name] <= high)).all()
            covered[name] += (low <= truth[name]) & (truth[name] <= high)
    for counts in covered.values():
        assert (counts >= 51).all()  # of 60, at 95 %


def test_clips_of_one_frame_are_frames():
    y, p, q, clips = problem(n_frames=1)
    results = clip_robustness(y, p, q, clips, random_state=0)
    for name in ("ratio", "ratio_low", "ratio_high"):
        frame, whole = results[f"frame_{name}"], results[f"clip_{name}"]
        assert np.allclose(frame, whole)
    assert np.array_equal(results.difference_high, np.zeros(21))
    assert np.allclose(results.linearity.max_deviation[2], 0)


def test_a_clip_moves_at_most_as_far_as_its_frames_on_average():
    y, p, q, clips = problem()
    found = clip_robustness(y, p, q, clips, n_resamples=5).per_clip
    frames = np.abs(p - q)[:, 0]
    mean = [frames[clips == clip].mean() for clip in found.clip]
    assert (found.shift <= np.array(mean) + 1e-12).all()


@pytest.mark.filterwarnings("ignore:.*no row changed")
def test_nothing_moves_and_everything_moves():
    y, p, _, clips = problem()
    still = clip_robustness(y, p, p, clips, n_resamples=5)
    assert (still.frame_ratio == 1).all()
    assert (still.clip_ratio == 1).all()
    assert np.array_equal(still.accuracy.clean, still.accuracy.robust)
    assert np.isnan(still.linearity.r_squared).all()
    flipped = clip_robustness(y, np.eye(2)[y], np.eye(2)[1 - y], clips, n_resamples=5)
    assert (flipped.clip_ratio == 0).all()
    assert (flipped.accuracy.robust == 0).all()


def test_several_perturbations_count_at_their_worst():
    y, p, q, clips = problem()
    many = np.stack([q, p, q[::-1][np.argsort(clips[::-1], kind="stable")]])
    one = clip_robustness(y, p, q, clips, n_resamples=5)
    worst = clip_robustness(y, p, np.stack([p, q]), clips, n_resamples=5)
    assert np.array_equal(one.clip_ratio, worst.clip_ratio)
    more = clip_robustness(y, p, many, clips, n_resamples=5)
    assert (more.clip_ratio <= one.clip_ratio).all()
    assert (more.accuracy.robust <= one.accuracy.robust).all()


def test_labels_of_any_kind_and_any_order_of_rows():
    y, p, q, clips = problem()
    plain = clip_robustness(y, p, q, clips, random_state=0)
    names = np.array(["fake", "real"])
    named = clip_robustness(
        names[y], p, q, clips.astype(str), labels=["fake", "real"], random_state=0
    )
    order = RNG.permutation(len(y))
    mixed = clip_robustness(y[order], p[order], q[order], clips[order])
    for results in (named, mixed):
        for name in ("frame_ratio", "frame_ratio_low", "clip_ratio_high"):
            assert np.allclose(plain[name], results[name])
    assert set(named.per_clip.label) == {"fake", "real"}
    assert np.array_equal(plain.difference_low, named.difference_low)


def test_tables_become_frames():
    pytest.importorskip("pandas")
    y, p, q, clips = problem()
    results = clip_robustness(y, p, q, clips, n_resamples=5)
    assert results.to_frame().shape == (21, 10)
    assert len(results.per_clip.to_frame()) == 40
    assert len(results.linearity.frame()) == 3


def test_few_clips_are_said():
    y, p, q, clips = problem(n_clips=4)
    with pytest.warns(UserWarning, match="Only 4 clips"):
        results = clip_robustness(y, p, q, clips, n_resamples=5)
    assert results.warnings


@pytest.mark.slow
def test_limits_of_the_difference_cover():
    # The truth is that of very many clips of the same kind.
    tolerances = [0.0, 0.05, 0.2]
    settings = {"tolerances": tolerances, "n_resamples": 300, "random_state": 0}
    y, p, q, clips = problem(n_clips=20_000, seed=99)
    settings_once = settings | {"n_resamples": 1}
    truth = clip_robustness(y, p, q, clips, **settings_once).difference[1]
    hits = 0
    for seed in range(60):
        y, p, q, clips = problem(n_clips=60, seed=seed)
        found = clip_robustness(y, p, q, clips, **settings)
        hits += found.difference_low[1] <= truth <= found.difference_high[1]
    assert hits >= 51  # 57 expected; P(less than 51) is below 1 % at 95 %


@pytest.mark.parametrize(
    "change, sentence",
    [
        ({"y_true": [0, 1, 0, 0]}, "one label per clip"),
        ({"y_true": [0, 0, 5, 5]}, "column numbers"),
        ({"clips": [0, 0, 1]}, "equal length"),
        ({"y_prob": [0.1, 0.2, 0.3, 0.4]}, "of shape"),
        ({"y_prob_perturbed": two([0.1])}, "shape of y_prob"),
        ({"tolerances": [0.1, 0.0, 0.2]}, "rise"),
        ({"tolerances": [0.1]}, "at least 3"),
        ({"tolerances": [0, 1, 20]}, "fractions"),
        ({"how": "best"}, "'how'"),
        ({"how": "max"}, "positive"),
        ({"confidence": 95}, "'confidence'"),
        ({"n_resamples": 0}, "'n_resamples'"),
        ({"reference": "all"}, "'reference'"),
        ({"random_state": "x"}, "'random_state'"),
    ],
)
def test_clip_robustness_refuses_wrong_values(change, sentence):
    p = two([0.1, 0.2, 0.7, 0.9])
    good = {"y_true": [0, 0, 1, 1], "y_prob": p, "y_prob_perturbed": p}
    params = good | {"clips": [0, 0, 1, 1]} | change
    data = [params.pop(n) for n in ("y_true", "y_prob", "y_prob_perturbed", "clips")]
    with pytest.raises(ValueError, match=sentence):
        clip_robustness(*data, **params)


# --------------------------------------------------------------------- rr_linearity


def test_a_straight_line_and_a_jump():
    b = np.arange(21) / 100
    line = rr_linearity(b, 0.1 + 4 * b)
    assert np.isclose(line.r_squared_chord, 1)
    assert np.isclose(line.r_squared, 1)
    assert np.isclose(line.max_deviation, 0)
    jump = rr_linearity(b, (b > 0.005).astype(float))
    assert np.isclose(jump.max_deviation, 0.95)
    assert jump.at == 0.01
    assert jump.r_squared_chord < 0 < jump.r_squared < 0.5
    late = rr_linearity(b, (b > 0.195).astype(float))
    assert np.isclose(late.max_deviation, -0.95)


def test_least_squares_agrees_with_the_correlation():
    b = np.sort(RNG.random(9))
    ratios = np.sort(RNG.random(9))
    found = rr_linearity(b, ratios)
    assert np.isclose(found.r_squared, np.corrcoef(b, ratios)[0, 1] ** 2)
    assert found.r_squared_chord <= found.r_squared + 1e-12  # no line fits better
    order = RNG.permutation(9)
    assert np.isclose(
        rr_linearity(b[order], ratios[order]).r_squared_chord, found.r_squared_chord
    )


def test_a_curve_that_never_rises_is_no_line():
    flat = rr_linearity([0, 0.1, 0.2], [0.5, 0.5, 0.5])
    assert np.isnan(flat.r_squared_chord)
    assert flat.max_deviation == 0


@pytest.mark.parametrize(
    "data, sentence",
    [
        (([0, 0.1], [0, 1]), "at least 3"),
        (([0, 0.1, 0.1], [0, 1, 1]), "different tolerances"),
        (([0, 0.1, 0.2], [0, 1]), "equal length"),
        (([0, 0.1, 0.2], [0, 1, 90]), "percent"),
    ],
)
def test_rr_linearity_refuses_wrong_curves(data, sentence):
    with pytest.raises(ValueError, match=sentence):
        rr_linearity(*data)


# ----------------------------------------------------------------- ClipPerturbation

CLIPS = RNG.integers(0, 256, (6, 4, 8, 8, 3), dtype=np.uint8)
FRAMES = CLIPS.reshape(24, 8, 8, 3)
INNER = [
    GaussianNoise(std=0.1, random_state=3),
    SaltAndPepper(0.3, random_state=3),
    MotionBlur(3, random_state=1),
    Occlusion(5, random_state=0),
    Contrast(3),
    PerturbationSequence([GaussianNoise(std=0.1), Rotation(20)], random_state=0),
]


@pytest.mark.parametrize("inner", INNER, ids=lambda p: str(p))
def test_the_three_ways_to_name_clips_agree(inner):
    whole = ClipPerturbation(inner).perturb(None, CLIPS).reshape(FRAMES.shape)
    names = np.repeat(list("abcdef"), 4)
    assert np.array_equal(whole, ClipPerturbation(inner, clips=4).perturb(None, FRAMES))
    order = RNG.permutation(24)  # frames of several clips in any order
    mixed = ClipPerturbation(inner, clips=names[order]).perturb(None, FRAMES[order])
    assert np.array_equal(whole[order], mixed)
    # Per frame is the perturbation itself.
    per_frame = ClipPerturbation(inner, same_over_clip=False).perturb(None, CLIPS)
    assert np.array_equal(per_frame.reshape(FRAMES.shape), inner.perturb(None, FRAMES))


def test_one_draw_over_a_clip_and_another_for_the_next():
    noise = GaussianNoise(std=0.1, data_range=(-9, 9), random_state=0)
    X = RNG.random((5, 3, 8, 8))
    drawn = ClipPerturbation(noise).perturb(None, X) - X
    assert np.allclose(drawn, drawn[:, :1])
    for a, b in itertools.combinations(range(5), 2):
        assert not np.isclose(drawn[a, 0], drawn[b, 0]).any()
    assert abs(drawn[:, 0].std() / 18 - 0.1) < 0.02
    equal = np.full((50, 2, 8, 8), 0.5)  # equal clips get independent draws
    found = ClipPerturbation(noise).perturb(None, equal)[:, 0]
    assert len(np.unique(found[:, 0, 0])) == 50
    per_frame = ClipPerturbation(noise, same_over_clip=False).perturb(None, equal)
    assert len(np.unique(per_frame[:, :, 0, 0])) == 100


def test_batches_and_orders_of_clips_do_not_matter():
    p = ClipPerturbation(GaussianNoise(std=0.1), random_state=7)
    whole = p.perturb(None, CLIPS)
    parts = [p.perturb(None, CLIPS[:2]), p.perturb(None, CLIPS[2:])]
    assert np.array_equal(whole, np.concatenate(parts))
    assert np.array_equal(whole[::-1], p.perturb(None, CLIPS[::-1]))
    assert np.array_equal(whole[:, ::-1], p.perturb(None, CLIPS[:, ::-1]))
    other = clone(p).set_params(random_state=8).perturb(None, CLIPS)
    assert not np.array_equal(whole, other)
    inner = ClipPerturbation(GaussianNoise(std=0.1, random_state=7))
    assert np.array_equal(whole, inner.perturb(None, CLIPS))
    # Common random numbers: the noise of a higher severity is the same, scaled.
    X = np.full((3, 2, 8, 8), 0.5)
    low, high = (
        ClipPerturbation(GaussianNoise(std=s), random_state=0).perturb(None, X) - X
        for s in (0.02, 0.04)
    )
    assert np.allclose(2 * low, high)


def test_severity_zero_read_only_and_inside_a_sequence():
    X = CLIPS.copy()
    X.flags.writeable = False
    same = ClipPerturbation(GaussianNoise(severity=0)).perturb(None, X)
    assert np.array_equal(same, X)
    steps = [ClipPerturbation(GaussianNoise(std=0.1), clips=4), Contrast(2)]
    sequence = PerturbationSequence(steps, random_state=0)
    grey = np.full((8, 8, 8), 0.5)
    out = sequence.perturb(None, grey)
    assert np.array_equal(out, sequence.perturb(None, grey))
    alone = PerturbationSequence(steps[:1], random_state=0).perturb(None, grey)
    assert (alone[:4] == alone[0]).all()
    assert (alone[4:] == alone[4]).all()
    assert not (alone[0] == alone[4]).any()
    fifth = PerturbationSequence([ClipPerturbation(GaussianNoise(std=0.1))])
    assert fifth.perturb(None, CLIPS).shape == CLIPS.shape


def test_learned_scales_come_from_fit():
    X = 100 * RNG.random((6, 4, 8, 8))
    p = ClipPerturbation(GaussianNoise(std=0.1), random_state=0).fit(X)
    assert p.perturbation_.data_range_[1] == X.max()
    assert p.transform(X[:2]).shape == (2, 4, 8, 8)


def test_in_an_evaluation():
    model, X, y = linear_problem(n=60)
    conditions = [
        ClipPerturbation(
            GaussianNoise(std=0.5, random_state=0), clips=6, same_over_clip=same
        )
        for same in (True, False)
    ]
    results = evaluate_perturbations(model, X, y, conditions)
    assert results.name[0] != results.name[1]
    assert (results.score < results.clean_score).all()


@pytest.mark.parametrize(
    "params, sentence",
    [
        ({"perturbation": 3}, "'perturbation'"),
        ({"perturbation": GaussianNoise}, "'perturbation'"),
        ({"perturbation": Typos()}, "'perturbation'"),
        ({"clips": 0}, "'clips'"),
        ({"clips": True}, "'clips'"),
        ({"clips": "a"}, "'clips'"),
        ({"clips": 2.5}, "'clips'"),
        ({"clips": 5}, "whole clips"),
        ({"clips": [0, 1]}, "clips of 2 rows"),
        ({"same_over_clip": 2}, "'same_over_clip'"),
        ({"random_state": "x"}, "'random_state'"),
    ],
)
def test_bad_parameters_of_clip_perturbations(params, sentence):
    p = ClipPerturbation(**{"perturbation": Contrast(1), **params})
    with pytest.raises(ValueError, match=sentence):
        p.perturb(None, FRAMES)
    with pytest.raises(ValueError, match="whole clips"):
        ClipPerturbation(Contrast(1)).perturb(None, np.zeros((3, 4)))


@pytest.mark.parametrize("missing", [None, np.nan])
def test_a_missing_clip_is_refused(missing):
    # Frames without a clip must not form one clip together.
    noise = ClipPerturbation(GaussianNoise(std=0.1), clips=[missing] * 4)
    with pytest.raises(ValueError, match="ClipPerturbation needs"):
        noise.perturb(None, np.full((4, 8, 8), 0.5))
