"""Conditions that change nothing, or no more than a lower severity, are named."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skrobust.base.idle import idle_reason
from skrobust.evaluation import cross_validate_perturbations, evaluate_perturbations
from skrobust.evaluation.core.condition_notes import condition_notes
from skrobust.metrics import make_robust_scorer
from skrobust.perturbations import (
    CaseChange,
    CategoryFlip,
    Contrast,
    DigitChange,
    FeatureNoise,
    FunctionPerturbation,
    GaussianNoise,
    MeanDrift,
    MissingValues,
    PerturbationSequence,
    QuantileClipping,
    Rotation,
    SegmentPermutation,
    SeriesScaling,
    SignFlip,
    Typos,
    WordSwap,
)
from skrobust.report import create_report

RNG = np.random.default_rng(0)
TABLE = RNG.normal(size=(60, 3))
CONSTANT = np.ones((30, 3))
# (a perturbation, rows that its kind cannot change, rows that it can)
CASES = {
    "image": (
        Contrast(severity=3, channel_axis=-1),
        np.full((20, 4, 4, 3), 0.5),
        RNG.uniform(size=(20, 4, 4, 3)),
    ),
    "fixed image": (
        Rotation(severity=3),
        np.zeros((20, 8, 8)),
        RNG.uniform(size=(20, 8, 8)),
    ),
    "table": (FeatureNoise(severity=3), CONSTANT, TABLE),
    "fixed table": (MeanDrift(severity=3), CONSTANT, TABLE),
    "categories": (
        CategoryFlip(severity=3),
        pd.DataFrame({"a": ["x"] * 30}),
        pd.DataFrame({"a": ["x", "y"] * 15}),
    ),
    "series": (
        SeriesScaling(severity=3),
        np.zeros((20, 30)),
        RNG.normal(size=(20, 30)),
    ),
    "constant series": (
        SegmentPermutation(severity=3),
        np.ones((20, 30)),
        RNG.normal(size=(20, 30)),
    ),
    "text": (CaseChange(severity=3), ["你好", "再见"], ["Hello", "You"] * 9),
}


@pytest.mark.parametrize("name", CASES)
def test_transform_names_a_kind_that_does_not_apply(name):
    perturbation, idle, other = CASES[name]
    with pytest.warns(
        UserWarning, match=f"{type(perturbation).__name__} does not apply"
    ) as told:
        out = perturbation.fit(idle).transform(idle)
    assert len(told) == 1
    assert told[0].filename == __file__  # where the user called it
    assert np.array_equal(np.asarray(out), np.asarray(idle))
    sequence = PerturbationSequence([perturbation]).fit(idle)
    with pytest.warns(UserWarning, match="PerturbationSequence does not apply"):
        sequence.transform(idle)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        perturbation.perturb(None, idle)  # of scorers and evaluations, which say it
        perturbation.fit(other).transform(other)


def test_what_stays_by_chance_is_not_named():
    weak = SignFlip(share=1e-9, random_state=0).fit(TABLE)
    one = MeanDrift(severity=3).fit(CONSTANT)
    holes = MissingValues(severity=1, random_state=0).fit(TABLE)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.array_equal(weak.transform(TABLE), TABLE)
        one.transform(CONSTANT[:1])  # a single row does not tell what others are like
        for row in TABLE:
            holes.transform(row[None])
        FeatureNoise(severity=0).fit(CONSTANT).transform(CONSTANT)
        FunctionPerturbation(lambda X: X).fit(CONSTANT).transform(CONSTANT)


def test_limits_learned_at_a_low_severity_prove_nothing_of_a_high_one():
    # All rows lie within the quantiles of severity 1, but not within those of 5.
    clip = QuantileClipping(severity=0.2).fit(TABLE * 100)
    inside = TABLE[np.abs(TABLE).max(axis=1) < 0.5]
    assert np.array_equal(clip.transform(inside), inside)
    assert idle_reason(clip, inside) is None
    physical = FeatureNoise(sd=0.1).fit(CONSTANT)
    assert np.array_equal(physical.transform(CONSTANT), CONSTANT)  # no severity to try


def test_few_rows_are_tried_with_other_noise():
    for seed in range(10):  # at severity 5 four of five signs stay
        flip = SignFlip(severity=1, random_state=seed).fit(TABLE[:, :1])
        assert idle_reason(flip, TABLE[:2, :1]) is None


def test_asking_changes_nothing():
    state = np.random.RandomState(0)
    noise = FeatureNoise(severity=2, random_state=state).fit(CONSTANT)
    before = vars(noise).copy()
    drawn = np.random.RandomState(0)
    drawn.set_state(state.get_state())
    assert idle_reason(noise, CONSTANT)
    assert vars(noise) == before
    assert state.random_sample() == drawn.random_sample()


def test_an_error_while_asking_costs_no_result():
    class Odd(CaseChange):
        def _can_change(self, text):
            raise RuntimeError("odd")

    assert Odd(severity=3).transform(["你好"]) == ["你好"]


def severities(kind, levels=(1, 2, 3, 4, 5), **params):
    return [kind(severity=s, random_state=0, **params) for s in levels]


def test_notes_of_an_evaluation():
    X = pd.DataFrame({"a": TABLE[:, 0], "b": ["same"] * 60})
    y = (TABLE[:, 0] > 0).astype(int)
    model = DummyClassifier().fit(X, y)
    conditions = [
        FeatureNoise(severity=0),
        *severities(CategoryFlip),
        FeatureNoise(2, random_state=0),
    ]
    with pytest.warns(
        UserWarning, match="Kinds that changed nothing: CategoryFlip .they stay"
    ):
        found = evaluate_perturbations(model, X, y, conditions, X_ref=X)
    reason = "they stay as they are at severity 5 too"
    assert found.note.tolist() == ["", *[f"does not apply: {reason}"] * 5, ""]
    assert found.idle_kinds == {"CategoryFlip": reason}
    assert "note" in found.columns
    alone = evaluate_perturbations(model, X, y, conditions[-1:], X_ref=X)
    assert "note" not in alone  # nothing to say
    assert "idle_kinds" not in alone


def test_notes_of_cross_validation_come_from_fitted_conditions():
    y = (TABLE[:, 0] > 0).astype(int)
    X = np.column_stack([TABLE[:, 0], np.ones(60)])
    model = make_pipeline(StandardScaler(), LogisticRegression())
    conditions = [
        MeanDrift(severity=2, columns=[1]),
        MeanDrift(severity=2, columns=[0]),
    ]
    with pytest.warns(
        UserWarning, match="Kinds that changed nothing: MeanDrift .they stay"
    ):
        found = cross_validate_perturbations(model, X, y, conditions, cv=3)
    assert found.conditions.note.tolist() == [
        "does not apply: they stay as they are at severity 5 too",
        "",
    ]


def notes_of(severity, changed, distortion):
    n = len(severity)
    table = {
        "name": np.array([f"a-{s}" for s in severity]),
        "corruption": np.array(["a"] * n),
        "severity": np.array(severity, dtype=float),
        "changed": np.array(changed, dtype=float),
        "distortion": np.array(distortion, dtype=float),
    }
    return condition_notes(table, [object()] * n, None)


@pytest.mark.parametrize(
    ("changed", "distortion", "noted"),
    [
        ([0.2, 0.4, 0.6], [1, 1, 1], ["", "", ""]),
        ([1, 1, 1], [1, 2, 2], ["", "", "2"]),
        ([1, 1, 1], [1, 3, 2], ["", "", "2"]),
        ([0.5, 1, 1], [3, 1, 2], ["", "", ""]),  # more rows, each by less
        ([0.5, 0.5, 1], [0, 0, 0], ["", "1", ""]),  # order of words: by rows alone
        ([1, 1, 1], [0, 0, 0], ["", "", ""]),
        ([1, 1, 1], [np.nan] * 3, ["", "", ""]),
        ([0.2, 0, 0.3], [1, np.nan, 1], ["", "changed no row", ""]),
        ([0, 0, 0.3], [np.nan, np.nan, 1], ["changed no row"] * 2 + [""]),
    ],
)
def test_a_severity_that_changes_no_more_than_the_one_below(changed, distortion, noted):
    wanted = [
        n and (f"changes no more than severity {n}" if len(n) == 1 else n)
        for n in noted
    ]
    assert notes_of([1, 2, 3], changed, distortion)[0] == wanted
    order = [2, 0, 1]  # conditions in any order
    shuffled = [np.array(v)[order] for v in ([1, 2, 3], changed, distortion)]
    assert notes_of(*shuffled)[0] == [wanted[i] for i in order]


def test_a_kind_that_acted_somewhere_is_not_idle():
    notes, idle = notes_of([1, 2], [0, 0.5], [np.nan, 1])
    assert notes == ["changed no row", ""]
    assert idle == {}
    assert notes_of([1, 2], [0, 0], [np.nan] * 2)[1] == {"a": "changed no row"}


@pytest.mark.filterwarnings("ignore:.*that of the best constant prediction")
def test_scorers_give_the_reason():
    model = DummyClassifier().fit(["a", "b"], [0, 1])
    with pytest.warns(
        UserWarning, match=r"CaseChange changed no row \(no document has"
    ):
        make_robust_scorer(CaseChange(severity=3))(model, ["你好", "再见"], [0, 1])


def test_sequences_and_usual_rows():
    both = PerturbationSequence([CaseChange(5), DigitChange(5)])
    assert idle_reason(both, ["你好"]).startswith("no document has a word that lower")
    assert (
        idle_reason(PerturbationSequence([CaseChange(5), Typos(5)]), ["你好"]) is None
    )
    assert idle_reason(PerturbationSequence([]), ["你好"]) is None
    assert idle_reason(object(), ["你好"]) is None
    assert idle_reason(GaussianNoise(std=0.1), np.ones((3, 4))) is None
    assert idle_reason(WordSwap(5), ["aa aa"]) is not None


def test_the_report_shows_what_did_nothing(tmp_path):
    X = ["去海边的火车", "我们的邻居", "窗户关上", "街角的小商店"] * 8
    y = [0, 1, 0, 1] * 8
    model = DummyClassifier().fit(X, y)
    path = tmp_path / "report.html"
    conditions = [CaseChange(s, random_state=0) for s in (1, 5)] + severities(
        Typos, (1, 5)
    )
    twin, text = tmp_path / "report.json", tmp_path / "report.md"
    create_report(
        {"constant": model}, X, y, out=path, json_out=twin, markdown_out=text,
        conditions=conditions,
    )  # fmt: skip
    page = path.read_text(encoding="utf-8")
    reason = "no document has a word that lower case would change"
    assert f"no row is changed by CaseChange ({reason})" in page
    assert f"does not apply: {reason}" in page
    assert "Kinds that change none of these rows: CaseChange." in page
    stability = json.loads(twin.read_text(encoding="utf-8"))["models"][0]["stability"]
    assert stability["idle_kinds"] == {"CaseChange": reason}
    assert stability["note"][0] == f"does not apply: {reason}"
    assert "CaseChange" in text.read_text(encoding="utf-8")
