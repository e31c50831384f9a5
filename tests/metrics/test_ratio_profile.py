"""Robust ratio, accuracy and confidence of the same samples add up."""

import numpy as np
import pytest

from skrobust import metrics
from skrobust.metrics import robust_ratio_profile


def case(n=200, k=3, seed=0):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.ones(k), n)
    q = 0.7 * p + 0.3 * rng.dirichlet(np.ones(k), n)
    y = np.where(rng.random(n) < 0.7, p.argmax(axis=1), rng.integers(0, k, n))
    return y, p, q


@pytest.mark.parametrize("reference", ["predicted", "true", "max"])
def test_parts_add_up_and_agree_with_the_single_metrics(reference):
    y, p, q = case()
    f = robust_ratio_profile(y, p, q, reference=reference)
    options = {"reference": reference, "y_true": y}
    assert np.array_equal(f.ratio, metrics.robust_ratio_curve(p, q, **options)[1])
    assert np.allclose(f.stays_right + f.stays_wrong, f.ratio)
    assert np.allclose(f.stays_right + f.moves_right, f.robust_accuracy)
    four = f.stays_right + f.stays_wrong + f.moves_right + f.moves_wrong
    assert np.allclose(four, 1)
    labels = q.argmax(axis=1)
    assert f.robust_accuracy == metrics.robust_accuracy_score(y, labels)
    assert f.misclassification_rate == metrics.misclassification_rate(y, labels)
    score = metrics.robustness_score(f.robust_accuracy, f.clean_accuracy)
    assert f.robustness_score == pytest.approx(score)
    for name in ("adversarial_class_confidence", "true_class_confidence"):
        assert f[name] == pytest.approx(getattr(metrics, name)(y, q))
    band = metrics.robust_ratio_band(p, q, **options)
    assert np.allclose([f.ratio_low, f.ratio_high], [band.low, band.high])


def test_confidences_of_both_sides_make_that_of_all_errors():
    y, p, q = case()
    f = robust_ratio_profile(y, p, q, tolerances=[0.05, 0.1])
    weights = np.stack([f.stays_wrong, f.moves_wrong])
    sides = np.stack([f.adversarial_confidence_stays, f.adversarial_confidence_moves])
    whole = (weights * sides).sum(axis=0) / weights.sum(axis=0)
    assert np.allclose(whole, f.adversarial_class_confidence)
    assert np.allclose(f.accuracy_of_those_that_stay, f.stays_right / f.ratio)


@pytest.mark.filterwarnings("ignore:.*no row changed")
def test_a_constant_model_has_a_ratio_of_one_and_is_seen_through():
    y = np.array([0] * 60 + [1] * 40)
    p = np.tile([0.7, 0.3], (100, 1))
    f = robust_ratio_profile(y, p, p)
    assert (f.ratio == 1).all()
    assert np.allclose(f.stays_wrong, 0.4)
    assert f.robust_accuracy == f.constant_model_accuracy == 0.6
    assert np.isnan(f.adversarial_confidence_moves).all()


def test_labels_and_clusters():
    y, p, q = case()
    names = np.array(["cat", "dog", "eel"])
    named = robust_ratio_profile(names[y], p, q, labels=names)
    assert np.array_equal(named.stays_right, robust_ratio_profile(y, p, q).stays_right)
    clusters = np.repeat(np.arange(40), 5)
    many = robust_ratio_profile(y, p, q, clusters=clusters)
    assert (many.n, many.unit) == (40, "clusters")


def test_bad_input_is_refused():
    y, p, q = case(10)
    with pytest.raises(ValueError, match="of one perturbation"):
        robust_ratio_profile(y, p, q[None])
    with pytest.raises(ValueError, match="equal length"):
        robust_ratio_profile(y[:5], p, q)


@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize("kind", ["clusters", "sample_weight"])
def test_a_band_of_clusters_or_weights_is_of_bonferronis_intervals(kind, level):
    _, p, q = case()
    rng = np.random.default_rng(1)
    rows = {kind: rng.integers(0, 30, 200) if kind == "clusters" else rng.random(200)}
    tolerances = [0.02, 0.05, 0.1, 0.2]
    band = metrics.robust_ratio_band(
        p, q, tolerances=tolerances, confidence=level, **rows
    )
    for k, tolerance in enumerate(tolerances):
        single, wider = (
            metrics.confidence_interval(
                "robust_ratio", p, q, tolerance=tolerance, confidence=one, **rows
            )
            for one in (level, 1 - (1 - level) / 4)
        )
        assert (band.low[k], band.high[k]) == pytest.approx((single.low, single.high))
        ends = band.band_low[k], band.band_high[k]
        assert ends == pytest.approx((wider.low, wider.high))
