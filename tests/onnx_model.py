"""Small ONNX models, written layer by layer."""

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="needs onnx")


def dense(weights, bias, *, ends_in_softmax=True, batch="n", kind=None):
    """Return the bytes of softmax(x @ weights.T + bias)."""
    helper = onnx.helper
    real = onnx.TensorProto.FLOAT if kind is None else kind
    dtype = helper.tensor_dtype_to_np_dtype(real)
    constants = [
        onnx.numpy_helper.from_array(np.asarray(a, dtype=dtype), name)
        for a, name in ((weights, "w"), (bias, "b"))
    ]
    nodes = [helper.make_node("Gemm", ["x", "w", "b"], ["z"], transB=1)]
    if ends_in_softmax:
        nodes.append(helper.make_node("Softmax", ["z"], ["p"], axis=1))
    out = "p" if ends_in_softmax else "z"
    k, d = np.shape(weights)
    graph = helper.make_graph(
        nodes, "dense",
        [helper.make_tensor_value_info("x", real, [batch, d])],
        [helper.make_tensor_value_info(out, real, [batch, k])],
        constants,
    )  # fmt: skip
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9
    )
    onnx.checker.check_model(model)
    return model.SerializeToString()
