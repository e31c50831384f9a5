"""The Python blocks of the documentation, and what they take as given."""

import importlib
import re
import textwrap
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
FENCED = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
DIRECTIVE = re.compile(
    r"^\.\. code-block:: python\n\n((?:(?:   .*)?\n)+)", re.MULTILINE
)


def blocks(name):
    text = (ROOT / name).read_text() + "\n"
    found = (FENCED if name.endswith(".md") else DIRECTIVE).finditer(text)
    return [
        ("\n" * text[: one.start(1)].count("\n")) + textwrap.dedent(one.group(1))
        for one in found
    ]


def fix(patch, name, **fixed):
    """Give some parameters of a public function or class, whatever a caller gives."""
    module, function = name.rsplit(".", 1)
    plain = getattr(importlib.import_module(module), function)
    patch.setattr(name, lambda *args, **given: plain(*args, **{**given, **fixed}))


def names_in_use():
    """Return what the two texts take as given: models, rows, images, answers."""
    import pandas as pd
    import torch
    from sklearn.compose import make_column_transformer
    from sklearn.datasets import load_digits
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder
    from skorch import NeuralNetClassifier

    torch.manual_seed(0)
    X, y = load_digits(n_class=3, return_X_y=True)
    X, y = (X / 16).astype(np.float32), y.astype(np.int64)
    X_train, y_train, X_test, y_test = X[:240], y[:240], X[240:270], y[240:270]

    class Straight(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(64, 10)

        def forward(self, x):
            return self.layer(x)

    net = NeuralNetClassifier(
        Straight, criterion=torch.nn.CrossEntropyLoss, max_epochs=3, lr=0.5, verbose=0
    )
    encode = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), ["site"]), remainder="passthrough"
    )
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"size": rng.normal(size=60), "age": rng.normal(size=60)})
    frame["site"] = pd.Categorical(np.array(["north", "south"])[rng.integers(0, 2, 60)])
    return {
        "LogisticRegression": LogisticRegression,
        "MyModule": Straight,
        "TfidfVectorizer": TfidfVectorizer,
        "X": X_train[:90], "y": y_train[:90],
        "X_train": X_train, "X_test": X_test, "y_test": y_test,
        "X_operational": X,
        "documents": ["a good film", "a bad film", "good", "so bad", "nice"] * 6,
        "forest": RandomForestClassifier(5, random_state=0).fit(X_train, y_train),
        "frame": frame,
        "frame_model": make_pipeline(encode, LogisticRegression()),
        "images": X_test.reshape(-1, 8, 8),
        "labels": np.array([1, 0, 1, 0, 1] * 6),
        "make_pipeline": make_pipeline,
        "model": LogisticRegression(max_iter=999).fit(X_train, y_train),
        "net": net.fit(X_train, y_train),
        "target": (frame["size"] > 0).astype(int),
        "y_of": lambda ids: y[ids],
    }  # fmt: skip
