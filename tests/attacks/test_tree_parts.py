"""Parts of the exact attack on trees, each against its definition or enumeration."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)

from skrobust.attacks import Constraints, ExactTree
from skrobust.attacks.trees.box_groups import ends_of
from skrobust.attacks.trees.tree_boxes import LeafBoxes, Reach
from skrobust.attacks.trees.tree_ensemble import TreeEnsemble, TreeTable
from skrobust.attacks.trees.tree_moves import to_other_labels
from skrobust.attacks.trees.tree_questions import Budget, Row
from skrobust.attacks.trees.tree_reader import read_trees
from skrobust.attacks.trees.tree_rows import TreeRows
from skrobust.attacks.trees.tree_search import _Task

RNG = np.random.default_rng(0)
X = RNG.random((120, 3))
Y = (X[:, 0] + np.sin(5 * X[:, 1]) > 1.2).astype(int)
MODELS = [
    RandomForestClassifier(5, max_depth=4, random_state=0),
    GradientBoostingClassifier(n_estimators=6, max_depth=2, random_state=0),
    HistGradientBoostingClassifier(max_iter=4, max_depth=3, min_samples_leaf=5),
]
MODELS = [model.fit(X, Y) for model in MODELS]


def tree_rows(model, values, norm=np.inf, constraints=None):
    how = {"norm": norm, "data_range": None, "constraints": constraints}
    return TreeRows(read_trees(model, "ExactTree"), values, caller="ExactTree", **how)


@pytest.mark.parametrize("norm", [np.inf, 2, 1])
@pytest.mark.parametrize("model", MODELS, ids=str)
def test_a_change_beyond_the_radius_counts_only_where_rounding_may_bring_it(
    model, norm
):
    rows = tree_rows(model, X[:25], norm)
    n_found = 0
    for i in range(25):
        row = Row.of(rows, i)
        nearest = row.nearest_change(row.label, np.inf, 500)
        if nearest.box is None or not nearest.is_done:
            continue
        n_found += 1
        length = nearest.length
        short = np.nextafter(length, 0)
        assert row.change(row.label, short, Budget(500)).box is None
        assert row.change(row.label, short, Budget(500), sound=True).box is not None
        assert row.change(row.label, 0.99 * length, Budget(500), sound=True).box is None
        found = row.change(row.label, length, Budget(500))
        assert found.length == length
    assert n_found > 15


@pytest.mark.parametrize("norm", [np.inf, 2])
@pytest.mark.parametrize("model", MODELS, ids=str)
def test_a_dive_ends_in_one_box_of_each_group_at_the_sum_of_their_values(model, norm):
    rows = tree_rows(model, X[:15], norm)
    weights = np.zeros((1, len(rows.model.trees.start)))
    weights[0, -1] = 1
    n_groups = 0
    for i in range(15):
        row = Row.of(rows, i)
        part = rows.groups_of(rows.reach(i, row.ways, 0.2), weights)
        far = None if norm == np.inf else rows.far(row.ways, part.features, i)
        task = _Task(-np.inf, "highest", None, far, 0.2)
        low, high = task.dive(part)
        if not len(part.first):  # nothing in reach divides the sum
            continue
        assert (low <= high).all()
        if task.box is None:  # boxes that fit each other may lie beyond the radius
            assert far is not None
            continue
        ends, total = ends_of(part), part.constant.copy()
        for g in range(len(part.first)):
            a = slice(ends[g], ends[g + 1])
            holds = ((part.low[a] <= low) & (high <= part.high[a])).all(axis=1)
            assert holds.sum() == 1
            total += part.value[a][holds][0]
        n_groups += len(part.first)
        assert task.value == pytest.approx(part.joined(total[None])[0])
        if far is not None:
            assert far(low[None], high[None])[0] <= 0.2
    assert n_groups > 15


@pytest.mark.parametrize("model", MODELS, ids=str)
@pytest.mark.parametrize("scale", [None, [1.0, 4.0, 0.25]], ids=str)
def test_ways_to_cells_are_those_to_their_nearest_ends_in_units(model, scale):
    rules = None if scale is None else Constraints(scale=scale)
    rows = tree_rows(model, X[:10], constraints=rules)
    for i in range(10):
        ways = rows.ways(i)
        for f, unit in enumerate(scale or [1.0, 1.0, 1.0]):
            low, high = rows.boxes.edges(f)
            gap = np.maximum(np.maximum(low - X[i, f], X[i, f] - high), 0)
            found = ways[rows.offset[f] :][: len(low)]
            assert found == pytest.approx(gap / unit, abs=1e-6)
        assert (ways > 0).any()


@pytest.mark.parametrize("model", MODELS, ids=str)
@pytest.mark.parametrize("frozen", [[], [1], [0, 2]])
def test_ways_to_cells_are_those_of_the_nearest_whole_number(model, frozen):
    rules = Constraints(integer=[0, 1, 2], frozen=frozen, scale=[1.0, 2.0, 0.5])
    whole = RNG.integers(0, 8, (80, 3)).astype(float)
    label = (whole @ [1, -1, 0.5] + RNG.normal(size=80) > 1).astype(int)
    model = clone(model).fit(whole, label)
    rows = tree_rows(model, whole[:10], constraints=rules)
    numbers = np.arange(-3.0, 12.0)
    for i in range(10):
        ways = rows.ways(i)
        for f, unit in enumerate([1.0, 2.0, 0.5]):
            moved = np.tile(whole[i], (len(numbers), 1))
            moved[:, f] = numbers
            cells = rows.boxes.cells(rows.model.seen(moved))[:, f]
            own = rows.boxes.cells(rows.model.seen(whole[[i]]))[0, f]
            for cell in np.unique(cells):
                way = np.abs(numbers[cells == cell] - whole[i, f]).min() / unit
                way = np.inf if f in frozen else way
                found = ways[rows.offset[f] + cell]
                assert found == (0 if cell == own else way)


@pytest.mark.parametrize("seed", range(4))
def test_missing_categories_stay_missing_and_their_leaves_are_the_right_ones(seed):
    rng = np.random.default_rng(seed)
    codes = rng.choice([0.0, 1.0, 2.0, 3.0, np.nan], 300)
    table = np.column_stack([rng.random(300), codes, rng.random(300)])
    y = table[:, 0] + np.where(np.isnan(codes), 0.3, codes % 2 - 0.2) > 0.7
    model = HistGradientBoostingClassifier(
        max_iter=5, max_depth=3, min_samples_leaf=5, categorical_features=[1]
    ).fit(table, y)
    rows = table[np.isnan(codes)][:20]
    grid = np.linspace(-0.2, 1.2, 4001)
    attack = ExactTree(constraints=Constraints(frozen=[2]))
    norms = attack.minimal_norms(model, rows)
    assert attack.proven_.all()
    for row, norm in zip(rows, norms, strict=True):
        moved = np.tile(row, (len(grid), 1))
        moved[:, 0] = grid
        other = model.predict(moved) != model.predict(row[None])
        wanted = np.abs(grid[other] - row[0]).min(initial=np.inf)
        assert norm == pytest.approx(wanted, abs=1e-3)
    assert np.isfinite(norms).any()


BOOSTED = [
    ("xgboost", "XGBClassifier", {"n_estimators": 4, "max_depth": 3}),
    ("lightgbm", "LGBMClassifier", {"n_estimators": 4, "verbose": -1}),
    ("catboost", "CatBoostClassifier",
     {"iterations": 4, "verbose": 0, "allow_writing_files": False}),
]  # fmt: skip


@pytest.mark.parametrize(("library", "name", "params"), BOOSTED)
def test_only_leaves_of_boosted_trees_have_values(library, name, params):
    # The largest value of each tree tells how far sums of single precision may be off.
    model = getattr(pytest.importorskip(library), name)(**params).fit(X, Y)
    trees = read_trees(model, "ExactTree").trees
    inner = trees.feature >= 0
    assert inner.any()
    assert (trees.value[inner] == 0).all()
    assert (trees.value[~inner] != 0).any()


LINKED = [
    ("binary", {}, 2, True),
    ("binary", {"sigmoid": 1.0}, 2, True),
    ("binary", {"sigmoid": 2.0}, 2, False),
    ("multiclass", {}, 3, True),
    ("multiclassova", {}, 3, False),
    ("multiclassova", {"sigmoid": 2.0}, 3, False),
    ("cross_entropy", {}, 2, False),
]


@pytest.mark.parametrize(("objective", "params", "n_classes", "linked"), LINKED)
def test_probabilities_of_lightgbm_are_those_of_the_library_or_unknown(
    objective, params, n_classes, linked
):
    lightgbm = pytest.importorskip("lightgbm")
    label = (n_classes * X[:, 0]).astype(int)
    model = lightgbm.LGBMClassifier(
        objective=objective, n_estimators=3, n_jobs=1, verbose=-1, **params
    ).fit(X, label)
    trees = read_trees(model, "ExactTree").trees
    found = trees.probabilities(trees.scores(trees.in_its_precision(X)))
    if linked:
        np.testing.assert_allclose(found, model.predict_proba(X))
    else:
        assert np.isnan(found).all()


def test_cells_may_be_more_than_small_numbers_hold():
    # A tree of 2**15 leaves, and another one with a cut behind all of its cuts.
    place = np.arange(2**16 - 1)
    depth = np.log2(place + 1).astype(int)
    row, inner = place + 1 - 2**depth, depth < 15
    cut = (2 * row + 1) * 2.0 ** (14 - depth) - 0.5
    large = TreeTable(
        np.where(inner, 0, -1), cut, np.where(inner, 2 * place + 1, 0),
        np.where(inner, 2 * place + 2, 0), inner, row[:, None] * 1.0, {},
    )  # fmt: skip
    small = TreeTable(
        np.array([0, -1, -1]), np.array([4e4, 0, 0]), np.array([1, 0, 0]),
        np.array([2, 0, 0]), np.zeros(3, dtype=bool), np.array([[0.0], [1], [2]]), {},
    )  # fmt: skip
    facts = {"classes": None, "n_features": 1, "dtype": np.float64, "link": None}
    boxes = LeafBoxes(TreeEnsemble.of([large, small], np.zeros(1), **facts))
    none, last = np.zeros(1, dtype=int), boxes.last
    assert last == [2**15]
    reach = Reach(none, none, last, np.zeros(1, dtype=bool), np.zeros(1), {}, {})
    part = boxes.groups(reach, np.eye(1))
    low, high, value = part.low[:, 0], part.high[:, 0], part.value[:, 0]
    order = np.argsort(value[: 2**15])
    assert (low[order] == np.arange(2**15)).all()
    assert (high[order][:-1] == np.arange(2**15 - 1)).all()
    assert high[order][-1] == 2**15
    assert sorted(zip(low[2**15 :], high[2**15 :], strict=True)) == [
        (0, 2**15 - 1),
        (2**15, 2**15),
    ]


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_what_the_library_does_not_see_is_neither_moved_nor_proven(model):
    rows = tree_rows(model, X[:25])
    every = [Row.of(rows, i) for i in range(25)]
    found = [row.nearest_change(row.label, np.inf, 500) for row in every]
    label = np.array([row.label for row in every])
    own, classes = model.predict(X[:25]), rows.model.trees.classes
    assert (classes[label] == own).all()
    moved, lengths, proofs = to_other_labels(rows, found, label, model.predict)
    assert np.isfinite(lengths).all()
    assert proofs["proven_"].any()
    assert (model.predict(moved) != own).all()
    blind = to_other_labels(rows, found, label, lambda X: own)
    np.testing.assert_array_equal(blind[0], X[:25])
    assert (blind[1] == np.inf).all()
    assert not blind[2]["proven_"].any()
