"""Lists of conditions for any severities, levels and seeds: names and numbers."""

from operator import itemgetter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_cases import seeds

from skrobust.perturbations import (
    Brightness,
    GaussianNoise,
    Rotation,
    cifar_c,
    get_preset,
    get_preset_names,
    imagenet_c,
    mnist_c,
    series,
    tabular,
    text,
    two_factor_grid,
    video_chain,
)

FEW = settings(max_examples=20, deadline=None, derandomize=True)
SOME_SEVERITIES = st.lists(
    st.integers(0, 5) | st.floats(0, 5).map(lambda s: round(s, 3)),
    min_size=1,
    max_size=4,
    unique_by=float,
)
OF_SEVERITIES = {
    "cifar_c": cifar_c,
    "imagenet_c": imagenet_c,
    "mnist_c": mnist_c,
    "series": series,
    "tabular": tabular,
    "text": text,
}


def named(conditions):
    return [condition.name for condition in conditions]


def facts(conditions):
    """Return what two lists of equal conditions have in common."""
    return [(c.number, c.name, repr(c.steps), c.random_state) for c in conditions]


@pytest.mark.parametrize("name", OF_SEVERITIES)
@FEW
@given(severities=SOME_SEVERITIES, seed=seeds)
def test_a_preset_has_each_kind_at_each_severity(name, severities, seed):
    conditions = get_preset(name, severities=severities, random_state=seed)
    assert facts(conditions) == facts(
        OF_SEVERITIES[name](severities, random_state=seed)
    )
    assert [c.number for c in conditions] == list(range(1, len(conditions) + 1))
    assert {c.random_state for c in conditions} == {seed}
    assert conditions[0].name == "CLEAN"
    assert conditions[0].steps == []
    names = named(conditions[1:])
    assert len(set(names)) == len(names)
    kinds = dict.fromkeys(one.rpartition("-")[0] for one in names)
    assert names == [f"{kind}-{s:g}" for kind in kinds for s in severities]
    for condition, severity in zip(
        conditions[1:], severities * len(kinds), strict=True
    ):
        assert [step.severity for step in condition.steps] == [severity]


@pytest.mark.parametrize("name", OF_SEVERITIES)
@FEW
@given(
    severities=SOME_SEVERITIES,
    bad=st.floats(max_value=-1e-9) | st.floats(min_value=5.001) | st.just(np.nan),
    at=st.integers(0, 4),
)
def test_one_severity_outside_is_refused(name, severities, bad, at):
    severities.insert(at, bad)
    with pytest.raises(ValueError, match=f"'severities' parameter of {name} must"):
        get_preset(name, severities=severities)


@FEW
@given(severities=SOME_SEVERITIES, seed=seeds, published=st.booleans())
def test_both_image_benchmarks_are_one_list(severities, seed, published):
    options = {"published": published, "random_state": seed}
    few = imagenet_c(severities, **options)
    all_ = imagenet_c(severities, holdout=True, **options)
    assert facts(few) == facts(cifar_c(severities, **options))
    assert facts(all_) == facts(cifar_c(severities, holdout=True, **options))
    assert facts(all_)[: len(few)] == facts(few)  # those held out come last
    assert len(few) == 1 + 15 * len(severities)
    assert len(all_) == 1 + 19 * len(severities)


@given(st.data())
@settings(max_examples=30, deadline=None, derandomize=True)
def test_names_of_presets_are_keys(data):
    kinds = [get_preset_names(kind) for kind in ("images", "series", "table", "text")]
    assert sorted(name for names in kinds for name in names) == get_preset_names()
    other = data.draw(
        st.text(max_size=12).filter(lambda t: t not in get_preset_names())
    )
    with pytest.raises(ValueError, match="get_preset"):
        get_preset(other)
    with pytest.raises(ValueError, match="get_preset_names"):
        get_preset_names(other)
    name = data.draw(st.sampled_from(get_preset_names()))
    assert get_preset(name)[0].name == "CLEAN"


LEVELS = st.lists(
    st.floats(0.01, 1).map(lambda x: round(x, 2)), min_size=1, max_size=4, unique=True
)


@FEW
@given(st.permutations(["shift", "std", "angle"]), LEVELS, LEVELS, seeds)
def test_a_grid_crosses_its_factors(parameters, first_levels, second_levels, seed):
    kinds = {"shift": Brightness(), "std": GaussianNoise(), "angle": Rotation()}
    first, second = (
        (kinds[name], name, levels)
        for name, levels in zip(parameters, (first_levels, second_levels), strict=False)
    )
    m, n = len(first_levels), len(second_levels)

    def grid(**options):
        return two_factor_grid(first, second, random_state=seed, **options)

    whole = grid()
    assert [c.number for c in whole] == list(range(1, len(whole) + 1))
    assert len(whole) == 2 * (m + 1) * (n + 1) - 1
    assert len(set(named(whole))) == len(whole)
    assert facts(grid(both_orders=False)) == facts(whole)[: (m + 1) * (n + 1)]
    clean, *single = facts(grid(include="single"))
    assert len(single) == 2 * (m + n)
    pairs = facts(grid(include="pairs"))[1:]
    assert len(pairs) == 2 * m * n
    assert sorted([clean, *single, *pairs], key=itemgetter(0)) == facts(whole)
    once = grid(unique=True)
    assert len(once) == 1 + m + n + 2 * m * n  # alone, and together in both orders
    assert set(facts(once)) <= set(facts(whole))
    effects = [tuple(map(repr, c.steps)) for c in whole]
    assert {tuple(map(repr, c.steps)) for c in once} == set(effects)
    for effect in set(effects):  # repeats get noise of their own
        again = [
            c.replicate for c, e in zip(whole, effects, strict=True) if e == effect
        ]
        assert again == list(range(len(again)))


@FEW
@given(
    st.integers(1, 4) | st.none(),
    st.sampled_from([(8, 8), (9, 12, 3), (3, 10, 8), None]),
)
def test_encodings_are_ten_of_any_clips(clips, image_shape):
    conditions = video_chain(clips=clips, image_shape=image_shape)
    assert [c.number for c in conditions] == list(range(1, 11))
    assert len(set(named(conditions))) == 10
    assert facts(get_preset("video_chain", clips=clips, image_shape=image_shape)) == (
        facts(conditions)
    )


@FEW
@given(st.text(min_size=1, max_size=8), seeds)
def test_a_preset_names_the_keyword_that_it_does_not_take(word, seed):
    known = {"severities", "random_state"}
    if word not in known | {"name"}:
        with pytest.raises(ValueError, match="does not take"):
            get_preset("text", **{word: 1}, random_state=seed)
