"""Levels of severity are the constants of the published code, and presets its kinds."""

import numpy as np
import pytest
from perturbation_table import LAWS
from problems import linear_problem

import skrobust.perturbations as sp
from skrobust.evaluation import evaluate_perturbations

LEVELS = (1, 2, 3, 4, 5)
# Constants c of Hendrycks and Dietterich: for 32 pixels, and for 224. Lengths of the
# elastic deformation are shares of 32 pixels, and of 244, which they took for 224.
PUBLISHED = {
    "GaussianNoise": (
        ("std",), [(c,) for c in (0.04, 0.06, 0.08, 0.09, 0.1)],
        [(c,) for c in (0.08, 0.12, 0.18, 0.26, 0.38)],
    ),
    "SpeckleNoise": (
        ("std",), [(c,) for c in (0.06, 0.1, 0.12, 0.16, 0.2)],
        [(c,) for c in (0.15, 0.2, 0.35, 0.45, 0.6)],
    ),
    "ShotNoise": (  # in force is the relative standard deviation
        ("photons",), [(c**-0.5,) for c in (500, 250, 100, 75, 50)],
        [(c**-0.5,) for c in (60, 25, 12, 5, 3)],
    ),
    "SaltAndPepper": (
        ("density",), [(c,) for c in (0.01, 0.02, 0.03, 0.05, 0.07)],
        [(c,) for c in (0.03, 0.06, 0.09, 0.17, 0.27)],
    ),
    "DefocusBlur": (
        ("radius", "alias_std"),
        [(0.3, 0.4), (0.4, 0.5), (0.5, 0.6), (1, 0.2), (1.5, 0.1)],
        [(3, 0.1), (4, 0.5), (6, 0.5), (8, 0.5), (10, 0.5)],
    ),
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
    "ZoomBlur": (
        ("zoom", "step"),
        [(1.06, 0.01), (1.11, 0.01), (1.16, 0.01), (1.21, 0.01), (1.26, 0.01)],
        [(1.11, 0.01), (1.16, 0.01), (1.21, 0.02), (1.26, 0.02), (1.31, 0.03)],
    ),
    "GaussianBlur": (
        ("std",), [(c,) for c in (0.4, 0.6, 0.7, 0.8, 1)],
        [(c,) for c in (1, 2, 3, 4, 6)],
    ),
    "Snow": (
        ("mean", "std", "zoom", "threshold", "radius", "blur_std", "keep"),
        [(0.1, 0.2, 1, 0.6, 8, 3, 0.95), (0.1, 0.2, 1, 0.5, 10, 4, 0.9),
         (0.15, 0.3, 1.75, 0.55, 10, 4, 0.9), (0.25, 0.3, 2.25, 0.6, 12, 6, 0.85),
         (0.3, 0.3, 1.25, 0.65, 14, 12, 0.8)],
        [(0.1, 0.3, 3, 0.5, 10, 4, 0.8), (0.2, 0.3, 2, 0.5, 12, 4, 0.7),
         (0.55, 0.3, 4, 0.9, 12, 8, 0.7), (0.55, 0.3, 4.5, 0.85, 12, 8, 0.65),
         (0.55, 0.3, 2.5, 0.85, 12, 12, 0.55)],
    ),
    "Frost": (
        ("image_weight", "ice_weight"),
        [(1, 0.2), (1, 0.3), (0.9, 0.4), (0.85, 0.4), (0.75, 0.45)],
        [(1, 0.4), (0.8, 0.6), (0.7, 0.7), (0.65, 0.7), (0.6, 0.75)],
    ),
    "Fog": (
        ("strength", "decay"),
        [(0.2, 3), (0.5, 3), (0.75, 2.5), (1, 2), (1.5, 1.75)],
        [(1.5, 2), (2, 2), (2.5, 1.7), (2.5, 1.5), (3, 1.4)],
    ),
    "Spatter": (  # the opacity of water, or the width of mud
        ("mean", "std", "blur_std", "threshold", "opacity", "mud_std", "mud"),
        [(0.62, 0.1, 0.7, 0.7, 0.5, None, 0), (0.65, 0.1, 0.8, 0.7, 0.5, None, 0),
         (0.65, 0.3, 1, 0.69, 0.5, None, 0), (0.65, 0.1, 0.7, 0.69, None, 0.6, 1),
         (0.65, 0.1, 0.5, 0.68, None, 0.6, 1)],
        [(0.65, 0.3, 4, 0.69, 0.6, None, 0), (0.65, 0.3, 3, 0.68, 0.6, None, 0),
         (0.65, 0.3, 2, 0.68, 0.5, None, 0), (0.65, 0.3, 1, 0.65, None, 1.5, 1),
         (0.67, 0.4, 1, 0.65, None, 1.5, 1)],
    ),
    "Contrast": (
        ("factor",), [(c,) for c in (0.75, 0.5, 0.4, 0.3, 0.15)],
        [(c,) for c in (0.4, 0.3, 0.2, 0.1, 0.05)],
    ),
    "Brightness": (
        ("shift",), [(c,) for c in (0.05, 0.1, 0.15, 0.2, 0.3)],
        [(c,) for c in (0.1, 0.2, 0.3, 0.4, 0.5)],
    ),
    "Saturate": (
        ("scale", "offset"),
        [(0.3, 0), (0.1, 0), (1.5, 0), (2, 0.1), (2.5, 0.2)],
        [(0.3, 0), (0.1, 0), (2, 0), (5, 0.1), (20, 0.2)],
    ),
    "JPEGCompression": (
        ("quality",), [(c,) for c in (80, 65, 58, 50, 40)],
        [(c,) for c in (25, 18, 15, 10, 7)],
    ),
    "Pixelate": (
        ("share",), [(c,) for c in (0.95, 0.9, 0.85, 0.75, 0.65)],
        [(c,) for c in (0.6, 0.5, 0.4, 0.3, 0.25)],
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
        at = getattr(sp, name)(severity=severity)._all_strengths(images)
        for parameter, constant in zip(names, constants, strict=True):
            if constant is not None:  # a field of strength 0 has no width
                assert getattr(at, parameter) == pytest.approx(constant)


def test_no_published_table_is_missing():
    by_side = {
        law.name
        for law in LAWS
        if any(strength.large for strength in law.cls._strengths.values())
    }
    assert by_side - PUBLISHED.keys() == {"UniformNoise"}  # with those of GaussianNoise
    assert PUBLISHED.keys() <= by_side


@pytest.mark.parametrize("side", [32, 224])
def test_uniform_noise_is_as_strong_as_normal_noise(side):
    for severity in (0, 0.5, 2, 5):
        grey = np.full((1, side, side), 0.5)
        out = sp.UniformNoise(severity, random_state=0).perturb(None, grey)
        std = sp.GaussianNoise(severity)._all_strengths(grey[..., None]).std
        half = np.sqrt(3) * std
        assert np.abs(out - 0.5).max() == pytest.approx(min(half, 0.5), rel=0.01)


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
