"""Attacks on skorch nets: criteria, side effects, awkward inputs, honest numbers."""

import copy
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, StandardScaler

torch = pytest.importorskip("torch")
pytest.importorskip("skorch")

from nets_for_tests import Blind, Flat, Linear, make_net  # noqa: E402
from problems import linear_problem  # noqa: E402
from torch import nn  # noqa: E402

from skrobust._differentiable import differentiable_view  # noqa: E402
from skrobust._differentiable.net import NetView  # noqa: E402
from skrobust.attacks import FGSM, PGD  # noqa: E402
from skrobust.attacks.core.losses import log_odds_against  # noqa: E402
from skrobust.evaluation import evaluate_attack  # noqa: E402
from skrobust.metrics import make_robust_scorer  # noqa: E402
from skrobust.nets import ToNetInput, small_cnn_classifier  # noqa: E402
from skrobust.testing import check_attack  # noqa: E402

pytestmark = pytest.mark.torch


def problem(classes=3, n=120, seed=0):
    _, X, y = linear_problem(n, classes=classes, seed=seed)
    return X.astype(np.float32), y.astype(np.int64)


def fitted(kind, X, y):
    if kind == "cross entropy":
        return make_net().fit(X, y)
    if kind == "nll":
        return make_net(criterion=nn.NLLLoss, module__ending="softmax").fit(X, y)
    binary = {"binary": True, "module__k": 1}
    target = (y == 0).astype(np.float32)
    if kind == "bce with logits":
        return make_net(
            criterion=nn.BCEWithLogitsLoss, module__ending="flat", **binary
        ).fit(X, target)
    # Trained longer, its sigmoid saturates: gradients are zero, and that is told.
    net = make_net(criterion=nn.BCELoss, module__ending="sigmoid", epochs=15, **binary)
    return net.fit(X, target)


KINDS = ["cross entropy", "nll", "bce with logits", "bce"]


@pytest.mark.parametrize("kind", KINDS)
def test_every_criterion(kind):
    X, y = problem()
    net = fitted(kind, X, y)
    target = y if kind in KINDS[:2] else (y == 0).astype(np.float32)
    with differentiable_view(net, "test") as view:
        logits, _ = view.forward(view.tensor(X))
        p = torch.softmax(logits.detach(), dim=1).numpy()
    # The logits of the view are those behind predict_proba.
    assert np.allclose(p, net.predict_proba(X), atol=1e-5)
    clean = (net.predict(X) == target).mean()
    seed = {"random_state": 0}  # a start may lie where the sigmoid is flat
    for a in (FGSM(0.1), PGD(0.1, n_steps=10, **seed), PGD(0.3, norm=2, **seed)):
        out = a.perturb(net, X, target)
        assert out.dtype == np.float32
        assert (net.predict(out) == target).mean() < clean - 0.05
    check_attack(PGD(0.1, n_steps=5, data_range=(0, 1)), net, X, target)


@pytest.mark.parametrize("kind", KINDS)
def test_gradients_against_finite_differences(kind):
    X, _ = problem(n=8)
    big, target = problem()
    net = fitted(kind, big, target)
    net.module_.double()
    column = np.array([0, 1] * 4)
    with differentiable_view(net, "test") as view:

        def value(points):
            logits, pullback = view.forward(view.tensor(points))
            plain = logits.detach()
            v, slope, _ = log_odds_against(plain, torch.as_tensor(column))
            return v.numpy(), pullback, slope

        _, pullback, slope = value(X)
        gradient = pullback(slope).numpy()
        for j in range(X.shape[1]):
            step = np.zeros_like(X, dtype=np.float64)
            step[:, j] = 1e-6
            up, down = value(X + step)[0], value(X - step)[0]
            assert np.allclose((up - down) / 2e-6, gradient[:, j], rtol=1e-3, atol=1e-4)


def test_log_odds_and_its_slope():
    rng = np.random.default_rng(0)
    z = rng.normal(size=(9, 4)) * 5
    column = rng.integers(0, 4, size=9)
    value, slope, margin = log_odds_against(z, column)
    p = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
    own = p[np.arange(9), column]
    assert np.allclose(value, np.log((1 - own) / own))
    # Cross entropy has the same slope times 1 - p.
    cross = p.copy()
    cross[np.arange(9), column] -= 1
    assert np.allclose(cross, slope * (1 - own)[:, None])
    assert (margin > 0).tolist() == (z.argmax(axis=1) != column).tolist()
    t, u, _ = log_odds_against(torch.from_numpy(z), torch.from_numpy(column))
    assert np.allclose(t.numpy(), value)
    assert np.allclose(u.numpy(), slope)
    huge, _, _ = log_odds_against(z * 1e6, column)
    assert np.isfinite(huge).all()


def test_linear_net_reaches_the_closed_form():
    X, y = problem(2)
    net = make_net(Linear).fit(X, y)
    weight = net.module_.layer.weight.detach().numpy()
    w = weight[1] - weight[0]

    def decision(points):
        z = net.forward(points).numpy()
        return z[:, 1] - z[:, 0]

    for a in (FGSM, PGD):
        for norm, dual in ((np.inf, 1), (2, 2)):
            attack = a(0.07, norm=norm, objective="loss", random_state=0)
            moved = decision(attack.perturb(net, X, y)) - decision(X)
            best = np.where(y == 1, -1, 1) * 0.07 * np.linalg.norm(w, dual)
            assert np.allclose(moved, best, rtol=1e-3, atol=1e-5)


def test_nothing_about_the_net_changes():
    X, y = problem()
    net = fitted("cross entropy", X, y)
    module = net.module_
    module.train()
    module.body[1].eval()  # the user froze one layer
    modes = [m.training for m in module.modules()]
    state = copy.deepcopy(module.state_dict())
    for p in module.parameters():
        p.grad = torch.ones_like(p)
    generator = torch.get_rng_state()
    numpy_state = np.random.get_state()[1].copy()  # noqa: NPY002
    for a in (FGSM(0.1), PGD(0.1, objective="probability_shift")):
        a.perturb(net, X, y)
    assert [m.training for m in module.modules()] == modes
    assert all(torch.equal(v, state[k]) for k, v in module.state_dict().items())
    assert all(p.requires_grad and (p.grad == 1).all() for p in module.parameters())
    assert torch.equal(torch.get_rng_state(), generator)
    assert np.array_equal(np.random.get_state()[1], numpy_state)  # noqa: NPY002


def test_modes_come_back_after_an_error():
    X, y = problem()
    net = fitted("cross entropy", X, y)
    net.module_.train()
    with pytest.raises(ValueError, match=r"could not pass rows of shape \(5,\)"):
        FGSM(0.1).perturb(net, X[:, :5], y)
    assert all(m.training for m in net.module_.modules())
    FGSM(0.1).perturb(net, X, y)  # and the lock is free


def test_raw_units_through_the_pipeline():
    X, y = problem(2)
    raw = X.astype(np.float64) * [1, 10, 100, 0.1, 1, 5] + 3
    for scaler in (StandardScaler(), MinMaxScaler(), MinMaxScaler(clip=True)):
        pipe = make_pipeline(scaler, ToNetInput(), make_net(Linear)).fit(raw, y)
        scale = scaler.scale_ if isinstance(scaler, MinMaxScaler) else 1 / scaler.scale_
        weight = pipe[-1].module_.layer.weight.detach().numpy()
        w = (weight[1] - weight[0]) * scale
        out = FGSM(0.02, objective="loss").perturb(pipe, raw, y)
        assert out.dtype == np.float64
        assert np.abs(out - raw).max() <= 0.02 * (1 + 1e-9)
        expected = np.where(y == 1, -1, 1)[:, None] * 0.02 * np.sign(w)
        inside = (raw > raw.min(0) + 0.05) & (raw < raw.max(0) - 0.05)
        assert np.allclose((out - raw)[inside], expected[inside], atol=1e-4)


@pytest.mark.parametrize("wrap", ["pipeline", "search", "frozen"])
def test_wrapped_nets_and_frames(wrap):
    X, y = problem()
    frame = pd.DataFrame(X.astype(np.float64), columns=list("abcdef"))
    pipe = make_pipeline(StandardScaler(), ToNetInput(), make_net())
    if wrap == "search":
        model = GridSearchCV(pipe, {"neuralnetclassifier__lr": [0.02]}, cv=2)
        model.fit(frame, y)
    else:
        model = pipe.fit(frame, y)
    if wrap == "frozen":
        model = FrozenEstimator(model)
    out = PGD(0.1, random_state=0, n_steps=5).perturb(model, frame, y)
    assert list(out.columns) == list("abcdef")
    assert model.score(out, y) < model.score(frame, y)


def test_images_and_user_steps():
    rng = np.random.default_rng(0)
    X = rng.random((60, 64))
    y = (X[:, :32].sum(1) > X[:, 32:].sum(1)).astype(int)
    model = small_cnn_classifier((8, 8), 2, epochs=20).fit(X, y)
    assert model.score(FGSM(0.2, data_range=(0, 1)).perturb(model, X, y), y) < 0.5
    images = X.reshape(-1, 1, 8, 8).astype(np.float32)
    net = model[-1]
    out = PGD(0.2, n_steps=5).perturb(net, images, y)
    assert out.shape == images.shape

    class Halve(FunctionTransformer):
        def differentiable_transform(self, x):
            return x / 2

    pipe = make_pipeline(Halve(lambda x: x / 2), ToNetInput(), make_net(module__d=64))
    pipe.fit(X, y)
    assert pipe.score(FGSM(0.2).perturb(pipe, X, y), y) < pipe.score(X, y)
    roots = FunctionTransformer(np.sqrt)  # its slopes are finite differences
    plain = make_pipeline(roots, ToNetInput(), make_net(module__d=64)).fit(X, y)
    assert plain.score(FGSM(0.2).perturb(plain, X + 0.3, y), y) < plain.score(X, y)


def test_overconfident_nets_are_not_called_robust():
    X, y = problem()
    net = fitted("cross entropy", X, y)
    attack = PGD(0.1, n_steps=20, random_state=0)
    calm = net.score(attack.perturb(net, X, y), y)
    net.module_.scale = 1000.0
    assert net.score(attack.perturb(net, X, y), y) <= calm + 0.02
    assert net.score(X, y) > calm + 0.1


def test_zero_gradients_are_told():
    X, y = problem()
    net = make_net(Flat, epochs=1).fit(X, y)
    with pytest.warns(UserWarning, match=r"met \d+ zero gradients.*upper bound"):
        out = FGSM(0.1, objective="loss").perturb(net, X, y)
    assert np.array_equal(out, X)
    blind = make_net(Blind, epochs=1).fit(X, y)
    with pytest.raises(ValueError, match="no gradient reaches the input"):
        FGSM(0.1).perturb(blind, X, y)


def test_one_column_outputs_are_refused():
    X, y = problem(2)
    for ending, shape in (("sigmoid", r"\(\d+,\)"), ("logits", r"\(\d+, 1\)")):
        net = make_net(
            criterion=nn.BCELoss, module__k=1, module__ending=ending, classes=[0, 1]
        ).initialize()
        with pytest.raises(ValueError, match=shape) as error:
            make_robust_scorer(PGD(0.1))(net, X, y)
        assert "(n, n_classes)" in str(error.value)
        assert "NeuralNetBinaryClassifier" in str(error.value)
    net = fitted("bce with logits", X, y)
    target = (y == 0).astype(np.float32)
    robust = make_robust_scorer(PGD(0.1))(net, X, target)
    assert 0 <= robust <= net.score(X, target)


def test_log_softmax_into_nll_is_refused():
    X, y = problem()
    net = make_net(criterion=nn.NLLLoss, module__ending="log_softmax", epochs=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        net.fit(X, y)
    with pytest.raises(ValueError, match="does not return probabilities"):
        FGSM(0.1).perturb(net, X, y)


def test_awkward_nets_and_inputs():
    X, y = problem()
    with pytest.raises(NotFittedError, match="is not fitted yet"):
        FGSM(0.1).perturb(make_net(), X, y)
    net = fitted("cross entropy", X, y)
    with pytest.raises(ValueError, match="as integers from 0"):
        FGSM(0.1).perturb(net, X, np.array(["a", "b", "c"])[y])
    # The attack itself casts, so float64 rows give the float32 examples.
    wide = FGSM(0.1).perturb(net, X.astype(np.float64), y)
    assert np.allclose(wide, FGSM(0.1).perturb(net, X, y), atol=1e-6)
    for bad in (X.astype(np.float64), pd.DataFrame(X)):
        with pytest.raises(ValueError, match=r"make_pipeline\(ToNetInput\(\), net\)"):
            make_robust_scorer(FGSM(0.1))(net, bad, y)
    exotic = make_net(criterion=nn.MultiMarginLoss, epochs=1).fit(X, y)
    with pytest.raises(ValueError, match="does not know what outputs MultiMarginLoss"):
        FGSM(0.1).perturb(exotic, X, y)


def test_standardized_input_and_eps_zero():
    X, y = problem()
    Z = ((X - X.mean(0)) / X.std(0)).astype(np.float32)
    net = make_net().fit(Z, y)
    for a in (FGSM(0.0), PGD(0.0, objective="probability_shift")):
        assert np.array_equal(a.perturb(net, Z, y), Z)
    clean = net.score(Z, y)
    numbers = [
        make_robust_scorer(PGD(e, random_state=0))(net, Z, y) for e in (0, 0.01, 0.1, 1)
    ]
    assert numbers[0] == clean
    assert numbers == sorted(numbers, reverse=True)
    ratio = make_robust_scorer(FGSM(0.0), "robust_ratio", tolerance=0.0)
    assert ratio(net, Z, y) == 1.0


def test_evaluate_attack_on_a_net():
    X, y = problem(n=200)
    net = fitted("cross entropy", X, y)
    r = evaluate_attack(net, X, y, PGD(0.05, n_steps=10, random_state=0))
    assert r.modes == ("loss", "probability_shift")
    assert r.robust_accuracy < r.clean_accuracy == net.score(X, y)
    for mode in r.modes:
        curve = r[f"robust_ratio_{mode}"]
        assert (np.diff(curve) >= 0).all()
        assert (r[f"robust_ratio_{mode}_low"] <= curve).all()
        assert (curve <= r[f"robust_ratio_{mode}_high"]).all()
    frame = r.to_frame()
    assert len(frame) == 21
    assert frame["tolerance"].iloc[-1] == pytest.approx(0.2)


def test_cpu_device_and_half_threads_agree():
    X, y = problem()
    net = fitted("cross entropy", X, y)
    a = PGD(0.1, n_steps=5, random_state=0)
    one, many = (a.set_params(batch_size=b).perturb(net, X, y) for b in (13, 120))
    assert np.allclose(one, many, atol=1e-5)


def test_linear_model_and_linear_net_agree():
    X, y = problem(2)
    model = LogisticRegression().fit(X.astype(np.float64), y)
    net = make_net(Linear, epochs=1).fit(X, y)
    with torch.no_grad():
        net.module_.layer.weight.copy_(
            torch.tensor(np.vstack([np.zeros(6), model.coef_[0]]))
        )
        net.module_.layer.bias.copy_(torch.tensor([0.0, model.intercept_[0]]))
    a = PGD(0.1, random_state=0, objective="loss")
    assert np.allclose(a.perturb(model, X, y), a.perturb(net, X, y), atol=1e-5)


@pytest.mark.parametrize("objective", [None, "loss"])
@pytest.mark.parametrize(
    "attack", [FGSM(0.1), PGD(0.1, n_steps=5, random_state=0)], ids=type
)
def test_rows_that_leave_late_are_attacked_all_the_same(attack, objective, monkeypatch):
    # As on a GPU, where looking at every step who is fooled would wait for the device.
    X, y = problem()
    net = make_net().fit(X, y)
    attack = attack.set_params(objective=objective)
    at_once = attack.run(net, X, y)
    monkeypatch.setattr(NetView, "leaves_at_once", False)
    late = attack.run(net, X, y)
    assert np.array_equal(at_once.success, late.success)
    assert at_once.success.mean() > (net.predict(X) != y).mean()
    assert (late.X_adv != X).any(axis=1).sum() > (net.predict(X) == y).sum() / 2


@pytest.mark.slow
@pytest.mark.torch
def test_binary_threshold_decides_what_is_fooled():
    pytest.importorskip("skorch")
    from nets_for_tests import Linear, make_net
    from torch import nn

    _, X, y = linear_problem(600)
    X, target = X.astype(np.float32), y.astype(np.float32)
    for threshold in (0.2, 0.65, 0.8):
        net = make_net(
            Linear, binary=True, criterion=nn.BCEWithLogitsLoss, threshold=threshold,
            module__k=1, module__ending="flat",
        ).fit(X, target)  # fmt: skip
        w = net.module_.layer.weight.detach().numpy().ravel()
        z = X @ w + net.module_.layer.bias.detach().numpy()
        reach, cut = 0.05 * np.abs(w).sum(), np.log(threshold / (1 - threshold))
        exact = np.where(target == 1, z - reach > cut, z + reach <= cut).mean()
        found = make_robust_scorer(PGD(0.05, random_state=0))(net, X, target)
        assert found == pytest.approx(exact, abs=0.005)


@pytest.mark.torch
def test_a_net_may_have_more_outputs_than_classes():
    pytest.importorskip("skorch")
    from nets_for_tests import Linear, make_net

    _, X, y = linear_problem(classes=3)
    X = X.astype(np.float32)
    net = make_net(Linear, module__k=5).fit(X, y)
    scorer = make_robust_scorer(
        FGSM(0.1), "robust_ratio", tolerance=0.1, reference="true"
    )
    assert 0 <= scorer(net, X, y) <= 1
    as_objects = np.array(y.tolist(), dtype=object)
    assert np.array_equal(
        FGSM(0.1).perturb(net, X, as_objects), FGSM(0.1).perturb(net, X, y)
    )


@pytest.mark.parametrize("width", [np.float16, np.float64])
def test_a_bare_net_names_the_floats_that_it_takes(width):
    # The message must not be that of torch about mat1 and mat2.
    torch = pytest.importorskip("torch")
    nets = pytest.importorskip("skrobust.nets")
    net = nets.make_net_classifier(torch.nn.Linear(2, 2), fitted=True, classes=[0, 1])
    words = f"takes float32 arrays, not a {width.__name__}"
    with pytest.raises(ValueError, match=words):
        FGSM().run(net, np.zeros((3, 2), width), [0, 1, 0])
