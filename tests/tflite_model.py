"""Small tflite models, written without TensorFlow."""

import numpy as np
import pytest

flatbuffers = pytest.importorskip("flatbuffers", reason="needs flatbuffers")
schema = pytest.importorskip(
    "ai_edge_litert.schema_py_generated", reason="needs ai-edge-litert"
)


def _tensor(name, shape, buffer, kind, signature=None, quantization=None):
    tensor = schema.TensorT()
    tensor.name, tensor.shape, tensor.buffer = name, list(shape), buffer
    tensor.type, tensor.shapeSignature = kind, signature
    if quantization is not None:
        params = schema.QuantizationParametersT()
        params.scale, params.zeroPoint = [quantization[0]], [quantization[1]]
        tensor.quantization = params
    return tensor


def _operator(place, inputs, outputs, kind, options):
    operator = schema.OperatorT()
    operator.opcodeIndex, operator.inputs, operator.outputs = place, inputs, outputs
    operator.builtinOptionsType, operator.builtinOptions = kind, options
    return operator


def _code(builtin, version=1):
    code = schema.OperatorCodeT()
    code.builtinCode = code.deprecatedBuiltinCode = builtin
    code.version = version
    return code


def _buffer(values=None):
    buffer = schema.BufferT()
    if values is not None:
        data = np.ascontiguousarray(values).tobytes()
        buffer.data = np.frombuffer(data, dtype=np.uint8)
    return buffer


def _packed(tensors, buffers, operators, codes, output):
    graph = schema.SubGraphT()
    graph.tensors, graph.operators = tensors, operators
    graph.inputs, graph.outputs = [0], [output]
    model = schema.ModelT()
    model.version, model.subgraphs = 3, [graph]
    model.buffers, model.operatorCodes = buffers, codes
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), file_identifier=b"TFL3")
    return bytes(builder.Output())


def dense_softmax(weights, bias, *, batch=-1):
    """Return a model softmax(x @ weights.T + bias) of float32."""
    k, d = weights.shape
    n, real = max(batch, 1), schema.TensorType.FLOAT32
    tensors = [
        _tensor("x", (n, d), 0, real, [batch, d]),
        _tensor("weights", (k, d), 1, real),
        _tensor("bias", (k,), 2, real),
        _tensor("logits", (n, k), 0, real, [batch, k]),
        _tensor("p", (n, k), 0, real, [batch, k]),
    ]
    floats = [np.asarray(a, dtype=np.float32) for a in (weights, bias)]
    buffers = [_buffer(), *map(_buffer, floats)]
    softmax = schema.SoftmaxOptionsT()
    softmax.beta = 1.0
    builtin, options = schema.BuiltinOperator, schema.BuiltinOptions
    operators = [
        _operator(
            0, [0, 1, 2], [3], options.FullyConnectedOptions,
            schema.FullyConnectedOptionsT(),
        ),
        _operator(1, [3], [4], options.SoftmaxOptions, softmax),
    ]  # fmt: skip
    codes = [_code(builtin.FULLY_CONNECTED), _code(builtin.SOFTMAX)]
    return _packed(tensors, buffers, operators, codes, 4)


def quantised_softmax(d, *, scale, zero):
    """Return a model softmax(x) of int8 numbers (q - zero) * scale."""
    whole = schema.TensorType.INT8
    tensors = [
        _tensor("x", (1, d), 0, whole, [-1, d], (scale, zero)),
        _tensor("p", (1, d), 0, whole, [-1, d], (1 / 256, -128)),
    ]
    softmax = schema.SoftmaxOptionsT()
    softmax.beta = 1.0
    kind = schema.BuiltinOptions.SoftmaxOptions
    operators = [_operator(0, [0], [1], kind, softmax)]
    codes = [_code(schema.BuiltinOperator.SOFTMAX, 2)]
    return _packed(tensors, [_buffer()], operators, codes, 1)
