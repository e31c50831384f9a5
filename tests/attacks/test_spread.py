"""Tests of radii in units of the spread of the rows."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skrobust.attacks import (
    FAB,
    FGSM,
    PGD,
    AutoAttack,
    AutoPGD,
    Constraints,
    DeepFool,
    ExactLinear,
    ExactTree,
    RandomSearch,
    Square,
    StrongestAttack,
)

X, Y = load_breast_cancer(return_X_y=True)
MODEL = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)).fit(X, Y)
SPREADS = {
    "std": X.std(axis=0),
    "iqr": np.subtract(*np.percentile(X, [75, 25], axis=0)),
    "range": np.ptp(X, axis=0),
}


def test_one_raw_radius_says_nothing_and_one_in_spreads_does():
    raw = 1 - ExactLinear(0.1).run(MODEL, X, Y).success.mean()
    spread = MODEL.score(ExactLinear("0.1 std").perturb(MODEL, X, Y), Y)
    assert raw < 0.01
    assert spread == pytest.approx(0.916, abs=0.05)


@pytest.mark.parametrize("unit", SPREADS)
@pytest.mark.parametrize("attack", [FGSM(), PGD(random_state=0), ExactLinear(),
                                    RandomSearch(n_steps=2, random_state=0)],
                         ids=lambda attack: type(attack).__name__)  # fmt: skip
def test_a_unit_is_a_scale_of_the_constraints(attack, unit):
    plain = attack.set_params(eps=0.1, constraints=Constraints(scale=SPREADS[unit]))
    expected = plain.perturb(MODEL, X[:60], Y[:60])
    rows = np.vstack([X, X])  # the spread is that of all rows, however many
    named = attack.set_params(eps=f"0.1 {unit}", constraints=None)
    found = named.perturb(MODEL, rows, np.r_[Y, Y])
    np.testing.assert_allclose(found[:60], expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    "attack",
    [
        FGSM("0.2 std"),
        PGD("0.2 std", random_state=0),
        AutoPGD("0.2 std", n_steps=5, random_state=0),
        FAB("0.2 std", n_steps=3, random_state=0),
        DeepFool("0.2 std"),
        Square("0.2 std", max_queries=20, random_state=0),
        RandomSearch("0.2 std", n_steps=2, random_state=0),
        AutoAttack("0.2 std", attacks=[FGSM()]),
        StrongestAttack("0.2 std"),
    ],
    ids=lambda attack: type(attack).__name__,
)
def test_no_attack_leaves_the_ball_in_spreads(attack):
    few = X[:80]
    result = attack.run(MODEL, few, Y[:80])
    assert result.success.any()
    reach = np.abs((result.X_adv - few) / few.std(axis=0)).max()
    assert reach <= 0.2 * (1 + 1e-9)
    assert np.nanmax(result.norm) <= 0.2 * (1 + 1e-9)


@pytest.mark.parametrize("attack", [FGSM, PGD, ExactLinear, StrongestAttack])
def test_units_of_a_column_change_nothing(attack):
    """In units of the spread a column in metres or in millimetres is the same."""
    factor = np.ones(X.shape[1])
    factor[[0, 3, 7]] = 1000, 0.001, 1024
    other = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    other.fit(X * factor, Y)
    one = attack("0.3 std").run(MODEL, X, Y)
    two = attack("0.3 std").run(other, X * factor, Y)
    np.testing.assert_array_equal(one.success, two.success)
    assert 0 < one.success.mean() < 1
    if attack is not PGD:  # which draws by the values of a row
        np.testing.assert_allclose(one.X_adv * factor, two.X_adv, rtol=1e-4)


@pytest.mark.parametrize("batch_size", [1, 7, 569])
def test_the_spread_is_that_of_all_rows_whatever_the_batch(batch_size):
    whole = PGD("0.3 std", random_state=0).perturb(MODEL, X, Y)
    parts = PGD("0.3 std", random_state=0, batch_size=batch_size)
    np.testing.assert_allclose(parts.perturb(MODEL, X, Y), whole, rtol=1e-9)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_columns_of_a_frame_have_their_own_spread_and_text_stays(library):
    module = pytest.importorskip(library)
    from sklearn.compose import make_column_transformer
    from sklearn.preprocessing import OneHotEncoder

    frame = module.DataFrame({"a": X[:, 0], "b": X[:, 3], "c": ["u", "v", "w"] * 189
                              + ["u", "v"]})  # fmt: skip
    steps = make_column_transformer(
        (StandardScaler(), ["a", "b"]), (OneHotEncoder(sparse_output=False), ["c"])
    )
    model = make_pipeline(steps, LogisticRegression()).fit(frame, Y)
    found = FGSM("0.5 std", objective="loss").perturb(model, frame, Y)
    for name, place in (("a", 0), ("b", 3)):
        move = (found[name].to_numpy() - X[:, place]) / X[:, place].std()
        np.testing.assert_allclose(np.abs(move), 0.5)
    assert list(found["c"]) == list(frame["c"])


def test_a_column_that_does_not_vary_does_not_move():
    rows = np.c_[X[:, :3], np.ones(len(X))]
    model = LogisticRegression(max_iter=5000).fit(rows, Y)
    found = FGSM("0.5 std", objective="loss").perturb(model, rows, Y)
    assert (found[:, 3] == 1).all()
    assert (found[:, :3] != rows[:, :3]).all()


def test_regressors_and_trees_take_spreads():
    rows, y = load_diabetes(return_X_y=True)
    model = Ridge().fit(rows, y)
    moved = model.predict(ExactLinear("0.1 std").perturb(model, rows, y))
    reach = 0.1 * np.abs(model.coef_) @ rows.std(axis=0)
    np.testing.assert_allclose(np.abs(moved - model.predict(rows)), reach)


def test_what_a_tree_learned_is_told():
    from sklearn.tree import DecisionTreeClassifier

    tree = DecisionTreeClassifier(max_depth=3).fit(X, Y)
    attack = ExactTree("0.1 std")
    attack.perturb(tree, X[:30], Y[:30])
    assert attack.proven_.all()


@pytest.mark.parametrize("frozen", [[], [0, 5]])
@pytest.mark.parametrize("norm", [np.inf, 2, 1])
def test_exact_linear_in_units_is_exact_behind_a_scaler(norm, frozen):
    """A ball in units is the plain ball of the rows divided by them."""
    unit = X.std(axis=0)
    unit[frozen] = 0
    divisor = np.where(unit > 0, unit, 1)
    inner = LogisticRegression(max_iter=1000).fit(X / X.std(axis=0), Y)
    outer = make_pipeline(StandardScaler(with_mean=False), inner)
    outer[0].fit(X)
    attack = ExactLinear(0.3, norm=norm, constraints=Constraints(scale=unit))
    norms = attack.minimal_norms(outer, X, Y)
    weights = inner.coef_[0] / X.std(axis=0) * unit  # in units of the ball
    margin = np.where(Y == 1, 1, -1) * (
        X @ (inner.coef_[0] / X.std(axis=0)) + inner.intercept_[0]
    )
    dual = {np.inf: 1, 2: 2, 1: np.inf}[norm]
    expected = np.maximum(margin, 0) / np.linalg.norm(weights, dual)
    np.testing.assert_allclose(norms, expected, rtol=1e-6, atol=1e-9)
    moved = attack.perturb(outer, X, Y)
    assert ((outer.predict(moved) == Y) == (norms > 0.3)).all()
    assert (moved[:, frozen] == X[:, frozen]).all()
    reach = np.linalg.norm((moved - X) / divisor, norm, axis=1).max()
    assert reach <= 0.3 * (1 + 1e-9)


@pytest.mark.parametrize("eps", ["0.1", "std", "-1 std", "inf std", "1 cm", "0.1std"])
def test_a_radius_that_cannot_be_read_is_named(eps):
    with pytest.raises(ValueError, match="'eps' parameter of PGD must be a number"):
        PGD(eps).perturb(MODEL, X, Y)


def test_what_has_no_spread_is_said():
    with pytest.raises(ValueError, match="no feature of these rows varies"):
        PGD("0.1 std").perturb(MODEL, X[:1], Y[:1])
    rules = Constraints(scale=X.std(axis=0))
    with pytest.raises(ValueError, match="its constraints have a scale"):
        PGD("0.1 std", constraints=rules).perturb(MODEL, X, Y)
    with pytest.raises(ValueError, match="a number in this method"):
        ExactLinear("0.1 std").minimal_norms(MODEL, X, Y)
    rules = Constraints(integer=[0])
    with pytest.raises(ValueError, match="units and frozen features alone"):
        ExactLinear(0.1, constraints=rules).perturb(MODEL, np.round(X), Y)


def test_a_default_radius_says_what_it_means_on_a_table():
    with pytest.warns(
        UserWarning, match="from 0.0026 to 5.7e.02.*eps='0.1 std'"
    ) as seen:
        PGD(random_state=0).perturb(MODEL, X, Y)
    assert len(seen) == 1
    assert len(AutoAttack(attacks=[FGSM(), PGD()]).run(MODEL, X, Y).warnings) == 1
    for attack in (PGD("0.1 std"), PGD(0.2), PGD(data_range=(0, 5000))):
        assert attack.run(MODEL, X, Y).warnings == []
    scaled = StandardScaler().fit_transform(X)
    assert PGD().run(LogisticRegression().fit(scaled, Y), scaled, Y).warnings == []
