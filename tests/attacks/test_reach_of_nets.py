"""Nets that draw, nets of numbers, and one right sentence about the others."""

import numpy as np
import pytest

pytest.importorskip("skorch")
import torch
from nets_for_tests import Noisy, make_net
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import MultiOutputClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from skorch import NeuralNet, NeuralNetClassifier, NeuralNetRegressor
from torch import nn

from skrobust._differentiable import differentiable_view
from skrobust.attacks import (
    DDN,
    FGSM,
    PGD,
    HopSkipJump,
    OneLabel,
    RandomSearch,
    Square,
)
from skrobust.evaluation import evaluate_attack
from skrobust.metrics import make_robust_scorer
from skrobust.nets import make_net_classifier

pytestmark = pytest.mark.torch
RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 6)).astype(np.float32)
Y = (X[:, 0] > 0).astype(np.int64)


def noisy_net():
    torch.manual_seed(0)
    net = make_net(Noisy, epochs=1).fit(X, Y)
    with torch.no_grad():
        weights = torch.zeros(2, 6)
        weights[1] = torch.tensor([4.0, 3.0, 2.0, 1.0, 0.5, 0.0])
        net.module_.layer.weight.copy_(weights)
        net.module_.layer.bias.zero_()
    return net


def mean_margin(net, rows):
    """The mean difference of logits over many draws, in closed form of the weights."""
    draws = np.random.default_rng(1).normal(size=(400, 1, 6))
    w = net.module_.layer.weight.detach().numpy()[1]
    return (np.tanh(3 * (rows + draws)) @ w).mean(axis=0)


def test_averages_over_draws_move_the_mean_further():
    net = noisy_net()
    budget = {"eps": 0.5, "norm": 2, "objective": "loss"}
    sides = np.where(mean_margin(net, X) > 0, 1, 0)

    def moved(n_draws):
        torch.manual_seed(3)
        attack = FGSM(**budget, n_draws=n_draws, random_state=0)
        found = attack.perturb(net, X, sides)
        change = mean_margin(net, found) - mean_margin(net, X)
        return np.where(sides == 1, -change, change).mean()

    assert moved(30) > 1.05 * moved(1)


def test_draws_are_seeded_counted_and_leave_the_generator_alone():
    net = noisy_net()
    attack = PGD(0.3, n_steps=3, n_draws=4, objective="loss", random_state=0)
    before = torch.get_rng_state()
    first = attack.run(net, X, Y)
    after = torch.get_rng_state()
    assert torch.equal(before, after)
    torch.manual_seed(99)
    np.testing.assert_array_equal(first.X_adv, attack.perturb(net, X, Y))
    once = attack.set_params(n_draws=1).run(net, X, Y)
    assert (first.forward == 4 * once.forward).all()
    with pytest.raises(ValueError, match="Leave n_draws at 1"):
        PGD(n_draws=2).perturb(LogisticRegression().fit(X, Y), X, Y)
    with pytest.raises(ValueError, match="'n_draws' parameter of PGD"):
        PGD(n_draws=0).perturb(net, X, Y)


@pytest.mark.filterwarnings("ignore:regression_robust_ratio of")
def test_regression_nets_move_as_far_as_they_can():
    net = NeuralNetRegressor(nn.Linear(6, 1), max_epochs=1, verbose=0, train_split=None)
    net.fit(X, X[:, :1])
    weights = net.module_.weight.detach().numpy()[0]
    best = 0.1 * np.abs(weights).sum()
    for attack in (FGSM(0.1), PGD(0.1, random_state=0), Square(0.1, n_steps=60)):
        result = attack.set_params(random_state=0).run(net, X, X[:, 0])
        shift = np.abs(net.predict(result.X_adv) - net.predict(X))[:, 0]
        assert shift.max() <= best * 1.001
        assert shift.mean() > 0.95 * best
    scorer = make_robust_scorer(FGSM(0.1), "regression_robust_ratio", tolerance=1e-3)
    assert scorer(net, X, X[:, 0]) == 0
    with pytest.raises(ValueError, match="DDN attacks labels here"):
        DDN().perturb(net, X, Y)


class Pixels(nn.Module):
    """A score of each class for each pixel."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Conv2d(1, 3, 1)

    def forward(self, x):
        return self.layer(x)


@pytest.mark.parametrize("attack", [PGD(), Square(), DDN(), HopSkipJump()], ids=str)
def test_plain_modules_are_told_of_the_wrapper(attack):
    sentence = r"is a torch module. Wrap it: skrobust.wrap\(model, classes"
    with pytest.raises(ValueError, match=sentence):
        attack.perturb(nn.Linear(6, 2), X, Y)


def test_scorers_and_evaluations_tell_of_the_wrapper_too():
    for call in (make_robust_scorer(PGD()), lambda *a: evaluate_attack(*a, PGD())):
        with pytest.raises(ValueError, match=r"skrobust.wrap\(model"):
            call(nn.Linear(6, 2), X, Y)


SETTINGS = {"max_epochs": 1, "verbose": 0, "train_split": None}


def test_several_labels_or_pixels_get_one_right_sentence():
    labels = (X[:, :3] > 0).astype(np.float32)
    several = NeuralNet(nn.Linear(6, 3), criterion=nn.BCEWithLogitsLoss, **SETTINGS)
    several.fit(X, labels)
    for attack in (PGD(), Square(), DDN()):
        with pytest.raises(ValueError, match="score each column by itself"):
            attack.perturb(several, X, labels)
        with pytest.raises(ValueError, match=r"one label .*OneLabel\(model, 0\)"):
            attack.perturb(several, X)
    images = RNG.random((5, 1, 4, 4)).astype(np.float32)
    masks = RNG.integers(0, 3, (5, 4, 4))
    pixels = NeuralNetClassifier(Pixels, **SETTINGS).fit(images, masks)
    for attack in (PGD(), Square(channel_axis=1)):
        with pytest.raises(ValueError, match="take one pixel or region"):
            attack.perturb(pixels, images, masks)
        with pytest.raises(ValueError, match=r"\(segmentation\).*one pixel or region"):
            attack.perturb(pixels, images)
    members = MultiOutputClassifier(LogisticRegression()).fit(X, labels)
    for attack in (PGD(), RandomSearch()):
        with pytest.raises(ValueError, match=r"OneLabel\(model, 0\) with that"):
            attack.perturb(members, X)


class OnePixel(nn.Module):
    """The scores of one pixel, of a module that has them for each."""

    def __init__(self, whole, row, column):
        super().__init__()
        self.whole, self.row, self.column = whole, row, column

    def forward(self, x):
        return self.whole(x)[:, :, self.row, self.column]


def test_one_pixel_is_attacked_as_the_sentence_says():
    """Scores of a pixel are linear in it, so that the best step is a corner."""
    images = np.random.default_rng(1).random((20, 1, 4, 4)).astype(np.float32)
    masks = (images[:, 0] > 0.5).astype(np.int64)
    torch.manual_seed(5)
    net = NeuralNetClassifier(Pixels, lr=1.0, **{**SETTINGS, "max_epochs": 60})
    net.fit(images, masks)
    one = make_net_classifier(OnePixel(net.module_, 2, 1), fitted=True)
    y = masks[:, 2, 1]
    ends = [images + e * np.float32(0.2) for e in (-1, 1)]
    wrong = [one.predict(z) != y for z in (images, *ends)]
    result = FGSM(0.2).run(one, images, y)
    np.testing.assert_array_equal(result.success, np.any(wrong, axis=0))
    assert 0 < result.success.mean() < 1
    moved = np.abs(result.X_adv - images) > 0
    moved[:, :, 2, 1] = False
    assert not moved.any()
    search = Square(0.2, channel_axis=1, n_steps=30, random_state=0)
    found = search.run(one, images, y).success
    assert (found <= result.success).all()
    assert found.sum() > wrong[0].sum()


def models_of_labels():
    labels = (X[:, :3] > 0).astype(int)
    net = NeuralNet(nn.Linear(6, 3), criterion=nn.BCEWithLogitsLoss, **SETTINGS)
    net.fit(X, labels.astype(np.float32))
    logistic = LogisticRegression()
    mlp = MLPClassifier((5,), max_iter=30, random_state=0)
    return labels, [
        net,
        MultiOutputClassifier(logistic).fit(X, labels),
        OneVsRestClassifier(logistic).fit(X, labels),
        make_pipeline(StandardScaler(), mlp).fit(X, labels),
    ]


@pytest.mark.filterwarnings("ignore:Stochastic Optimizer")
def test_one_label_is_a_classifier_with_its_own_gradients():
    labels, models = models_of_labels()
    for model in models:
        for k in range(3):
            one = OneLabel(model, k)
            p = one.predict_proba(X)
            with differentiable_view(one, "PGD") as view:
                logits = view.logits(view.tensor(X))
                logits = np.asarray(view.host(logits))
            odds = np.log(p[:, 1]) - np.log(p[:, 0])
            np.testing.assert_allclose(logits[:, 1] - logits[:, 0], odds, atol=1e-4)
            np.testing.assert_array_equal(one.predict(X), (odds > 0).astype(int))
            found = PGD(0.5, random_state=0).run(one, X, labels[:, k]).success
            search = Square(0.5, n_steps=20, random_state=0)
            assert found.sum() >= search.run(one, X, labels[:, k]).success.sum()


@pytest.mark.filterwarnings("ignore:Stochastic Optimizer")
def test_labels_that_are_none_are_named():
    labels, (net, members, *_) = models_of_labels()
    with pytest.raises(ValueError, match="'label' parameter of OneLabel"):
        PGD().perturb(OneLabel(net, 7), X, labels[:, 0])
    with pytest.raises(ValueError, match=r"Attack OneLabel\(model, 0\) with"):
        PGD().perturb(members, X)
    forest = RandomForestClassifier(5, random_state=0).fit(X, labels)
    search = RandomSearch(1.0, n_steps=5, random_state=0)
    found = search.run(OneLabel(forest, 1), X, labels[:, 1])
    assert found.success.mean() > 0.3


def test_nets_flip_any_label():
    labels = (X[:, :3] + 0.3 * RNG.normal(size=(40, 3)) > 0).astype(int)
    for criterion, head in [(nn.BCEWithLogitsLoss, ()), (nn.BCELoss, (nn.Sigmoid(),))]:
        torch.manual_seed(0)
        module = nn.Sequential(nn.Linear(6, 3), *head)
        net = NeuralNet(module, criterion, **SETTINGS)
        net.fit(X, labels.astype(np.float32))
        one = OneLabel(net, "any")
        y = one.codes(labels)
        with differentiable_view(one, "PGD") as view:
            scores = view.host(view.logits(view.tensor(X)))
        p = np.exp(scores - scores.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(p, one.predict_proba(X), atol=1e-5)
        np.testing.assert_array_equal(scores.argmax(axis=1), one.predict(X))
        # The nearest boundary of any label, of which each is a plane.
        weights, bias = (p.detach().numpy() for p in net.module_[0].parameters())
        margins = (X @ weights.T + bias) * (2 * labels - 1)
        distance = (margins / np.linalg.norm(weights, axis=1)).min(axis=1)
        norms = DDN().minimal_norms(one, X, y)
        np.testing.assert_array_equal(norms == 0, distance < 0)
        assert (norms >= distance - 1e-4).all()
        far = distance > 0.01
        assert np.median(norms[far] / distance[far]) < 1.01
