"""What other libraries get wrong without a word, for every attack at once.

One line for each failure that was measured elsewhere, and the test that keeps it from
happening here: of this file, or of the one that is named.

==========================================  ==========================================
failure                                     test
==========================================  ==========================================
failed rows come back black, as successes   test_failures_are_reported_as_failures
negative, shifted logits become zeros       test_the_same_verdicts_in_any_scores
log-softmax, softmax outputs                test_the_same_verdicts_in_any_scores
logits x 1000 look robust                   test_the_same_verdicts_in_any_scores
pixels exactly 0 or 1 cannot move           test_black_and_white_pixels_move
a stop shared by the batch                  test_batch_mates_change_nothing
standardised input is cut to 0..1           test_standardised_input_is_not_cut
float64 input or net is refused             test_float64_nets
one-logit nets raise IndexError             test_one_logit
modes, frozen batch norm, .grad, buffers    test_the_net_is_left_as_it_was
global random numbers move, no seed         test_seeded_and_global_generators_untouched
compiled nets                               test_compiled_nets
images without and with channels, tables    test_images_and_tables
labels {-1, +1} index the last column       test_labels_of_every_kind
labels {1, 2}, strings                      test_labels_of_every_kind
saturated probabilities are linearised      test_saturated_linear_model_in_closed_form
a scaler is applied twice or not at all     test_a_scaler_is_folded_once
no gradient through pipelines, SVC, MLP     test_views_pipelines.py
zero gradients are not told                 test_zero_gradients_are_told
search starts from noise and gives up       test_a_start_is_found_or_its_lack_is_told
finite differences of trees are zero        test_differences_of_trees_are_not_zero
squares taller than the image, tables       test_squares_of_small_images
models asked row by row                     test_attacks_black_box.py (few large calls)
boxes of trees in the wrong precision       test_attacks_exact.py (all cells)
first step of FMN tuned for one size        test_units_of_the_input_do_not_matter
rounding afterwards unfools                 test_attacks_rounded.py
an example that predict does not confirm    test_attacks_minimal_constraints.py
==========================================  ==========================================
"""

import copy
import warnings

import numpy as np
import pytest
from problems import linear_problem
from sklearn.base import clone
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skrobust.attacks import (
    BIM,
    DDN,
    FAB,
    FGSM,
    FMN,
    PGD,
    ZOO,
    AutoAttack,
    AutoPGD,
    CarliniWagner,
    DeepFool,
    HopSkipJump,
    MomentumPGD,
    RandomSearch,
    Square,
)

EPS = 0.25
GRADIENT = [
    FGSM(EPS),
    BIM(EPS),
    MomentumPGD(EPS),
    PGD(EPS, n_steps=10, random_state=0),
    AutoPGD(EPS, n_steps=10, random_state=0),
    AutoPGD(EPS, n_steps=10, loss="targeted_dlr", random_state=0),
]
NEAREST = [
    DDN(),
    FMN(norm=2, n_steps=60),
    FMN(norm=np.inf, n_steps=60),
    DeepFool(norm=2),
    FAB(n_steps=15),
    CarliniWagner(n_steps=40, n_searches=4),
    CarliniWagner(norm=np.inf, n_steps=25),
]
BLACK = [
    RandomSearch(EPS, n_steps=10, random_state=0),
    Square(EPS, n_steps=100, random_state=0),
    ZOO(EPS, random_state=0),
    HopSkipJump(EPS, norm=np.inf, n_steps=3, random_state=0),
]
ENSEMBLE = AutoAttack(
    EPS,
    attacks=[FGSM(), PGD(n_steps=3), FAB(n_steps=3), Square(n_steps=10)],
    random_state=0,
)
EVERY = [*GRADIENT, *NEAREST, *BLACK, ENSEMBLE]


def named(a):
    return f"{type(a).__name__}-{a.norm}-{getattr(a, 'loss', '')}"


every = pytest.mark.parametrize("a", EVERY, ids=named)


def nets():
    pytest.importorskip("torch")
    pytest.importorskip("skorch")
    import nets_for_tests

    return nets_for_tests


@pytest.fixture(scope="module")
def trained():
    _, X, y = linear_problem(60, classes=3)
    X, y = X.astype(np.float32), y.astype(np.int64)
    return nets().make_net().fit(X, y), X, y


def fooled(a, model, X, y, **change):
    out = clone(a).set_params(data_range=(0, 1), **change).perturb(model, X, y)
    return model.predict(out) != y


@pytest.mark.slow
@every
def test_failures_are_reported_as_failures(a, trained):
    # A budget with which nothing can be reached.
    net, X, y = trained
    wrong = net.predict(X) != y
    a = clone(a).set_params(eps=1e-7)
    result = a.run(net, X, y)
    assert np.array_equal(result.success, wrong)
    assert np.array_equal(result.success, net.predict(result.X_adv) != y)
    assert np.isnan(result.norm[~wrong]).all()
    assert np.abs(result.X_adv - X).max() <= 1e-7
    if a.__class__ in [type(other) for other in NEAREST + BLACK]:
        assert np.array_equal(result.X_adv, X)


@pytest.mark.slow
@every
def test_the_same_verdicts_in_any_scores(a, trained):
    net, X, y = trained
    calm = fooled(a, net, X, y).mean()
    assert calm > (net.predict(X) != y).mean() + 0.1
    for change in ("minus 100", "log_softmax", "softmax", "times 1000"):
        other = copy.deepcopy(net)
        if change == "minus 100":
            with nets().torch.no_grad():
                other.module_.body[-1].bias -= 100
        elif change == "times 1000":
            other.module_.scale = 1000.0
        else:
            other.module_.ending = change
            if change == "softmax":
                other.set_params(criterion=nets().nn.NLLLoss)
        assert np.array_equal(other.predict(X), net.predict(X))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of zero gradients, in single precision
            found = fooled(a, other, X, y).mean()
        assert found >= calm - 0.05, change


@every
def test_black_and_white_pixels_move(a):
    make_net = nets().make_net
    _, X, y = linear_problem(60, d=10, classes=2)
    X = np.round(X).astype(np.float32)
    y = (X[:, :5].sum(axis=1) > X[:, 5:].sum(axis=1)).astype(np.int64)
    net = make_net(module__d=10, module__k=2).fit(X, y)
    change = {} if type(a) in (type(b) for b in NEAREST) else {"eps": 0.6}
    out = clone(a).set_params(data_range=(0, 1), **change).perturb(net, X, y)
    right = net.predict(X) == y
    assert (net.predict(out) != y)[right].mean() > 0.5
    assert (out[right] != X[right]).any(axis=1).mean() > 0.5


@pytest.mark.slow
@every
def test_batch_mates_change_nothing(a, trained):
    net, X, y = trained
    whole = clone(a).perturb(net, X[:20], y[:20])
    alone = np.concatenate(
        [clone(a).perturb(net, X[i : i + 1], y[i : i + 1]) for i in range(5)]
    )
    turned = clone(a).perturb(net, X[:20][::-1], y[:20][::-1])[::-1]
    # A net's own sums depend on the batch in the last bits, which turn signs of Adam.
    share = 0.8 if isinstance(a, CarliniWagner) else 0.95
    assert np.isclose(alone, whole[:5], atol=2e-3).mean() > share
    assert np.isclose(turned, whole, atol=2e-3).mean() > share


@pytest.mark.slow
@every
def test_standardised_input_is_not_cut(a, trained):
    _, X, y = trained
    Z = StandardScaler().fit_transform(X).astype(np.float32)
    net = nets().make_net().fit(Z, y)
    out = clone(a).set_params(eps=0.1).perturb(net, Z, y)
    assert np.abs(out.astype(float) - Z).max() <= 0.1
    assert out.min() < 0
    # With wrong bounds it says so, and moves nothing.
    with pytest.raises(ValueError, match="found input outside data_range"):
        clone(a).set_params(data_range=(0, 1)).perturb(net, Z, y)


@every
def test_float64_nets(a, trained):
    _, X, y = trained
    made = nets()
    wide = X.astype(np.float64)
    net = made.make_net(made.Linear, module__k=3, epochs=1).initialize()
    net.module_.double()
    made.torch.manual_seed(0)
    net.partial_fit(wide, y)
    y = net.predict(wide)
    out = clone(a).set_params(eps=2.0).perturb(net, wide, y)
    assert out.dtype == np.float64
    assert (net.predict(out) != y).mean() > 0.3


@pytest.mark.filterwarnings("ignore:.*to the last digit:UserWarning")
@every
def test_one_logit(a):
    made = nets()
    _, X, y = linear_problem(60)
    X, y = X.astype(np.float32), y.astype(np.float32)
    settings = {"binary": True, "module__k": 1, "module__ending": "flat"}
    net = made.make_net(criterion=made.nn.BCEWithLogitsLoss, **settings).fit(X, y)
    assert fooled(a, net, X, y).mean() > (net.predict(X) != y).mean() + 0.1


@every
def test_the_net_is_left_as_it_was(a, trained):
    net, X, y = trained
    net, torch = copy.deepcopy(net), nets().torch
    module = net.module_
    module.train()
    module.body[1].eval()  # the user froze one layer
    module.body[0].bias.requires_grad_(False)
    for parameter in module.parameters():
        parameter.grad = torch.ones_like(parameter)
    modes = [part.training for part in module.modules()]
    needs = [parameter.requires_grad for parameter in module.parameters()]
    state = copy.deepcopy(module.state_dict())
    generator, before = torch.get_rng_state(), X[:10].copy()
    clone(a).perturb(net, X[:10], y[:10])
    clone(a).run(net, X[:10], y[:10])
    assert [part.training for part in module.modules()] == modes
    assert [parameter.requires_grad for parameter in module.parameters()] == needs
    assert all(torch.equal(v, state[k]) for k, v in module.state_dict().items())
    assert all((parameter.grad == 1).all() for parameter in module.parameters())
    assert torch.equal(torch.get_rng_state(), generator)
    assert np.array_equal(X[:10], before)


@every
def test_seeded_and_global_generators_untouched(a):
    model, X, y = linear_problem(20, classes=3)
    a = clone(a).set_params(random_state=3)
    state = np.random.get_state
    before = state()
    first = a.perturb(model, X, y)
    assert np.array_equal(state()[1], before[1])
    assert state()[2:] == before[2:]
    np.random.random(5)  # noqa: NPY002
    assert np.array_equal(a.perturb(model, X, y), first)


@every
def test_compiled_nets(a, trained):
    net, X, y = trained
    compiled = copy.deepcopy(net)
    compiled.module_ = nets().torch.compile(compiled.module_, backend="eager")
    X, y = X[:16], y[:16]
    out = clone(a).perturb(compiled, X, y)
    assert np.allclose(out, clone(a).perturb(net, X, y), atol=1e-5)


@every
@pytest.mark.parametrize("shape", [(1, 4, 4), (2, 3, 3), (4, 4), (16,)])
def test_images_and_tables(a, shape):
    made = nets()
    nn = made.nn
    d = int(np.prod(shape))
    _, X, y = linear_problem(40, d=d)
    X, y = X.astype(np.float32), y.astype(np.int64)
    settings = {"epochs": 15, "module__k": 2, "module__d": d}
    net = made.make_net(made.Linear, **settings).fit(X, y)
    net.module_ = nn.Sequential(nn.Flatten(), net.module_)
    images = X.reshape(-1, *shape)
    change = {"channel_axis": 1} if type(a) is Square and len(shape) == 3 else {}
    out = clone(a).set_params(data_range=(0, 1), **change).perturb(net, images, y)
    assert out.shape == images.shape
    assert out.dtype == np.float32
    assert (net.predict(out) != y).mean() > (net.predict(images) != y).mean()


@every
def test_labels_of_every_kind(a):
    model, X, y = linear_problem(40)
    plain = clone(a).perturb(model, X, y)
    for labels in ([-1, 1], [1, 2], ["ben", "mal"], [7, 3]):
        renamed = clone(model)
        renamed.fit(X, np.array(labels)[y])
        if labels[0] == 7:  # classes_ are sorted, so that the sign turns
            assert (renamed.predict(clone(a).perturb(renamed, X)) != 0).all()
            continue
        out = clone(a).perturb(renamed, X, np.array(labels)[y])
        assert np.allclose(out, plain, atol=1e-8), labels
        assert (renamed.predict(out) == np.array(labels)[y]).mean() < 0.9


@pytest.mark.parametrize("a", NEAREST, ids=named)
@pytest.mark.parametrize("C", [1.0, 1e6])
def test_saturated_linear_model_in_closed_form(a, C):
    # Elsewhere DeepFool was six times too long where probabilities are 0 or 1.
    _, X, y = linear_problem()
    model = LogisticRegression(C=C, max_iter=9999).fit(X, y)
    dual = {np.inf: 1, 2: 2, 1: np.inf}[a.norm]
    y = model.predict(X)
    exact = np.abs(model.decision_function(X)) / np.linalg.norm(model.coef_, dual, 1)
    found = clone(a).minimal_norms(model, X, y)
    assert (found >= exact * (1 - 1e-9)).all()
    assert (found <= exact * 1.05).all()


@pytest.mark.parametrize("a", GRADIENT, ids=named)
def test_a_scaler_is_folded_once(a):
    # Elsewhere 30 % of the rows went the wrong way; the closed form is in raw units.
    _, X, y = linear_problem()
    X = X * [1, 100, 0.01, 5, 1, 30] + 7
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
    weight = model[-1].coef_[0] / model[0].scale_
    sign = np.where(y == 1, -1, 1)[:, None]
    best = model.decision_function(X + 0.01 * sign * np.sign(weight))
    change = {"random_start": False} if type(a) is PGD else {}
    a = clone(a).set_params(eps=0.01, objective="loss", **change)
    found = model.decision_function(a.perturb(model, X, y))
    assert np.allclose(found, best, rtol=1e-6, atol=1e-6 * np.abs(best).max())


@pytest.mark.parametrize("a", [*GRADIENT, *NEAREST, ENSEMBLE], ids=named)
def test_zero_gradients_are_told(a, trained):
    _, X, y = trained
    flat = nets().make_net(nets().Flat, epochs=1).fit(X, y)
    assert any("zero gradients" in line for line in clone(a).run(flat, X, y).warnings)


def test_a_start_is_found_or_its_lack_is_told():
    X = np.random.default_rng(0).uniform(0.4, 0.6, size=(30, 5))
    y = np.r_[np.zeros(29, int), 1]
    X[-1] = 5.0  # the box of the data is all of one class
    model = LogisticRegression(C=1e6).fit(X, y)
    lost = HopSkipJump(norm=2, data_range=(0, 1), random_state=0)
    result = lost.run(model, X[:5], y[:5])
    assert not result.success.any()
    assert any("no fooling point" in line for line in result.warnings)
    found = HopSkipJump(norm=2, starts=X, n_steps=2, random_state=0).run(
        model, X[:5], y[:5]
    )
    assert found.success.all()


@pytest.mark.parametrize("model", [RandomForestClassifier, GradientBoostingClassifier])
def test_differences_of_trees_are_not_zero(model):
    _, X, y = linear_problem()
    model = model(random_state=0, n_estimators=20).fit(X, y)
    out = ZOO(0.3, random_state=0).perturb(model, X, y)
    assert (model.predict(out) != y).mean() > 0.3


@pytest.mark.parametrize("shape", [(1, 1), (2, 2), (4, 4), (1, 5, 6), (30,), (1,)])
def test_squares_of_small_images(shape):
    d = int(np.prod(shape))
    _, X, y = linear_problem(60, d=d)

    class Flattened(LogisticRegression):
        def decision_function(self, X):
            return super().decision_function(X.reshape(len(X), -1))

        def predict(self, X):
            return super().predict(X.reshape(len(X), -1))

    model = Flattened(C=100).fit(X, y)
    images = X.reshape(-1, *shape)
    a = Square(0.3, n_steps=60, data_range=(0, 1), random_state=0)
    out = a.perturb(model, images, y)
    assert out.shape == images.shape
    assert (model.predict(out) != y).mean() > (model.predict(images) != y).mean()


@pytest.mark.parametrize("a", NEAREST, ids=named)
@pytest.mark.parametrize("factor", [1e-3, 1.0, 1e4])
def test_units_of_the_input_do_not_matter(a, factor):
    _, X, y = linear_problem(40, classes=3)
    model = LogisticRegression(C=100 / factor**2, max_iter=9999)
    model.fit(X, y)
    model.coef_ = model.coef_ / factor
    norms = clone(a).minimal_norms(model, X * factor)
    plain = LogisticRegression().fit(X, y)
    plain.coef_, plain.intercept_ = model.coef_ * factor, model.intercept_
    assert np.isfinite(norms).all()
    assert np.allclose(norms / factor, clone(a).minimal_norms(plain, X), rtol=0.05)
