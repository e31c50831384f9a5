"""Corruption errors, flips, effective robustness: worked values and identities."""

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import norm
from sklearn.exceptions import UndefinedMetricWarning

from skrobust.metrics import (
    effective_robustness,
    flip_rate,
    mean_corruption_error,
    mean_flip_rate,
    robustness_score,
)

ERRORS = [[0.2, 0.3, 0.4], [0.1, 0.2, 0.3]]
BASE = [[0.4, 0.5, 0.6], [0.2, 0.4, 0.6]]
rng = np.random.default_rng(0)


def test_robustness_score_worked_values():
    assert robustness_score(0.72, 0.90) == pytest.approx(0.8)
    three = [0.72, 0.45, 0.90]
    assert robustness_score(three, 0.90) == pytest.approx(0.766667, abs=5e-7)
    assert robustness_score(three, 0.90, kind="drop") == pytest.approx(0.21)
    with pytest.warns(UndefinedMetricWarning, match="clean accuracy of 0"):
        assert np.isnan(robustness_score([0.1], 0))


def test_mce_worked_values():
    results = mean_corruption_error(
        ERRORS, BASE, reference="AlexNet", names=["fog", "snow"]
    )
    assert results.corruption_error == pytest.approx([0.6, 0.5])
    assert results.value == pytest.approx(0.55)
    assert (results.measure, results.reference) == ("mCE", "AlexNet")
    assert results.to_frame().corruption.tolist() == ["fog", "snow"]
    relative = mean_corruption_error(
        ERRORS,
        BASE,
        clean_error=0.1,
        reference_clean_error=0.2,
        relative=True,
        reference="AlexNet",
    )
    assert relative.corruption_error == pytest.approx([0.666667, 0.5], abs=5e-7)
    assert relative.value == pytest.approx(0.583333, abs=5e-7)
    assert relative.measure == "relative mCE"


def test_the_reference_against_itself_is_one():
    errors = rng.uniform(0.3, 0.9, size=(15, 5))
    for relative in (False, True):
        results = mean_corruption_error(
            errors,
            errors,
            clean_error=0.2,
            reference_clean_error=0.2,
            relative=relative,
            reference="itself",
        )
        assert results.value == pytest.approx(1)
    flips = rng.uniform(0.1, 0.3, 10)
    assert mean_flip_rate(flips, flips, reference="itself").value == pytest.approx(1)


def test_no_reference_is_a_plain_mean_named_so():
    results = mean_corruption_error(ERRORS)
    assert results.value == pytest.approx(0.25)
    assert results.measure == "mean error (no reference)"
    assert results.reference is None
    rises = mean_corruption_error(ERRORS, clean_error=0.1, relative=True)
    assert rises.value == pytest.approx(0.15)
    assert rises.measure == "mean rise of the error (no reference)"
    flips = mean_flip_rate([0.1, 0.3])
    assert flips.value == pytest.approx(0.2)
    assert flips.measure == "mean flip probability (no reference)"


def test_mce_sums_before_it_divides():
    # The mean of the ratios of severities would be (1 + .25) / 2.
    results = mean_corruption_error([[0.1, 0.2]], [[0.1, 0.8]], reference="x")
    assert results.value == pytest.approx(1 / 3)


def test_flip_rate_worked_values():
    sequences = [[1, 1, 2, 2, 1], [0, 0, 0, 3, 0]]
    assert flip_rate(sequences) == 0.5
    assert flip_rate(sequences, against="first") == 0.375
    assert flip_rate(sequences[:1]) == 0.5
    assert flip_rate(sequences[1:], against="first") == 0.25
    names = np.array(list("abcd"))[np.array(sequences)]
    assert flip_rate(names) == 0.5


@pytest.mark.parametrize("against", ["previous", "first"])
def test_constant_sequences_never_flip(against):
    labels = np.repeat(rng.integers(0, 9, (20, 1)), 7, axis=1)
    assert flip_rate(labels, against=against) == 0
    labels[:, 3] += 1
    expected = 2 / 6 if against == "previous" else 1 / 6
    assert flip_rate(labels, against=against) == pytest.approx(expected)


@pytest.mark.parametrize("link", ["logit", "probit", "linear"])
def test_models_on_the_line_have_no_effective_robustness(link):
    back = {"logit": expit, "probit": norm.cdf, "linear": lambda z: z}[link]
    z = rng.uniform(0.5, 0.9, 12)
    x, y = back(z), back(0.8 * z - 0.3)
    settings = {"reference_clean": x, "reference_shifted": y, "link": link}
    found = effective_robustness(y, x, **settings)
    assert found == pytest.approx(np.zeros(12), abs=1e-12)
    lifted = effective_robustness(float(y[0]) + 0.07, float(x[0]), **settings)
    assert type(lifted) is float
    assert lifted == pytest.approx(0.07)
    others = {"logit", "probit", "linear"} - {link}
    for other in others:
        off = effective_robustness(y, x, **settings | {"link": other})
        assert np.abs(off).max() > 1e-5


def test_effective_robustness_equals_polyfit():
    x, y = rng.uniform(0.6, 0.9, 30), rng.uniform(0.3, 0.6, 30)
    slope, offset = np.polyfit(norm.ppf(x), norm.ppf(y), 1)
    expected = 0.5 - norm.cdf(offset + slope * norm.ppf(0.7))
    found = effective_robustness(
        0.5, 0.7, reference_clean=x, reference_shifted=y, link="probit"
    )
    assert found == pytest.approx(expected)


REF = {"reference_clean": [0.5, 0.7], "reference_shifted": [0.4, 0.5]}


@pytest.mark.parametrize(
    "call, sentence",
    [
        (lambda: robustness_score([72], 0.9), "Divide percent by 100"),
        (lambda: robustness_score([0.7], 90), "'clean' .* \\[0, 1\\]"),
        (lambda: robustness_score([], 0.9), "'perturbed'"),
        (lambda: robustness_score([0.7], 0.9, kind="gap"), "'ratio', 'drop'"),
        (lambda: mean_corruption_error(ERRORS, BASE), "the name of the reference"),
        (lambda: mean_corruption_error(ERRORS, reference="AlexNet"),
         "needs reference_errors of the reference 'AlexNet'"),
        (lambda: mean_corruption_error(ERRORS, BASE, reference=3), "name of a model"),
        (lambda: mean_corruption_error(ERRORS[0], BASE, reference="x"),
         "'errors' .* \\(n_corruptions, n_severities\\)"),
        (lambda: mean_corruption_error([[0.1], [0.2, 0.3]]), "those of errors have"),
        (lambda: mean_corruption_error(ERRORS, BASE[:1], reference="x"), "one shape"),
        (lambda: mean_corruption_error(ERRORS, BASE, reference="x", relative=True),
         "clean_error when relative=True"),
        (lambda: mean_corruption_error(
            ERRORS, BASE, reference="x", relative=True, clean_error=0.1,
            reference_clean_error=0.5), "cannot divide by the reference's 0 on 0"),
        (lambda: mean_corruption_error([[20, 30]]), "Divide percent"),
        (lambda: mean_corruption_error(ERRORS, names=["fog"]), "'names' .* 2 names"),
        (lambda: flip_rate([1, 1, 2]), "two frames. Got shape \\(3,\\)"),
        (lambda: flip_rate([[1], [2]]), "at least two frames"),
        (lambda: flip_rate([[1, 2], [1, 2, 3]]), "n_frames"),
        (lambda: flip_rate([[1, 2]], against="next"), "'previous', 'first'"),
        (lambda: mean_flip_rate([0.1], [0.0], reference="x"), "cannot divide"),
        (lambda: mean_flip_rate([0.1], [0.1]), "the name of the reference"),
        (lambda: mean_flip_rate([0.1], [0.1, 0.2], reference="x"), "has 1, .* 2"),
        (lambda: mean_flip_rate([10.0]), "\\[0, 1\\]"),
        (lambda: effective_robustness(0.5, 1.0, **REF), "infinite at 0 and 1"),
        (lambda: effective_robustness(0.5, 70, **REF), "Divide percent"),
        (lambda: effective_robustness([0.5, 0.6], 0.7, **REF), "per model; shifted"),
        (lambda: effective_robustness(
            0.5, 0.7, reference_clean=[0.5, 0.5], reference_shifted=[0.4, 0.5]),
         "at least two clean accuracies"),
        (lambda: effective_robustness(0.5, 0.7, **REF, link="log"), "'logit'"),
    ],
)  # fmt: skip
def test_refuses(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()
