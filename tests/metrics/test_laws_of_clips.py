"""Laws of clips: frames in any order, by any name, and as often as one likes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_cases import any_rows, few, fewer, fractions_of_20, probabilities, seeds

from skrobust.metrics import aggregate_clips, clip_robustness

rules = st.sampled_from(["mean", "median", "vote", "max"])
NAMES = np.array(["f", "b", "a", "e", "c", "d"])


def clips_of(rng, n):
    """The clip of each frame, of six at most, and one frame of clip 0 at least."""
    clips = rng.integers(0, 6, n)
    clips[0] = 0
    return clips


def positive(how):
    return {"positive": 1} if how == "max" else {}


@few
@given(seeds, rules, st.integers(2, 4), st.booleans())
def test_probabilities_of_clips_by_loop(seed, how, k, coarse):
    rng = np.random.default_rng(seed)
    p = (fractions_of_20 if coarse else probabilities)(rng, 16, k)
    clips = clips_of(rng, 16)
    values, names = aggregate_clips(p, clips, how=how, **positive(how))
    assert names.tolist() == list(dict.fromkeys(clips.tolist()))
    for value, name in zip(values, names, strict=True):
        part = p[clips == name]
        if how == "vote":
            part = np.eye(k)[[list(row).index(max(row)) for row in part]]
        expected = part.mean(axis=0)
        if how == "median":
            middle = np.median(part, axis=0)
            expected = middle / middle.sum() if middle.sum() > 0 else expected
        if how == "max":
            expected = part[list(part[:, 1]).index(max(part[:, 1]))]
        assert value == pytest.approx(expected, abs=1e-12)
        assert value.sum() == pytest.approx(1)
    # A clip by another name, and frames given twice each.
    twice = np.repeat(np.arange(16), 2)
    again, others = aggregate_clips(
        p[twice], NAMES[clips][twice], how=how, **positive(how)
    )
    assert others.tolist() == NAMES[names].tolist()
    assert again == pytest.approx(values, abs=1e-12)


@few
@given(seeds, rules)
def test_numbers_and_labels_of_clips_by_loop(seed, how):
    rng = np.random.default_rng(seed)
    clips = clips_of(rng, 16)
    values = rng.integers(-4, 5, 16) if how == "vote" else rng.integers(-9, 9, 16) / 8
    found, names = aggregate_clips(values, clips, how=how)
    rule = {
        "mean": np.mean,
        "median": np.median,
        "max": max,
        "vote": lambda part: min(set(part), key=lambda v: (-list(part).count(v), v)),
    }[how]
    expected = [rule(values[clips == name]) for name in names]
    assert found.tolist() == pytest.approx(expected)
    order = rng.permutation(16)
    again, others = aggregate_clips(values[order], clips[order], how=how)
    place = others.tolist()
    same = [again[place.index(name)] for name in names.tolist()]
    assert same == pytest.approx(found.tolist(), abs=1e-12)


def robust_clips(seed, k):
    rng = np.random.default_rng(seed)
    clips = clips_of(rng, 40)
    y = rng.integers(0, k, 6)[clips]
    p, q = probabilities(rng, 40, k), probabilities(rng, 40, k)
    return rng, y, p, (p + q) / 2, clips


@fewer
@given(seeds, rules, st.integers(2, 3))
@pytest.mark.filterwarnings("ignore:Only . clips")
@pytest.mark.filterwarnings("ignore:clip_robustness")
def test_robustness_of_clips_in_any_order_by_any_name(seed, how, k):
    rng, y, p, q, clips = robust_clips(seed, k)
    options = {"how": how, "n_resamples": 9, "random_state": 0, **positive(how)}
    with any_rows():
        found = clip_robustness(y, p, q, clips, **options)
        order = rng.permutation(40)
        labels = NAMES[:k]
        other = clip_robustness(
            labels[y][order],
            p[order],
            q[order],
            NAMES[clips][order],
            labels=labels,
            **options,
        )
    for name in ("frame_ratio", "clip_ratio", "difference"):
        assert found[name] == pytest.approx(other[name], abs=1e-12)
    for side in ("frame_ratio", "clip_ratio"):
        low, value, high = (found[side + end] for end in ("_low", "", "_high"))
        assert ((low >= 0) & (low <= value) & (value <= high) & (high <= 1)).all()
        assert (np.diff(value) >= 0).all()  # the tolerance rises
    assert found.difference == pytest.approx(found.clip_ratio - found.frame_ratio)
    for name in ("clean", "robust"):
        assert found.accuracy[name] == pytest.approx(other.accuracy[name])
        low, high = found.accuracy[f"{name}_low"], found.accuracy[f"{name}_high"]
        assert ((low <= found.accuracy[name]) & (found.accuracy[name] <= high)).all()
    # The columns are the means of what stands in the table of clips.
    table = found.per_clip
    assert table.n_frames.sum() == 40
    assert found.accuracy.clean[1] == pytest.approx(table.right.mean())
    assert found.accuracy.robust[1] == pytest.approx(table.right_perturbed.mean())
    expected = [(table["shift"] <= b + 1e-9).mean() for b in found.tolerance]
    assert found.clip_ratio == pytest.approx(expected)


@fewer
@given(seeds, rules)
@pytest.mark.filterwarnings("ignore:Only . clips")
@pytest.mark.filterwarnings("ignore:clip_robustness")
def test_frames_given_twice_are_the_same_clips(seed, how):
    _, y, p, q, clips = robust_clips(seed, 2)
    options = {"how": how, "n_resamples": 9, "random_state": 0, **positive(how)}
    twice = np.repeat(np.arange(40), 2)
    with any_rows():
        once = clip_robustness(y, p, q, clips, **options)
        again = clip_robustness(*(a[twice] for a in (y, p, q, clips)), **options)
    # Limits of frames may change: their effective number is at most that of frames.
    ends = ("", "_low", "_high")
    names = [f"{name}{end}" for name in ("clip_ratio", "difference") for end in ends]
    for name in ("frame_ratio", *names):
        assert again[name] == pytest.approx(once[name], abs=1e-9), name
