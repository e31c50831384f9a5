"""Metrics over successful attacks, and of defenses: worked values and identities."""

import numpy as np
import pytest
from scipy.spatial.distance import jensenshannon
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import accuracy_score

from skrobust.metrics import (
    adversarial_class_confidence,
    average_distortion,
    average_structural_similarity,
    defense_comparison,
    misclassification_rate,
    noise_insensitivity,
    noise_tolerance_estimate,
    true_class_confidence,
)

P = [[0.2, 0.7, 0.1], [0.1, 0.8, 0.1], [0.5, 0.3, 0.2], [0.05, 0.35, 0.6]]
Y = [0, 1, 2, 0]
CONFIDENCES = [
    adversarial_class_confidence,
    true_class_confidence,
    noise_tolerance_estimate,
]
X = np.array([[0.5, 0.5, 0.5, 0.5], [1, 0, 0, 0]])
X_ADV = np.array([[0.5, 0.6, 0.5, 0.3], [1, 0, 0.1, 0]])


def test_worked_values():
    assert misclassification_rate(Y, np.argmax(P, axis=1)) == 0.75
    assert adversarial_class_confidence(Y, P) == pytest.approx(0.6)
    assert true_class_confidence(Y, P) == pytest.approx(0.15)
    assert noise_tolerance_estimate(Y, P) == pytest.approx(0.316667, abs=5e-7)


def test_labels_of_the_columns():
    names = np.array(["cat", "ant", "bee"])  # in the order of the columns, not sorted
    for function, expected in zip(CONFIDENCES, (0.6, 0.15, 0.316667), strict=True):
        found = function(names[Y], P, labels=names)
        assert found == pytest.approx(expected, abs=5e-7)
    y = names[[0, 1, 1, 0]]
    targeted = true_class_confidence(y, P, labels=names, target="bee")
    assert targeted == pytest.approx(0.05)


def test_targets():
    # Only the last sample (class 0, answered 2) is a success towards 2.
    y = [0, 1, 1, 0]
    target = [2, 2, 2, 2]
    predicted = np.argmax(P, axis=1)
    assert misclassification_rate(y, predicted, target=target) == 0.25
    assert misclassification_rate(y, predicted, target=2) == 0.25
    assert adversarial_class_confidence(y, P, target=2) == pytest.approx(0.6)
    assert true_class_confidence(y, P, target=2) == pytest.approx(0.05)
    assert noise_tolerance_estimate(y, P, target=2) == pytest.approx(0.25)
    with pytest.raises(ValueError, match="sample 2 is driven to its own"):
        misclassification_rate(Y, predicted, target=2)


@pytest.mark.parametrize("function", CONFIDENCES)
def test_no_success_is_nan(function):
    with pytest.warns(UndefinedMetricWarning, match="no attack succeeded"):
        assert np.isnan(function([1, 1, 0, 2], P))


def test_misclassification_is_the_complement_of_accuracy():
    rng = np.random.default_rng(0)
    y, predicted = rng.integers(0, 5, (2, 200))
    rate = misclassification_rate(y, predicted)
    assert rate == pytest.approx(1 - accuracy_score(y, predicted))


# Distortion --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "settings, expected",
    [
        ({"norm": 0}, 0.375),
        ({"norm": 2}, 0.161803399),
        ({"norm": 2, "scale": "relative"}, 0.161803399),
        ({"norm": np.inf}, 0.15),
    ],
)
def test_distortion_worked_values(settings, expected):
    assert average_distortion(X, X_ADV, **settings) == pytest.approx(
        expected, abs=5e-10
    )
    image = average_distortion(X.reshape(2, 2, 2), X_ADV.reshape(2, 2, 2), **settings)
    assert image == pytest.approx(expected, abs=5e-10)


def test_distortion_scales_and_successes():
    relative = average_distortion(10 * X, 10 * X_ADV, scale="relative")
    assert relative == pytest.approx(0.161803399, abs=5e-10)
    assert average_distortion(10 * X, 10 * X_ADV) == pytest.approx(1.61803399)
    only = average_distortion(X, X_ADV, norm=np.inf, successful=[False, True])
    assert only == pytest.approx(0.1)
    with pytest.warns(UndefinedMetricWarning):
        assert np.isnan(average_distortion(X, X_ADV, successful=[0, 0]))
    # Unsigned integers do not wrap around.
    dark = np.array([[10, 200]], dtype=np.uint8)
    light = np.array([[12, 190]], dtype=np.uint8)
    assert average_distortion(dark, light, norm=np.inf) == 10


def test_noise_insensitivity_worked_values():
    clean, moved = np.zeros((2, 3)), np.array([[0.1, 0, 0], [0, -0.05, 0.02]])
    losses = [0.1, 0.2], [0.5, 0.3]
    assert noise_insensitivity(*losses, clean, moved) == pytest.approx(3.0)
    pooled = noise_insensitivity(*losses, clean, moved, average="pooled")
    assert pooled == pytest.approx(2.5)
    assert noise_insensitivity(*losses, clean, moved, eps=0.1) == pytest.approx(3.0)
    # In the shortcut a rise and a fall cancel.
    swapped = noise_insensitivity(
        [0.1, 0.5], [0.5, 0.1], clean, moved, average="pooled"
    )
    assert swapped == pytest.approx(0, abs=1e-12)


# Similarity --------------------------------------------------------------------------


def plain_similarity(x, y, width=1.0, size=11, sigma=1.5):
    """Structural similarity window by window, as the paper writes it."""
    axis = np.arange(size) - size // 2
    window = np.exp(-(axis[:, None] ** 2 + axis**2) / (2 * sigma**2))
    window /= window.sum()
    c_1, c_2 = (0.01 * width) ** 2, (0.03 * width) ** 2
    values = []
    for i in range(x.shape[0] - size + 1):
        for j in range(x.shape[1] - size + 1):
            a, b = (each[i : i + size, j : j + size] for each in (x, y))
            m_a, m_b = (window * a).sum(), (window * b).sum()
            v_a, v_b = (window * (a - m_a) ** 2).sum(), (window * (b - m_b) ** 2).sum()
            both = (window * (a - m_a) * (b - m_b)).sum()
            values.append(
                (2 * m_a * m_b + c_1)
                * (2 * both + c_2)
                / ((m_a**2 + m_b**2 + c_1) * (v_a + v_b + c_2))
            )
    return np.mean(values)


def pictures(n=3, side=18, channels=None):
    rng = np.random.default_rng(1)
    shape = (n, side, side + 3) + (() if channels is None else (channels,))
    clean = rng.random(shape)
    return clean, np.clip(clean + 0.2 * rng.normal(size=shape), 0, 1)


def test_similarity_equals_the_plain_loop():
    clean, moved = pictures()
    expected = np.mean(
        [plain_similarity(a, b) for a, b in zip(clean, moved, strict=True)]
    )
    found = average_structural_similarity(clean, moved, data_range=(0, 1))
    assert found == pytest.approx(expected, abs=1e-12)
    bytes_ = average_structural_similarity(
        255 * clean, 255 * moved, data_range=(0, 255)
    )
    assert bytes_ == pytest.approx(expected, abs=1e-12)
    shifted = average_structural_similarity(
        2 * clean - 1, 2 * moved - 1, data_range=(-1, 1)
    )
    assert shifted == pytest.approx(expected, abs=1e-12)
    one = average_structural_similarity(
        clean, moved, data_range=(0, 1), successful=[False, True, False]
    )
    assert one == pytest.approx(plain_similarity(clean[1], moved[1]), abs=1e-12)
    small = average_structural_similarity(
        clean[:, :8, :8], moved[:, :8, :8], data_range=(0, 1), window_size=7
    )
    assert small == pytest.approx(
        np.mean(
            [
                plain_similarity(a[:8, :8], b[:8, :8], size=7)
                for a, b in zip(clean, moved, strict=True)
            ]
        )
    )


def test_similarity_averages_channels():
    clean, moved = pictures(channels=3)
    expected = np.mean(
        [
            plain_similarity(clean[i, ..., c], moved[i, ..., c])
            for i in range(3)
            for c in range(3)
        ]
    )
    last = average_structural_similarity(
        clean, moved, data_range=(0, 1), channel_axis=-1
    )
    assert last == pytest.approx(expected)
    first = average_structural_similarity(
        clean.transpose(0, 3, 1, 2),
        moved.transpose(0, 3, 1, 2),
        data_range=(0, 1),
        channel_axis=1,
    )
    assert first == pytest.approx(expected)


def test_similarity_equals_scikit_image():
    metrics = pytest.importorskip("skimage.metrics")
    clean, moved = pictures()
    expected = [
        metrics.structural_similarity(
            a, b, data_range=1, gaussian_weights=True, sigma=1.5,
            use_sample_covariance=False,
        )
        for a, b in zip(clean, moved, strict=True)
    ]  # fmt: skip
    found = average_structural_similarity(clean, moved, data_range=(0, 1))
    assert found == pytest.approx(np.mean(expected))


# Defenses ----------------------------------------------------------------------------


def random_models(n=300, k=4):
    rng = np.random.default_rng(2)
    y = rng.integers(0, k, n)
    logits = rng.normal(size=(2, n, k)) * 2
    logits[:, np.arange(n), y] += 1.5
    p = np.exp(logits)
    p /= p.sum(axis=-1, keepdims=True)
    return y, p[0], p[1]


@pytest.mark.parametrize("over", ["correct", "wrong"])
@pytest.mark.parametrize("confidence", ["max", "true"])
def test_defense_by_loop(confidence, over):
    y, raw, defended = random_models()
    found = defense_comparison(y, raw, defended, confidence=confidence, over=over)
    assert found.cav == pytest.approx(found.crr - found.csr)
    changes, divergences, rectified, sacrificed = [], [], 0, 0
    for label, p, q in zip(y, raw, defended, strict=True):
        right = p.argmax() == label, q.argmax() == label
        rectified += right == (False, True)
        sacrificed += right == (True, False)
        if right == ((True, True) if over == "correct" else (False, False)):
            pick = max if confidence == "max" else lambda row, at=label: row[at]
            changes.append(abs(pick(q) - pick(p)))
            divergences.append(jensenshannon(p, q) ** 2)
    assert (found.crr, found.csr) == (rectified / 300, sacrificed / 300)
    assert found.n_compared == len(changes) > 20
    assert found.ccv == pytest.approx(np.mean(changes))
    assert found.cos == pytest.approx(np.mean(divergences))
    before, after = ((p.argmax(axis=1) == y).mean() for p in (raw, defended))
    assert found.cav == pytest.approx(after - before)


def test_no_defense_changes_nothing():
    y, raw, _ = random_models()
    found = defense_comparison(y, raw, raw)
    assert (found.cav, found.crr, found.csr, found.ccv, found.cos) == (0, 0, 0, 0, 0)
    hard = np.eye(2)[[0, 1]]
    with pytest.warns(UndefinedMetricWarning, match="both models get correct") as log:
        flipped = defense_comparison([0, 1], hard, hard[::-1])
    assert len(log) == 1
    assert (flipped.cav, flipped.csr) == (-1, 1)
    assert np.isnan([flipped.ccv, flipped.cos]).all()


@pytest.mark.parametrize(
    "call, sentence",
    [
        (lambda: misclassification_rate([0, 1], [0]), "equal length"),
        (lambda: misclassification_rate(["a"], [1]), "labels of one kind"),
        (lambda: misclassification_rate([0], [1], target=["a"]), "labels of one kind"),
        (lambda: true_class_confidence([0], P), "equal length"),
        (lambda: true_class_confidence([0, 1, 2, 3], P), "column numbers 0 to 2"),
        (lambda: true_class_confidence(Y, P, target=7), "column numbers 0 to 2"),
        (lambda: true_class_confidence(Y, np.array(P) * 2), "fractions|sum to 1"),
        (lambda: average_distortion(X, X_ADV, norm=1), "0, 2 or numpy.inf"),
        (lambda: average_distortion(X, X_ADV[:1]), "one shape"),
        (lambda: average_distortion(X, X_ADV, scale="half"), "'absolute', 'relative'"),
        (lambda: average_distortion(X, X_ADV, successful=[True]), "2 booleans"),
        (lambda: average_distortion(0 * X, X, scale="relative"), "row 0 is all 0"),
        (lambda: average_distortion(X * np.nan, X), "finite X"),
        (lambda: noise_insensitivity([1, 1], [1, 2], X, X), "row 0 is the first of 2"),
        (lambda: noise_insensitivity([1, 1], [1, 2], X, X_ADV, eps=0.1),
         "row 0 moved by 0.2"),
        (lambda: noise_insensitivity([1], [1, 2], X, X_ADV), "losses has 1"),
        (lambda: average_structural_similarity(X, X, data_range=(0, 1)), "images"),
        (lambda: average_structural_similarity(
            *pictures(side=8), data_range=(0, 1)), "at least 11 pixels"),
        (lambda: average_structural_similarity(
            *pictures(), data_range=(0, 1), window_size=4), "'window_size' .* odd"),
        (lambda: average_structural_similarity(*pictures(), data_range=1),
         "low < high"),
        (lambda: average_structural_similarity(
            *pictures(channels=3), data_range=(0, 1)), "Set channel_axis"),
        (lambda: defense_comparison(Y, P, P[:2]), "one shape"),
        (lambda: defense_comparison(Y, P, P, over="all"), "'correct', 'wrong'"),
        (lambda: defense_comparison(Y, P, P, confidence="mean"), "'max', 'true'"),
    ],
)  # fmt: skip
def test_refuses(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()
