"""Digits and small pictures with models, under the conditions of two benchmarks."""

import warnings

import numpy as np
import torch
from attacked_tables import moved_within
from corrupted_nets import resnet_module
from imagenet import BLURRED, Resized
from PIL import Image
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from skrobust.perturbations import get_preset
from skrobust.wrappers import wrap

SEVERITIES = (2, 4)  # of cifar_c; mnist_c has one strength for each corruption
SEED = {"random_state": 0}
DIGITS = {
    "logistic": LogisticRegression(max_iter=200),
    "ridge": RidgeClassifier(),
    "LDA": LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto"),
    "Gaussian NB": GaussianNB(var_smoothing=0.1),
    "nearest centroid": NearestCentroid(),
    "5 neighbours": KNeighborsClassifier(5),
    "tree": DecisionTreeClassifier(**SEED),
    "random forest": RandomForestClassifier(100, **SEED),
    "boosting": make_pipeline(
        PCA(40, **SEED), HistGradientBoostingClassifier(max_iter=40, **SEED)
    ),
    "SVM, rbf": make_pipeline(PCA(40, whiten=True, **SEED), SVC()),
    "MLP, 100": MLPClassifier((100,), max_iter=60, **SEED),
}
VARIANTS = ("", BLURRED, ", 24 px", ", grey", ", mirrored")
NETS = [f"ResNet-{layers}{variant}" for variant in VARIANTS for layers in (20, 56)]


def digits(folder, n_train, n_test):
    """Return rows of pixels from 0 to 255 and labels, for training and testing."""
    with np.load(folder / "mnist" / "mnist10k.npz") as file:
        X, y = file["X"].reshape(-1, 784).astype(float), file["y"]
    order = np.random.default_rng(0).permutation(len(y))[: n_train + n_test]
    train, test = np.split(order, [n_train])
    return X[train], X[test], y[train], y[test]


def cifar(folder, n):
    """Return pictures (n, 32, 32, 3) of CIFAR-10, of each class alike, and labels."""
    classes = sorted((folder / "cifar10" / "test").iterdir())
    paths = [path for one in classes for path in sorted(one.glob("*.jpg"))[: n // 10]]
    y = np.repeat(np.arange(10), n // 10)
    return np.stack([np.asarray(Image.open(path)) for path in paths]), y


def fitted(X, y, names):
    """Return functions from rows to labels, of the classifiers of digits."""
    return {name: DIGITS[name].fit(X / 255, y) for name in names}


class Recoloured(torch.nn.Module):
    """Net that sees the mean of the colours, or pictures with left and right swapped.

    The published training mirrors pictures at random.
    """

    def __init__(self, net, kind):
        super().__init__()
        self.net, self.kind = net, kind

    def forward(self, x):
        if self.kind == "mirrored":
            return self.net(x.flip(-1))
        return self.net(x.mean(dim=1, keepdim=True).expand_as(x))


def module_of(folder, name):
    """Return a published net for CIFAR-10, or a variant: pixels of 0 to 255 to logits.

    Parameters
    ----------
    folder : Path
        Folder of real data.
    name : str
        A name of ``NETS``.
    """
    base, _, variant = name.partition(", ")
    layers = base.removeprefix("ResNet-")
    path = next((folder / "cifar10").glob(f"resnet{layers}-*.th"))
    module = resnet_module(path, (int(layers) - 2) // 6)
    if not variant:
        return module
    if name.endswith(BLURRED):
        return Resized(module, 32, box=3)
    if variant == "24 px":
        return Resized(module, 24)
    return Recoloured(module, variant)


def net(folder, name):
    """Return a net for CIFAR-10 as a function from pictures to labels."""
    module = module_of(folder, name)

    def predict(pictures):
        x = torch.from_numpy(np.array(pictures)).permute(0, 3, 1, 2).float()
        with torch.inference_mode():
            return np.concatenate([module(p).argmax(1).numpy() for p in x.split(50)])

    return predict


def conditions(preset, shape, **options):
    """Return the conditions of a preset for pictures of 0 to 255."""
    options |= {"image_shape": shape, "data_range": (0, 255), "random_state": 0}
    return get_preset(preset, **options)


def correctness(predictors, X, y, grid):
    """Return for each model a boolean array (n pictures, n conditions)."""
    found = {name: [] for name in predictors}
    for condition in grid:
        moved = condition.fit(X).transform(X)
        for name, predict in predictors.items():
            found[name].append(predict(moved) == y)
    return {name: np.transpose(columns) for name, columns in found.items()}


def of_digits(folder, names, n_train, n_test):
    """Return correctness under ``asi68`` and under ``mnist_c``."""
    X, X_test, y, y_test = digits(folder, n_train, n_test)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of pixels that never change
        models = fitted(X, y, names)
    models = {
        name: lambda rows, m=model: m.predict(rows / 255)
        for name, model in models.items()
    }
    return [
        correctness(models, X_test, y_test, conditions(preset, (28, 28)))
        for preset in ("asi68", "mnist_c")
    ]


def of_cifar(folder, name, n, preset):
    """Return the correctness of one net under one list of conditions."""
    options = {"severities": SEVERITIES} if preset == "cifar_c" else {}
    X, y = cifar(folder, n)
    grid = conditions(preset, (32, 32, 3), **options)
    return correctness({name: net(folder, name)}, X, y, grid)[name]


def attacked(folder, name, n, eps):
    """Return labels, and what ``moved_within`` returns for a net within eps levels."""
    X, y = cifar(folder, n)
    X = X.astype(np.float32)
    options = {"layout": "NHWC->NCHW", "response": "logits", "classes": range(10)}
    model = wrap(module_of(folder, name), sample=X[:4], **options)
    return y, moved_within(model, X, y, eps, (0, 255))
