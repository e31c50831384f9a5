"""The Python blocks of the user guide run as they stand."""

import importlib
import io
import tarfile
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.neighbors import KNeighborsTransformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

for needed in ("matplotlib", "pandas", "skorch", "jinja2", "imblearn"):
    pytest.importorskip(needed)

import imblearn.pipeline  # noqa: E402
import matplotlib  # noqa: E402
import matplotlib.pyplot as plt  # noqa: E402
import pandas as pd  # noqa: E402
import torch  # noqa: E402
from doc_blocks import blocks, names_in_use  # noqa: E402
from guide_of_wrap import is_left_out, of_wrapped, send  # noqa: E402
from PIL import Image  # noqa: E402

from skrobust.sampling import extract_activations  # noqa: E402

JOBS = ["clerk", "nurse", "pilot"]
FAMILIES = (
    "attacks",
    "certificates",
    "datasets",
    "evaluation",
    "metrics",
    "perturbations",
    "plots",
    "report",
    "sampling",
)


def names_of_guide():
    """Return what the pages take as given: all that is public, models, rows."""
    known = {"np": np, "Path": Path, "SVC": SVC, "imblearn": imblearn}
    known |= {"DecisionTreeClassifier": DecisionTreeClassifier}
    known |= {"GridSearchCV": GridSearchCV, "cross_validate": cross_validate}
    for family in FAMILIES:
        module = importlib.import_module(f"skrobust.{family}")
        known |= {name: getattr(module, name) for name in module.__all__}
    return known | names_in_use()


def of_attacks(known):
    rng = np.random.default_rng(0)
    table = {"age": rng.integers(20, 80, 60), "rooms": rng.integers(1, 6, 60)}
    table |= {"grade": rng.integers(1, 4, 60), "red": rng.integers(0, 2, 60)}
    X = pd.DataFrame(table).assign(green=1 - table["red"]).astype(float)
    y = (X["age"] + 5 * X["rooms"] > 60).astype(int).to_numpy()
    model = known["LogisticRegression"](max_iter=9999).fit(X, y)
    given = {"table": X, "labels": y, "table_model": model}
    return given | of_people(rng, y) | of_reviews()


def of_people(rng, y):
    def body_mass_index(rows):
        return rows["weight"] / rows["height"] ** 2

    people = {"age": rng.integers(20, 80, 60), "job": rng.choice(JOBS, 60)}
    people |= {"rent": rng.uniform(1, 2, 60), "income": rng.uniform(2, 4, 60)}
    people |= {"weight": rng.normal(70, 9, 60), "height": rng.normal(1.7, 0.1, 60)}
    people = pd.DataFrame(people)
    people["bmi"] = body_mass_index(people)
    parts = [("job", OneHotEncoder(), ["job"])]
    encoded = ColumnTransformer(parts, remainder=StandardScaler())
    model = make_pipeline(encoded, SVC()).fit(people, y)
    known = {"people": people, "people_model": model}
    return known | {"body_mass_index": body_mass_index}


def of_reviews():
    reviews = ["a good film", "a fine film", "a bad film", "a decent bore"]
    model = make_pipeline(CountVectorizer(), SVC(kernel="linear"))
    verdicts = [1, 1, 0, 0]
    model.fit(reviews, verdicts)
    return {"reviews": reviews, "verdicts": verdicts, "review_model": model}


def of_perturbations(known):
    Path("frost").mkdir()  # in the folder of the test
    Image.fromarray(np.full((64, 64, 3), 200, dtype=np.uint8)).save("frost/1.png")
    X, y = known["frame"], known["target"].to_numpy()
    model = known["frame_model"].fit(X, y)
    rows = {"X_train": X, "y_train": y, "X_test": X, "y_test": y, "model": model}
    return rows | {"rows_2023": X[:40], "rows_2024": X[40:].assign(age=0.0)}


def of_results(known):
    X, y, model = known["X_test"], known["y_test"], known["model"]
    noise = [known["FeatureNoise"](severity=s, random_state=0) for s in (1, 5)]
    results = known["evaluate_perturbations"](
        model, X, y, noise, X_ref=known["X_train"]
    )
    clip, week = np.arange(len(y)) % 25, np.arange(len(y)) // 3
    p_clean = model.predict_proba(X)
    noise_of_months = np.random.default_rng(0).normal(scale=0.004, size=24)
    return {
        "X": X, "y": y, "clip": clip, "site": clip % 2, "week": week,
        "conditions": noise, "results": results, "ax": plt.figure().gca(),
        "y_attacked": np.roll(y, 1), "p_clean": p_clean, "p_attacked": p_clean[::-1],
        "right_a": results.correct[0], "right_b": results.correct[-1],
        "right_old": results.correct[0], "right_new": results.correct[-1],
        "correct": np.random.default_rng(1).random((3, 4, 40)) < 0.8,
        "monthly_scores": 0.9 - 0.01 * np.arange(24) + noise_of_months,
        "right": np.arange(len(y)) % 9 > 0, "right_shifted": np.arange(40) % 3 > 0,
        "other": SimpleNamespace(correct=results.correct & (clip > 2)[:, None]),
        "clean_scores": [0.7, 0.8, 0.9], "shifted_scores": [0.4, 0.5, 0.7],
        "month": np.arange(len(y)) % 3, "predicted": np.roll(y, 1),
        "logistic": model,
        "model": known["LogisticRegression"]().fit(X[y < 2], y[y < 2]),
    }  # fmt: skip


def of_large_data(known):
    """Write the files that the page reads."""
    from torch.utils.data import DataLoader, TensorDataset

    X, y, model = known["X"], known["y"], known["model"]
    np.save("pictures.npy", X)
    Path("2026").mkdir()
    table = pd.DataFrame(X.astype(float)).rename(columns=str).assign(y=y)
    table.to_parquet("2026/january.parquet", row_group_size=40)
    for shard in range(2):
        with tarfile.open(f"val-00{shard}.tar", "w") as tar:
            for i in range(shard * 45, shard * 45 + 45):
                file = io.BytesIO()
                np.save(file, X[i])
                content = {"npy": file.getvalue(), "cls": str(y[i]).encode()}
                for ending, data in content.items():
                    member = tarfile.TarInfo(f"{i:04d}.{ending}")
                    member.size = len(data)
                    tar.addfile(member, io.BytesIO(data))
    noise = known["FeatureNoise"](severity=2, random_state=0).fit(X)
    return {
        "DataLoader": DataLoader,
        "data": TensorDataset(torch.tensor(X), torch.tensor(y)),
        "model": model,
        "conditions": [noise],
    }


def of_repairs(known):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 120)
    X = y[:, None] + rng.normal(size=(120, 3)) * [0.3, 0.3, 1.0]
    return {"X": X, "y": y, "model": known["LogisticRegression"]()}


def of_sampling(known):
    X, model, net = known["X_operational"], known["model"], known["net"]
    scores = 1 - model.predict_proba(X).max(axis=1)
    failed = np.random.default_rng(0).random(len(X)) < scores + 0.05
    return {
        "X_pool": X,
        "y_pred": model.predict(X),
        "scores": scores,
        "failed": failed,
        "a_new": extract_activations(net, X, layer="layer"),
        "y_pred_new": net.predict(X),
        "PyNNDescentTransformer": KNeighborsTransformer,
    }


def of_operation(known):
    X, y = known["X_operational"], known["y_of"](slice(None))
    old = known["LogisticRegression"](C=1e-5).fit(X[:60], y[:60])
    rng = np.random.default_rng(0)
    return {
        "X_pool": X,
        "model": old,
        "new_model": known["model"],
        "rng": rng,
    }


PAGES = {
    "attacks": of_attacks,
    "ci": of_results,
    "intervals": of_results,
    "large_data": of_large_data,
    "losses": dict,
    "metrics": dict,
    "models_people_pools": of_operation,
    "operational_testing": of_sampling,
    "perturbations": of_perturbations,
    "pictures": of_results,
    "repairs": of_repairs,
    "report": of_results,
    "which_attack": of_results,
    "wrap": of_wrapped,
}


@pytest.mark.torch
@pytest.mark.slow
# Sixty rows are few for rare faults, and for limits.
@pytest.mark.filterwarnings("ignore:All units show the same")
@pytest.mark.filterwarnings("ignore:.*conditions changed no row")
@pytest.mark.parametrize("page", sorted(PAGES))
def test_blocks_run(page, tmp_path, monkeypatch):
    matplotlib.use("Agg", force=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("skrobust.wrappers.HTTPEndpoint._send", send)
    known = names_of_guide()
    known |= PAGES[page](known)
    name = f"doc/guide/{page}.rst"
    assert blocks(name)
    for block in blocks(name):
        if is_left_out(block):
            continue
        exec(compile(block, name, "exec"), known)
    plt.close("all")
