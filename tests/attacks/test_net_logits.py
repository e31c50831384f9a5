"""Black-box attacks ask nets for logits, whose scale says nothing about labels."""

import copy

import numpy as np
import pytest
from problems import linear_problem
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

torch = pytest.importorskip("torch")
pytest.importorskip("skorch")

from nets_for_tests import NeuralNetClassifier, make_net  # noqa: E402
from scipy.special import softmax  # noqa: E402
from torch import nn  # noqa: E402

from skrobust.attacks import RandomSearch, Square  # noqa: E402
from skrobust.attacks.core.net_logits import NetLogits  # noqa: E402
from skrobust.nets import ToNetInput  # noqa: E402

EVERY = [
    Square(0.2, n_steps=60, random_state=0),
    RandomSearch(0.2, n_steps=4, n_candidates=20, random_state=0),
]
of_class = {"ids": lambda attack: type(attack).__name__}


@pytest.fixture(scope="module")
def trained():
    _, X, y = linear_problem(40, classes=3)
    X, y = X.astype(np.float32), y.astype(np.int64)
    return make_net().fit(X, y), X, y


class Constant(nn.Module):
    """The same outputs for every row."""

    def __init__(self, *values):
        super().__init__()
        self.values = nn.Parameter(torch.tensor(values))

    def forward(self, x):
        return self.values.expand(len(x), -1).clone()


def constant(*values, **settings):
    net = make_net(**settings).initialize()
    net.module_ = Constant(*values)
    return net


@pytest.mark.parametrize("attack", EVERY, **of_class)
def test_the_scale_of_the_logits_says_nothing(attack, trained):
    # A power of two scales them exactly. Probabilities are then 0 and 1.
    net, X, y = trained
    plain = attack.run(net, X, y)
    net = copy.deepcopy(net)
    net.module_.scale = 2.0**12
    assert (net.predict_proba(X).max(axis=1) == 1).mean() > 0.9
    steep = attack.run(net, X, y)
    assert np.array_equal(steep.X_adv, plain.X_adv)
    assert np.array_equal(steep.queries, plain.queries)
    assert not steep.warnings
    assert plain.success.mean() > (net.predict(X) != y).mean() + 0.2


@pytest.mark.parametrize("attack", EVERY, **of_class)
def test_every_row_that_the_net_sees_is_counted(attack, trained):
    net, X, y = copy.deepcopy(trained)
    model, seen = make_pipeline(StandardScaler().fit(X), net), []
    net.module_.register_forward_hook(lambda module, x, out: seen.append(len(out)))
    result = attack.run(model, X, y)
    n_checks = 2 * len(X)  # what the result says is predicted before and afterwards
    assert 0 <= sum(seen) - result.queries.sum() <= n_checks
    assert max(seen) <= net.batch_size


@pytest.mark.parametrize("attack", EVERY, **of_class)
def test_batches_change_no_verdict(attack, trained):
    net, X, y = trained
    whole = attack.run(net, X, y)
    parts = copy.deepcopy(attack).set_params(batch_size=7).run(net, X, y)
    assert np.array_equal(whole.success, parts.success)
    turned = attack.run(net, X[::-1], y[::-1])
    assert np.array_equal(whole.success, turned.success[::-1])


def test_logits_are_those_behind_the_prediction(trained):
    net, X, y = trained
    models = [(net, X)]
    for first in (ToNetInput(), StandardScaler()):
        model = make_pipeline(first, ToNetInput(), make_net())
        models.append((model.fit(X.astype(float), y), X.astype(float)))
    for model, rows in models:
        logits = NetLogits.of(model, "it")(rows)
        assert np.allclose(softmax(logits, axis=1), model.predict_proba(rows))
        assert np.array_equal(logits.argmax(axis=1), model.predict(rows))
        assert logits.dtype == np.float64


def test_equal_probabilities_are_equal_logits(trained):
    _, X, _ = trained
    close = np.nextafter(np.float32(0.1), np.float32(1))
    net = constant(0.1, float(close), -1.0)
    assert (net.predict(X) == 0).all()  # the larger logit is lost in the softmax
    logits = NetLogits.of(net, "it")(X)
    assert (logits.argmax(axis=1) == 0).all()
    assert (logits[:, 0] == logits[:, 1]).all()


def test_labels_of_one_logit(trained):
    _, X, _ = trained
    for value, label in [(1e-9, 0), (0.0, 0), (-1e-9, 0), (1e-3, 1), (200.0, 1)]:
        net = constant(value, binary=True, criterion=nn.BCEWithLogitsLoss)
        assert (net.predict(X) == label).all()
        logits = NetLogits.of(net, "it")(X)
        assert (logits.argmax(axis=1) == label).all()


def test_a_class_that_is_masked_has_a_finite_margin(trained):
    _, X, _ = trained
    logits = NetLogits.of(constant(1.0, 2.0, -np.inf), "it")(X)
    assert np.isfinite(logits).all()
    assert (logits.argmax(axis=1) == 1).all()


class Own(NeuralNetClassifier):
    """Probabilities of its own."""

    n_asked = 0

    def predict_proba(self, X):
        self.n_asked += 1
        return super().predict_proba(X)[:, ::-1]


def test_a_way_of_its_own_is_respected(trained):
    net, X, y = trained
    own = Own(net.module, criterion=nn.CrossEntropyLoss).initialize()
    own.module_ = net.module_
    wrapped = copy.deepcopy(net)
    wrapped.predict_proba = own.predict_proba
    others = [
        constant(0.2, 0.8, criterion=nn.NLLLoss),  # no logits
        constant(0.2, binary=True, criterion=nn.BCEWithLogitsLoss, threshold=0.6),
        constant(0.2, 0.8, predict_nonlinearity=None),
        constant(0.2, 0.8, iterator_valid__collate_fn=list),
    ]
    for other in [own, wrapped, *others]:
        assert NetLogits.of(other, "it") is None
    before = own.n_asked
    Square(0.2, n_steps=5, random_state=0).run(own, X, y)
    assert own.n_asked > before + 5


def test_what_the_view_refuses_is_asked_itself(trained):
    # Outputs that are no logits of one label, behind a net that says they are.
    _, X, _ = trained
    net = constant(0.2, 0.8, 0.0)
    net.module_.register_forward_hook(lambda module, x, out: list(out))
    assert NetLogits.of(net, "it") is not None
    with pytest.raises(ValueError, match="needs a net that returns a tensor"):
        NetLogits.of(net, "it")(X)
    with pytest.raises(ValueError, match="float64 rows for a net of torch"):
        NetLogits.of(constant(0.2, 0.8), "it")(X.astype(float))


def test_what_cannot_be_asked_for_logits_is_asked_as_before(trained):
    net, X, y = trained
    model = make_pipeline(FunctionTransformer(torch.as_tensor), net)
    attack = Square(0.2, n_steps=20, random_state=0)
    found = attack.run(model, X, y)
    expected = attack.set_params(response="predict_proba").run(model, X, y)
    assert np.array_equal(found.X_adv, expected.X_adv)
    assert np.array_equal(found.queries, expected.queries)


def test_an_explicit_response_is_what_is_asked(trained):
    net, X, y = copy.deepcopy(trained)
    net.module_.scale = 2.0**12
    attack = Square(0.2, n_steps=5, response="predict_proba", random_state=0)
    with pytest.warns(UserWarning, match="0 and 1 to the last digit"):
        attack.perturb(net, X, y)
