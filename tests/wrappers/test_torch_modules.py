"""Trained torch modules, wrapped: the numbers of the module, and its gradients."""

import pickle

import numpy as np
import pytest
from scipy.special import expit, softmax
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import cross_val_score

import skrobust
from skrobust.attacks import FGSM, FMN, PGD
from skrobust.evaluation import evaluate_attack, robust_accuracy_bounds
from skrobust.metrics import make_robust_scorer
from skrobust.nets import make_net_classifier

torch = pytest.importorskip("torch")
pytest.importorskip("skorch")
nn = torch.nn
pytestmark = pytest.mark.torch

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 4)).astype(np.float32)
WEIGHTS, BIAS = RNG.normal(size=(3, 4)), RNG.normal(size=3)
LOGITS = X @ WEIGHTS.T + BIAS
P = softmax(LOGITS, axis=1)
Y = P.argmax(axis=1)


def linear(weights=WEIGHTS, bias=BIAS):
    layer = nn.Linear(weights.shape[1], len(weights))
    with torch.no_grad():
        layer.weight.copy_(torch.as_tensor(weights))
        layer.bias.copy_(torch.as_tensor(bias))
    return layer


ENDS = {
    "logits": lambda: linear(),
    "softmax": lambda: nn.Sequential(linear(), nn.Softmax(dim=1)),
    "log_softmax": lambda: nn.Sequential(linear(), nn.LogSoftmax(dim=1)),
}


@pytest.mark.parametrize("end", ENDS)
def test_probabilities_are_those_of_the_module(end):
    model = skrobust.wrap(ENDS[end]())
    assert is_classifier(model)
    np.testing.assert_allclose(model.predict_proba(X), P, atol=1e-5)
    np.testing.assert_array_equal(model.predict(X), Y)
    wanted = "probabilities" if end == "softmax" else "logits"
    assert model.capabilities_.answers == wanted
    assert model.capabilities_.gradients


@pytest.mark.parametrize("end", ENDS)
def test_gradients_do_not_depend_on_the_end(end):
    # FGSM follows the sign of the loss's gradient, which all three share.
    made = FGSM(0.3).perturb(skrobust.wrap(ENDS[end]()), X, Y)
    net = make_net_classifier(linear(), fitted=True)
    np.testing.assert_allclose(made, FGSM(0.3).perturb(net, X, Y), atol=1e-6)


@pytest.mark.parametrize("classes", [["a", "b"], ["b", "a"]], ids="".join)
@pytest.mark.parametrize("end", ["logit", "sigmoid", "flat"])
def test_one_output_tells_two_classes_apart(end, classes):
    one = linear(WEIGHTS[:1], BIAS[:1])
    ends = {"logit": [], "sigmoid": [nn.Sigmoid()], "flat": [nn.Flatten(0)]}
    model = skrobust.wrap(nn.Sequential(one, *ends[end]), classes=classes, sample=X)
    second = model.classes_.tolist().index(classes[1])
    p = model.predict_proba(X)[:, second]
    np.testing.assert_allclose(p, expit(LOGITS[:, 0]), atol=1e-5)
    y = np.array(classes)[(LOGITS[:, 0] > 0).astype(int)]
    assert (model.predict(X) == y).all()
    # A linear margin falls by eps times the 1-norm of the weights.
    safe = np.abs(LOGITS[:, 0]) > 0.3 * np.abs(WEIGHTS[0]).sum()
    assert evaluate_attack(model, X, y, FGSM(0.3)).robust_accuracy == safe.mean()


def test_a_logit_in_the_unit_interval_is_not_taken_for_a_probability():
    near = linear(WEIGHTS[:1] * 0.01, np.array([0.5]))
    model = skrobust.wrap(near, classes=[0, 1], sample=X)
    assert model.capabilities_.answers == "logits"


def test_a_told_response_overrides_and_is_checked():
    soft = ENDS["softmax"]()
    told = skrobust.wrap(soft, response="probabilities", classes=[0, 1, 2])
    np.testing.assert_allclose(told.predict_proba(X), P, atol=1e-5)
    with pytest.raises(ValueError, match="must be 'probabilities' for a model that"):
        skrobust.wrap(soft, response="logits")
    with pytest.raises(ValueError, match="needs probabilities in"):
        skrobust.wrap(linear(), response="probabilities")


def test_modules_that_work_in_place_keep_rows_and_gradients():
    model = skrobust.wrap(nn.Sequential(nn.ELU(inplace=True), linear()), sample=X)
    plain = skrobust.wrap(nn.Sequential(nn.ELU(), linear()), sample=X)
    rows = X.copy()
    np.testing.assert_array_equal(model.predict_proba(rows), plain.predict_proba(X))
    made = FGSM(0.3).perturb(model, rows, Y)
    np.testing.assert_array_equal(made, FGSM(0.3).perturb(plain, X, Y))
    np.testing.assert_array_equal(rows, X)


def test_weights_are_shared_and_modes_are_left():
    module = nn.Sequential(linear(), nn.BatchNorm1d(3), nn.Dropout(0.5))
    module.train()
    before = {k: v.clone() for k, v in module.state_dict().items()}
    model = skrobust.wrap(module)
    first = model.predict_proba(X)
    PGD(0.1, random_state=0).perturb(model, X, Y)
    np.testing.assert_array_equal(model.predict_proba(X), first)  # no dropout
    inside = model.wrapped_estimator_[-1].module_
    assert inside[0].weight is module[0].weight
    assert all(part.training for part in module.modules())
    assert not any(part.training for part in inside.modules())
    assert all(torch.equal(before[k], v) for k, v in module.state_dict().items())
    assert module[0].weight.grad is None


def test_clone_and_pickle():
    model = skrobust.wrap(ENDS["softmax"](), classes=["u", "v", "w"])
    for made in (clone(model), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(made.predict(X), model.predict(X))
        assert made.classes_.tolist() == ["u", "v", "w"]
    assert clone(model).model is model.model


def test_cross_validation_of_a_trained_model():
    model = skrobust.wrap(linear())
    scorer = make_robust_scorer(FGSM(0.2))
    scores = cross_val_score(FrozenEstimator(model), X, Y, scoring=scorer, cv=2)
    assert scores.mean() == pytest.approx(scorer(model, X, Y))
    with pytest.raises(NotImplementedError, match="holds a trained model and cannot"):
        model.fit(X, Y)


def test_double_precision_and_frames():
    pd = pytest.importorskip("pandas")
    model = skrobust.wrap(linear().double())
    assert model.capabilities_.dtype == "float64"
    exact = softmax(X.astype(float) @ WEIGHTS.T + BIAS, axis=1)
    # The layer holds float32 weights, in float64.
    np.testing.assert_allclose(model.predict_proba(X), exact, atol=1e-6)
    frame = pd.DataFrame(X, columns=list("abcd"))
    adversarial = FGSM(0.3).perturb(skrobust.wrap(linear()), frame, Y)
    np.testing.assert_allclose(adversarial, FGSM(0.3).perturb(model, X, Y), atol=1e-5)


def test_a_regressor_has_gradients():
    model = skrobust.wrap(linear(WEIGHTS[:1], BIAS[:1]), response="values")
    assert is_regressor(model)
    np.testing.assert_allclose(model.predict(X), LOGITS[:, 0], atol=1e-5)
    moved = FGSM(0.1).perturb(model, X, model.predict(X))
    shift = np.abs(model.predict(moved) - model.predict(X))
    np.testing.assert_allclose(shift, 0.1 * np.abs(WEIGHTS[0]).sum(), rtol=1e-4)


def test_minimal_norms_of_a_linear_module():
    model = skrobust.wrap(linear(WEIGHTS[:1], BIAS[:1]), classes=[0, 1], sample=X)
    y = (LOGITS[:, 0] > 0).astype(int)
    norms = FMN(norm=2).run(model, X, y).norm
    true = np.abs(LOGITS[:, 0]) / np.linalg.norm(WEIGHTS[0])
    np.testing.assert_allclose(norms, true, rtol=0.02)


def test_certificates_see_through():
    torch.manual_seed(0)
    module = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
    net = make_net_classifier(module, fitted=True)
    y = net.predict(X)
    mine, bare = (
        robust_accuracy_bounds(model, X, y, eps=0.02, attacks=[FGSM(0.02)])
        for model in (skrobust.wrap(module), net)
    )
    assert mine.lower == bare.lower > 0
    assert mine.upper == bare.upper


def test_images_with_channels_last_meet_a_module_with_channels_first():
    images = RNG.integers(0, 256, size=(6, 5, 5, 3)).astype(np.uint8)
    torch.manual_seed(0)
    module = nn.Sequential(nn.Conv2d(3, 2, 3), nn.Flatten(), nn.Linear(18, 2))
    model = skrobust.wrap(module, layout="NCHW", data_range=(0, 255), sample=images)
    with torch.no_grad():
        x = torch.tensor(images / 255).float().permute(0, 3, 1, 2)
        wanted = module(x).softmax(1).numpy()
    np.testing.assert_allclose(model.predict_proba(images), wanted, atol=1e-6)
    attack = FGSM(4, data_range=(0, 255), objective="loss")
    made = attack.perturb(model, images, model.predict(images))
    p = model.predict_proba(made)[np.arange(6), model.predict(images)]
    assert made.shape == images.shape
    assert (p < wanted.max(axis=1)).all()


@pytest.mark.parametrize(
    ("module", "sentence"),
    [
        (linear(WEIGHTS[:1], BIAS[:1]), "one number a row may be a logit or a value"),
        (nn.Sequential(linear(), nn.Sigmoid()), "several labels"),
        (nn.Sequential(nn.Unflatten(1, (4, 1)), nn.ReLU()), "needs one answer a row"),
        (nn.ReLU(), "sample=X"),
    ],
    ids=["one", "several", "image", "unknown"],
)
def test_what_is_not_clear_is_said(module, sentence):
    sample = None if type(module) is nn.ReLU else X
    with pytest.raises(ValueError, match=sentence):
        skrobust.wrap(module, sample=sample)


def test_a_module_that_cuts_the_gradient_is_seen():
    class Cut(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = linear()

        def forward(self, x):
            return self.layer(x.detach().round()).detach()

    model = skrobust.wrap(Cut(), sample=X)
    assert not model.capabilities_.gradients


def test_rows_that_do_not_fit_are_told_with_the_cure():
    with pytest.raises(ValueError, match=r"could not pass rows of shape \(4,\)"):
        skrobust.wrap(nn.Linear(7, 2), sample=X)


def test_devices_are_checked():
    with pytest.raises(ValueError, match="'device' parameter of skrobust"):
        skrobust.wrap(linear(), device="nowhere")
    module = linear()
    here = skrobust.wrap(module, device="cpu")
    assert here.wrapped_estimator_[-1].module_.weight is module.weight


class Constant(nn.Module):
    """Linear scores with weights in a buffer: there is nothing to train."""

    def __init__(self):
        super().__init__()
        self.register_buffer("weights", torch.from_numpy(WEIGHTS).float())

    def forward(self, x):
        return x @ self.weights.T


def test_a_module_without_parameters_is_used_as_it_is():
    model = skrobust.wrap(Constant(), sample=X, response="logits")
    expected = (X @ WEIGHTS.T).argmax(axis=1)
    np.testing.assert_array_equal(model.predict(X), expected)
    moved = PGD(eps=0.1).perturb(model, X, expected)
    assert 0 < np.abs(moved - X).max() <= 0.1 + 1e-6
