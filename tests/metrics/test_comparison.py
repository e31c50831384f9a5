"""Paired comparisons of models: exact tests, coverage, corrections, rankings."""

import warnings

import numpy as np
import pytest
from interval_problems import (
    ROWS,
    asi_of,
    condition_means,
    coverage,
    draw_clusters,
    draw_images,
    quiet,
)
from scipy.stats import beta, binomtest, norm
from sklearn.metrics import f1_score

from skrobust.metrics import compare_models, confidence_interval, stability_index
from skrobust.metrics.comparison.paired import holm


def test_mcnemar_equals_the_binomial_test():
    rng = np.random.default_rng(25)
    for _ in range(10):
        a, b = rng.random((2, 40)) < 0.7
        result = compare_models({"a": a, "b": b}, n_resamples=100, random_state=0)
        first, second = np.sum(a & ~b), np.sum(b & ~a)
        expected = binomtest(first, first + second).pvalue
        assert result.p_value[0] == pytest.approx(expected)
        assert result.difference[0] == pytest.approx(a.mean() - b.mean())
        assert result.low[0] < result.difference[0] < result.high[0]
    assert result.method == "exact McNemar"
    same = compare_models({"a": a, "b": a}, n_resamples=100, random_state=0)
    assert (same.p_value[0], same.difference[0]) == (1, 0)
    assert np.isnan(same.flip_rate[0])


def test_difference_of_shares_by_hand():
    a, b = np.ones(30, dtype=bool), np.arange(30) >= 4
    result = compare_models({"a": a, "b": b}, n_resamples=100, random_state=0)
    p, q = 5 / 32, 1 / 32
    half = norm.ppf(0.975) * np.sqrt((p + q - (p - q) ** 2) / 32)
    assert result.low[0] == pytest.approx(p - q - half)
    assert result.high[0] == pytest.approx(p - q + half)


def test_holm_by_hand():
    np.testing.assert_allclose(holm([0.01, 0.04, 0.03]), [0.03, 0.06, 0.06])
    np.testing.assert_allclose(holm([0.5, 0.9]), [1, 1])


def test_comparison_takes_labels_and_swaps():
    rng = np.random.default_rng(26)
    y = rng.integers(3, size=50)
    p = {
        name: np.where(rng.random((4, 50)) < q, y, 0)
        for name, q in (("a", 0.9), ("b", 0.7))
    }
    labels = compare_models(p, y_true=y, random_state=0)
    matrices = {name: (one == y).T for name, one in p.items()}
    assert compare_models(matrices, random_state=0).p_value == labels.p_value
    back = compare_models({"b": p["b"], "a": p["a"]}, y_true=y, random_state=0)
    assert back.difference == -labels.difference
    assert back.low == pytest.approx(-labels.high)
    assert back.flip_rate == labels.flip_rate
    names = np.array(["z", "y", "x"])
    words = {name: names[one] for name, one in p.items()}
    assert compare_models(words, y_true=names[y], random_state=0).low == labels.low


@pytest.mark.slow
def test_accuracy_difference_covers():
    rng = np.random.default_rng(27)
    means = np.array([0.9, 0.8])

    def draw():
        a, b = draw_images(rng, 100, means).T
        result = compare_models({"a": a, "b": b}, n_resamples=100, random_state=0)
        return result.low[0], result.high[0]

    assert 0.93 <= coverage(draw, 0.1, 1500) <= 0.97


@pytest.mark.slow
def test_asi_difference_covers():
    rng = np.random.default_rng(28)
    means = condition_means(0.85, 0.03, 20), condition_means(0.8, 0.06, 20)
    truth = asi_of(0.85, 0.03) - asi_of(0.8, 0.06)

    def draw():
        difficulty = rng.normal(size=(200, 1))
        a, b = (
            0.7 * difficulty + np.sqrt(0.51) * rng.normal(size=(200, 20)) < norm.ppf(m)
            for m in means
        )
        result = compare_models(
            {"a": a, "b": b},
            metric="accuracy_stability_index",
            n_resamples=300,
            random_state=int(rng.integers(2**31)),
        )
        return result.low[0], result.high[0]

    assert 0.93 <= coverage(draw, truth, 400) <= 0.99


def draw_shift_pair(rng, n=200, b=(15, 10)):
    shared = rng.normal(size=(n, 1))
    u = norm.cdf(0.7 * shared + np.sqrt(0.51) * rng.normal(size=(n, 2)))
    return beta.ppf(u[:, 0], 1, b[0]), beta.ppf(u[:, 1], 1, b[1])


@pytest.mark.slow
def test_curve_difference_covers_as_a_whole():
    rng = np.random.default_rng(29)
    tolerances = np.arange(1, 16) / 100
    truth = beta.cdf(tolerances, 1, 15) - beta.cdf(tolerances, 1, 10)
    inside = points = 0
    for _ in range(500):
        a, b = draw_shift_pair(rng)
        result = compare_models(
            {"a": a, "b": b},
            metric="robust_ratio",
            tolerance=tolerances,
            n_resamples=300,
            random_state=int(rng.integers(2**31)),
        )
        inside += np.all((result.band_low <= truth) & (truth <= result.band_high))
        points += np.mean((result.low <= truth) & (truth <= result.high))
    assert 0.92 <= inside / 500 <= 0.98
    assert 0.93 <= points / 500 <= 0.97
    np.testing.assert_array_equal(result.tolerance, tolerances)
    assert result.correction == "max-statistic over 15 differences"
    assert np.all(result.p_adjusted >= result.p_value)


@pytest.mark.slow
def test_equal_curves_raise_few_alarms():
    rng = np.random.default_rng(30)
    alarms = 0
    for _ in range(400):
        a, b = draw_shift_pair(rng, b=(12, 12))
        result = compare_models(
            {"a": a, "b": b},
            metric="robust_ratio",
            tolerance=np.arange(1, 16) / 100,
            n_resamples=300,
            random_state=int(rng.integers(2**31)),
        )
        alarms += result.p_adjusted.min() <= 0.05
    assert 0.02 <= alarms / 400 <= 0.08


def test_pairing_makes_differences_sharp():
    rng = np.random.default_rng(31)
    base = rng.beta(1, 12, 300)
    pair = {"a": base, "b": np.minimum(1, base + 0.008)}
    result = compare_models(pair, metric="robust_ratio", tolerance=0.05, random_state=0)
    single = [
        confidence_interval("robust_ratio", s, tolerance=0.05) for s in pair.values()
    ]
    assert single[0].low < single[1].high  # as if nothing were known
    assert result.low[0] > 0
    assert result.p_value[0] < 0.001
    assert result.flip_rate[0] == 0
    assert "tolerance" not in result


def test_several_models_are_corrected():
    pytest.importorskip("pandas")
    rng = np.random.default_rng(32)
    models = {
        name: rng.random(80) < q for name, q in (("a", 0.9), ("b", 0.75), ("c", 0.6))
    }
    result = compare_models(models, random_state=0)
    assert result.correction == "Holm over 3 pairs"
    assert list(zip(result.first, result.second, strict=True)) == [
        ("a", "b"),
        ("a", "c"),
        ("b", "c"),
    ]
    order = np.argsort(result.p_value)
    steps = np.maximum.accumulate(result.p_value[order] * [3, 2, 1])
    np.testing.assert_allclose(result.p_adjusted[order], np.minimum(1, steps))
    with pytest.warns(FutureWarning, match="confidence sets in ranks"):
        kept = result.ranking_kept
    assert 0 < kept <= 1 - result.flip_rate.max() + 0.05
    assert list(result.to_frame().columns) == list(result.columns)


def test_flips_of_close_models_are_frequent():
    rng = np.random.default_rng(33)
    right = rng.random(200) < 0.5
    close = right.copy()
    close[:21] = np.arange(21) % 2 == 0
    right[:21] = np.arange(21) % 2 == 1
    result = compare_models({"a": close, "b": right}, random_state=0)
    # The sum of 21 signs, 11 of them up, falls below 0 as a normal variable would.
    assert result.flip_rate[0] == pytest.approx(norm.cdf(-1 / np.sqrt(21)), abs=0.03)


def test_comparison_over_clusters():
    rng = np.random.default_rng(34)
    hits, clips = draw_clusters(rng, 12, 20, 0.3, 0.7)
    other = np.where(rng.random(240) < 0.9, hits, ~hits)
    models = {"a": hits, "b": other}
    with pytest.warns(UserWarning, match="Only 12 clusters"):
        result = compare_models(models, clusters=clips, random_state=0)
    d = hits.astype(float) - other
    by_clip = d.reshape(12, 20).mean(axis=1)
    error = by_clip.std(ddof=1) / np.sqrt(12)
    assert result.high[0] - result.low[0] == pytest.approx(2 * 2.200985 * error)
    assert (result.n, result.unit, result.method) == (
        12,
        "clusters",
        "paired jackknife, t",
    )
    none = quiet(compare_models, models, clusters=clips // 6, random_state=0)
    assert np.isnan(none.p_value[0])
    assert np.isnan(none.low[0])
    alone = compare_models(models, clusters=np.arange(240), random_state=0)
    assert alone.low == compare_models(models, random_state=0).low


@pytest.mark.slow
def test_comparison_of_any_callable():
    rng = np.random.default_rng(35)
    y = rng.integers(2, size=100)
    p = {
        name: np.where(rng.random(100) < q, y, 1 - y)
        for name, q in (("a", 0.9), ("b", 0.6))
    }
    result = compare_models(
        p, metric=f1_score, y_true=y, pos_label=0, n_resamples=200, random_state=0
    )
    expected = [f1_score(y, one, pos_label=0) for one in p.values()]
    assert [result.value_first[0], result.value_second[0]] == pytest.approx(expected)
    assert result.low[0] > 0
    assert (result.metric, result.method) == ("f1_score", "paired bootstrap")


@pytest.mark.parametrize(
    "models, options, sentence",
    [
        ({"a": ROWS}, {}, "a dict of two or more models"),
        ([ROWS, ROWS], {}, "a dict of two or more models"),
        ({"a": ROWS, "b": ROWS[:2]}, {}, "same samples and conditions; 'a' has"),
        ({"a": ROWS, "b": ROWS}, {"metric": "nothing"}, "'metric'"),
        ({"a": ROWS, "b": ROWS}, {"metric": "robust_ratio"}, "needs tolerance="),
        ({"a": ROWS, "b": ROWS}, {"metric": "asi"}, "at least two conditions"),
        ({"a": ROWS, "b": ROWS}, {"y_true": [1, 0]}, "predictions of shape"),
        ({"a": ROWS, "b": ROWS}, {"confidence": 0}, "'confidence'"),
    ],
)
def test_comparison_refuses(models, options, sentence):
    with pytest.raises(ValueError, match=sentence):
        compare_models(models, **options)


def test_few_clusters_with_one_difference_give_no_limits():
    with pytest.warns(UserWarning, match="5 clusters|no limits"):
        r = compare_models(
            {"a": np.ones(50, bool), "b": np.zeros(50, bool)},
            clusters=np.repeat(range(5), 10),
        )
    assert r.p_value[0] == 1 / 16
    assert np.isnan(r.low[0])


def test_ties_in_rankings_count_half():
    a, b = np.ones(30, bool), np.r_[np.zeros(1, bool), np.ones(29, bool)]
    one = compare_models({"a": a, "b": b}, random_state=0)
    two = compare_models({"b": b, "a": a}, random_state=0)
    with pytest.warns(FutureWarning, match="ranking_kept is deprecated"):
        assert one.ranking_kept == pytest.approx(two["ranking_kept"])


def order_texts(models, **options):
    """Return the warnings of a comparison on the accuracy of its best model."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = compare_models(models, n_resamples=100, random_state=0, **options)
    texts = [str(one.message) for one in caught]
    texts = [text for text in texts if " has the best " in text]
    assert texts == [text for text in result.warnings if " has the best " in text]
    return texts


TENS = np.arange(300) % 10
UNEVEN = [np.where(np.arange(300) < n, TENS, TENS - 1) for n in (290, 270, 210)]
CONSTANT = [np.full(300, 3)] * 3  # right in 10 % of the rows of each condition


def test_a_winner_by_the_index_of_ten_percent_is_named_with_its_accuracy():
    models = {"svc": UNEVEN, "dummy": CONSTANT}
    right = {name: (np.array(p) == TENS).T for name, p in models.items()}
    (text,) = order_texts(right, metric="asi")
    expected = (
        "'dummy' has the best accuracy stability index, 1, but on the same rows its "
        "mean accuracy is 0.1, less than the 0.856 of 'svc', which has "
    )
    assert text.startswith(expected)
    assert "constant" not in text  # which needs y_true
    (text,) = order_texts(models, metric="asi", y_true=TENS)
    assert text.startswith(expected)
    assert text.endswith(", and not more than the 0.1 of the best constant prediction.")
    # By accuracy itself the order cannot contradict it.
    assert order_texts(models, metric="robust_accuracy", y_true=TENS) == []
    assert order_texts({"svc": UNEVEN, "b": UNEVEN}, metric="asi", y_true=TENS) == []


def test_doubt_about_the_accuracies_gives_no_warning():
    even = np.tile((np.arange(300) < 240)[:, None], 2)
    for n, is_warned in ((3, False), (30, True)):
        # "uneven" has the same rows right, and n more under the first condition.
        uneven = even.copy()
        uneven[240 : 240 + n, 0] = True
        texts = order_texts({"even": even, "uneven": uneven}, metric="asi")
        assert bool(texts) == is_warned
    # Two clusters tell nothing.
    clips = np.arange(300) // 150
    assert order_texts({"e": even, "u": uneven}, metric="asi", clusters=clips) == []


def test_a_constant_wins_by_the_robust_ratio_with_a_warning():
    p, q = (np.eye(10)[x] * 0.6 + 0.04 for x in (UNEVEN[0], UNEVEN[2]))
    still = np.full((300, 10), 0.05) + 0.5 * np.eye(10)[3]
    models = {"svc": (p, q), "dummy": (still, still)}
    options = {"metric": "robust_ratio", "tolerance": [0.1, 0.2]}
    (text,) = order_texts(models, y_true=TENS, **options)
    assert text.startswith(
        "'dummy' has the best robust ratio at tolerance 0.1, 1, but on the same rows "
        "its mean accuracy is 0.1, less than the 0.967 of 'svc', which has "
    )
    assert "the 0.1 of the best constant prediction" in text
    assert order_texts(models, **options) == []  # the labels are not known
    words = np.array(list("abcdefghij"))
    named = order_texts(models, y_true=words[TENS], labels=words, **options)
    assert named == [text]


def test_normalized_accuracy_of_constants_is_no_better_than_a_constant():
    y = np.arange(200) < 150
    models = {"a": np.ones(200, bool), "b": np.arange(200) < 60}
    options = {"metric": "normalized_accuracy", "n_features": 4}
    (text,) = order_texts(models, y_true=y, **options)
    assert "'a' has the best normalized accuracy, " in text
    assert "is 0.75, not more than the 0.75 of the best constant prediction" in text
    models["a"] = y.copy()
    assert order_texts(models, y_true=y, **options) == []


def test_the_stability_index_names_the_mean_score():
    rng = np.random.default_rng(0)
    noise = rng.normal(0, 0.004, (2, 24))
    models = {"falls": np.linspace(0.95, 0.6, 24) + noise[0], "low": 0.6 + noise[1]}
    (text,) = order_texts(models, metric="stability_index")
    low, falls = (stability_index(models[name]) for name in ("low", "falls"))
    means = {name: scores.mean() for name, scores in models.items()}
    assert low > falls
    assert text == (
        f"'low' has the best stability index, {low:.3g}, but on the same periods its "
        f"mean score is {means['low']:.3g}, less than the {means['falls']:.3g} of "
        f"'falls', which has {falls:.3g}."
    )
