"""Perturbations: laws, the 69 conditions, and pixels computed by hand."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from problems import digit_rows
from scipy import ndimage, stats
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from skrobust.base import BasePerturbation
from skrobust.perturbations import (
    FeatureNoise,
    GaussianNoise,
    ImagePerturbation,
    PerturbationSequence,
    Rotation,
    SaltAndPepper,
    two_factor_grid,
)
from skrobust.testing import check_perturbation

RNG = np.random.default_rng(0)
EVERY = [
    GaussianNoise(std=0.1),
    GaussianNoise(mean=0.1, var=0.01),
    SaltAndPepper(0.2),
    SaltAndPepper(0.2, per_channel=False),
    Rotation(30),
    Rotation(-60, canvas="fit", clockwise=True, fill=0.5),
    PerturbationSequence([SaltAndPepper(0.2), Rotation(30), GaussianNoise(std=0.1)]),
]


def images(kind):
    shapes = {
        "grey": (12, 8, 8),
        "last": (12, 9, 8, 3),
        "first": (12, 3, 9, 8),
        "one": (12, 8, 8, 1),
        "large": (6, 40, 30),
    }
    X = RNG.random(shapes[kind.split()[0]])
    if "uint8" in kind:
        X = (X * 255).astype(np.uint8)
    if "float32" in kind:
        X = X.astype(np.float32)
    return X


@pytest.mark.parametrize("perturbation", EVERY, ids=str)
@pytest.mark.parametrize(
    "kind",
    [
        "grey",
        "last",
        "first",
        "one",
        "large",
        "grey uint8",
        "last uint8",
        "grey float32",
    ],
)
def test_promises(perturbation, kind):
    draws = not isinstance(perturbation, Rotation)
    check_perturbation(perturbation, images(kind), draws=draws)


def test_the_69_conditions():
    grid = two_factor_grid("asi68", image_shape=(8, 8))
    # Written down again, by hand, from the published table.
    table = """CLEAN SP0GA0.1 SP0GA0.15 SP0GA0.2 SP0.1GA0 SP0.1GA0.1 SP0.1GA0.15
    SP0.1GA0.2 SP0.15GA0 SP0.15GA0.1 SP0.15GA0.15 SP0.15GA0.2 SP0.2GA0 SP0.2GA0.1
    SP0.2GA0.15 SP0.2GA0.2 GA0SP0.1 GA0SP0.15 GA0SP0.2 GA0.15SP0 GA0.15SP0.1
    GA0.15SP0.15 GA0.15SP0.2 GA0.1SP0 GA0.1SP0.1 GA0.1SP0.15 GA0.1SP0.2 GA0.2SP0
    GA0.2SP0.1 GA0.2SP0.15 GA0.2SP0.2 SP0RR30 SP0RR60 SP0.1RR30 SP0.1RR60 SP0.15RR30
    SP0.15RR60 SP0.2RR30 SP0.2RR60 SP0RL30 SP0RL60 SP0.1RO0 SP0.1RL30 SP0.1RL60
    SP0.15RO0 SP0.15RL30 SP0.15RL60 SP0.2RO0 SP0.2RL30 SP0.2RL60 RR30SP0.1 RR30SP0.15
    RR30SP0.2 RR30SP0 RR60SP0.1 RR60SP0.15 RR60SP0.2 RR60SP0 RO0SP0.1 RO0SP0.15
    RO0SP0.2 RL30SP0 RL30SP0.1 RL30SP0.15 RL30SP0.2 RL60SP0 RL60SP0.1 RL60SP0.15
    RL60SP0.2"""
    names = table.split()
    assert [c.name for c in grid] == names
    assert [c.number for c in grid] == list(range(1, 70))
    singles = [c for c in grid if len(c.steps) == 1]
    assert len(singles) == 26
    assert sum(len(c.steps) == 2 for c in grid) == 42


def test_distinct_conditions():
    grid = two_factor_grid("asi68", image_shape=(8, 8), unique=True)
    effects = {tuple(repr(s) for s in c.steps) for c in grid}
    assert len(grid) == len(effects) == 53
    assert sum(c.name != "CLEAN" for c in grid) == 52
    assert sum(len(c.steps) == 1 for c in grid) == 10


def test_conditions_do_what_their_names_say():
    X = np.full((300, 8, 8), 0.5)
    grid = {c.name: c for c in two_factor_grid(image_shape=(8, 8), random_state=0)}
    clean = grid["CLEAN"].perturb(None, X)
    assert np.array_equal(clean, X)
    assert not np.shares_memory(clean, X)
    # A Gaussian level is the mean of the noise, its variance .01; clipped normal.
    for level in (0.1, 0.15, 0.2):
        noisy = grid[f"SP0GA{level}"].perturb(None, np.zeros_like(X)).ravel()
        edge = stats.norm(level, 0.1)
        mean = edge.expect(lambda v: np.clip(v, 0, 1), lb=-1, ub=2)
        assert noisy.mean() == pytest.approx(mean, abs=0.003)
    for level in (0.1, 0.15, 0.2):
        noisy = grid[f"SP{level}GA0"].perturb(None, X)
        assert (noisy == 0).mean() == pytest.approx(level / 2, abs=0.01)
        assert (noisy == 1).mean() == pytest.approx(level / 2, abs=0.01)
    # Right is clockwise: what was on top is then on the right.
    top = np.zeros((1, 8, 8))
    top[0, :3, 3:5] = 1
    centre = ndimage.center_of_mass(grid["SP0RR60"].perturb(None, top)[0])
    assert centre[1] > 4.5
    centre = ndimage.center_of_mass(grid["SP0RL60"].perturb(None, top)[0])
    assert centre[1] < 2.5


def test_variance_reading_stays_available():
    grid = two_factor_grid(image_shape=(8, 8), gaussian="var", random_state=0)
    noisy = grid[1].perturb(None, np.full((500, 8, 8), 0.5))
    inner = noisy[(noisy > 0) & (noisy < 1)]
    assert inner.mean() == pytest.approx(0.5, abs=0.01)
    assert (noisy == 0).mean() == pytest.approx(
        stats.norm.cdf(-0.5 / 0.1**0.5), abs=0.01
    )


def test_repeats_get_fresh_noise():
    X = np.full((4, 8, 8), 0.5)
    grid = {c.number: c for c in two_factor_grid(image_shape=(8, 8), random_state=0)}
    outs = [grid[k].perturb(None, X) for k in (5, 17, 42, 59)]
    for i in range(4):
        for j in range(i):
            assert not np.array_equal(outs[i], outs[j])


def test_order_effect_is_an_effect_of_order_alone():
    X = np.full((6, 8, 8), 0.5)
    grid = {c.name: c for c in two_factor_grid(image_shape=(8, 8), random_state=0)}
    a = grid["SP0.1GA0.1"].perturb(None, X)
    b = grid["GA0.1SP0.1"].perturb(None, X)
    struck = (b == 0) | (b == 1)
    assert 0 < struck.mean() < 0.3
    assert np.array_equal(a[~struck], b[~struck])
    assert not np.array_equal(a[struck], b[struck])


def test_severities_share_their_draws():
    X = np.full((6, 8, 8), 0.5)
    low, high = (
        SaltAndPepper(d, random_state=0).perturb(None, X) != 0.5 for d in (0.1, 0.3)
    )
    assert low.sum() < high.sum()
    assert not (low & ~high).any()
    small, large = (
        GaussianNoise(std=s, random_state=0).perturb(None, X) - 0.5
        for s in (0.01, 0.02)
    )
    assert np.allclose(large, 2 * small)


def test_second_step_is_keyed_by_the_row_before_the_first():
    X = np.full((4, 8, 8), 0.5)
    noise = GaussianNoise(std=0.01)
    quiet = PerturbationSequence([Rotation(0), noise], random_state=0).perturb(None, X)
    spoken = PerturbationSequence([SaltAndPepper(0.3), noise], random_state=0).perturb(
        None, X
    )
    unstruck = (spoken > 0.2) & (spoken < 0.8)
    assert np.allclose(quiet[unstruck], spoken[unstruck])


def test_equal_steps_draw_differently():
    X = np.full((4, 8, 8), 0.5)
    twice = PerturbationSequence([GaussianNoise(std=0.1)] * 2, random_state=0)
    once = PerturbationSequence([GaussianNoise(std=0.2)], random_state=0)
    assert not np.allclose(twice.perturb(None, X), once.perturb(None, X))


@pytest.mark.parametrize("dtype", [np.uint8, np.float32, np.float64])
def test_layouts_agree(dtype):
    X = (RNG.random((5, 6, 7, 3)) * 255).astype(np.uint8)
    X = X if dtype == np.uint8 else (X / 255).astype(dtype)
    rotation = Rotation(20)
    last = rotation.perturb(None, X)
    first = rotation.perturb(None, np.moveaxis(X, -1, 1))
    assert np.array_equal(np.moveaxis(first, 1, -1), last)
    flat = clone(rotation).set_params(image_shape=(6, 7, 3))
    assert np.array_equal(flat.perturb(None, X.reshape(5, -1)).reshape(X.shape), last)


def test_grey_with_and_without_channel_axis():
    X = RNG.random((5, 8, 8))
    for p in EVERY:
        p = clone(p).set_params(random_state=0)
        with_axis = p.perturb(None, X[..., None])
        assert np.array_equal(with_axis[..., 0], p.perturb(None, X))


def test_rotation_against_scipy():
    X = RNG.random((3, 15, 15))
    for angle in (10, -37, 90, 180):
        mine = Rotation(angle).perturb(None, X)
        # scipy turns counter-clockwise for positive angles in the (1, 2) plane.
        theirs = ndimage.rotate(
            X, angle, axes=(2, 1), reshape=False, order=1, mode="grid-constant"
        )
        theirs_other = ndimage.rotate(
            X, angle, axes=(1, 2), reshape=False, order=1, mode="grid-constant"
        )
        error = min(np.abs(mine - t).max() for t in (theirs, theirs_other))
        assert error < 1e-9
    quarter = Rotation(90).perturb(None, X)
    assert np.allclose(quarter, np.rot90(X, axes=(1, 2)))


def test_fit_canvas_keeps_the_whole_picture():
    X = np.zeros((1, 21, 21))
    corners = [(0, 0), (0, 20), (20, 0), (20, 20)]
    for r, c in corners:
        X[0, r, c] = 1
    kept = Rotation(45).perturb(None, X)
    whole = Rotation(45, canvas="fit").perturb(
        None, np.pad(X, ((0, 0), (2, 2), (2, 2)))
    )
    assert kept.sum() < 0.5
    assert whole.sum() > 0.5


def test_integer_images_are_rounded_then_clipped():
    X = np.full((200, 8, 8), 100, dtype=np.uint8)
    noisy = GaussianNoise(std=0.05, random_state=0).perturb(None, X)
    assert noisy.dtype == np.uint8
    # Truncation would darken by half a grey level.
    assert noisy.mean() == pytest.approx(100, abs=0.3)
    assert GaussianNoise(std=1.0, random_state=0).perturb(None, X).max() == 255


def test_untouched_pixels_keep_their_exact_values():
    X = RNG.random((20, 8, 8)) * 13.7
    noisy = SaltAndPepper(0.3, data_range=(0, 13.7), random_state=0).perturb(None, X)
    same = noisy == X
    assert 0.5 < same.mean() < 0.9
    assert set(np.unique(noisy[~same])) <= {0.0, 13.7}


def test_learned_range_comes_from_training_data():
    train, test = RNG.random((30, 64)) * 16, RNG.random((10, 64)) * 20
    p = SaltAndPepper(1.0, random_state=0).fit(train)
    assert p.data_range_ == (train.min(), train.max())
    struck = p.perturb(None, test)
    assert set(np.unique(struck)) == {train.min(), train.max()}
    # A value above the training range is not cut off by noise that leaves it alone.
    quiet = SaltAndPepper(0.0, random_state=0).fit(train)
    assert np.array_equal(quiet.perturb(None, test), test)
    with pytest.raises(
        ValueError, match=r"knows no data range.*Fit it on training data"
    ):
        SaltAndPepper(0.5).perturb(None, test)


def test_salt_and_pepper_per_pixel():
    X = np.full((50, 8, 8, 3), 0.5)
    whole = SaltAndPepper(0.3, per_channel=False, random_state=0).perturb(None, X)
    assert np.array_equal(whole[..., 0], whole[..., 1])
    split = SaltAndPepper(0.3, random_state=0).perturb(None, X)
    assert not np.array_equal(split[..., 0], split[..., 1])


def test_severity_tables():
    small = np.full((400, 32, 32), 0.5)
    for severity, sd in zip(
        (1, 2, 3, 4, 5), (0.04, 0.06, 0.08, 0.09, 0.10), strict=True
    ):
        noisy = GaussianNoise(severity, random_state=0).perturb(None, small[:40])
        assert noisy.std() == pytest.approx(sd, rel=0.02)
    large = np.full((3, 224, 224), 0.5)
    noisy = GaussianNoise(1, random_state=0).perturb(None, large)
    assert noisy.std() == pytest.approx(0.08, rel=0.02)
    half = GaussianNoise(1.5, random_state=0).perturb(None, small[:40])
    assert half.std() == pytest.approx(0.05, rel=0.02)
    middle = np.full((10, 85, 85), 0.5)  # near the geometric mean of 32 and 224
    noisy = GaussianNoise(1, random_state=0).perturb(None, middle)
    assert noisy.std() == pytest.approx(0.06, rel=0.03)
    assert GaussianNoise().perturb(None, small[:5]).std() > 0  # severity 1 by default


@pytest.mark.parametrize("p", EVERY, ids=str)
def test_containers(p):
    X = RNG.random((6, 16))
    p = clone(p).set_params(random_state=0)
    if "image_shape" in p.get_params():
        p.set_params(image_shape=(4, 4))
    else:
        p.set_params(rotation__image_shape=(4, 4))
    plain = p.perturb(None, X)
    names = [f"pixel {i}" for i in range(16)]
    frame = pd.DataFrame(X, columns=names, index=range(100, 106))
    out = p.perturb(None, frame)
    pd.testing.assert_frame_equal(
        out, pd.DataFrame(plain, columns=names, index=range(100, 106))
    )
    table = pl.DataFrame(X, schema=names)
    out = p.perturb(None, table)
    assert out.columns == names
    assert np.array_equal(out.to_numpy(), plain)
    assert np.array_equal(p.perturb(None, X.tolist()), plain)
    fitted = clone(p).set_output(transform="pandas").fit(frame)
    assert list(fitted.transform(frame).columns) == names
    assert fitted.transform(frame).index[0] == 100
    torch = pytest.importorskip("torch")
    tensor = p.perturb(None, torch.from_numpy(X))
    assert isinstance(tensor, torch.Tensor)
    assert np.array_equal(tensor.numpy(), plain)


def test_in_a_pipeline_and_a_search():
    X, y = digit_rows()
    X, y = X[:300], y[:300]
    noise = GaussianNoise(std=0.1, data_range=(0, 16), random_state=0)
    pipe = make_pipeline(noise, SVC()).fit(X, y)
    assert pipe.score(X, y) > 0.8
    search = GridSearchCV(pipe, {"gaussiannoise__std": [0.05, 2.0]}, cv=3).fit(X, y)
    assert search.best_params_ == {"gaussiannoise__std": 0.05}


def test_sequence_parameters_are_reachable():
    seq = PerturbationSequence([GaussianNoise(std=0.1), GaussianNoise(std=0.2)])
    params = seq.get_params()
    assert params["gaussiannoise__std"] == 0.1
    assert params["gaussiannoise2__std"] == 0.2
    seq.set_params(gaussiannoise2__std=0.3, number=4)
    assert seq.steps[1].std == 0.3
    assert seq.number == 4
    seq.set_params(gaussiannoise=SaltAndPepper(0.1))
    assert isinstance(seq.steps[0], SaltAndPepper)
    with pytest.raises(ValueError, match="Invalid parameter 'nothing'"):
        seq.set_params(nothing=1)
    assert str(seq) == "SaltAndPepper -> GaussianNoise"


def test_a_newcomer_writes_eight_lines():
    class Invert(ImagePerturbation):
        def __init__(
            self,
            image_shape=None,
            channel_axis=None,
            data_range="auto",
            random_state=None,
        ):
            self.image_shape = image_shape
            self.channel_axis = channel_axis
            self.data_range = data_range
            self.random_state = random_state

        def _perturb_images(self, images, rng):
            return 1 - images

    X = np.array([[[0, 255], [100, 50]]], dtype=np.uint8)
    assert Invert().perturb(None, X).tolist() == [[[255, 0], [155, 205]]]


@pytest.mark.parametrize("random_state", [np.random.RandomState(0), 0])
def test_chunks_and_folds_see_the_same_noise(random_state):
    X = RNG.random((40, 8, 8))
    p = GaussianNoise(std=0.1, random_state=random_state)
    whole = p.perturb(None, X)
    chunks = np.concatenate([p.perturb(None, X[i : i + 7]) for i in range(0, 40, 7)])
    assert np.array_equal(whole, chunks)


class Jitter(BasePerturbation):
    """Noise by the standard deviation of each training column."""

    def __init__(self, scale=0.1, random_state=0):
        self.scale, self.random_state = scale, random_state

    def _learn(self, values):
        self.scale_ = self.scale * values.std(axis=0)

    def _perturb(self, X, rng):
        return X + self.scale_ * rng.normal(size=X.shape)


def test_columns_in_another_order_are_refused():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"small": rng.normal(size=300), "big": rng.normal(size=300) * 1e3}
    )
    p = Jitter().fit(frame)
    moved = p.perturb(None, frame) - frame
    assert moved["big"].std() > 50 > moved["small"].std()
    with pytest.raises(ValueError, match="feature names"):
        p.perturb(None, frame[["big", "small"]])


def test_numpy_integers_are_seeds_and_counts():
    X = np.full((3, 8, 8), 0.5)
    outs = [
        PerturbationSequence(
            [GaussianNoise(std=0.1)], replicate=r, random_state=seed
        ).perturb(None, X)
        for r, seed in ((1, 0), (np.int64(1), np.int32(0)))
    ]
    assert np.array_equal(*outs)


def test_a_sequence_takes_polars_frames_with_times():
    # Such a frame has no array of all columns.
    polars = pytest.importorskip("polars")
    times = np.array(["2020-01-01", "2021-01-01"], dtype="datetime64[us]")
    X = polars.DataFrame({"x": [1.0, 2.0], "when": times})
    noise = PerturbationSequence([FeatureNoise(severity=3)], random_state=0)
    out = noise.fit(X).perturb(None, X)
    assert out["when"].equals(X["when"])
    assert not out["x"].equals(X["x"])
