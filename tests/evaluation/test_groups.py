"""Robustness by group in one call, held against the metrics and a count by hand."""

import json

import numpy as np
import pytest
from problems import data_folder, linear_problem
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from skrobust.attacks import FGSM, PGD
from skrobust.evaluation import evaluate_attack, evaluate_perturbations
from skrobust.metrics import (
    confidence_interval,
    group_robust_ratio_curve,
    group_robustness,
    probability_shift,
)
from skrobust.perturbations import GaussianNoise
from skrobust.report.core.strict_json import to_plain

MODEL, X, Y = linear_problem(160)
GROUPS = np.repeat(["a", "b", "c", "d"], [50, 50, 40, 20])
ATTACK = FGSM(0.05, data_range=(0, 1))


def evaluated(**options):
    settings = {"groups": GROUPS, "n_permutations": 99, "random_state": 0, **options}
    return evaluate_attack(MODEL, X, Y, ATTACK, tolerances=[0.02, 0.1], **settings)


def test_tables_are_those_of_the_metrics():
    r = evaluated()
    options = {"n_permutations": 99, "random_state": 0}
    moved = ATTACK.perturb(MODEL, X, Y)
    own = group_robustness(Y, MODEL.predict(moved), GROUPS, **options)
    got = r.groups.robust_accuracy
    assert str(to_plain(got)) == str(to_plain(own))
    for mode in r.modes:
        q = MODEL.predict_proba(
            FGSM(0.05, data_range=(0, 1), objective=mode).perturb(MODEL, X, Y)
        )
        own = group_robust_ratio_curve(
            MODEL.predict_proba(X), q, GROUPS, tolerances=[0.02, 0.1], **options
        )
        assert str(to_plain(r.groups[f"robust_ratio_{mode}"])) == str(to_plain(own))


def test_groups_average_to_the_whole():
    r = evaluated()
    n = r.groups.robust_accuracy.n_samples
    assert np.average(r.groups.robust_accuracy.value, weights=n) == pytest.approx(
        r.robust_accuracy
    )
    for mode in r.modes:
        value = r.groups[f"robust_ratio_{mode}"].value.reshape(2, 4)
        whole = r[f"robust_ratio_{mode}"]
        np.testing.assert_allclose(value @ n / n.sum(), whole)


def test_groups_change_nothing_else():
    with_groups, without = evaluated(), evaluated(groups=None)
    assert "groups" not in without
    del with_groups["groups"]
    assert str(to_plain(with_groups)) == str(to_plain(without))


def test_the_long_table():
    frame = evaluated().groups.to_frame()
    assert len(frame) == 4 + 2 * 2 * 4
    assert frame.measure.unique().tolist() == [
        "robust_accuracy",
        "robust_ratio_loss",
        "robust_ratio_probability_shift",
    ]
    assert set(frame.group[frame.is_small]) == {"d"}
    assert frame.tolerance.isna().sum() == 4


def test_gaps_of_all_pairs_and_the_range():
    table = evaluated().groups.robust_accuracy
    pairs = list(zip(table.gaps["first"], table.gaps["second"], strict=True))
    assert len(set(pairs)) == 6
    value = dict(zip(table.group, table.value, strict=True))
    for (one, other), gap in zip(pairs, table.gaps.gap, strict=True):
        assert gap == pytest.approx(value[one] - value[other])
    assert (table.gaps.p_adjusted >= table.gaps.p_value).all()
    assert table.range == pytest.approx(np.ptp(table.value))
    assert 0 < table.range_p_value <= 1


def test_results_are_json():
    text = json.dumps(to_plain(evaluated()), allow_nan=False)
    assert json.loads(text)["groups"]["robust_accuracy"]["worst_group"] in "abcd"


@pytest.mark.filterwarnings("ignore:evaluate_attack finds groups of fewer")
def test_intervals_over_clusters():
    clips = np.arange(160) // 2
    r = evaluated(clusters=clips)
    right = MODEL.predict(ATTACK.perturb(MODEL, X, Y)) == Y
    low, high = confidence_interval("robust_accuracy", right, clusters=clips)
    assert r.robust_accuracy_interval == pytest.approx((low, high))
    p = MODEL.predict_proba(X)
    free = FGSM(0.05, data_range=(0, 1), objective="loss").perturb(MODEL, X, Y)
    hits = probability_shift(p, MODEL.predict_proba(free)) <= 0.02 + 1e-9
    interval = confidence_interval("robust_accuracy", hits, clusters=clips)
    assert r.robust_ratio_loss_low[0] == pytest.approx(interval.low)
    assert r.robust_ratio_loss_high[0] == pytest.approx(interval.high)
    assert r.interval_unit == "clusters"
    assert r.n_clusters == 80
    assert r.groups.robust_accuracy.n_clusters.tolist() == [25, 25, 20, 10]


def test_copies_of_samples_buy_nothing():
    """Each sample three times, in clusters of copies, is worth the samples once."""
    rows = np.repeat(np.arange(160), 3)
    options = {"tolerances": [0.02], "n_permutations": 99}
    once = evaluate_attack(MODEL, X, Y, ATTACK, **options)
    many = evaluate_attack(MODEL, X[rows], Y[rows], ATTACK, clusters=rows, **options)
    naive = evaluate_attack(MODEL, X[rows], Y[rows], ATTACK, **options)
    width = [np.ptp(r.robust_accuracy_interval) for r in (once, many, naive)]
    assert width[1] == pytest.approx(width[0], rel=0.03)
    assert width[2] < 0.65 * width[1]


def test_few_clusters_are_told_once():
    clips = np.arange(160) // 10  # within groups
    with pytest.warns(UserWarning, match="clusters") as told:
        evaluated(clusters=clips)
    sentences = [str(w.message) for w in told]
    assert len(sentences) == len(set(sentences)) == 2
    assert all(s.startswith("evaluate_attack") for s in sentences)


def test_one_class_has_a_true_rate_and_no_robust_accuracy():
    rows = Y == 1
    r = evaluate_attack(MODEL, X[rows], Y[rows], ATTACK, groups=GROUPS[rows])
    assert "robust_accuracy" not in r.groups
    table = r.groups.true_rate
    assert table.measure == "robust rate of class 1"
    assert (table.true_class == 1).all()
    assert "true_rate" in set(r.groups.measure)
    assert table.gaps.gap.shape == (6,)
    assert len(r.groups.robust_ratio_loss.group) == 21 * 4


@pytest.mark.parametrize("labels", [["fake", "real"], [0, 1], [False, True]])
def test_groups_of_different_classes_have_no_gaps(labels):
    y = np.array(labels)[Y]
    model = LogisticRegression(C=100).fit(X, y)
    r = evaluate_attack(model, X, y, ATTACK, groups=np.array(["m", "w"])[Y])
    table = r.groups.true_rate
    assert "robust_accuracy" not in r.groups
    assert not {"gaps", "range", "range_p_value", "worst_group"} & set(table)
    assert table.true_class.tolist() == labels
    right = model.predict(ATTACK.perturb(model, X, y)) == y
    assert table.value.tolist() == [right[Y == 0].mean(), right[Y == 1].mean()]
    assert len(r.groups.robust_ratio_loss.gaps.gap) == 21


def test_a_group_that_lacks_a_class_is_told():
    groups = np.where((Y == 0) & (np.arange(160) % 2 == 0), "only 0", "both")
    with pytest.warns(UserWarning, match="^evaluate_attack compares groups of diff"):
        evaluate_attack(MODEL, X, Y, ATTACK, groups=groups)


def test_without_probabilities_there_is_robust_accuracy_alone():
    model = LinearSVC().fit(X, Y)
    r = evaluate_attack(model, X, Y, ATTACK, groups=GROUPS, random_state=0)
    assert set(r.groups.measure) == {"robust_accuracy"}


class Counted(FGSM):
    """Counts its runs."""

    n_runs = 0

    def _attack(self, *args):
        type(self).n_runs += 1
        return super()._attack(*args)


def test_groups_need_no_new_run(tmp_path):
    attack = Counted(0.05, data_range=(0, 1))
    evaluate_attack(MODEL, X, Y, attack, checkpoint=tmp_path)
    runs = Counted.n_runs
    assert runs > 0
    kept = evaluate_attack(
        MODEL, X, Y, attack, checkpoint=tmp_path, groups=GROUPS, random_state=0
    )
    assert Counted.n_runs == runs
    fresh = evaluate_attack(MODEL, X, Y, attack, groups=GROUPS, random_state=0)
    assert str(to_plain(kept)) == str(to_plain(fresh))


def test_containers_and_read_only_groups():
    pandas = pytest.importorskip("pandas")
    groups = GROUPS.copy()
    groups.flags.writeable = False
    series = pandas.Series(GROUPS, dtype="category", index=np.arange(160)[::-1])
    one = evaluated(groups=groups).groups
    for other in (GROUPS.tolist(), series, GROUPS.astype(object)):
        assert str(to_plain(evaluated(groups=other).groups)) == str(to_plain(one))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"groups": "sex"}, "'groups' parameter of evaluate_attack"),
        ({"groups": GROUPS[:-1]}, "one entry of groups per sample"),
        ({"groups": np.zeros(160)}, "at least two groups"),
        ({"groups": np.full(160, np.nan)}, "evaluate_attack"),
        ({"groups": np.zeros((160, 2))}, "evaluate_attack"),
        ({"clusters": np.arange(3)}, "evaluate_attack"),
        ({"clusters": np.arange(160) // 40}, "each cluster within one group"),
        ({"groups": None, "clusters": np.arange(3)}, "evaluate_attack"),
        ({"n_permutations": 0}, "'n_permutations' parameter of evaluate_attack"),
        ({"groups": None, "n_permutations": 1.5}, "'n_permutations'"),
        ({"random_state": "now"}, "'random_state' parameter of evaluate_attack"),
        ({"confidence": 1}, "'confidence' parameter of evaluate_attack"),
    ],
)
@pytest.mark.filterwarnings("ignore:evaluate_attack")
def test_refuses(options, sentence):
    with pytest.raises(ValueError, match=sentence):
        evaluated(**options)


def test_bad_groups_are_refused_before_the_attack():
    Counted.n_runs = 0
    with pytest.raises(ValueError, match="at least two groups"):
        evaluate_attack(MODEL, X, Y, Counted(0.05), groups=["a"] * 160)
    assert Counted.n_runs == 0


def test_real_faces_by_group():
    pillow = pytest.importorskip("PIL.Image")
    folder = data_folder("deepfake", "utk_groups")
    faces, groups = [], []
    for path in sorted(folder.glob("*/*.jpg")):
        with pillow.open(path) as picture:
            small = picture.convert("L").resize((8, 8))
            faces.append(np.asarray(small, dtype=np.float64).ravel() / 255)
        groups.append(path.parent.name)
    faces, groups = np.array(faces), np.array(groups)
    rng = np.random.default_rng(0)
    # The fake side is synthetic (pixels in disorder); it only serves to fit a model.
    fakes = rng.permuted(faces, axis=1)
    model = LogisticRegression(max_iter=2000).fit(
        np.vstack([faces, fakes]), np.repeat(["real", "fake"], len(faces))
    )
    real = np.full(len(faces), "real")
    r = evaluate_attack(
        model,
        faces,
        real,
        PGD(2 / 255, data_range=(0, 1), n_steps=5, random_state=0),
        groups=groups,
        tolerances=[0.05, 0.1],
        n_permutations=99,
        random_state=0,
    )
    table = r.groups.true_rate
    assert table.measure == "robust rate of class 'real'"
    assert table.n_samples.tolist() == [60] * 6
    assert not table.is_small.any()
    assert len(table.gaps.gap) == 15
    assert "robust_accuracy" not in r.groups
    assert len(r.groups.robust_ratio_probability_shift.ranges.p_value) == 2


CONDITIONS = [GaussianNoise(std=s, random_state=0) for s in (0.0, 0.1, 0.4)]


def test_groups_under_each_condition():
    r = evaluate_perturbations(
        MODEL, X, Y, CONDITIONS, groups=GROUPS, n_permutations=99, random_state=0
    )
    assert r.groups.measure == "accuracy"
    assert r.groups.number.tolist() == np.repeat(r.number, 4).tolist()
    by_hand = [r.correct[g == GROUPS].mean(axis=0) for g in "abcd"]
    np.testing.assert_allclose(r.groups.value.reshape(3, 4).T, by_hand)
    np.testing.assert_allclose(r.groups.ranges.range, np.ptp(by_hand, axis=0))
    assert len(r.groups.gaps.gap) == 3 * 6
    json.dumps(to_plain(r), allow_nan=False)


def test_conditions_over_clusters():
    clips = np.arange(160) // 2
    r = evaluate_perturbations(MODEL, X, Y, CONDITIONS, clusters=clips)
    interval = confidence_interval("robust_accuracy", r.correct[:, 2], clusters=clips)
    assert (r.score_low[2], r.score_high[2]) == pytest.approx(tuple(interval))
    assert r.n_clusters == r.accuracy_stability_index_interval.n == 80
    index = confidence_interval("accuracy_stability_index", r.correct, clusters=clips)
    assert tuple(index) == pytest.approx(tuple(r.accuracy_stability_index_interval))


def test_conditions_of_one_class_and_other_scores():
    options = {"groups": np.where(Y == 1, "fake", "real"), "n_permutations": 9}
    table = evaluate_perturbations(MODEL, X, Y, CONDITIONS, **options).groups
    assert table.measure == "rate of the one class of each group"
    assert table.true_class.tolist() == [1, 0] * 3
    assert "gaps" not in table
    assert "ranges" not in table
    with pytest.raises(ValueError, match="groups for accuracy only"):
        evaluate_perturbations(
            MODEL, X, Y, CONDITIONS, scoring="balanced_accuracy", **options
        )
