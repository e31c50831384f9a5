"""ONNX models in onnxruntime, wrapped."""

import pickle
import warnings

import joblib
import numpy as np
import pytest
from scipy.special import softmax
from sklearn.base import clone, is_regressor
from sklearn.datasets import load_iris
from sklearn.linear_model import LinearRegression, LogisticRegression

import skrobust
from skrobust.attacks import HopSkipJump, Square
from skrobust.evaluation import evaluate_attack

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    onnxruntime = pytest.importorskip("onnxruntime", reason="needs onnxruntime")
    onnx = pytest.importorskip("onnx", reason="needs onnx")

from onnx_model import dense

X, Y = load_iris(return_X_y=True)
X = X.astype(np.float32)
NAMES = np.array(["setosa", "versicolor", "virginica"])
MODEL = LogisticRegression(max_iter=1000).fit(X, Y)


def session(blob):
    return onnxruntime.InferenceSession(blob, providers=["CPUExecutionProvider"])


@pytest.mark.parametrize("batch", ["n", 7], ids=["any", "fixed"])
@pytest.mark.parametrize("ends_in_softmax", [True, False], ids=["softmax", "logits"])
def test_the_answers_are_those_of_the_model(ends_in_softmax, batch):
    blob = dense(
        MODEL.coef_, MODEL.intercept_, ends_in_softmax=ends_in_softmax, batch=batch
    )
    model = skrobust.wrap(session(blob), classes=NAMES)
    found = model.capabilities_
    assert found.answers == ("probabilities" if ends_in_softmax else "logits")
    assert (found.input_shape, found.dtype) == ((4,), "float32")
    # 150 rows are no multiple of 7; rows of float64 are converted.
    p = clone(model).predict_proba(X.astype(float))
    np.testing.assert_allclose(p, MODEL.predict_proba(X), atol=1e-5)
    assert model.score(X, NAMES[Y]) == MODEL.score(X, Y)


def test_double_precision():
    blob = dense(MODEL.coef_, MODEL.intercept_, kind=onnx.TensorProto.DOUBLE)
    model = skrobust.wrap(session(blob))
    logits = X.astype(float) @ MODEL.coef_.T.astype(float) + MODEL.intercept_
    np.testing.assert_allclose(model.predict_proba(X), softmax(logits, axis=1))


def test_attacks_query_it():
    model = skrobust.wrap(session(dense(MODEL.coef_, MODEL.intercept_)))
    rows, y = X[::10].astype(float), Y[::10]
    for attack in (
        Square(0.5, max_queries=40, random_state=0),
        HopSkipJump(1.0, norm=2, max_queries=100, random_state=0),
    ):
        results = evaluate_attack(model, rows, y, attack)
        assert results.robust_accuracy < results.clean_accuracy


def test_a_path_pickles_and_a_session_says_so(tmp_path):
    path = tmp_path / "model.onnx"
    path.write_bytes(dense(MODEL.coef_, MODEL.intercept_))
    model = skrobust.wrap(path)
    made = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(made.predict(X), model.predict(X))
    with pytest.raises(TypeError, match=r"Wrap the path of its file"):
        pickle.dumps(skrobust.wrap(session(path.read_bytes())))
    with pytest.raises(FileNotFoundError, match="found no file"):
        skrobust.wrap(str(tmp_path / "none.onnx"))


def test_images_with_channels_first():
    helper, real = onnx.helper, onnx.TensorProto.FLOAT
    graph = helper.make_graph(
        [helper.make_node("ReduceMean", ["x"], ["z"], axes=[2, 3], keepdims=0)],
        "colours",
        [helper.make_tensor_value_info("x", real, ["n", 3, 4, 5])],
        [helper.make_tensor_value_info("z", real, ["n", 3])],
    )
    blob = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9
    ).SerializeToString()
    model = skrobust.wrap(session(blob), classes=["red", "green", "blue"])
    assert model.capabilities_.layout == "NCHW"
    images = np.zeros((3, 4, 5, 3))
    images[np.arange(3), :, :, np.arange(3)] = 1
    assert model.predict(images).tolist() == ["red", "green", "blue"]
    first = images.transpose(0, 3, 1, 2)
    assert model.predict(first).tolist() == ["red", "green", "blue"]


@pytest.fixture(scope="module")
def converted():
    """Return a function that converts an estimator, and makes a session."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        skl2onnx = pytest.importorskip("skl2onnx", reason="needs skl2onnx")

    def convert(model, **options):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made = skl2onnx.to_onnx(model, X[:1], options=options or None)
        return session(made.SerializeToString())

    return convert


def test_a_converted_classifier_has_its_names(converted):
    bare = LogisticRegression(max_iter=1000).fit(X, NAMES[Y])
    model = skrobust.wrap(converted(bare))  # answers with dictionaries
    assert model.classes_.tolist() == NAMES.tolist()
    np.testing.assert_array_equal(model.predict(X), bare.predict(X))
    renamed = skrobust.wrap(converted(MODEL), classes=["x", "y", "z"])
    assert renamed.predict(X[::50]).tolist() == ["x", "y", "z"]
    columns = converted(bare, zipmap=False)
    with pytest.raises(ValueError, match=r"labels .* which are not 0, 1"):
        skrobust.wrap(columns)
    model = skrobust.wrap(columns, classes=NAMES)
    np.testing.assert_allclose(model.predict_proba(X), bare.predict_proba(X), atol=1e-5)


def test_outputs_can_be_picked(converted):
    columns = converted(MODEL, zipmap=False)
    model = skrobust.wrap(columns, output=0, classes=[0, 1, 2])
    assert model.capabilities_.answers == "labels"
    np.testing.assert_array_equal(model.predict(X), MODEL.predict(X))
    with pytest.raises(ValueError, match="'output' parameter of skrobust"):
        skrobust.wrap(columns, output="nothing")


def test_a_converted_regressor(converted):
    bare = LinearRegression().fit(X, Y)
    with pytest.raises(ValueError, match="a logit or a value"):
        skrobust.wrap(converted(bare))
    model = skrobust.wrap(converted(bare), response="values")
    assert is_regressor(model)
    np.testing.assert_allclose(model.predict(X), bare.predict(X), atol=1e-4)


def test_a_checkpoint_knows_the_file(tmp_path):
    path = tmp_path / "model.onnx"
    path.write_bytes(dense(MODEL.coef_, MODEL.intercept_))
    model = skrobust.wrap(path)
    first = joblib.hash(model)
    assert joblib.hash(skrobust.wrap(path)) == first
    model.predict(X)
    assert joblib.hash(model) == first
    path.write_bytes(dense(2 * MODEL.coef_, MODEL.intercept_))
    assert joblib.hash(skrobust.wrap(path)) != first
