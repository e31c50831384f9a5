"""What is read of a pool is what was written, in however many files and batches."""

import tempfile
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_cases import fewer, seeds
from sklearn.datasets import load_iris
from sklearn.neural_network import MLPClassifier

from skrobust.sampling import extract_activations, read_pool


@fewer
@given(seeds, st.lists(st.integers(0, 9), min_size=1, max_size=3))
def test_a_pool_in_any_number_of_files(seed, cuts):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    rng = np.random.default_rng(seed)
    n = 10 + sum(cuts)
    columns = {
        "confidence": rng.integers(0, 65, n) / 64,
        "answer": rng.choice(["no", "yes"], n),
        "price": rng.integers(1, 9, n),
        "age": rng.normal(size=n),
    }
    names = {"y_pred": "answer", "costs": "price", "features": ["price", "age"]}
    with tempfile.TemporaryDirectory() as folder:
        bounds = np.cumsum([0, *cuts, 10])
        for k, (start, stop) in enumerate(pairwise(bounds)):
            part = {name: values[start:stop] for name, values in columns.items()}
            parquet.write_table(pyarrow.table(part), Path(folder) / f"{k}.parquet")
        found = read_pool(folder, confidence="confidence", **names)
        scores = read_pool(folder, scores="confidence")
    assert found["X"].tolist() == (1 - columns["confidence"]).tolist()
    assert scores["X"].tolist() == columns["confidence"].tolist()
    assert list(scores) == ["X"]
    assert found["y_pred"].tolist() == columns["answer"].tolist()
    assert found["costs"].tolist() == columns["price"].tolist()
    assert found["features"][:, 1].tolist() == columns["age"].tolist()


@cache
def trained():
    X, y = load_iris(return_X_y=True)
    model = MLPClassifier((5, 4), max_iter=3, random_state=0)
    with pytest.warns(UserWarning, match="Maximum iterations"):
        return model.fit(X, y), X


@fewer
@given(seeds, st.integers(1, 40))
def test_activations_go_with_their_rows(seed, batch_size):
    model, X = trained()
    rows = np.random.default_rng(seed).integers(0, len(X), 40)
    for layer, size in ((0, 5), (1, 4), (None, 4)):
        whole = extract_activations(model, X, layer=layer)
        assert whole.shape == (len(X), size)
        part = extract_activations(model, X[rows], layer=layer, batch_size=batch_size)
        np.testing.assert_allclose(part, whole[rows], atol=1e-12)
