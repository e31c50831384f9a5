"""TensorFlow Lite models in ai-edge-litert, wrapped."""

import pickle

import numpy as np
import pytest
from scipy.special import softmax

import skrobust
from skrobust.attacks import Square
from skrobust.evaluation import evaluate_attack

litert = pytest.importorskip(
    "ai_edge_litert.interpreter", reason="needs ai-edge-litert"
)
from tflite_model import dense_softmax, quantised_softmax  # noqa: E402

RNG = np.random.default_rng(0)
X, WEIGHTS, BIAS = RNG.normal(size=(9, 4)), RNG.normal(size=(3, 4)), RNG.normal(size=3)
P = softmax(X @ WEIGHTS.T + BIAS, axis=1)


@pytest.mark.parametrize("batch", [-1, 2], ids=["any", "fixed"])
def test_the_answers_are_those_of_the_model(batch):
    blob = dense_softmax(WEIGHTS, BIAS, batch=batch)
    model = skrobust.wrap(litert.Interpreter(model_content=blob), classes=list("cab"))
    order = np.argsort(list("cab"))
    np.testing.assert_allclose(model.predict_proba(X), P[:, order], atol=1e-5)
    found = model.capabilities_
    assert (found.kind, found.answers) == ("tflite model", "probabilities")
    assert (found.input_shape, found.dtype) == ((4,), "float32")
    np.testing.assert_allclose(model.predict_proba(X[:1]), P[:1, order], atol=1e-5)


def test_quantised_numbers_are_converted():
    blob = quantised_softmax(3, scale=0.05, zero=-3)
    model = skrobust.wrap(litert.Interpreter(model_content=blob))
    rows = X[:, :3]
    # The input is rounded to multiples of 0.05, the output to those of 1 / 256.
    wanted = softmax(0.05 * np.rint(rows / 0.05), axis=1)
    np.testing.assert_allclose(model.predict_proba(rows), wanted, atol=2 / 256)


def test_attacks_query_it_and_a_path_pickles(tmp_path):
    path = tmp_path / "model.tflite"
    path.write_bytes(dense_softmax(WEIGHTS, BIAS))
    model = skrobust.wrap(str(path))
    y = P.argmax(axis=1)
    attack = Square(1.0, max_queries=30, random_state=0)
    assert evaluate_attack(model, X, y, attack).robust_accuracy < 1
    made = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(made.predict(X), y)
    bare = skrobust.wrap(litert.Interpreter(model_path=str(path)))
    with pytest.raises(TypeError, match="Wrap the path of its file"):
        pickle.dumps(bare)
