"""Models that the guide page on wrapping takes as given."""

import json
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

# A block with such a word runs where the library is installed.
OPTIONAL = {".onnx": "onnxruntime", ".tflite": "ai_edge_litert"}


def is_left_out(block):
    return any(
        word in block and find_spec(module) is None for word, module in OPTIONAL.items()
    )


def of_wrapped(known):
    import torch

    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 4)).astype(np.float32)
    code = X[:, :3].argmax(axis=1)
    animals = np.array(["cat", "dog", "fox"])[code]
    bare = LogisticRegression().fit(X, code)
    photos = rng.integers(0, 256, size=(6, 8, 8, 3)).astype(np.uint8)
    flat = make_pipeline(StandardScaler(), LogisticRegression())
    torch.manual_seed(0)
    layer = torch.nn.Linear(4, 3)
    with torch.no_grad():
        layer.weight.copy_(torch.as_tensor(bare.coef_))
        layer.bias.copy_(torch.as_tensor(bare.intercept_))
    write_models(bare)
    return {
        "X": X, "animals": animals, "photos": photos,
        "module": layer,
        "image_module": torch.nn.Sequential(
            torch.nn.Conv2d(3, 2, 3), torch.nn.Flatten(), torch.nn.Linear(72, 2)
        ),
        "price_module": torch.nn.Linear(4, 1),
        "predict_proba": bare.predict_proba,
        "predict": lambda rows: np.array(["cat", "dog", "fox"])[bare.predict(rows)],
        "sentiment": sentiment,
        "reviews": ["a good film", "a bad film", "so good", "bad"],
        "verdicts": np.array([1, 0, 1, 0]),
        "flat_pipeline": flat.fit(photos.reshape(6, -1), np.arange(6) % 2),
    }  # fmt: skip


def write_models(bare):
    if find_spec("ai_edge_litert") is not None:
        from tflite_model import dense_softmax

        made = dense_softmax(bare.coef_, bare.intercept_)
        Path("model.tflite").write_bytes(made)
    if find_spec("onnxruntime") is not None and find_spec("onnx") is not None:
        from onnx_model import dense

        Path("model.onnx").write_bytes(dense(bare.coef_, bare.intercept_))


def sentiment(texts):
    """Answer as a pipeline of transformers does."""
    p = [0.9 if "good" in text else 0.2 for text in texts]
    return [
        {"label": "POSITIVE", "score": s} if s > 0.5
        else {"label": "NEGATIVE", "score": 1 - s}
        for s in p
    ]  # fmt: skip


def send(endpoint, body):
    """Answer in place of a server: rows far to the right are foxes."""
    rows = np.array(json.loads(body)["instances"])
    p = np.exp(rows[:, :3])
    return {"predictions": (p / p.sum(axis=1, keepdims=True)).tolist()}
