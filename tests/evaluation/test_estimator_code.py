"""Code of an estimator makes an equal unfitted one."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.svm import SVC

from skrobust.attacks import PGD
from skrobust.evaluation.repairs.estimator_code import estimator_code
from skrobust.perturbations import FeatureNoise, PerturbedClassifier, QuantileClipping


def made(estimator):
    space = {}
    exec(estimator_code(estimator), space)
    return space["repaired"]


ESTIMATORS = {
    "plain": LogisticRegression(C=0.5, class_weight={0: 1.0, 1: np.float64(2)}),
    "nested": make_pipeline(
        FeatureUnion([("a", StandardScaler()), ("b", QuantileClipping(quantile=0.9))]),
        CalibratedClassifierCV(SVC(gamma=0.3), method="isotonic", cv=3),
    ),
    "columns": make_pipeline(
        ColumnTransformer(
            [
                ("n", SimpleImputer(strategy="median"), slice(0, 1)),
                ("c", OneHotEncoder(categories=[np.array([0.0, 1.0])]), [1]),
                ("d", "drop", np.array([2])),
            ],
            remainder="passthrough",
        ),
        HistGradientBoostingClassifier(max_iter=np.int64(3), monotonic_cst=None),
    ),
    "function": make_pipeline(FunctionTransformer(np.log1p), LogisticRegression()),
    "noise": PerturbedClassifier(
        LogisticRegression(), FeatureNoise(severity=2.0, random_state=1), on="fit"
    ),
    "limits": make_pipeline(
        SimpleImputer(missing_values=-np.inf), LogisticRegression(max_iter=7)
    ),
    "attack": PGD(0.3, norm=2, data_range=(0.0, 1.0)),
}


@pytest.mark.parametrize("name", ESTIMATORS)
def test_code_makes_an_equal_estimator(name):
    estimator = ESTIMATORS[name]
    again = made(estimator)
    assert estimator_code(clone(again)) == estimator_code(estimator)
    assert type(again) is type(estimator)
    keys = again.get_params()
    assert keys.keys() == estimator.get_params().keys()
    for key, value in estimator.get_params().items():
        if isinstance(value, (int, float, str)):
            np.testing.assert_equal(keys[key], value)


def test_made_estimator_predicts_the_same():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=80), rng.integers(0, 2, 80), rng.random(80)])
    y = (X[:, 0] + X[:, 1] > 0.5).astype(int)
    for name in ("nested", "columns", "noise"):
        first = clone(ESTIMATORS[name]).fit(X, y)
        again = clone(made(ESTIMATORS[name])).fit(X, y)
        np.testing.assert_array_equal(first.predict(X), again.predict(X))


def test_two_classes_of_one_name_stay_apart():
    sampling = pytest.importorskip("imblearn.pipeline").Pipeline
    inner = Pipeline([("model", LogisticRegression())])
    again = made(sampling([("model", inner)]))
    assert type(again) is sampling
    assert type(again.steps[0][1]) is Pipeline


def test_output_containers_are_kept():
    pandas = pytest.importorskip("pandas")
    step = SimpleImputer(keep_empty_features=True).set_output(transform="pandas")
    frame = pandas.DataFrame({"a": [1.0, np.nan], "b": [0.0, 2.0]})
    assert list(made(step).fit_transform(frame).columns) == ["a", "b"]


def test_params_of_a_class_without_defaults_of_its_own():
    xgboost = pytest.importorskip("xgboost")
    model = xgboost.XGBClassifier(max_depth=3, n_estimators=5)
    code = estimator_code(model)
    assert made(model).get_params() == model.get_params()
    assert "colsample" not in code


def test_functions_that_are_built_in_take_no_import():
    code = estimator_code(FunctionTransformer(abs, kw_args={"kind": int}))
    assert "func=abs" in code
    assert "{'kind': int}" in code
    assert "builtins" not in code
    assert made(FunctionTransformer(abs)).func is abs


@pytest.mark.parametrize("value", [float("nan"), np.nan])
def test_values_equal_to_the_defaults_are_not_written(value):
    step = SimpleImputer(missing_values=value, strategy="".join(["me", "an"]))
    assert estimator_code(step).endswith("repaired = SimpleImputer()\n")
    step = SimpleImputer(missing_values=0.0)
    assert "SimpleImputer(missing_values=0.0)" in estimator_code(step)
    model = LogisticRegression(C=2.0 / 2, tol=float("1e-4"), max_iter=7)
    assert "LogisticRegression(max_iter=7)" in estimator_code(model)


def test_a_frozen_model_has_its_name():
    code = estimator_code(make_pipeline(FrozenEstimator(LogisticRegression())))
    assert "FrozenEstimator(model)" in code
    assert "LogisticRegression" not in code


def test_what_has_no_code_says_so():
    class Local(ClassifierMixin, BaseEstimator):
        pass

    for estimator in (
        LogisticRegression(random_state=np.random.RandomState(0)),
        FunctionTransformer(lambda X: X),
        Local(),
    ):
        assert estimator_code(estimator).startswith("# There is no code")
