"""The Python blocks of the README and of the quick start run as they stand."""

import re
import textwrap
from pathlib import Path

import joblib
import numpy as np
import pytest
from sklearn import datasets

for needed in ("matplotlib", "pandas", "PIL", "skorch", "jinja2"):
    pytest.importorskip(needed)

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


def write_faces(folder):
    from PIL import Image

    rng = np.random.default_rng(0)
    for label in ("real", "fake"):
        (folder / "faces" / label).mkdir(parents=True)
        for clip in ("a", "b"):
            pixels = rng.integers(0, 256, (64, 64, 3), dtype=np.uint8)
            Image.fromarray(pixels).save(folder / "faces" / label / f"{clip}_1.png")


@pytest.mark.torch
@pytest.mark.filterwarnings("ignore:normalized_accuracy_score was")  # of so few rows
@pytest.mark.parametrize("name", ["README.md", "doc/quick_start.rst"])
def test_blocks_run(name, tmp_path, monkeypatch):
    import matplotlib
    import matplotlib.pyplot as plt

    matplotlib.use("Agg", force=True)
    write_faces(tmp_path)
    monkeypatch.chdir(tmp_path)
    known = names_in_use()
    X, y = known["X"], known["y"]
    assert len(blocks(name)) >= 4
    # The whole data set, and processes, would only take time.
    monkeypatch.setattr(datasets, "load_digits", lambda **_: (16 * X[:90], y[:90]))
    with joblib.parallel_config("threading"):
        for block in blocks(name):
            exec(compile(block, name, "exec"), known)
    plt.close("all")
    if name == "README.md":
        assert round(known["accuracy_stability_index"]([0.9, 0.8, 0.7]), 4) == 0.7737
        assert known["batch"].shape == (4, 64, 64, 3)
        assert (tmp_path / "report.html").exists()


def test_the_readme_shows_files_that_are_there():
    text = (ROOT / "README.md").read_text()
    shown = re.findall(r"\]\((?!http)([^)#\s]+)\)", text)
    assert shown
    for path in shown:
        assert (ROOT / path).is_file(), path
    assert (ROOT / "doc/images/overview.png").stat().st_size < 150_000
