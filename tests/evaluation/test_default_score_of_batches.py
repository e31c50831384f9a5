"""``scoring=None`` of rows in batches is what ``estimator.score`` gives of all rows."""

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.compose import TransformedTargetRegressor
from sklearn.datasets import load_diabetes
from sklearn.feature_selection import RFE
from sklearn.linear_model import (
    LinearRegression,
    PoissonRegressor,
    RANSACRegressor,
    Ridge,
)
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skrobust.datasets import BatchedRows
from skrobust.evaluation import evaluate_perturbations
from skrobust.perturbations import FeatureNoise

X, Y = load_diabetes(return_X_y=True)
NOISE = [FeatureNoise(sd=s, random_state=0).fit(X) for s in (0.0, 0.5)]
CHAIN = make_pipeline(StandardScaler(), Ridge())
GRID = {"alpha": [0.1, 9.0]}
MODELS = [
    LinearRegression(),
    KNeighborsRegressor(3),
    CHAIN,
    make_pipeline(StandardScaler(), CHAIN),
    GridSearchCV(CHAIN, {"ridge__alpha": [0.1, 9.0]}, cv=2),
    make_pipeline(StandardScaler(), GridSearchCV(Ridge(), GRID, cv=2)),
    GridSearchCV(Ridge(), GRID, cv=2, scoring="neg_mean_absolute_error"),
    GridSearchCV(
        CHAIN,
        {"ridge__alpha": [0.1, 9.0]},
        cv=2,
        scoring=["r2", "neg_max_error"],
        refit="neg_max_error",
    ),
    TransformedTargetRegressor(CHAIN, func=np.log, inverse_func=np.exp),
    RFE(Ridge(), n_features_to_select=4),
    RANSACRegressor(random_state=0),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_it_is_the_score_of_all_rows(model):
    model.fit(X, Y)
    wanted = evaluate_perturbations(model, X, Y, NOISE)
    assert wanted.score[0] == model.score(X, Y)
    assert wanted.score[1] != wanted.score[0]
    rows = BatchedRows.from_arrays(X, Y, batch_size=99)
    found = evaluate_perturbations(model, rows, None, NOISE)
    np.testing.assert_allclose(found.score, wanted.score, rtol=1e-12)
    assert found.clean_score == pytest.approx(wanted.clean_score, rel=1e-12)


@pytest.mark.parametrize(
    "model",
    [
        PoissonRegressor(),  # whose score is the share of deviance
        make_pipeline(StandardScaler(), PoissonRegressor()),
        make_pipeline(StandardScaler(), KMeans(3, random_state=0)),
    ],
    ids=["deviance", "inside", "clusters"],
)
def test_a_score_of_the_rows_names_another_scoring(model):
    model.fit(X, Y)
    with pytest.raises(ValueError, match=r"reads the rows; .* such as the name 'r2'"):
        evaluate_perturbations(model, X, Y, NOISE, batch_size=99)
    found = evaluate_perturbations(model, X, Y, NOISE, batch_size=99, scoring="r2")
    wanted = evaluate_perturbations(model, X, Y, NOISE, scoring="r2")
    np.testing.assert_allclose(found.score, wanted.score, rtol=1e-12)
