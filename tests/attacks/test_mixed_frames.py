"""Attacks on frames with text, categories and dates, encoders inside the pipeline."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import MultiOutputClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    OneHotEncoder,
    OrdinalEncoder,
    StandardScaler,
    TargetEncoder,
)
from sklearn.svm import SVC

from skrobust._differentiable import differentiable_view
from skrobust.attacks import (
    DDN,
    FGSM,
    PGD,
    AutoAttack,
    Constraints,
    HopSkipJump,
    OneLabel,
    RandomSearch,
    Square,
)
from skrobust.base.rows_as_numbers import as_numbers
from skrobust.evaluation import robust_accuracy_curve
from skrobust.metrics import make_robust_scorer

LIBRARIES = ["pandas", "polars"]
JOBS, RNG = ["a", "b", "c"], np.random.default_rng(0)
N = 24
CELLS = {
    "age": RNG.integers(18, 80, N),
    "income": RNG.normal(3, 1, N).astype(np.float32),
    "job": RNG.choice(JOBS, N),
    "note": RNG.choice(["good", "bad", "ok"], N),
    "when": np.arange(N).astype("datetime64[D]").astype("datetime64[us]"),
}
Y = ((CELLS["income"] > 3) ^ (CELLS["job"] == "a")).astype(int)
SWITCH = {"valid_values": {"job": JOBS}, "frozen": ["age"]}


def frame(library):
    return pytest.importorskip(library).DataFrame(CELLS)


def pipeline(model, X, encoder=None):
    parts = [
        ("numbers", StandardScaler(), ["age", "income"]),
        ("job", encoder or OneHotEncoder(), ["job"]),
        ("note", TfidfVectorizer(), "note"),
    ]
    return make_pipeline(ColumnTransformer(parts), model).fit(X, Y)


def cells(X, name):
    return np.asarray(X[name].to_numpy())


ATTACKS = [
    RandomSearch(0.5, n_steps=3, n_candidates=10, random_state=0),
    Square(0.5, n_steps=10, random_state=0),
    HopSkipJump(1.0, n_steps=2, n_directions=10, starts="rows", random_state=0),
    PGD(0.5, n_steps=5, random_state=0),
    DDN(0.5),
    AutoAttack(0.5, attacks=[PGD(n_steps=3), Square(n_steps=5)], random_state=0),
]


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("attack", ATTACKS, ids=lambda a: type(a).__name__)
def test_other_columns_are_frozen_and_keep_their_types(attack, library):
    X = frame(library)
    model = pipeline(LogisticRegression(), X)
    result = attack.run(model, X, Y)
    assert type(result.X_adv) is type(X)
    for name in ("job", "note", "when"):
        assert (cells(result.X_adv, name) == cells(X, name)).all()
        assert result.X_adv[name].dtype == X[name].dtype
    assert result.X_adv["income"].dtype == X["income"].dtype
    clean = model.predict(X) == Y
    assert (clean & result.success).any()
    assert (result.success == (model.predict(result.X_adv) != Y)).all()
    scorer = make_robust_scorer(attack)
    assert scorer(model, X, Y) == np.mean(~result.success)


@pytest.mark.slow
@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("attack", ATTACKS, ids=lambda a: type(a).__name__)
def test_categories_change_among_their_values_at_their_cost(attack, library):
    X = frame(library)
    model = pipeline(LogisticRegression(), X)
    attack = type(attack)(**attack.get_params(deep=False))
    eps = attack.eps
    attack.constraints = Constraints(costs={"job": 0.9 * eps}, **SWITCH)
    result = attack.run(model, X, Y)
    switched = cells(result.X_adv, "job") != cells(X, "job")
    assert switched.any()
    assert set(cells(result.X_adv, "job")) <= set(JOBS)
    assert (cells(result.X_adv, "age") == cells(X, "age")).all()
    assert result.X_adv["age"].dtype == X["age"].dtype  # frozen whole numbers stay so
    away = np.abs(cells(result.X_adv, "income") - cells(X, "income")).astype(float)
    cost = np.where(switched, 0.9 * eps, 0.0)
    size = np.maximum(away, cost) if attack.norm == np.inf else np.hypot(away, cost)
    np.testing.assert_allclose(result.norm[result.success], size[result.success], 1e-5)
    assert (size <= eps * (1 + 1e-6)).all()
    dear = Constraints(costs={"job": 1.1 * eps}, **SWITCH)
    attack.constraints = dear
    assert (cells(attack.perturb(model, X, Y), "job") == cells(X, "job")).all()


@pytest.mark.parametrize("library", LIBRARIES)
def test_frozen_categories_stay_whatever_values_are_valid(library):
    X = frame(library)
    attack = RandomSearch(2, n_steps=2, n_candidates=10, random_state=0)
    attack.constraints = Constraints(frozen=["job"], valid_values={"job": JOBS})
    moved = attack.perturb(pipeline(LogisticRegression(), X), X, Y)
    assert (cells(moved, "job") == cells(X, "job")).all()
    assert (cells(moved, "income") != cells(X, "income")).any()


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_column_follows_others_beside_text(library):
    twice = {**CELLS, "income": CELLS["income"] * 1.0, "age": CELLS["income"] * 2.0}
    X = pytest.importorskip(library).DataFrame(twice)
    attack = RandomSearch(1, n_steps=2, n_candidates=10, random_state=0)
    attack.constraints = Constraints(relations=[("age", lambda f: f["income"] * 2)])
    moved = attack.perturb(pipeline(LogisticRegression(), X), X, Y)
    assert np.allclose(cells(moved, "age"), 2 * cells(moved, "income"), atol=1e-4)
    assert (cells(moved, "income") != cells(X, "income")).any()


ENCODERS = [
    OneHotEncoder(),
    OneHotEncoder(drop="first", sparse_output=False),
    OrdinalEncoder(),
    TargetEncoder(),
    make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder()),
]


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("encoder", ENCODERS, ids=str)
@pytest.mark.parametrize("rules", [None, SWITCH], ids=["frozen", "free"])
def test_views_answer_as_the_model_and_slopes_are_differences(encoder, library, rules):
    X = frame(library)
    model = pipeline(SVC(), X, encoder)
    attack = PGD(constraints=rules and Constraints(**rules))
    _, coded, values, back = as_numbers(attack, model, X)
    view = differentiable_view(coded, "PGD")
    logits, pull = view.forward(values)
    np.testing.assert_allclose(logits[:, 1], model.decision_function(X), atol=1e-9)
    if rules is not None:  # every level of every row
        for level in range(3):
            switched = values.copy()
            switched[:, 2:5] = np.eye(3)[level]
            found = view.logits(switched)[:, 1]
            expected = model.decision_function(back(switched))
            np.testing.assert_allclose(found, expected, atol=1e-9)
    gradient = pull(np.tile([0.0, 1.0], (N, 1)))
    for column in range(2 if rules is None else 5):
        h = np.zeros(values.shape[1])
        h[column] = 1e-5
        rise = view.logits(values + h)[:, 1] - view.logits(values - h)[:, 1]
        np.testing.assert_allclose(gradient[:, column], rise / 2e-5, atol=1e-6)
    assert (gradient[:, -1] == 0).all()


def test_one_step_finds_the_best_of_a_linear_model():
    X = frame("pandas")
    model = pipeline(LogisticRegression(), X)
    attack = FGSM(0.3, objective="loss")
    moved = attack.perturb(model, X, Y)
    names = model[0].get_feature_names_out().tolist()
    scaler = model[0].named_transformers_["numbers"]
    weights = model[1].coef_[0][: len(scaler.scale_)] / scaler.scale_
    assert names[:2] == ["numbers__age", "numbers__income"]
    change = model.decision_function(moved) - model.decision_function(X)
    np.testing.assert_allclose(np.abs(change), 0.3 * np.abs(weights).sum(), rtol=1e-5)


@pytest.mark.slow
def test_results_do_not_depend_on_order_or_batch():
    X = frame("pandas")
    model = pipeline(LogisticRegression(), X)
    rules = Constraints(costs={"job": 0.3}, **SWITCH)
    order = np.random.default_rng(1).permutation(N)
    for attack in (
        Square(0.5, n_steps=10, random_state=0, constraints=rules),
        PGD(0.5, n_steps=3, random_state=0, constraints=rules),
    ):
        whole = attack.perturb(model, X, Y)
        some = attack.perturb(model, X.iloc[order][:13], Y[order][:13])
        pd.testing.assert_frame_equal(whole.iloc[order][:13], some)


@pytest.mark.filterwarnings("ignore:HopSkipJump found no fooling point")
def test_starts_and_index_are_read_by_name():
    X = frame("pandas").set_index(np.arange(N) + 100)
    model = pipeline(RandomForestClassifier(10, random_state=0), X)
    train = X[X.columns[::-1]]
    attack = HopSkipJump(2.0, starts=train, n_steps=1, n_directions=5, random_state=0)
    found = attack.perturb(model, X[:10], Y[:10])
    assert list(found.index) == list(X.index[:10])
    same = HopSkipJump(2.0, starts=X, n_steps=1, n_directions=5, random_state=0)
    pd.testing.assert_frame_equal(found, same.perturb(model, X[:10], Y[:10]))
    with pytest.raises(ValueError, match="needs starts with the columns of X"):
        HopSkipJump(starts=X[["age"]]).perturb(model, X, Y)
    model = pipeline(LogisticRegression(), X)
    begun = PGD(0.1, n_steps=1, random_state=0).run(model, X, Y, start=train)
    assert begun.X_adv.shape == X.shape


def test_models_that_take_categories_themselves():
    X = frame("pandas")[["income", "job"]].astype({"job": "category"})
    model = HistGradientBoostingClassifier(
        categorical_features="from_dtype", max_iter=5, min_samples_leaf=2
    ).fit(X, Y)
    rules = Constraints(valid_values={"job": JOBS}, costs={"job": 0.1})
    attack = RandomSearch(0.3, n_steps=3, constraints=rules, random_state=0)
    found = attack.perturb(model, X, Y)
    assert found["job"].dtype == X["job"].dtype
    assert model.score(found, Y) < model.score(X, Y)
    with pytest.raises(ValueError, match="takes column 'job', which holds no numbers"):
        PGD().perturb(model, X, Y)


@pytest.mark.parametrize("library", LIBRARIES)
def test_missing_values_may_stand_in_frozen_columns(library):
    pandas = frame("pandas")[["income", "age", "job"]]
    pandas["age"] = pandas["age"].astype(float)
    pandas.loc[3, "age"] = np.nan
    X = pandas if library == "pandas" else frame("polars").__class__(
        {name: pandas[name].to_numpy() for name in pandas.columns}
    )  # fmt: skip
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    parts = [("n", numbers, ["age", "income"]), ("j", OneHotEncoder(), ["job"])]
    model = make_pipeline(ColumnTransformer(parts), SVC()).fit(X, Y)
    for attack in (PGD(0.5, n_steps=3), Square(0.5, n_steps=5)):
        attack.set_params(constraints=Constraints(frozen=["age"]), random_state=0)
        assert attack.run(model, X, Y).success.mean() > 0.1
        attack.set_params(constraints=None)
        with pytest.raises(ValueError, match=r"finite X; column .age.*Freeze"):
            attack.perturb(model, X, Y)


MIXED = {
    "text that is whole": (
        {"integer": ["job"]}, "column 'job' holds .*: it is frozen and cannot be inte"),
    "group of text": ({"one_hot": [["job", "note"]]}, "cannot be one_hot"),
    "nothing left": ({"frozen": ["age", "income"]}, "finds nothing to change"),
    "unknown level": ({"valid_values": {"job": ["a", "b"]}}, "'job' must hold the val"),
    "level twice": ({"valid_values": {"job": ["a", "a", "b", "c"]}}, "different val"),
    "level of another type": ({"valid_values": {"when": ["a"]}}, "type of column"),
    "relation of text": ({"relations": ["age <= job"]}, "'job' holds other cells"),
    "cost below 0": ({"costs": {"age": -1}}, "'costs' parameter"),
    "cost of a stranger": ({"costs": {"size": 1}}, "'costs' parameter"),
    "half an integer": ({"integer": ["income"]}, "feature 1 must hold whole numbers"),
}  # fmt: skip


@pytest.mark.parametrize("row", MIXED)
def test_one_clear_sentence(row):
    rules, sentence = MIXED[row]
    X = frame("pandas")
    model = pipeline(LogisticRegression(), X)
    with pytest.raises(ValueError, match=sentence):
        PGD(constraints=Constraints(**rules)).perturb(model, X, Y)


def test_numbers_that_an_encoder_takes_are_named():
    X = frame("pandas")
    parts = [("e", OneHotEncoder(), ["age", "job"]), ("n", "passthrough", ["income"])]
    model = make_pipeline(ColumnTransformer(parts), SVC()).fit(X, Y)
    with pytest.raises(ValueError, match=r"numbers in column 'age'. Freeze the column"):
        PGD().perturb(model, X, Y)
    frozen = PGD(0.5, constraints=Constraints(frozen=["age"]), random_state=0)
    assert frozen.run(model, X, Y).success.mean() > np.mean(model.predict(X) != Y)


def test_curves_keep_constraints_and_take_text():
    X = frame("pandas")
    model = pipeline(LogisticRegression(), X)
    grid, rules = [0.2, 0.5, 1.0], Constraints(frozen=["age"])
    attack = PGD(n_steps=5, constraints=rules, random_state=0)
    curve = robust_accuracy_curve(model, X, Y, attack, grid)
    # One number moves, so that the ends of its interval are all there is to find.
    for eps, found in zip(grid, curve.robust_accuracy, strict=True):
        ends = [X.assign(income=X["income"] + s * eps * 0.999) for s in (-1, 1)]
        stands = model.predict(X) == Y
        for end in ends:
            stands &= model.predict(end) == Y
        assert found == pytest.approx(stands.mean())


def test_one_label_of_several():
    X = frame("pandas")
    labels = np.column_stack([Y, 1 - Y])
    model = pipeline(LogisticRegression(), X)
    several = make_pipeline(model[0], MultiOutputClassifier(LogisticRegression()))
    several.fit(X, labels)
    attack = PGD(0.5, n_steps=3, random_state=0)
    one = attack.run(OneLabel(several, 0), X, Y)
    pd.testing.assert_frame_equal(one.X_adv, attack.perturb(model, X, Y))
    search = Square(0.5, n_steps=5, random_state=0)
    assert search.run(OneLabel(several, 1), X, 1 - Y).queries.min() > 0


@pytest.mark.parametrize("library", LIBRARIES)
def test_functions_of_named_columns(library):
    X = frame(library)

    def ratio(rows):
        return np.asarray(rows["income"])[:, None] / np.asarray(rows["age"])[:, None]

    parts = [
        ("ratio", FunctionTransformer(ratio), ["age", "income"]),
        ("kind", OneHotEncoder(), ["job"]),
    ]
    model = make_pipeline(ColumnTransformer(parts), StandardScaler(), SVC()).fit(X, Y)
    _, coded, values, back = as_numbers(PGD(), model, X)
    view = differentiable_view(coded, "PGD")
    logits, pull = view.forward(values)
    np.testing.assert_allclose(logits[:, 1], model.decision_function(X), atol=1e-6)
    gradient = pull(np.tile([0.0, 1.0], (N, 1)))
    h = np.zeros(values.shape[1])
    h[0] = 1e-3
    up, down = (model.decision_function(back(values + s * h)) for s in (1, -1))
    np.testing.assert_allclose(gradient[:, 0], (up - down) / 2e-3, atol=1e-5)
