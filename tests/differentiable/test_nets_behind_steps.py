"""Nets behind steps of scikit-learn: one function of the raw input, with its slopes."""

import numpy as np
import pytest
from problems import linear_problem
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_breast_cancer
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.kernel_approximation import Nystroem
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MinMaxScaler,
    Normalizer,
    OrdinalEncoder,
    PolynomialFeatures,
    PowerTransformer,
    QuantileTransformer,
    StandardScaler,
)

from skrobust.metrics import make_robust_scorer

pytest.importorskip("skorch")
torch = pytest.importorskip("torch")

from nets_for_tests import Net, make_net  # noqa: E402
from torch import nn  # noqa: E402

from skrobust._differentiable import differentiable_view  # noqa: E402
from skrobust.attacks import FGSM, PGD, DeepFool, RandomSearch  # noqa: E402
from skrobust.base import Constraints  # noqa: E402
from skrobust.nets import ToNetInput  # noqa: E402

X, Y = load_breast_cancer(return_X_y=True)
X = X[:, :8]
STEPS = [
    PCA(4),
    PCA(4, whiten=True),
    TruncatedSVD(4, random_state=0),
    PolynomialFeatures(2, include_bias=False),
    Nystroem(n_components=20, random_state=0),
    Normalizer(),
    PowerTransformer(),
    QuantileTransformer(n_quantiles=50, output_distribution="normal"),
    SelectKBest(k=5),
    SimpleImputer(),
    FeatureUnion([("pca", PCA(2)), ("all", "passthrough")]),
    ColumnTransformer([("a", PCA(2), [0, 1, 2]), ("b", MinMaxScaler(), [5, 4])]),
]


def behind(*steps, cast=None, **params):
    """Return a fitted net behind steps."""
    before = make_pipeline(StandardScaler(), *steps).fit(X, Y)
    d = before.transform(X[:1]).shape[1]
    cast = ToNetInput() if cast is None else cast
    net = make_net(Net, module__d=d, module__k=2, **{"epochs": 3} | params)
    return make_pipeline(StandardScaler(), *steps, cast, net).fit(X, Y)


@pytest.mark.parametrize("step", STEPS, ids=str)
def test_as_the_pipeline_computes_it(step):
    model = behind(step)
    with differentiable_view(model, "Test") as view:
        p = torch.softmax(view.logits(view.tensor(X[:60])), dim=1).numpy()
    assert np.abs(p - model.predict_proba(X[:60])).max() < 1e-6


@pytest.mark.parametrize("step", STEPS, ids=str)
def test_slopes_by_finite_differences(step):
    model = behind(step)
    model[-1].module_.double()  # so that differences are fine enough
    rows, h = X[5:9] + 1e-3, 1e-6
    with differentiable_view(model, "Test") as view:
        logits, pull = view.forward(view.tensor(rows))
        slope = pull(torch.ones_like(logits) * view.tensor(np.array([[1.0, -0.5]])))
        assert view.host(slope).shape == rows.shape

        def value(z):
            out = view.host(view.logits(view.tensor(z)))
            return out[:, 0] - 0.5 * out[:, 1]

        for j in range(X.shape[1]):
            size = h * X[:, j].std()
            move = np.zeros(X.shape[1])
            move[j] = size
            by_hand = (value(rows + move) - value(rows - move)) / (2 * size)
            scale = np.abs(by_hand).max() + 1e-6
            assert np.abs(view.host(slope)[:, j] - by_hand).max() < 1e-3 * scale


@pytest.mark.slow
def test_white_box_through_the_whole_pipeline():
    model = behind(PCA(5), epochs=15)
    rows, labels, eps = X[:150], Y[:150], 0.3
    unit = {"constraints": Constraints(scale=X.std(axis=0)), "random_state": 0}
    before = [p.detach().clone() for p in model[-1].module_.parameters()]
    scores = {}
    for attack in (
        FGSM(eps, constraints=unit["constraints"]),
        PGD(eps, n_steps=20, **unit),
        RandomSearch(eps, n_steps=20, **unit),
    ):
        found = attack.perturb(model, rows, labels)
        assert (np.abs(found - rows) / X.std(axis=0)).max() <= eps * (1 + 1e-9)
        scores[type(attack).__name__] = model.score(found, labels)
    assert scores["PGD"] <= scores["FGSM"]
    # Of eight features a search finds nearly all corners, and here one row more.
    assert scores["PGD"] <= scores["RandomSearch"] + 0.01
    assert scores["PGD"] < model.score(rows, labels) - 0.05
    after = list(model[-1].module_.parameters())
    assert all(bool((a == b).all()) for a, b in zip(before, after, strict=True))
    result = PGD(eps, n_steps=20, batch_size=7, **unit).run(model, rows, labels)
    order = np.random.default_rng(0).permutation(150)
    turned = PGD(eps, n_steps=20, **unit).run(model, rows[order], labels[order])
    assert np.array_equal(result.success[order], turned.success)
    norms = DeepFool(norm=2).minimal_norms(model, rows, labels)
    assert (np.isfinite(norms)).mean() > 0.9


def test_frames_casts_and_searches():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=list("abcdefgh"))
    model = behind(PCA(3), cast=FunctionTransformer(np.float32))
    attack = FGSM(1.0)
    wanted = attack.perturb(model, X[:20], Y[:20])
    columns = ColumnTransformer([("pca", PCA(3), list("abcd"))])
    net = make_net(Net, module__d=3, module__k=2, epochs=2)
    inner = make_pipeline(columns, ToNetInput(), net)
    grid = {"columntransformer__pca__whiten": [True]}
    search = GridSearchCV(inner, grid, cv=2).fit(frame, Y)
    found = attack.perturb(search, frame.iloc[:20], Y[:20])
    assert list(found.columns) == list(frame.columns)
    assert np.array_equal(found[list("efgh")], frame.iloc[:20][list("efgh")])
    assert (found["a"] != frame["a"][:20]).any()
    single = attack.perturb(model, X[:20].astype(np.float32), Y[:20])
    assert single.dtype == np.float32
    assert wanted.dtype == np.float64


def test_what_is_not_understood_is_named():
    codes = make_pipeline(
        OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1),
        ToNetInput(),
        make_net(Net, module__d=8, module__k=2, epochs=1),
    ).fit(X, Y)
    for part in ("the step 'ordinalencoder'", "HopSkipJump"):
        with pytest.raises(ValueError, match=part):
            FGSM(0.1).perturb(codes, X[:5], Y[:5])
    with pytest.raises(ValueError, match="takes 8 features"):
        FGSM(0.1).perturb(behind(PCA(2)), X[:5, :7], Y[:5])


def test_images_behind_a_decomposition():
    class Pictures(nn.Module):
        def __init__(self):
            super().__init__()
            self.body = nn.Sequential(nn.Conv2d(1, 4, 2), nn.Flatten(), nn.Linear(4, 2))

        def forward(self, x):
            return self.body(x)

    net = make_net(Pictures, epochs=2)
    model = make_pipeline(PCA(4, whiten=True), ToNetInput((2, 2)), net).fit(X, Y)
    with differentiable_view(model, "Test") as view:
        p = torch.softmax(view.logits(view.tensor(X[:30])), dim=1).numpy()
    assert np.abs(p - model.predict_proba(X[:30])).max() < 1e-6
    assert (PGD(5.0, n_steps=3).perturb(model, X[:5], Y[:5]) != X[:5]).any()


@pytest.mark.slow
@pytest.mark.torch
def test_a_large_offset_before_a_scaler_keeps_the_robust_accuracy():
    pytest.importorskip("skorch")
    from nets_for_tests import Linear, make_net

    from skrobust.nets import ToNetInput

    _, X, y = linear_problem(200)
    numbers = []
    for offset in (0.0, 1e6, 1.7e9):
        pipe = make_pipeline(StandardScaler(), ToNetInput(), make_net(Linear))
        pipe.fit(X + offset, y)
        numbers.append(
            make_robust_scorer(PGD(0.05, random_state=0))(pipe, X + offset, y)
        )
    assert numbers[0] == pytest.approx(numbers[1], abs=0.01)
    assert numbers[0] == pytest.approx(numbers[2], abs=0.01)
