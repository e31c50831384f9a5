"""Values by row of every public entry: what is missing is refused, in any container."""

import importlib
import inspect
import warnings

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

from skrobust import evaluation, metrics, perturbations, plots, sampling
from skrobust._containers import one_per_row
from skrobust.attacks import RandomSearch
from skrobust.metrics.labels import label_array
from skrobust.perturbations import GaussianNoise

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")

N = 12
RNG = np.random.default_rng(0)
X = RNG.random((N, 2))
Y = np.arange(N) % 2
P = np.where(Y, 0.8, 0.3)
PROB = np.column_stack([1 - P, P])
MODEL = LogisticRegression().fit(X, Y)
NOISE = GaussianNoise(std=0.01, random_state=0)
ATTACK = RandomSearch(eps=0.1, random_state=0)

# ------------------------------------------------------------------- the containers

TEXT = ["a"] * 3 + ["b"] * 3 + ["a"] * 3 + ["b"] * 3
WITH = [*TEXT[:4], None, *TEXT[5:]]
TEXTS = {
    "list with NaN": lambda: [np.nan if v is None else v for v in WITH],
    "list with None": lambda: list(WITH),
    "list with NA": lambda: [pd.NA if v is None else v for v in WITH],
    "tuple with NaN": lambda: tuple(np.nan if v is None else v for v in WITH),
    "object array": lambda: np.array(WITH, dtype=object),
    "Series": lambda: pd.Series(WITH, index=range(7, 7 + N)),
    "Series of objects": lambda: pd.Series(WITH, dtype=object),
    "Series of string": lambda: pd.Series(WITH, dtype="string"),
    "Categorical": lambda: pd.Categorical(WITH),
    "Series of category": lambda: pd.Series(WITH, dtype="category"),
    "polars": lambda: pl.Series(WITH),
    "polars Categorical": lambda: pl.Series(WITH, dtype=pl.Categorical),
    "masked array": lambda: np.ma.array(TEXT, mask=np.arange(N) == 4),
}
HOLED = [1.0, 2.0, 3.0, 4.0, None, *range(6, N + 1)]
NUMBERS = {
    "list with NaN": lambda: [np.nan if v is None else v for v in HOLED],
    "list with None": lambda: list(HOLED),
    "array": lambda: np.array(HOLED, dtype=float),
    "object array": lambda: np.array(HOLED, dtype=object),
    "Series": lambda: pd.Series(HOLED),
    "Series of Int64": lambda: pd.Series(
        [1, 2, 3, 4, None, *range(6, 13)], dtype="Int64"
    ),
    "polars": lambda: pl.Series(HOLED, dtype=pl.Float64),
    "masked array": lambda: np.ma.array(np.arange(1.0, N + 1), mask=np.arange(N) == 4),
}
DATES = pd.date_range("2024-01-01", periods=N)
TIMES = NUMBERS | {
    "dates": lambda: DATES.where(np.arange(N) != 4),
    "array of dates": lambda: DATES.where(np.arange(N) != 4).to_numpy(),
    "list of text with NaN": lambda: [
        np.nan if i == 4 else str(d.date()) for i, d in enumerate(DATES)
    ],
    "list of dates with None": lambda: [
        None if i == 4 else d.date() for i, d in enumerate(DATES)
    ],
    "ordered Categorical": lambda: pd.Categorical(
        [None if i == 4 else f"m{i}" for i in range(N)],
        categories=[f"m{i}" for i in range(N)], ordered=True,
    ),
}  # fmt: skip


def simple(**options):
    return sampling.SimpleRandomSampler(random_state=0).fit(np.ones(N), **options)


def told():
    sampler = simple(y_pred=Y)
    ids = sampler.ask(4)
    return sampler.tell(ids, Y[ids])


# ---------------------------------------------------------------------- the entries

# (family, name, parameter): a call with the values.
OF_TEXT = {
    ("metrics", "accuracy_stability_variance", "clusters"):
        lambda v: metrics.accuracy_stability_variance(
            np.stack([np.c_[Y, 1 - Y]] * 2), clusters=v
        ),
    ("metrics", "aggregate_clips", "clips"): lambda v: metrics.aggregate_clips(P, v),
    ("metrics", "by_group", "groups"):
        lambda v: metrics.by_group("accuracy", Y, Y, groups=v, n_permutations=9),
    ("metrics", "by_group", "clusters"):
        lambda v: metrics.by_group(
            "accuracy", Y, Y, groups=TEXT, clusters=v, n_permutations=9
        ),
    ("metrics", "clip_robustness", "clips"):
        lambda v: metrics.clip_robustness(Y, PROB, PROB, v),
    ("metrics", "compare_models", "clusters"):
        lambda v: metrics.compare_models(
            {"a": Y == 1, "b": Y == 0}, metric="accuracy", clusters=v
        ),
    ("metrics", "confidence_interval", "clusters"):
        lambda v: metrics.confidence_interval("accuracy", Y, Y, clusters=v),
    ("metrics", "confidence_interval", "weights and clusters"):
        lambda v: metrics.confidence_interval(
            "accuracy", Y, Y, clusters=v, sample_weight=np.arange(N)
        ),
    ("metrics", "confidence_interval", "frequency weights"):
        lambda v: metrics.confidence_interval(
            "accuracy", Y, Y, clusters=v, sample_weight=np.arange(N),
            weight_type="frequency",
        ),
    ("metrics", "confidence_interval", "y_true"):
        lambda v: metrics.confidence_interval("accuracy", v, TEXT),
    ("metrics", "confidence_interval", "y_pred"):
        lambda v: metrics.confidence_interval("accuracy", TEXT, v),
    ("metrics", "confidence_interval", "corruptions"):
        lambda v: metrics.confidence_interval(
            "mce", np.tile(Y[:, None], N), corruptions=v
        ),
    ("metrics", "robust_accuracy_score", "y_pred"):
        lambda v: metrics.robust_accuracy_score(TEXT, [list(v), TEXT]),
    ("metrics", "group_robust_ratio", "groups"):
        lambda v: metrics.group_robust_ratio(PROB, PROB, groups=v, tolerance=0.1),
    ("metrics", "group_robust_ratio", "clusters"):
        lambda v: metrics.group_robust_ratio(
            PROB, PROB, groups=TEXT, clusters=v, tolerance=0.1
        ),
    ("metrics", "group_robust_ratio_curve", "groups"):
        lambda v: metrics.group_robust_ratio_curve(PROB, PROB, groups=v),
    ("metrics", "group_robust_ratio_curve", "clusters"):
        lambda v: metrics.group_robust_ratio_curve(
            PROB, PROB, groups=TEXT, clusters=v
        ),
    ("metrics", "group_robustness", "groups"):
        lambda v: metrics.group_robustness(Y, Y, v),
    ("metrics", "group_robustness", "clusters"):
        lambda v: metrics.group_robustness(Y, Y, TEXT, clusters=v),
    ("metrics", "plan_samples", "clusters"):
        lambda v: metrics.plan_samples(
            np.c_[Y, 1 - Y], factors=("sample", "seed"), half_width=0.1, clusters=v
        ),
    ("metrics", "robust_ratio_band", "clusters"):
        lambda v: metrics.robust_ratio_band(P / 9, clusters=v),
    ("metrics", "robust_ratio_profile", "clusters"):
        lambda v: metrics.robust_ratio_profile(Y, PROB, PROB, clusters=v),
    ("metrics", "robust_ratio_regions", "clusters"):
        lambda v: metrics.robust_ratio_regions(
            {"a": P / 9, "b": P / 8}, clusters=v
        ),
    ("metrics", "simultaneous_intervals", "clusters"):
        lambda v: metrics.simultaneous_intervals(np.c_[Y, 1 - Y], clusters=v),
    ("metrics", "threshold_test", "clusters"):
        lambda v: metrics.threshold_test("accuracy", Y, threshold=0.5, clusters=v),
    ("metrics", "worst_case_interval", "clusters"):
        lambda v: metrics.worst_case_interval(np.c_[Y, 1 - Y], clusters=v),
    ("evaluation", "cross_validate_perturbations", "groups"):
        lambda v: evaluation.cross_validate_perturbations(
            MODEL, X, Y, [NOISE], cv=GroupKFold(2), groups=v
        ),
    ("evaluation", "evaluate_attack", "groups"):
        lambda v: evaluation.evaluate_attack(MODEL, X, Y, ATTACK, groups=v),
    ("evaluation", "evaluate_attack", "clusters"):
        lambda v: evaluation.evaluate_attack(MODEL, X, Y, ATTACK, clusters=v),
    ("evaluation", "evaluate_attack", "y"):
        lambda v: evaluation.evaluate_attack(MODEL, X, v, ATTACK),
    ("evaluation", "evaluate_perturbations", "groups"):
        lambda v: evaluation.evaluate_perturbations(MODEL, X, Y, [NOISE], groups=v),
    ("evaluation", "evaluate_perturbations", "clusters"):
        lambda v: evaluation.evaluate_perturbations(MODEL, X, Y, [NOISE], clusters=v),
    ("evaluation", "suggest_repairs", "clusters"):
        lambda v: evaluation.suggest_repairs(
            MODEL, X, Y, [NOISE], clusters=v
        ),
    ("evaluation", "robust_accuracy_bounds", "clusters"):
        lambda v: evaluation.robust_accuracy_bounds(MODEL, X, Y, eps=0.1, clusters=v),
    ("evaluation", "robust_ratio_bounds", "clusters"):
        lambda v: evaluation.robust_ratio_bounds(MODEL, X, Y, eps=0.1, clusters=v),
    ("sampling", "BaseSampler", "groups"):
        lambda v: told().metric("accuracy", groups=v),
    ("sampling", "SimpleRandomSampler", "y_pred"): lambda v: simple(y_pred=v),
    ("perturbations", "ClipPerturbation", "clips"):
        lambda v: perturbations.ClipPerturbation(NOISE, clips=v).perturb(None, X),
    ("perturbations", "LabelNoiseClassifier", "y"):
        lambda v: perturbations.LabelNoiseClassifier(LogisticRegression()).fit(X, v),
    ("perturbations", "PerturbationSampler", "y"):
        lambda v: perturbations.PerturbationSampler(NOISE).fit_resample(X, v),
    ("plots", "StabilityPatternDisplay", "periods"):
        lambda v: plots.StabilityPatternDisplay.from_periods(P, v),
}  # fmt: skip
OF_TIMES = {
    ("metrics", "gini_stability", "times"):
        lambda v: metrics.gini_stability(Y, P, v),
    ("metrics", "period_stability_index", "times"):
        lambda v: metrics.period_stability_index(Y, Y, v),
    ("metrics", "simultaneous_intervals", "periods"):
        lambda v: metrics.simultaneous_intervals(Y, periods=v),
    ("metrics", "confidence_interval", "periods"):
        lambda v: metrics.confidence_interval("stability_index", P, periods=v),
    ("metrics", "make_stability_index_scorer", "times"):
        lambda v: metrics.make_stability_index_scorer().score(MODEL, X, Y, times=v),
}  # fmt: skip
OF_NUMBERS = {
    ("metrics", "stability_index", "times"):
        lambda v: metrics.stability_index(P, times=v),
    ("metrics", "stability_pattern", "times"):
        lambda v: metrics.stability_pattern(P, high=0.5, times=v),
    ("metrics", "confidence_interval", "sample_weight"):
        lambda v: metrics.confidence_interval("accuracy", Y, Y, sample_weight=v),
    ("metrics", "compare_models", "sample_weight"):
        lambda v: metrics.compare_models(
            {"a": Y == 1, "b": Y == 0}, metric="accuracy", sample_weight=v
        ),
    ("metrics", "period_stability_index", "sample_weight"):
        lambda v: metrics.period_stability_index(
            Y, Y, np.arange(N) // 4, sample_weight=v
        ),
    ("metrics", "robust_accuracy_score", "sample_weight"):
        lambda v: metrics.robust_accuracy_score(Y, Y, sample_weight=v),
    ("metrics", "normalized_r2_score", "y_true"):
        lambda v: metrics.normalized_r2_score(v, P, n_features=1),
}  # fmt: skip
# Their arrays are those of another entry, or of the results of one.
SAME = {
    ("plots", "GroupGapDisplay", "groups"),  # tables of groups
    ("report", "collect_report", "groups"),
    ("report", "collect_report", "times"),
    ("perturbations", "VideoCompression", "clips"),  # a number
    ("perturbations", "video_chain", "clips"),
}
CASES = [
    pytest.param(call, make, id=f"{entry[1]}-{entry[2]}-{kind}")
    for table, kinds in ((OF_TEXT, TEXTS), (OF_TIMES, TIMES), (OF_NUMBERS, NUMBERS))
    for entry, call in table.items()
    for kind, make in kinds.items()
]


@pytest.mark.parametrize(("call", "make"), CASES)
def test_a_missing_value_is_refused(call, make):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of few samples
        with pytest.raises(ValueError, match=r"without missing values|needs finite"):
            call(make())


def test_every_entry_is_in_a_table():
    names = {"groups", "clips", "clusters", "times", "periods", "corruptions"}
    tested = {*OF_TEXT, *OF_TIMES, *OF_NUMBERS, *SAME}
    for family in ("metrics", "evaluation", "sampling", "perturbations", "report"):
        module = importlib.import_module(f"skrobust.{family}")
        for name in module.__all__:
            try:
                found = names & set(inspect.signature(getattr(module, name)).parameters)
            except (TypeError, ValueError):
                continue
            for parameter in found:
                assert (family, name, parameter) in tested


@pytest.mark.parametrize("kind", TEXTS)
def test_containers_without_missing_values_are_read_alike(kind, monkeypatch):
    monkeypatch.setitem(globals(), "WITH", TEXT)
    monkeypatch.setattr(np.ma, "array", lambda values, mask: np.ma.MaskedArray(values))
    found = label_array(TEXTS[kind](), "test", "groups")
    assert found.tolist() == TEXT


def test_the_word_nan_is_a_value():
    words = ["nan", "NA", "None", ""]
    assert label_array(words, "test", "groups").tolist() == words
    assert one_per_row(np.array(words)).tolist() == words


def test_reports_refuse_missing_groups_and_times():
    report = pytest.importorskip("skrobust.report")
    for name, values in (("groups", TEXTS), ("times", TIMES)):
        make = values["list with NaN"]
        with pytest.raises(ValueError, match="without missing values"):
            report.collect_report({"m": MODEL}, X, Y, **{name: make()})
