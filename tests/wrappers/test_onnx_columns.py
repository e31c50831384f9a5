"""ONNX models with an input for each column, and with inputs of text."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.special import softmax

import skrobust

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    onnxruntime = pytest.importorskip("onnxruntime", reason="needs onnxruntime")
    onnx = pytest.importorskip("onnx", reason="needs onnx")

helper, KIND = onnx.helper, onnx.TensorProto
FRAME = pd.DataFrame({"b": [0.5, 1.0, -2.0], "a": [3, -1, 0], "other": [9, 9, 9]})


def session(nodes, inputs, output):
    graph = helper.make_graph(
        nodes,
        "columns",
        [helper.make_tensor_value_info(*one) for one in inputs],
        [helper.make_tensor_value_info(*output)],
    )
    sets = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 3)]
    made = helper.make_model(graph, opset_imports=sets, ir_version=9)
    return onnxruntime.InferenceSession(
        made.SerializeToString(), providers=["CPUExecutionProvider"]
    )


def columns():
    """Return softmax(a, b), of an integer a and a real b."""
    return session(
        [
            helper.make_node("Cast", ["a"], ["c"], to=KIND.FLOAT),
            helper.make_node("Concat", ["c", "b"], ["z"], axis=1),
            helper.make_node("Softmax", ["z"], ["p"], axis=1),
        ],
        [("a", KIND.INT64, ["n", 1]), ("b", KIND.FLOAT, ["n", 1])],
        ("p", KIND.FLOAT, ["n", 2]),
    )


def test_inputs_are_columns_of_their_names_in_any_order():
    model = skrobust.wrap(columns(), classes=["u", "v"], sample=FRAME)
    wanted = softmax(FRAME[["a", "b"]].to_numpy(float), axis=1)
    np.testing.assert_allclose(model.predict_proba(FRAME), wanted, atol=1e-6)
    assert model.predict(FRAME).tolist() == ["u", "v", "u"]


def test_a_column_that_is_missing_is_named():
    with pytest.raises(ValueError, match=r"\['a', 'b'\]; there is no column 'b'"):
        skrobust.wrap(columns(), classes=["u", "v"], sample=FRAME[["a"]])


@pytest.mark.parametrize("shape", [["n"], ["n", 1]], ids=["flat", "column"])
def test_texts_are_rows_or_a_column(shape):
    encoder = helper.make_node(
        "LabelEncoder", ["x"], ["y"], domain="ai.onnx.ml",
        keys_strings=["good", "bad"], values_floats=[1.5, -2.5], default_float=0.0,
    )  # fmt: skip
    made = session([encoder], [("x", KIND.STRING, shape)], ("y", KIND.FLOAT, shape))
    texts = np.array(["bad", "good", "odd"])
    model = skrobust.wrap(made, response="values", sample=texts)
    assert model.predict(texts).tolist() == [-2.5, 1.5, 0.0]
