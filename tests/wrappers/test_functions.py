"""Functions, objects with predict, and estimators, wrapped."""

import pickle

import numpy as np
import pytest
from scipy.special import expit, softmax
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

import skrobust
from skrobust.attacks import FGSM, HopSkipJump, Square
from skrobust.evaluation import evaluate_attack
from skrobust.wrappers import WrappedClassifier, WrappedRegressor

X, Y = load_iris(return_X_y=True)
MODEL = LogisticRegression(max_iter=1000).fit(X, Y)
NAMES = np.array(["setosa", "versicolor", "virginica"])


def labels(rows):
    return NAMES[MODEL.predict(rows)]


def probabilities(rows):
    return MODEL.predict_proba(rows)


def logits(rows):
    return MODEL.decision_function(rows)


def values(rows):
    return rows @ np.arange(4.0) + 3


def scores_by_label(rows):
    p = MODEL.predict_proba(rows)
    return [
        [{"label": n, "score": s} for n, s in zip(NAMES, row, strict=True)][::-1]
        for row in p
    ]


class OnlyPredict:
    def predict(self, rows):
        return labels(rows)


class Both:
    classes_ = NAMES

    def predict(self, rows):
        return labels(rows)

    def predict_proba(self, rows):
        return probabilities(rows)


@pytest.mark.parametrize(
    ("function", "answers"),
    [(probabilities, "probabilities"), (logits, "logits"), (labels, "labels"),
     (scores_by_label, "probabilities"), (OnlyPredict(), "labels"),
     (Both(), "probabilities")],
    ids=["probabilities", "logits", "labels", "dictionaries", "predict", "both"],
)  # fmt: skip
def test_the_answers_are_those_of_the_model(function, answers):
    model = skrobust.wrap(function, classes=NAMES, sample=X)
    assert type(model) is WrappedClassifier
    assert is_classifier(model)
    check_is_fitted(model)
    assert model.capabilities_.answers == answers
    assert not model.capabilities_.gradients
    np.testing.assert_array_equal(model.predict(X), labels(X))
    assert hasattr(model, "predict_proba") == (answers != "labels")
    if answers != "labels":
        p = model.predict_proba(X)
        np.testing.assert_allclose(p, MODEL.predict_proba(X), atol=1e-12)
    assert model.score(X, NAMES[Y]) == MODEL.score(X, Y)


def test_columns_follow_the_sorted_labels():
    model = skrobust.wrap(probabilities, classes=["z", "m", "a"], sample=X)
    assert model.classes_.tolist() == ["a", "m", "z"]
    np.testing.assert_array_equal(model.predict_proba(X), probabilities(X)[:, ::-1])
    np.testing.assert_array_equal(
        model.predict(X), np.array(["z", "m", "a"])[MODEL.predict(X)]
    )


def test_a_dictionary_maps_the_names_of_the_model_to_labels():
    for function in (labels, scores_by_label, Both()):
        model = skrobust.wrap(
            function, classes={"virginica": 2, "setosa": 0, "versicolor": 1}, sample=X
        )
        np.testing.assert_array_equal(model.predict(X), MODEL.predict(X))


def test_one_number_is_the_probability_of_the_second_class():
    rows = X[:100]
    model = LogisticRegression().fit(rows, Y[:100])
    one = skrobust.wrap(
        lambda x: model.predict_proba(x)[:, 1], classes=["no", "yes"], sample=rows
    )
    np.testing.assert_allclose(one.predict_proba(rows), model.predict_proba(rows))
    one = skrobust.wrap(model.decision_function, classes=["no", "yes"], sample=rows)
    assert one.capabilities_.answers == "logits"
    np.testing.assert_allclose(
        one.predict_proba(rows)[:, 1], expit(model.decision_function(rows))
    )


def test_values_make_a_regressor():
    for given in ({"response": "values"}, {"sample": X}):
        model = skrobust.wrap(values, **given)
        assert type(model) is WrappedRegressor
        assert is_regressor(model)
        np.testing.assert_array_equal(model.predict(X), values(X))
        assert not hasattr(model, "predict_proba")
    moved = Square(0.1, random_state=0, max_queries=60).perturb(model, X, values(X))
    assert np.abs(values(moved) - values(X)).max() > 0.3


def halves(rows):
    return np.full((len(rows), 2), 0.7)


AMBIGUOUS = {
    "whole floats": (lambda x: np.rint(x[:, 0]), {}, "may be a label or a value"),
    "in [0, 1]": (lambda x: x[:, 0] / 9, {}, "may be a probability or a value"),
    "0 and 1": (
        lambda x: (x[:, 0] > 5).astype(float), {"classes": [0, 1]},
        "may be labels or probabilities",
    ),
    "one-hot": (lambda x: np.eye(3)[MODEL.predict(x)], {}, "rows of 3 numbers 0 and 1"),
    "integer one-hot": (
        lambda x: np.eye(3, dtype=int)[MODEL.predict(x)], {"classes": [0, 1, 2]},
        "probabilities or several labels",
    ),
    "columns": (logits, {}, "may be logits or several values"),
    "no sum": (halves, {}, "probabilities of several labels"),
    "labels": (labels, {}, "needs the labels that the function may answer with"),
    "one row": (lambda x: MODEL.predict(x[:1])[0], {}, "one answer a row"),
    "width": (probabilities, {"classes": ["a", "b"]}, "as many, in the order"),
    "three by one": (
        lambda x: x[:, 0] / 9, {"classes": [0, 1, 2]}, "tells two classes apart",
    ),
    "unknown label": (labels, {"classes": ["setosa", "b"]}, "not among its classes"),
    "missing": (lambda x: x[:, 0] * np.nan, {}, "NaN or infinity"),
    "dictionary": (lambda x: {"p": 1}, {}, "no array of one entry a row"),
}  # fmt: skip


@pytest.mark.parametrize("case", AMBIGUOUS)
def test_what_is_not_clear_is_said(case):
    function, given, sentence = AMBIGUOUS[case]
    with pytest.raises(ValueError, match=sentence) as error:
        skrobust.wrap(function, sample=X, **given)
    assert "\n" not in str(error.value)


def test_a_function_that_is_not_known_must_be_asked_or_told():
    with pytest.raises(ValueError, match=r"sample=X, or say it: response="):
        skrobust.wrap(labels)
    told = skrobust.wrap(labels, classes=NAMES, response="labels")
    np.testing.assert_array_equal(told.predict(X), labels(X))


def test_a_label_that_was_not_named_is_an_error_later_too():
    model = skrobust.wrap(labels, classes=["setosa", "versicolor"], sample=X[:50])
    with pytest.raises(ValueError, match=r"'virginica'.*not among its classes"):
        model.predict(X)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"classes": ["a"]}, "'classes' parameter"),
        ({"classes": ["a", "a"]}, "'classes' parameter"),
        ({"classes": [True, None, 3]}, "all numbers or all text"),
        ({"classes": [1, "a", 2.5]}, "all numbers or all text"),
        ({"classes": [0.0, 1.0, np.nan]}, "all numbers or all text"),
        ({"classes": [("a", 1), ("b", 2), ("c", 3)]}, "'classes' parameter"),
        ({"classes": ["a", "b"], "response": "values"}, "which has no classes"),
        ({"response": "scores"}, "'response' parameter"),
        ({"input_shape": (0, 3)}, "'input_shape' parameter"),
        ({"layout": "HWC"}, "'layout' parameter"),
        ({"dtype": "real"}, "'dtype' parameter"),
        ({"data_range": (1, 0)}, "'data_range' parameter"),
        ({"batch_size": 0}, "'batch_size' parameter"),
    ],
    ids=str,
)
def test_parameters_are_checked(parameters, sentence):
    with pytest.raises(ValueError, match=sentence):
        skrobust.wrap(probabilities, sample=X, **parameters)


def test_things_that_cannot_be_wrapped():
    for thing in (5, None, LogisticRegression, "model.bin"):
        with pytest.raises(ValueError, match=r"'model' parameter of skrobust\.wrap"):
            skrobust.wrap(thing)
    with pytest.raises(TypeError, match="'budget', which is a parameter of HTTP"):
        skrobust.wrap(probabilities, budget=3)


def test_batches():
    sizes = []

    def counted(rows):
        sizes.append(len(rows))
        return probabilities(rows)

    model = skrobust.wrap(counted, response="probabilities", classes=NAMES)
    whole = model.predict_proba(X)
    model = model.set_params(batch_size=64)
    np.testing.assert_array_equal(model.predict_proba(X), whole)
    assert sizes == [150, 64, 64, 22]


def test_rows_pass_as_they_are_and_unchanged():
    pd = pytest.importorskip("pandas")
    frame, seen = pd.DataFrame(X, columns=list("abcd")), []

    def of_frame(rows):
        seen.append(rows)
        return MODEL.predict_proba(rows.to_numpy())

    model = skrobust.wrap(of_frame, classes=NAMES, sample=frame)
    model.predict(frame)
    assert list(seen[-1].columns) == list("abcd")
    np.testing.assert_array_equal(frame, X)


def test_functions_that_work_in_place_change_no_rows():
    def in_place(rows):
        rows *= 2
        return MODEL.predict_proba(rows / 2)

    rows = X.copy()
    model = skrobust.wrap(in_place, classes=NAMES, sample=rows)
    np.testing.assert_array_equal(model.predict_proba(rows), MODEL.predict_proba(X))
    np.testing.assert_array_equal(rows, X)


def test_attacks_query_labels_alone():
    model = skrobust.wrap(labels, classes=NAMES, sample=X)
    rows, y = X[45:60], NAMES[Y[45:60]]
    attack = HopSkipJump(1.5, norm=2, max_queries=200, random_state=0)
    results = evaluate_attack(model, rows, y, attack)
    bare = evaluate_attack(MODEL, rows, Y[45:60], attack)
    assert results.robust_accuracy == bare.robust_accuracy < results.clean_accuracy
    with pytest.raises(ValueError, match="FGSM needs gradients"):
        FGSM(0.1).perturb(model, X, NAMES[Y])


def test_attacks_query_scores():
    attack = Square(0.5, max_queries=40, random_state=0)
    made = attack.perturb(skrobust.wrap(probabilities, sample=X), X, Y)
    assert np.abs(made - X).max() <= 0.5 + 1e-12
    assert MODEL.score(made, Y) < MODEL.score(X, Y)


def test_an_estimator_keeps_its_gradients():
    pipe = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, Y)
    model = skrobust.wrap(pipe)
    assert model.capabilities_.gradients
    made = FGSM(0.3).perturb(model, X, Y)
    np.testing.assert_array_equal(made, FGSM(0.3).perturb(pipe, X, Y))
    assert hasattr(model, "decision_function")


def test_clone_and_pickle():
    model = skrobust.wrap(probabilities, classes=NAMES, sample=X, batch_size=7)
    for made in (clone(model), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(made.predict(X), model.predict(X))
        assert made.get_params()["batch_size"] == 7
    changed = clone(model).set_params(batch_size=3)
    assert model.batch_size == 7
    assert changed.capabilities_.batch_size == 3


def test_what_it_can_do_is_shown():
    model = skrobust.wrap(probabilities, classes=NAMES, sample=X)
    text, page = repr(model), model._repr_html_()
    for word in ("probabilities", "function", "gradients", "n classes", "3"):
        assert word in text
        assert word in page
    named = skrobust.wrap(Both(), classes=["<b>", "b", "c"])
    named.model.__name__ = "<script"
    assert "<script" not in named._repr_html_()


def test_softmax_of_logits():
    model = skrobust.wrap(logits, classes=NAMES, response="logits")
    np.testing.assert_allclose(model.predict_proba(X), softmax(logits(X), axis=1))


def test_a_class_of_answers_that_changes_is_an_error():
    turns = iter([probabilities, labels])
    model = skrobust.wrap(lambda rows: next(turns)(rows), classes=NAMES, sample=X)
    with pytest.raises(ValueError, match="answers with probabilities, and got"):
        model.predict(X)


def test_an_estimator_must_be_fitted():
    with pytest.raises(NotFittedError, match="LogisticRegression instance is not"):
        skrobust.wrap(LogisticRegression())


def test_an_estimator_has_its_own_classes_and_answers():
    with pytest.raises(ValueError, match=r"'classes' parameter .* which has its own"):
        skrobust.wrap(MODEL, classes=["a", "b", "c"])
    with pytest.raises(ValueError, match=r"'response' parameter .* 'probabilities'"):
        skrobust.wrap(MODEL, response="labels")
    assert skrobust.wrap(MODEL, classes=[0, 1, 2]).score(X, Y) == MODEL.score(X, Y)


def test_tags_are_those_of_its_kind():
    for model, kind in (
        (skrobust.wrap(probabilities, sample=X), "classifier"),
        (skrobust.wrap(values, response="values"), "regressor"),
        (skrobust.wrap(MODEL), "classifier"),
    ):
        tags = get_tags(model)
        assert tags.estimator_type == kind
        assert not tags.requires_fit
