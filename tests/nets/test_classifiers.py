"""Classifiers around nets: labels, seeds, folds, frozen layers, ResNet-34."""

import copy
import pickle

import numpy as np
import pytest
from problems import digit_rows
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline

torch = pytest.importorskip("torch")
pytest.importorskip("skorch")

from nets_for_tests import Linear, Net  # noqa: E402

from skrobust.attacks import FGSM, PGD  # noqa: E402
from skrobust.evaluation import evaluate_attack  # noqa: E402
from skrobust.nets import ToNetInput, make_net_classifier, resnet34  # noqa: E402

pytestmark = pytest.mark.torch


def problem(labels, n=150, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.random((n, 6)).astype(np.float32)
    scores = (X - 0.5) @ rng.normal(size=(6, len(labels)))
    return X, np.asarray(labels)[scores.argmax(axis=1)]


def made(labels, *, one_logit=False, **kw):
    settings = {
        "lr": 0.05,
        "max_epochs": 20,
        "module__k": 1 if one_logit else len(labels),
    }
    return make_net_classifier(Linear, **{**settings, **kw})


def same(a, b):
    pairs = zip(a.module_.parameters(), b.module_.parameters(), strict=True)
    return all(torch.equal(p, q) for p, q in pairs)


KINDS = [
    (["fake", "real"], True),
    (["fake", "real"], False),
    ([0, 1], True),
    ([3, 7], True),
    (["a", "b", "c"], False),
    ([1, 2, 5], False),
]


@pytest.mark.slow
@pytest.mark.parametrize("labels, one_logit", KINDS)
def test_labels_of_any_kind(labels, one_logit):
    X, y = problem(labels)
    net = made(labels, one_logit=one_logit).fit(X, y)
    assert net.classes_.tolist() == labels
    p = net.predict_proba(X)
    assert p.shape == (len(X), len(labels))
    assert np.allclose(p.sum(axis=1), 1)
    assert (net.predict(X) == net.classes_[p.argmax(axis=1)]).all()
    assert net.score(X, y) > 0.85
    again = pickle.loads(pickle.dumps(net))
    assert (again.predict_proba(X) == p).all()
    assert same(clone(net).fit(X, y), net)
    scores = cross_validate(net, X, y, cv=3, scoring=["accuracy", "neg_log_loss"])
    assert scores["test_accuracy"].min() > 0.7
    result = evaluate_attack(net, X, y, PGD(0.1, n_steps=5, random_state=0))
    assert result.clean_accuracy == pytest.approx(net.score(X, y))
    assert result.robust_accuracy < result.clean_accuracy - 0.1


def test_seeds_and_the_generator_of_torch():
    X, y = problem([0, 1])
    torch.manual_seed(5)
    before = torch.get_rng_state()
    first = made([0, 1]).fit(X, y)
    assert torch.equal(torch.get_rng_state(), before)
    torch.manual_seed(6)
    assert same(made([0, 1]).fit(X, y), first)
    assert not same(made([0, 1], random_state=1).fit(X, y), first)
    free = [made([0, 1], random_state=None).fit(X, y) for _ in range(2)]
    assert not same(*free)


def test_a_made_module_is_never_changed():
    X, y = problem([0, 1])
    module = Net(k=2)
    before = copy.deepcopy(module.state_dict())
    net = make_net_classifier(module, lr=0.05).fit(X, y)
    assert all(torch.equal(before[k], v) for k, v in module.state_dict().items())
    # The next fold starts from the module, not from what the last fold learned.
    assert same(clone(net).fit(X, y), net)
    search = GridSearchCV(net, {"lr": [1e-6, 0.05]}, cv=2).fit(X, y)
    assert search.best_params_ == {"lr": 0.05}
    assert all(torch.equal(before[k], v) for k, v in module.state_dict().items())


@pytest.mark.parametrize("classes", [["fake", "real"], ["real", "fake"]])
@pytest.mark.parametrize("k", [1, 2])
def test_fitted_nets_and_the_order_of_their_outputs(classes, k):
    X, _ = problem([0, 1])
    torch.manual_seed(0)
    module = Linear(k=k)
    net = make_net_classifier(module, fitted=True, classes=classes)
    with torch.no_grad():
        z = module(torch.from_numpy(X))
        last = z[:, 0].sigmoid() if k == 1 else z.softmax(dim=1)[:, 1]
        margin = z[:, 0] if k == 1 else z[:, 1] - z[:, 0]
        w = module.layer.weight
        reach = 0.2 * (w[0] if k == 1 else w[1] - w[0]).abs().sum()
        robust = (margin.abs() > reach).float().mean().item()  # closed form
    assert net.classes_.tolist() == ["fake", "real"]
    column = ["fake", "real"].index(classes[1])
    assert np.allclose(net.predict_proba(X)[:, column], last.numpy(), atol=1e-6)
    y = net.predict(X)
    assert (y == np.where(last > 0.5, classes[1], classes[0])).all()
    for model in (net, FrozenEstimator(net), make_pipeline(ToNetInput().fit(X), net)):
        result = evaluate_attack(model, X, y, FGSM(0.2))
        assert result.clean_accuracy == 1
        assert result.robust_accuracy == pytest.approx(robust)
    assert robust < 1
    assert (cross_validate(FrozenEstimator(net), X, y)["test_score"] == 1).all()


def test_fitted_without_classes_counts():
    assert make_net_classifier(Linear(k=1), fitted=True).classes_.tolist() == [0, 1]
    three = make_net_classifier(Linear(k=3), fitted=True)
    assert three.classes_.tolist() == [0, 1, 2]


def test_frozen_layers_stay():
    X, y = problem([0, 1])
    module = Net(k=2)
    for freeze in ("body", ["body.0", "body.1"]):
        net = make_net_classifier(module, freeze=freeze, lr=0.05).fit(X, y)
        old, new = module.state_dict(), net.module_.state_dict()
        moved = {k for k in old if not torch.equal(old[k], new[k])}
        assert moved == {"body.4.weight", "body.4.bias"}
        assert all(p.requires_grad for p in module.parameters())
    free = make_net_classifier(module, lr=0.05).fit(X, y).module_.state_dict()
    assert not torch.equal(free["body.1.running_mean"], old["body.1.running_mean"])


def test_early_stopping_keeps_the_best_epoch():
    X, y = problem(["fake", "real"], n=80)
    y = np.random.default_rng(1).permutation(y)  # nothing to learn
    settings = {"one_logit": True, "lr": 0.3, "max_epochs": 100}
    net = made(["fake", "real"], early_stopping=3, **settings).fit(X, y)
    losses = net.history[:, "valid_loss"]
    assert len(losses) < 100
    assert len(losses) == np.argmin(losses) + 1 + 3
    shorter = {**settings, "max_epochs": int(np.argmin(losses)) + 1}
    assert same(made(["fake", "real"], early_stopping=3, **shorter).fit(X, y), net)
    assert set(net.predict(X)) <= {"fake", "real"}
    pickle.loads(pickle.dumps(net)).predict(X)
    clone(net)


# -- ToNetInput on images --------------------------------------------------------------


def test_images_of_8_bits():
    photos = np.random.default_rng(0).integers(0, 256, (4, 5, 7, 3), dtype=np.uint8)
    step = ToNetInput(channels_last=True, data_range=(0, 255))
    out = step.fit_transform(photos)
    assert out.dtype == np.float32
    assert np.allclose(out, photos.transpose(0, 3, 1, 2) / 255)
    flat = photos.reshape(4, -1)
    rows = ToNetInput((5, 7, 3), channels_last=True, data_range=(0, 255))
    assert (rows.fit_transform(flat) == out).all()
    tensor = step.differentiable_transform(torch.from_numpy(photos.astype("float32")))
    assert np.allclose(tensor.numpy(), out)
    # The pullback is the adjoint of the linear part.
    slope = np.random.default_rng(1).normal(size=out.shape)
    x = photos.astype(float)
    left = (step.differentiable_transform(x) * slope).sum()
    assert left == pytest.approx((x * step.differentiable_pullback(x, slope)).sum())


def test_models_of_scikit_learn_are_seen_through_it():
    X, y = problem([0, 1])
    step = ToNetInput(data_range=(0, 2))
    model = make_pipeline(step, LogisticRegression(C=100)).fit(X, y)
    result = evaluate_attack(model, X, y, PGD(0.1, n_steps=5, random_state=0))
    assert result.robust_accuracy < result.clean_accuracy - 0.2


# -- ResNet-34 -------------------------------------------------------------------------


def test_resnet_is_named_as_in_torchvision():
    names = list(resnet34(1000).state_dict())
    own = ["weight", "bias", "running_mean", "running_var", "num_batches_tracked"]
    norm = lambda at: [f"{at}.{part}" for part in own]  # noqa: E731
    expected = ["conv1.weight", *norm("bn1")]
    for stage, depth in ((1, 3), (2, 4), (3, 6), (4, 3)):
        for block in range(depth):
            at = f"layer{stage}.{block}"
            for k in (1, 2):
                expected += [f"{at}.conv{k}.weight", *norm(f"{at}.bn{k}")]
            if stage > 1 and block == 0:
                expected += [f"{at}.downsample.0.weight", *norm(f"{at}.downsample.1")]
    assert names == [*expected, "fc.weight", "fc.bias"]
    # The published number of parameters.
    assert sum(p.numel() for p in resnet34(1000).parameters()) == 21_797_672


@pytest.mark.slow
def test_resnet_takes_weights(tmp_path):
    source = resnet34(10)
    state = source.state_dict()
    torch.save(state, tmp_path / "net.pth")
    same_head = resnet34(10, weights=tmp_path / "net.pth")
    assert all(torch.equal(v, state[k]) for k, v in same_head.state_dict().items())
    new_head = resnet34(2, weights=state).state_dict()
    assert new_head["fc.weight"].shape == (2, 512)
    assert torch.equal(new_head["conv1.weight"], state["conv1.weight"])
    with pytest.raises(ValueError, match=r"1 input channels; 1 differ.*'conv1.weight'"):
        resnet34(10, 1, weights=state)
    with pytest.raises(ValueError, match="differ"):
        resnet34(weights=Linear().state_dict())
    (tmp_path / "bad.pth").write_bytes(b"no net")
    with pytest.raises(ValueError, match="could not read"):
        resnet34(weights=tmp_path / "bad.pth")
    with pytest.raises(FileNotFoundError, match="found no file"):
        resnet34(weights="absent.pth")
    with pytest.raises(ValueError, match="'weights' parameter of resnet34"):
        resnet34(weights=3)
    # What would execute code when unpickled is not read.
    torch.save({"net": Linear()}, tmp_path / "code.pth")
    with pytest.raises(ValueError, match="more than weights"):
        resnet34(weights=tmp_path / "code.pth")


@pytest.mark.slow
def test_resnet_learns_by_its_head_alone():
    X = np.random.default_rng(0).random((8, 3, 32, 32)).astype(np.float32)
    y = np.where(np.arange(8) % 2, "real", "fake")
    settings = {"module__n_classes": 2, "max_epochs": 1, "lr": 0.01}
    one = make_net_classifier(resnet34, freeze="body", **settings).fit(X, y)
    two = make_net_classifier(resnet34, freeze="body", **settings, optimizer="sgd")
    old, new = one.module_.state_dict(), two.fit(X, y).module_.state_dict()
    # The seed draws the same body for both, and neither touches it.
    moved = {k for k in old if not torch.equal(old[k], new[k])}
    assert moved == {"fc.weight", "fc.bias"}
    assert same(clone(one).fit(X, y), one)


# -- bad input -------------------------------------------------------------------------

X6, y6 = problem([0, 1])
IMAGES = np.zeros((2, 4, 4, 3), dtype=np.uint8)
BAD = {
    "module": (lambda: make_net_classifier(3), "'module' parameter"),
    "made and params": (
        lambda: make_net_classifier(Linear(), module__k=3), "already made"),
    "fitted class": (
        lambda: make_net_classifier(Linear, fitted=True), "'fitted' param"),
    "classes": (lambda: made([0, 1], classes=["a", "a"]), "two different labels"),
    "classes kind": (lambda: made([0, 1], classes="ab"), "two different labels"),
    "device": (lambda: made([0, 1], device="toaster"), "'device' parameter"),
    "freeze": (lambda: made([0, 1], freeze="head"), "None, 'body' or a list"),
    "freeze name": (lambda: made([0, 1], freeze=["tail"]).fit(X6, y6), "Got 'tail'"),
    "freeze all": (
        lambda: made([0, 1], freeze=["layer"]).fit(X6, y6), "leave something"),
    "patience": (lambda: made([0, 1], early_stopping=0), "'early_stopping' parameter"),
    "epochs": (lambda: made([0, 1], max_epochs=0), "'max_epochs' parameter"),
    "lr": (lambda: made([0, 1], lr=-1), "'lr' parameter"),
    "batch": (lambda: made([0, 1], batch_size=1.5), "'batch_size' parameter"),
    "optimizer": (lambda: made([0, 1], optimizer="rmsprop"), "'optimizer' parameter"),
    "too few outputs": (lambda: made([0, 1]).fit(X6, np.arange(150) % 3), "3 classes"),
    "one logit": (
        lambda: made([0], one_logit=True).fit(X6, np.arange(150) % 3), "3 classes",
    ),
    "one class": (lambda: made([0, 1]).fit(X6, np.zeros(150)), "at least two classes"),
    "unknown": (
        lambda: made([0, 1], classes=[0, 2]).fit(X6, y6), "not among its classes"),
    "nan labels": (lambda: made([0, 1]).fit(X6, np.full(150, np.nan)), "missing"),
    "double": (lambda: made([0, 1]).fit(X6.astype(float), y6), "takes float32 arrays"),
    "range": (lambda: ToNetInput(data_range=(1, 1)).fit(X6), "low < high"),
    "range kind": (lambda: ToNetInput(data_range=255).fit(X6), "low < high"),
    "last": (lambda: ToNetInput(channels_last=1).fit(IMAGES), "must be True or False"),
    "last flat": (
        lambda: ToNetInput(channels_last=True).fit(X6), "takes images of shape"),
    "resnet classes": (lambda: resnet34(0), "'n_classes' parameter"),
    "resnet channels": (lambda: resnet34(2, "3"), "'in_channels' parameter"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_make_net_classifier_refuses_wrong_parameters(case):
    call, text = BAD[case]
    with pytest.raises(ValueError, match=text):
        call()


@pytest.mark.torch
def test_seeded_nets_score_alike_in_threads():
    pytest.importorskip("skorch")
    import joblib
    from sklearn.model_selection import cross_val_score

    from skrobust.nets import small_cnn_classifier

    X, y = digit_rows()
    model = small_cnn_classifier((8, 8), 10, epochs=2)
    scores = []
    for n_jobs in (1, 2):
        with joblib.parallel_config("threading", n_jobs=n_jobs):
            scores.append(cross_val_score(model, X[:300], y[:300], cv=3))
    assert np.array_equal(*scores)
