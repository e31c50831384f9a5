"""Levels of severity are the constants of the published code, and presets its kinds."""

import numpy as np
import pytest
from problems import linear_problem

import skrobust.perturbations as sp
from skrobust.evaluation import evaluate_perturbations

LEVELS = (1, 2, 3, 4, 5)
# Constants c of Hendrycks and Dietterich: for 32 pixels, and for 224. Lengths of the
# elastic deformation are shares of 32 pixels, and of 244, which they took for 224.
PUBLISHED = {
    "GlassBlur": (
        ("std", "max_shift", "iterations"),
        [(0.05, 1, 1), (0.25, 1, 1), (0.4, 1, 1), (0.25, 1, 2), (0.4, 1, 2)],
        [(0.7, 1, 2), (0.9, 2, 1), (1, 2, 3), (1.1, 3, 2), (1.5, 4, 2)],
    ),
    "MotionBlur": (
        ("radius", "std"),
        [(6, 1), (6, 1.5), (6, 2), (8, 2), (9, 2.5)],
        [(10, 3), (15, 5), (15, 8), (15, 12), (20, 15)],
    ),
    "Saturate": (
        ("scale", "offset"),
        [(0.3, 0), (0.1, 0), (1.5, 0), (2, 0.1), (2.5, 0.2)],
        [(0.3, 0), (0.1, 0), (2, 0), (5, 0.1), (20, 0.2)],
    ),
    "ElasticDeformation": (
        ("alpha", "sigma", "affine"),
        [(0, None, 0.08), (0.05, 0.2, 0.07), (0.08, 0.06, 0.06), (0.1, 0.04, 0.05),
         (0.1, 0.03, 0.03)],
        [tuple(v * 244 / 224 for v in c) for c in (
            (2, 0.7, 0.1), (2, 0.08, 0.2), (0.05, 0.01, 0.02), (0.07, 0.01, 0.02),
            (0.12, 0.01, 0.02))],
    ),
}  # fmt: skip


@pytest.mark.parametrize("side", [32, 224])
@pytest.mark.parametrize("name", PUBLISHED)
def test_levels_are_the_published_constants(name, side):
    names, small, large = PUBLISHED[name]
    images = np.zeros((1, side, side, 3))
    for severity, constants in zip(LEVELS, small if side == 32 else large, strict=True):
        at = getattr(sp, name)(severity)._all_strengths(images)
        for parameter, constant in zip(names, constants, strict=True):
            if constant is not None:  # a field of strength 0 has no width
                assert getattr(at, parameter) == pytest.approx(constant)


def test_the_grid_of_the_index_has_its_levels():
    noise = ("0.1", "0.15", "0.2")
    levels = {"SP": ("0", *noise), "GA": ("0", *noise)}
    turned = ("RR30", "RR60", "RL30", "RL60", "RO0")
    salt = [f"SP{s}" for s in levels["SP"]]
    others = [*(f"GA{s}" for s in levels["GA"]), *turned]
    pairs = {a + b for a in salt for b in others} | {
        b + a for a in salt for b in others
    }
    pairs -= {"SP0GA0", "GA0SP0", "SP0RO0", "RO0SP0"}
    grid = sp.two_factor_grid("asi68")
    names = [condition.name for condition in grid[1:]]
    assert len(names) == 68
    assert set(names) == pairs
    for condition in grid[1:]:
        parts = dict(zip(("first", "second"), condition.steps, strict=False))
        for step in parts.values():
            if isinstance(step, sp.SaltAndPepper):
                assert f"SP{step.density:g}" in condition.name


@pytest.mark.parametrize(("published", "n_kinds"), [(True, 2), (False, 1)])
@pytest.mark.parametrize("kind", ["shear", "rotate"])
def test_signs_of_mnist_c_are_drawn(kind, published, n_kinds):
    image = np.zeros((28, 28), dtype=np.uint8)
    image[6:22, 12:15] = 255  # neither left nor right
    preset = sp.mnist_c(published=published, random_state=0)
    (condition,) = (c for c in preset if c.name == kind)
    out = condition.perturb(None, np.tile(image, (30, 1, 1)))
    assert len({one.tobytes() for one in out}) == n_kinds


@pytest.mark.parametrize("published", [False, True])
@pytest.mark.parametrize("kind", ["Zigzag", "DottedLine"])
def test_white_lines_darken_nothing(kind, published):
    grey = np.full((20, 28, 28), 0.5)
    out = getattr(sp, kind)(5, published=published, random_state=0).perturb(None, grey)
    assert out.min() == 0.5
    assert out.max() == 1.0
    assert 0.02 < (out > 0.5).mean() < 0.6


def test_a_turned_zigzag_is_white_all_along():
    # White is 1 + log(1 - distance / 2.3) on 28 pixels, and in each column a pixel lies
    # within half a row of the line; where pieces overlap none takes from another.
    black = np.zeros((300, 28, 28))
    out = sp.Zigzag(5, published=True, random_state=0).perturb(None, black)
    brightest = out.max(axis=1)
    inside = (out[:, 0] == 0) & (out[:, -1] == 0) & (brightest > 0)
    assert inside.mean() > 0.5
    assert brightest[inside].min() >= 1 + np.log(1 - 0.5 / 2.3)


def test_half_an_iteration_of_glass_is_half_as_strong():
    images = np.random.default_rng(0).random((6, 40, 40))

    def glass(max_shift, iterations, published=False):
        settings = {"max_shift": max_shift, "iterations": iterations, "std": 0}
        kind = sp.GlassBlur(**settings, published=published, random_state=0)
        return kind.perturb(None, images)

    assert np.array_equal(glass(4, 0), images)
    # Pixels move half as far, or, as published, half of them do.
    assert np.array_equal(glass(4, 0.5), glass(2, 1))
    whole, half = ((glass(1, n, True) != images).mean() for n in (1, 0.5))
    assert half == pytest.approx(whole / 2, abs=0.05)


def test_flat_images_without_a_shape_are_refused_with_the_cure():
    model, X, y = linear_problem()
    told = r"flat images need image_shape=\(height, width\), and tables tabular\(\)"
    for condition in (sp.Rotation(30), sp.GaussianNoise(3, data_range=(0, 1))):
        with pytest.raises(ValueError, match=told):
            evaluate_perturbations(model, X, y, [condition])
    shaped = sp.Rotation(30, image_shape=(2, 3), data_range=(0, 1))
    assert len(evaluate_perturbations(model, X, y, [shaped]).score) == 1
