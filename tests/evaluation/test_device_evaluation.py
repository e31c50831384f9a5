"""Evaluation on devices: what the host finds, and no picture goes back to it."""

import copy
from functools import partial

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

torch = pytest.importorskip("torch")
pytest.importorskip("skorch")

from pretended_device import pretend  # noqa: E402
from skorch import NeuralNetClassifier  # noqa: E402
from torch import nn  # noqa: E402

import skrobust.perturbations as sp  # noqa: E402
from skrobust import wrap  # noqa: E402
from skrobust.attacks import FGSM  # noqa: E402
from skrobust.evaluation import evaluate_perturbations  # noqa: E402
from skrobust.evaluation.conditions import device_answers  # noqa: E402
from skrobust.evaluation.conditions.answering_devices import (  # noqa: E402
    moved_once,
    on_devices,
)
from skrobust.metrics import get_scorer  # noqa: E402
from skrobust.nets import ToNetInput, make_net_classifier  # noqa: E402

pytestmark = pytest.mark.torch

N = 90
RNG = np.random.default_rng(0)
X = RNG.integers(0, 256, (N, 3, 16, 16)).astype(np.uint8)
X[:, 0] //= np.arange(1, N + 1, dtype=np.uint8)[:, None, None] % 5 + 1
KINDS = (sp.GaussianNoise, sp.MotionBlur, sp.Brightness, sp.Pixelate, sp.SaltAndPepper)
CONDITIONS = [
    sp.PerturbationSequence([], random_state=0),
    *(kind(severity=s, random_state=0) for kind in KINDS for s in (2, 5)),
    sp.PerturbationSequence([sp.GaussianNoise(1), sp.Gamma(2)], random_state=1),
]


class Reader(nn.Module):
    """Convolution and a sharp last layer, with a mode that would change answers."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.body = nn.Sequential(
            nn.Conv2d(3, 8, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten()
        )
        self.drop, self.last = nn.Dropout(0.5), nn.Linear(32, 4)
        with torch.no_grad():  # so that every label occurs
            mean = self.last(self.body(torch.from_numpy(X) / 255)).mean(0)
            self.last.bias -= mean

    def forward(self, x):
        return 50 * self.last(self.drop(self.body(x)))


def make_net(**settings):
    classes = ["a", "b", "c", "d"]
    how = {"classes": classes, "fitted": True, "batch_size": 16, **settings}
    scale = ToNetInput(data_range=(0, 255)).fit(X)
    return make_pipeline(scale, make_net_classifier(Reader(), **how))


NET = make_net()
Y = NET.predict(X)
Y[::7] = "a"
assert set(Y) == set("abcd")


@pytest.fixture
def device(monkeypatch):
    """Take CPU tensors for tensors on a device, which no picture may leave."""
    pretend(monkeypatch, most=8 * X[0].size)  # that are compared with the estimator


@pytest.fixture(scope="module")
def host():
    return evaluate_perturbations(NET, X, Y, CONDITIONS)


def same(found, expected, most=0.02):
    assert (found.correct != expected.correct).mean() <= most
    np.testing.assert_allclose(found.score, expected.score, atol=most + 0.02)
    np.testing.assert_allclose(found.changed, expected.changed, atol=0.03)
    np.testing.assert_allclose(found.distortion, expected.distortion, atol=0.1)
    assert np.isclose(found.clean_score, expected.clean_score)
    assert found.distortion_unit == expected.distortion_unit
    assert found.name.tolist() == expected.name.tolist()


def test_tensors_are_perturbed_and_answered_where_they_are(device, host):
    same(evaluate_perturbations(NET, torch.from_numpy(X), Y, CONDITIONS), host)


def test_an_array_is_moved_once(device, host, monkeypatch):
    moved = []
    plain = torch.from_numpy
    monkeypatch.setattr(torch, "from_numpy", lambda a: moved.append(a) or plain(a))
    same(evaluate_perturbations(NET, X, Y, CONDITIONS, device="cpu"), host)
    assert sum(a.size for a in moved if a.dtype == np.uint8) == X.size
    frozen = X.copy()
    frozen.flags.writeable = False
    same(evaluate_perturbations(NET, frozen, Y, CONDITIONS, device="cpu"), host)


def test_kinds_without_a_way_and_attacks_go_through_the_host(host):
    conditions = [sp.Snow(3, random_state=0), FGSM(2.0), CONDITIONS[1]]
    plain = evaluate_perturbations(NET, X, Y, conditions)
    found = evaluate_perturbations(NET, X, Y, conditions, device="cpu")
    same(found, plain, most=0)
    assert found.score[1] < found.clean_score


def test_batches_are_spread_over_replicas(device, host, monkeypatch):
    made, plain = [], device_answers.replica_on

    def noted(view, where):
        made.append(plain(view, where))
        return made[-1]

    monkeypatch.setattr(device_answers, "replica_on", noted)
    state = copy.deepcopy(NET[-1].module_.state_dict())
    devices = ["cpu", torch.device("cpu"), "cpu"]
    same(evaluate_perturbations(NET, X, Y, CONDITIONS, device=devices), host)
    assert len(made) == 2  # the net itself is the third
    for twin in made:
        assert twin.parts[0].module_ is not NET[-1].module_
    # Each batch is answered once, by whoever is free.
    calls = []
    answering = on_devices(NET, X, devices, "float32", False, "test")
    for view in answering._views:
        infer = view._infer
        view._infer = lambda z, infer=infer: calls.append(len(z)) or infer(z)
    assert (answering.predict(X) == NET.predict(X)).all()
    assert sorted(calls) == [10, 16, 16, 16, 16, 16]
    for name, value in NET[-1].module_.state_dict().items():
        assert torch.equal(value, state[name])
    # What one of them raises is raised.
    with pytest.raises(ValueError, match="could not pass rows"):
        answering.predict(X[:, :2])


def test_threads_give_the_same(host):
    found = evaluate_perturbations(NET, X, Y, CONDITIONS, device="cpu", n_jobs=3)
    same(found, host, most=0)


@pytest.mark.parametrize("settings", [{"precision": "bfloat16"}, {"compile": True}])
def test_fast_labels_are_those_of_single_precision(settings, host, monkeypatch):
    asked = []
    plain = device_answers.DeviceAnswers._scores

    def noted(self, X, rows, is_fast, **how):
        asked.append((is_fast, len(rows)))
        return plain(self, X, rows, is_fast, **how)

    monkeypatch.setattr(torch, "compile", lambda module, dynamic: module)
    monkeypatch.setattr(device_answers.DeviceAnswers, "_scores", noted)
    found = evaluate_perturbations(NET, X, Y, CONDITIONS, **settings)
    same(found, host, most=0)
    fast = sum(n for is_fast, n in asked if is_fast)
    again = sum(n for is_fast, n in asked if not is_fast)
    assert fast == (1 + len(CONDITIONS)) * N
    # The first batch of each condition is always asked again.
    assert 16 * (1 + len(CONDITIONS)) <= again < 0.6 * fast
    assert all(part.training is False for part in NET[-1].module_.modules())


def test_a_replica_that_errs_is_found_out(host, monkeypatch):
    import skrobust._differentiable.reduced_precision as fast

    class Liar(fast.FastNet):
        def __call__(self, z):
            return super().__call__(z) * -1.0

    monkeypatch.setattr("skrobust._differentiable.net.FastNet", Liar)
    found = evaluate_perturbations(NET, X, Y, CONDITIONS, precision="bfloat16")
    same(found, host, most=0)


def test_scores_of_probabilities_are_of_single_precision():
    how = {"scoring": "neg_log_loss"}
    plain = evaluate_perturbations(NET, X, Y, CONDITIONS[:3], **how)
    quick = evaluate_perturbations(
        NET, X, Y, CONDITIONS[:3], **how, precision="bfloat16", device="cpu"
    )
    np.testing.assert_allclose(quick.score, plain.score, rtol=1e-5)
    assert quick.clean_score == pytest.approx(plain.clean_score, rel=1e-5)


def test_finished_conditions_are_kept(tmp_path, monkeypatch):
    settings = {"checkpoint": tmp_path, "device": "cpu", "precision": "bfloat16"}
    first = evaluate_perturbations(NET, X, Y, CONDITIONS[:4], **settings)
    assert len(list(tmp_path.glob("*.part"))) == 4
    monkeypatch.setattr(
        "skrobust.evaluation.conditions.condition_scores.condition_part", None
    )
    again = evaluate_perturbations(NET, X, Y, CONDITIONS[:4], **settings)
    assert np.array_equal(first.correct, again.correct)


@pytest.mark.parametrize("scoring", [None, "neg_log_loss"])
def test_devices_and_batches(scoring):
    conditions = CONDITIONS[:4]
    plain = evaluate_perturbations(NET, X, Y, conditions, scoring=scoring)
    settings = {"device": ["cpu", "cpu"], "batch_size": 7, "scoring": scoring}
    found = evaluate_perturbations(NET, X, Y, conditions, **settings)
    np.testing.assert_allclose(found.score, plain.score, atol=1e-6)
    assert found.clean_score == pytest.approx(plain.clean_score, abs=1e-6)


def test_wrapped_modules(host):
    scaled = nn.Sequential(copy.deepcopy(NET[-1].module_)).eval()
    model = wrap(scaled, classes=["a", "b", "c", "d"], sample=X[:2] / np.float32(255))
    images = (X / 255).astype(np.float32)
    conditions = CONDITIONS[:4]
    plain = evaluate_perturbations(model, images, Y, conditions)
    settings = {"device": ["cpu", "cpu"], "precision": "bfloat16"}
    same(evaluate_perturbations(model, images, Y, conditions, **settings), plain, 0)
    assert plain.clean_score == host.clean_score


def test_bare_nets_of_skorch(device):
    from skorch import NeuralNetBinaryClassifier

    # Plain columns as labels, and a threshold of its own.
    class One(nn.Module):
        def __init__(self):
            super().__init__()
            torch.manual_seed(1)
            self.layer = nn.Linear(X[0].size, 1)

        def forward(self, x):
            return self.layer(x.flatten(1))[:, 0]

    net = NeuralNetBinaryClassifier(One, threshold=0.55, batch_size=-1).initialize()
    images = (X / 255).astype(np.float32)
    answering = on_devices(net, images, "cpu", "float32", False, "test")
    assert (answering.predict(images) == net.predict(images)).all()
    np.testing.assert_allclose(
        answering.predict_proba(images), net.predict_proba(images), atol=1e-6
    )
    assert 0 < net.predict(images).mean() < 1


def test_scorers_leave_tensors_where_they_are(device):
    net = make_net()[-1]
    array = (X / 255).astype(np.float32)
    images = torch.from_numpy(array)
    noise = sp.GaussianNoise(3, random_state=0)
    scorer = get_scorer("robust_accuracy", perturbation=noise)
    y = net.predict(array)
    assert scorer(net, images, y) == pytest.approx(scorer(net, array, y), abs=0.03)
    found = scorer(NET, torch.from_numpy(X), Y)
    assert found == pytest.approx(scorer(NET, X, Y), abs=0.03)
    channels_last = ToNetInput(channels_last=True, data_range=(0, 255)).fit(X)
    seen = channels_last.transform(torch.from_numpy(X))
    assert seen.dtype == torch.float32
    with pytest.raises(ValueError, match="0 sample"):
        channels_last.transform(torch.from_numpy(X[:0]))


def test_precisions_that_a_device_lacks_are_told():
    with pytest.warns(UserWarning, match="has precision='tf32', which the device"):
        evaluate_perturbations(NET, X, Y, CONDITIONS[:1], precision="tf32")


class OwnWay(type(NET[-1])):
    """Net whose predict is not that of its module."""

    def predict(self, X):
        return np.full(len(X), "d")


def test_one_clear_sentence(monkeypatch):
    flat = X.reshape(N, -1)
    linear = LogisticRegression(max_iter=1000).fit(flat[:20] / 255, Y[:20])
    own = make_net()
    own.steps[-1][1].__class__ = OwnWay
    missing = {"device": "cuda:0"}
    cases = [
        (NET, {"precision": "half"}, "'precision' parameter of evaluate_perturb"),
        (NET, {"compile": 1}, "'compile' parameter of evaluate_perturbations"),
        (NET, {"device": []}, "'device' parameter of evaluate_perturbations"),
        (NET, {"device": "gpu9"}, "'device' parameter of evaluate_perturbations"),
        (linear, {"device": "cpu"}, "for classifiers that are nets"),
        (own, {"device": "cpu"}, "other labels from the module of the net"),
    ]
    if not torch.cuda.is_available():
        cases.append((NET, missing, "torch sees no GPU"))
    for model, settings, sentence in cases:
        rows = flat / 255 if model is linear else X
        with pytest.raises(ValueError, match=sentence):
            evaluate_perturbations(model, rows, Y, [sp.Gamma(0)], **settings)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    with pytest.raises(ValueError, match="torch sees 2 GPUs"):
        evaluate_perturbations(NET, X, Y, CONDITIONS, device=["cuda:1", "cuda:2"])
    pandas = pytest.importorskip("pandas")
    with pytest.raises(ValueError, match=r"arrays and tensors. Got DataFrame"):
        evaluate_perturbations(
            linear, pandas.DataFrame(flat), Y, [sp.GaussianNoise(0)], compile=True
        )


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device here")
@pytest.mark.parametrize("precision", ["float32", "tf32", "bfloat16"])
def test_the_gpu_finds_what_the_host_finds(host, precision):
    settings = {"device": "cuda", "precision": precision}
    same(evaluate_perturbations(NET, X, Y, CONDITIONS, **settings), host)
    devices = [f"cuda:{i}" for i in range(torch.cuda.device_count())]
    settings["device"] = devices
    same(evaluate_perturbations(NET, X, Y, CONDITIONS, **settings), host)


@pytest.mark.parametrize("kinds", ["none", "all", "some", "last"])
@pytest.mark.parametrize("proxy", [False, True])
def test_rows_move_where_every_condition_takes_them_and_nowhere_else(
    kinds, proxy, device
):
    way, host = CONDITIONS[1], FGSM(2.0)  # which takes rows of the host
    conditions = {
        "none": [host], "all": [way, way], "some": [host, way], "last": [way, host],
    }[kinds]  # fmt: skip
    estimator = on_devices(NET, X, "cpu", "float32", False, "test") if proxy else NET
    for rows in (X, torch.from_numpy(X)):
        moved = moved_once(rows, conditions, estimator)
        if proxy and kinds == "all":
            assert torch.is_tensor(moved)
            assert torch.equal(moved, torch.from_numpy(X))
        else:
            assert moved is rows


class Given(nn.Module):
    """The same logits for all rows."""

    def __init__(self, logits=(0.0, 0.0)):
        super().__init__()
        self.logits = nn.Parameter(torch.tensor(logits))

    def forward(self, x):
        return self.logits + 0 * x.flatten(1)[:, :1]


class SecondOfAll(NeuralNetClassifier):
    """Answers the second class, whatever its module says."""

    def predict(self, X):
        return np.ones(len(X), dtype=np.int64)


@pytest.mark.parametrize(
    ("logits", "alike"),
    [
        ((0.0, 0.0, 0.0), True),  # no class is surer than the others
        ((7.0, 7.0, 0.0), True),
        ((1.0, 0.995, 0.0), True),  # nearer than a hundredth of their spread
        ((1.0, 0.98, 0.0), False),
        ((1.0, 0.0, 0.0), False),
        ((0.0, 1.0, 0.0), True),
    ],
)
def test_labels_may_differ_where_logits_are_as_good_as_equal(logits, alike):
    how = {"criterion": nn.CrossEntropyLoss, "classes": [0, 1, 2]}
    net = SecondOfAll(Given, module__logits=logits, **how)
    rows = X.astype(np.float32)
    net.initialize()
    ask = partial(evaluate_perturbations, net, rows, np.arange(N) % 2, CONDITIONS[:1])
    if alike:
        assert ask(device="cpu").clean_score == ask().clean_score == 0.5
        return
    with pytest.raises(ValueError, match="got other labels from the module of the net"):
        ask(device="cpu")
