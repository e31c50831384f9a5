"""MesoNets: the layers that the published files define, and what the nets know."""

import builtins
import pickle
import shutil
from functools import cache

import numpy as np
import pytest
from problems import data_folder

torch = pytest.importorskip("torch")
pytest.importorskip("skorch")
h5py = pytest.importorskip("h5py")

from sklearn.metrics import roc_auc_score  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402

from skrobust.attacks import FGSM  # noqa: E402
from skrobust.evaluation import evaluate_attack  # noqa: E402
from skrobust.nets import (  # noqa: E402
    Meso4,
    MesoInception4,
    ToNetInput,
    load_mesonet_weights,
    make_net_classifier,
)

pytestmark = pytest.mark.torch
FILES = ["Meso4_DF", "Meso4_F2F", "MesoInception_DF", "MesoInception_F2F"]


def weights(name):
    return data_folder("deepfake", "mesonet_weights") / f"{name}.h5"


# -- an independent forward pass: numpy alone, channels last, float64 ----------


class Arrays:
    def __init__(self, path):
        self.file = h5py.File(path)

    def __call__(self, layer, part):
        return self.file[layer][layer][f"{part}:0"][()].astype(np.float64)


def conv(x, arrays, layer, dilation=1):
    kernel, bias = arrays(layer, "kernel"), arrays(layer, "bias")
    reach, (rows, columns) = dilation * (len(kernel) // 2), x.shape[:2]
    padded = np.pad(x, ((reach, reach), (reach, reach), (0, 0)))
    out = np.zeros((rows, columns, kernel.shape[3]))
    for i, j in np.ndindex(kernel.shape[:2]):
        top, left = i * dilation, j * dilation
        out += padded[top : top + rows, left : left + columns] @ kernel[i, j]
    return np.maximum(out + bias, 0)


def norm_pool(x, arrays, layer, pool):
    part = {p: arrays(layer, p) for p in ("gamma", "beta", "moving_mean")}
    spread = np.sqrt(arrays(layer, "moving_variance") + 1e-3)
    x = (x - part["moving_mean"]) / spread * part["gamma"] + part["beta"]
    side = len(x) // pool
    return x.reshape(side, pool, side, pool, -1).max(axis=(1, 3))


def dense(x, arrays, first, second):
    x = x.ravel() @ arrays(first, "kernel") + arrays(first, "bias")
    x = np.where(x > 0, x, 0.1 * x)
    return float((x @ arrays(second, "kernel") + arrays(second, "bias"))[0])


def meso4_logit(x, a):
    for k, pool in zip((5, 6, 7, 8), (2, 2, 2, 4), strict=True):
        x = norm_pool(conv(x, a, f"conv2d_{k}"), a, f"batch_normalization_{k}", pool)
    return dense(x, a, "dense_3", "dense_4")


def inception_logit(x, a):
    for block in (0, 1):
        at = 7 * block
        parts = [conv(x, a, f"conv2d_{at + 1}")]
        for d in (1, 2, 3):
            inner = conv(x, a, f"conv2d_{at + 2 * d}")
            parts.append(conv(inner, a, f"conv2d_{at + 2 * d + 1}", d))
        x = np.concatenate(parts, axis=2)
        x = norm_pool(x, a, f"batch_normalization_{block + 1}", 2)
    for k, pool in ((3, 2), (4, 4)):
        x = norm_pool(
            conv(x, a, f"conv2d_{12 + k}"), a, f"batch_normalization_{k}", pool
        )
    return dense(x, a, "dense_1", "dense_2")


@pytest.mark.parametrize("name", FILES)
def test_equals_the_layers_of_the_file(name):
    path = weights(name)
    net = load_mesonet_weights(path)
    assert type(net) is (Meso4 if name.startswith("Meso4") else MesoInception4)
    assert not any(module.training for module in net.modules())
    logit_of = meso4_logit if type(net) is Meso4 else inception_logit
    x = np.random.default_rng(0).random((256, 256, 3))
    expected = logit_of(x, Arrays(path))
    batch = torch.from_numpy(x.transpose(2, 0, 1)[None])
    with torch.no_grad():
        single = net(batch.float())
        double = net.double()(batch)
    assert single.shape == (1, 1)
    assert double.item() == pytest.approx(expected, rel=1e-10)
    assert single.sigmoid().item() == pytest.approx(
        1 / (1 + np.exp(-expected)), abs=1e-6
    )
    assert single.item() == pytest.approx(expected, rel=1e-4)


# -- what is refused -----------------------------------------------------------------


def test_refuses_other_files(tmp_path):
    source = weights("Meso4_DF")

    def refused(path, text):
        with pytest.raises(ValueError, match=text):
            load_mesonet_weights(path)

    cut = tmp_path / "cut.h5"
    cut.write_bytes(source.read_bytes()[:100_000])
    refused(cut, "cut off")
    (tmp_path / "empty.h5").write_bytes(b"")
    refused(tmp_path / "empty.h5", "could not read")
    with (tmp_path / "net.pkl").open("wb") as out:
        pickle.dump({"weights": 1}, out)
    refused(tmp_path / "net.pkl", "another kind of file")
    with h5py.File(tmp_path / "none.h5", "w"):
        pass
    refused(tmp_path / "none.h5", "holds other layers")
    with pytest.raises(FileNotFoundError, match="found no file"):
        load_mesonet_weights(tmp_path / "absent.h5")
    with pytest.raises(FileNotFoundError, match="found no file"):
        load_mesonet_weights(tmp_path)
    refused(3.5, "path of an HDF5 file")
    refused(None, "path of an HDF5 file")

    def changed(change):
        path = tmp_path / "changed.h5"
        shutil.copyfile(source, path)
        with h5py.File(path, "r+") as file:
            change(file)
        return path

    def replace(file, name, values):
        del file[name]
        file[name] = values

    kernel = "conv2d_5/conv2d_5/kernel:0"
    bias = "conv2d_5/conv2d_5/bias:0"
    spread = "batch_normalization_5/batch_normalization_5/moving_variance:0"
    cases = [
        (lambda f: replace(f, kernel, np.zeros((3, 3, 1, 8))), "kernel of shape"),
        (lambda f: replace(f, bias, np.full(8, np.nan)), "impossible values"),
        (lambda f: replace(f, spread, np.full(8, -1.0)), "impossible values"),
        (lambda f: replace(f, bias, np.zeros(8, dtype=int)), "bias of"),
        (lambda f: f.__delitem__(bias), "could not read"),
        (lambda f: f.__delitem__("conv2d_8"), "holds other layers"),
        (lambda f: f.move("conv2d_8", "lstm_8"), "'lstm_8', which neither"),
    ]
    for change, text in cases:
        refused(changed(change), text)


def test_a_saved_model_and_other_numbers_are_read(tmp_path):
    path = tmp_path / "model.h5"
    with h5py.File(weights("Meso4_DF")) as old, h5py.File(path, "w") as new:
        root = new.create_group("model_weights")
        for name in old:
            old.copy(name, root)
        root.move("conv2d_5", "conv2d")  # as later versions of Keras count
    ours, theirs = load_mesonet_weights(path), load_mesonet_weights(weights("Meso4_DF"))
    for a, b in zip(ours.parameters(), theirs.parameters(), strict=True):
        assert torch.equal(a, b)


def test_missing_h5py_is_one_sentence(monkeypatch):
    plain = builtins.__import__

    def without(name, *args, **kwargs):
        if name.startswith("h5py"):
            raise ImportError(name)
        return plain(name, *args, **kwargs)

    monkeypatch.setitem(__import__("sys").modules, "h5py", None)
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=r"skrobust\[deepfake\]"):
        load_mesonet_weights("any.h5")


@pytest.mark.parametrize("make", [Meso4, MesoInception4])
def test_other_shapes_are_refused(make):
    for shape in [(1, 256, 256, 3), (1, 3, 128, 128), (3, 256, 256)]:
        with pytest.raises(
            ValueError, match=r"takes images of shape \(n, 3, 256, 256\)"
        ):
            make()(torch.zeros(shape))


# -- on real faces -------------------------------------------------------------------


@cache
def faces(every=1):
    image = pytest.importorskip("PIL.Image")
    folder = data_folder("deepfake", "faces")
    X, y = [], []
    for label, name in (("fake", "DeepFake"), ("real", "Real")):
        for path in sorted((folder / name).glob("*.jpg"))[::every]:
            photo = image.open(path).convert("RGB").resize((256, 256))
            X.append(np.asarray(photo))
            y.append(label)
    return np.stack(X), np.array(y)


class ChannelsLast(torch.nn.Module):
    """A net that gets its images channels last, which is faster on a CPU."""

    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, x):
        return self.net(x.contiguous(memory_format=torch.channels_last))


def detector(name):
    net = make_net_classifier(
        ChannelsLast(load_mesonet_weights(weights(name))),
        fitted=True,
        classes=["fake", "real"],
        batch_size=4,  # small batches stay in the cache of a CPU
    )
    step = ToNetInput(channels_last=True, data_range=(0, 255))
    return make_pipeline(step.fit(np.zeros((1, 256, 256, 3))), net)


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_detects_faces(name):
    X, y = faces(every=4)
    model = detector(name)
    p = model.predict_proba(X)
    assert p.shape == (len(X), 2)
    assert (p >= 0).all()
    assert (p <= 1).all()
    assert np.allclose(p.sum(axis=1), 1)
    accuracy = np.mean(model.classes_[p.argmax(axis=1)] == y)
    auc = roc_auc_score(y == "real", p[:, 1])
    if name.endswith("DF"):
        assert auc > 0.95
        assert accuracy > 0.85
    else:  # trained on Face2Face, and never shown forgeries of this kind
        assert 0.5 < auc < 0.9


@pytest.mark.data
@pytest.mark.slow
def test_one_step_of_one_grey_level_ruins_meso4():
    X, y = faces(every=16)
    model = detector("Meso4_DF")
    # In the units of the 8-bit input: one grey level.
    result = evaluate_attack(
        model, X.astype(np.float32), y, FGSM(1.0, data_range=(0, 255))
    )
    assert result.clean_accuracy > 0.8
    assert result.robust_accuracy < 0.2
    whole = FGSM(1.0, data_range=(0, 255)).perturb(model, X, y)
    assert np.abs(whole - X.astype(float)).max() <= 1
    assert model.score(whole, y) < 0.3
