"""Messages of perturbations: one clear sentence for each wrong call."""

import numpy as np
import pytest
from messages import check_one_sentence
from problems import linear_problem

from skrobust.attacks import FGSM
from skrobust.nets import ToNetInput
from skrobust.perturbations import (
    FeatureNoise,
    Gap,
    GaussianNoise,
    PerturbationSequence,
    Rotation,
    SaltAndPepper,
    two_factor_grid,
)

MODEL, X, Y = linear_problem()
IMAGES = np.random.default_rng(0).random((4, 8, 8))
NAN = X.copy()
NAN[3, 2] = np.nan
RAGGED = [np.arange(5.0), np.arange(7.0)]


# (what is called, the sentence it must raise)
ROWS = {
    "severity high": (lambda: GaussianNoise(6).fit(IMAGES), r"a number in \[0, 5\]"),
    "severity negative": (
        lambda: GaussianNoise(-1).fit(IMAGES), "'severity' parameter"),
    "severity text": (
        lambda: GaussianNoise("3").fit(IMAGES), "of GaussianNoise must be"),
    "severity and std": (
        lambda: GaussianNoise(3, std=0.1).fit(IMAGES), "either 'severity' or 'std'"),
    "std and var": (
        lambda: GaussianNoise(std=0.1, var=0.1).fit(IMAGES), "either 'std' or 'var'"),
    "std negative": (
        lambda: GaussianNoise(std=-0.1).fit(IMAGES), "a non-negative float"),
    "density": (lambda: SaltAndPepper(1.5).fit(IMAGES), r"a number in \[0, 1\]"),
    "angle": (lambda: Rotation("up").fit(IMAGES), "a finite number"),
    "canvas": (lambda: Rotation(3, canvas="crop").fit(IMAGES), "'keep', 'fit'"),
    "rotation of rows": (lambda: Rotation(30).fit(X), "needs image_shape"),
    "severity of rows": (
        lambda: GaussianNoise(2).perturb(None, X), "needs image_shape to turn"),
    "image_shape": (
        lambda: Rotation(30, image_shape=(3, 3)).fit(X), "as many pixels as a row"),
    "image_shape kind": (
        lambda: Rotation(30, image_shape=6).fit(X), "a tuple .height, width."),
    "ambiguous channels": (
        lambda: Rotation(30).fit(np.zeros((2, 3, 8, 3))), "pass channel_axis=1"),
    "channel_axis": (
        lambda: Rotation(30, channel_axis=7).fit(np.zeros((2, 3, 8, 3))), "first"),
    "five axes": (lambda: Rotation(30).fit(np.zeros((2, 2, 2, 2, 2))), "flat rows"),
    "data_range order": (
        lambda: GaussianNoise(std=0.1, data_range=(1, 0)).fit(IMAGES), "low < high"),
    "data_range name": (
        lambda: GaussianNoise(std=0.1, data_range="full").fit(IMAGES), "'auto'"),
    "outside data_range": (
        lambda: GaussianNoise(std=0.1, data_range=(0, 1)).perturb(None, IMAGES * 9),
        "outside its data range"),
    "images with NaN": (
        lambda: GaussianNoise(std=0.1).perturb(None, NAN), "contains NaN"),
    "empty images": (
        lambda: GaussianNoise(std=0.1).perturb(None, IMAGES[:0]), "minimum of 1"),
    "text images": (
        lambda: GaussianNoise(std=0.1).perturb(None, np.array([["a", "b"]])),
        "numeric|could not convert"),
    "random_state": (
        lambda: GaussianNoise(std=0.1, random_state="a").perturb(None, IMAGES),
        "'random_state' parameter"),
    "steps": (lambda: PerturbationSequence([FGSM()]).fit(IMAGES), "list of perturb"),
    "preset": (lambda: two_factor_grid("asi69"), "one of 'asi68'"),
    "gaussian": (lambda: two_factor_grid(gaussian="std"), "one of 'mean', 'var'"),
    "net input shape": (lambda: ToNetInput((5, 5)).fit(X), "as many values as"),
    "net input kind": (lambda: ToNetInput(8).fit(X), "None, .height, width."),
}  # fmt: skip


@pytest.mark.parametrize("row", ROWS)
def test_wrong_calls_of_perturbations_get_one_clear_sentence(row):
    check_one_sentence(*ROWS[row])


def objects(rows):
    cells = np.empty(len(rows), dtype=object)
    cells[:] = rows
    return cells


@pytest.mark.parametrize("kind", [Gap, GaussianNoise, FeatureNoise])
@pytest.mark.parametrize("rows", [list, tuple, objects])
def test_rows_of_several_lengths_get_one_clear_sentence(kind, rows):
    X, ask = rows(RAGGED), r"needs rows of one shape, and .* \(5,\) and \(7,\)"
    check_one_sentence(lambda: kind(severity=2).fit(X), f"{kind.__name__} {ask}")
    check_one_sentence(lambda: kind(severity=2).perturb(None, X), ask)
    sequence = PerturbationSequence([kind(severity=2)])
    for call in (lambda: sequence.fit(X), lambda: sequence.perturb(None, X)):
        check_one_sentence(call, ask)
    pictures = rows([np.ones((8, 8)), np.ones((8, 9))])
    check_one_sentence(lambda: kind(severity=2).fit(pictures), r"\(8, 8\) and \(8, 9")
    even = np.array(RAGGED[:1] * 2).tolist()
    assert np.shape(kind(severity=0).fit_transform(even)) == (2, 5)


def test_the_table_of_perturbations_is_long_enough():
    assert len(ROWS) >= 20
