"""ClipPGD: the form of the perturbation over time, and its strength on known models."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from skrobust.attacks import PGD, ClipPGD

EPS, N_FRAMES = 0.05, 7


@pytest.fixture(scope="module")
def linear():
    """A linear model of clips of 7 frames of one number, and clips."""
    rng = np.random.default_rng(0)
    X = rng.random((80, N_FRAMES))
    height = X @ rng.normal(size=N_FRAMES)
    y = (height > np.median(height)).astype(int)
    return LogisticRegression(C=100).fit(X, y), X, y


def moved(model, X, y, **settings):
    """Return by how much the log odds of the label fall."""
    attack = ClipPGD(EPS, objective="loss", random_state=0, **settings)
    change = attack.perturb(model, X, y) - X
    assert np.abs(change).max() <= EPS + 1e-12
    return change, -(2 * y - 1) * (change @ model.coef_[0])


def test_shared_is_optimal_for_a_linear_model(linear):
    model, X, y = linear
    change, fall = moved(model, X, y, over_time="shared")
    assert np.ptp(change, axis=1).max() < 1e-12
    # The best shared change is eps times the sign of the summed weights.
    assert np.allclose(fall, EPS * abs(model.coef_.sum()))


def test_free_is_optimal_for_a_linear_model(linear):
    model, X, y = linear
    _, fall = moved(model, X, y, over_time="free")
    assert np.allclose(fall, EPS * np.abs(model.coef_).sum())


@pytest.mark.parametrize("n_knots", [2, 3, 4])
def test_smooth_is_optimal_among_broken_lines(linear, n_knots):
    model, X, y = linear
    change, fall = moved(model, X, y, over_time="smooth", n_knots=n_knots)
    # The log odds are linear in the images at the knots.
    places = np.linspace(0, n_knots - 1, N_FRAMES)
    hats = np.array([np.interp(places, range(n_knots), e) for e in np.eye(n_knots)])
    assert np.allclose(fall, EPS * np.abs(hats @ model.coef_[0]).sum())
    if n_knots == 2:
        assert np.abs(np.diff(change, n=2, axis=1)).max() < 1e-12


def test_more_freedom_is_never_weaker(linear):
    model, X, y = linear
    ways = [
        {"over_time": "shared"},
        {"over_time": "smooth", "n_knots": 2},
        {"over_time": "smooth", "n_knots": 4},
        {"over_time": "smooth", "n_knots": N_FRAMES},
    ]
    falls = [moved(model, X, y, **way)[1] for way in ways]
    # Broken lines of 4 knots (0, 2, 4, 6) contain those of 2 (0, 6).
    assert (np.diff(falls, axis=0) > -1e-9).all()
    assert np.allclose(falls[-1], moved(model, X, y, over_time="free")[1])


def test_free_is_pgd(linear):
    model, X, y = linear
    settings = {"n_steps": 4, "random_start": False, "objective": "loss"}
    found = ClipPGD(EPS, over_time="free", **settings).perturb(model, X, y)
    plain = PGD(EPS, finish=None, **settings).perturb(model, X, y)
    assert np.allclose(found, plain)


def test_weights_are_means():
    for over_time in ("shared", "smooth", "free"):
        for n_frames in (1, 2, 5, 8):
            attack = ClipPGD(over_time=over_time, n_knots=3)
            weights = attack._weights(n_frames)
            assert (weights >= 0).all()
            assert np.allclose(weights.sum(axis=1), 1)


def test_rows_are_independent_of_the_batch(linear):
    model, X, y = linear
    attack = ClipPGD(EPS, n_steps=5, random_state=3)
    whole = attack.perturb(model, X, y)
    parts = ClipPGD(EPS, n_steps=5, random_state=3, batch_size=7).perturb(model, X, y)
    assert np.array_equal(whole, parts)


def test_what_is_refused(linear):
    model, X, y = linear
    with pytest.raises(ValueError, match="'over_time'"):
        ClipPGD(over_time="slow").perturb(model, X, y)
    with pytest.raises(ValueError, match="'n_knots'"):
        ClipPGD(n_knots=1).perturb(model, X, y)
    with pytest.raises(ValueError, match="cannot start from given rows"):
        ClipPGD().run(model, X, y, start=X)
    with pytest.raises(TypeError, match="norm"):
        ClipPGD(norm=2)


@pytest.mark.torch
def test_clips_of_images_on_a_net(nets):
    import torch

    from skrobust.nets import ClipNet, make_net_classifier

    torch.manual_seed(0)
    frame = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(3 * 4 * 4, 1))
    model = make_net_classifier(
        ClipNet(frame), classes=[0, 1], fitted=True, device="cpu"
    )
    X = np.random.default_rng(0).random((6, 5, 3, 4, 4)).astype(np.float32)
    y = 1 - model.predict(X)
    y = np.where(np.arange(6) % 2, y, 1 - y)
    attack = ClipPGD(0.02, n_steps=5, data_range=(0, 1), random_state=0)
    change = attack.perturb(model, X, y) - X
    assert np.abs(change).max() <= 0.02 + 1e-6
    # One perturbation, cut where a frame leaves [0, 1].
    free = ((X + change > 1e-6) & (X + change < 1 - 1e-6)).all(axis=1)
    assert free.any()
    assert np.ptp(change, axis=1)[free].max() < 1e-6
    odds = [model.predict_proba(Z)[np.arange(6), y] for Z in (X, X + change)]
    assert (odds[1] <= odds[0]).all()
