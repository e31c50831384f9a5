"""Laws of values beside a reference: of a model, of clean data, or of a line."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_cases import few, seeds
from scipy.special import expit, logit, ndtr, ndtri

from skrobust.metrics import (
    accuracy_stability_index,
    coefficient_of_variation,
    effective_robustness,
    mean_corruption_error,
    robustness_score,
    stability_quadrant,
    stability_summary,
)

LINKS = {
    "logit": (logit, expit),
    "probit": (ndtri, ndtr),
    "linear": (lambda a: a, lambda a: a),
}


@few
@given(seeds, st.booleans())
def test_corruption_errors_are_quotients_of_sums(seed, relative):
    rng = np.random.default_rng(seed)
    own, base = rng.integers(4, 20, (2, 5, 3)) / 20
    clean = {"clean_error": 0.05, "reference_clean_error": 0.1} if relative else {}
    options = {"relative": relative, "reference": "AlexNet"}
    found = mean_corruption_error(own, base, **clean, **options)
    less, base_less = clean.values() if relative else (0, 0)
    each = (own - less).sum(axis=1) / (base - base_less).sum(axis=1)
    assert found.corruption_error == pytest.approx(each)
    assert found.value == pytest.approx(each.mean())
    # Severities have no order, and corruptions none either.
    corruptions, severities = rng.permutation(5), rng.permutation(3)
    again = mean_corruption_error(
        own[corruptions][:, severities], base[corruptions][:, severities],
        **clean, **options,
    )  # fmt: skip
    assert again.value == pytest.approx(found.value)
    same = {"clean_error": 0.1, "reference_clean_error": 0.1} if relative else {}
    assert mean_corruption_error(base, base, **same, **options).value == pytest.approx(
        1
    )
    alone = {"clean_error": 0.05} if relative else {}
    plain = mean_corruption_error(own, relative=relative, **alone)
    assert plain.value == pytest.approx((own - less).mean())


accuracies = st.integers(0, 32).map(lambda v: v / 32)


@few
@given(st.lists(accuracies, min_size=1, max_size=6), accuracies.filter(bool), seeds)
def test_what_is_left_is_one_minus_what_is_lost(perturbed, clean, seed):
    order = np.random.default_rng(seed).permutation(len(perturbed))
    found = robustness_score(perturbed, clean)
    assert found == pytest.approx(np.mean([a / clean for a in perturbed]))
    drop = robustness_score(perturbed, clean, kind="drop")
    assert drop == pytest.approx(clean * (1 - found), abs=1e-12)
    again = robustness_score(np.array(perturbed)[order] / 2, clean / 2)
    assert again == pytest.approx(found)
    assert robustness_score([clean], clean) == 1


@few
@given(seeds, st.sampled_from(sorted(LINKS)))
def test_effective_robustness_is_the_distance_to_the_line(seed, link):
    rng = np.random.default_rng(seed)
    to, back = LINKS[link]
    clean = rng.uniform(0.5, 0.95, 6)
    shifted = np.clip(clean - rng.uniform(0.05, 0.4, 6), 0.02, 1)
    line = {"reference_clean": clean, "reference_shifted": shifted, "link": link}
    slope, start = np.polyfit(to(clean), to(shifted), 1)
    own, own_shifted = rng.uniform(0.3, 0.97, (2, 4))
    expected = own_shifted - back(start + slope * to(own))
    found = effective_robustness(own_shifted, own, **line)
    assert found == pytest.approx(expected, abs=1e-9)
    assert effective_robustness(own_shifted[0], own[0], **line) == pytest.approx(
        found[0]
    )
    # On the scale of the link the references are 0 away on average, in any order.
    rest = to(shifted) - to(shifted - effective_robustness(shifted, clean, **line))
    assert rest.mean() == pytest.approx(0, abs=1e-6)
    order = rng.permutation(6)
    line |= {"reference_clean": clean[order], "reference_shifted": shifted[order]}
    again = effective_robustness(own_shifted, own, **line)
    assert again == pytest.approx(found, abs=1e-9)


scores = st.lists(accuracies, min_size=3, max_size=3).filter(any)


@few
@given(scores, scores)
def test_a_summary_is_its_parts(own, base):
    found = stability_summary(own, reference=base)
    assert found.mean == pytest.approx(np.mean(own))
    assert found.cv == pytest.approx(coefficient_of_variation(own))
    assert found.asi == accuracy_stability_index(own)
    other = stability_summary(base)
    assert found.quadrant == stability_quadrant(
        found.mean, found.cv, reference_mean=other.mean, reference_cv=other.cv
    )
    assert stability_summary(own, reference=other).quadrant == found.quadrant
    assert stability_summary(own, reference=own[::-1]).quadrant == "I"
    assert other.quadrant is None


@pytest.mark.parametrize("own", [[0.5, 0.6], [0.5, 0.5], [0.0, 0.0]])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_a_reference_that_is_never_right_counts_by_its_summary_too(own):
    reference = [0.0, 0.0]
    expected = stability_summary(own, reference=reference).quadrant
    summary = stability_summary(reference)
    assert np.isnan(summary.cv)
    assert stability_summary(own, reference=summary).quadrant == expected
    for mean, cv in (([], 0.1), (0.5, -0.1), (0.5, np.inf), (np.nan, 0.1), (0.5, "a")):
        with pytest.raises(ValueError, match=r"'reference (mean|cv)'"):
            stability_summary(own, reference={"mean": mean, "cv": cv})
