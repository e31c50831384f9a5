"""Single steps of attacks against their formulas, written out for one row each."""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

from skrobust._norms import project
from skrobust.attacks import (
    FAB,
    FGSM,
    FMN,
    CarliniWagner,
    Constraints,
    HopSkipJump,
    Square,
)
from skrobust.attacks.core.corner_walk import CornerWalk
from skrobust.attacks.core.square_windows import Flat, Planes

NORMS = [np.inf, 2, 1]
DUAL = {np.inf: 1, 2: 2, 1: np.inf, 0: np.inf}
RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 4))
Y = (np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 3] > 0).astype(int)


class Rows(SimpleNamespace):
    """What steps ask of a search, without a model and without a box."""

    def room(self, z):
        return None, None

    def missing(self, margin):
        return 0.5 - margin

    def fools(self, margin):
        return margin > 0.25


@pytest.mark.parametrize("norm", NORMS)
def test_fab_steps_onto_the_plane_from_either_side(norm):
    rng = np.random.default_rng(0)
    gradient, margin = rng.normal(size=(60, 4)), rng.normal(size=60) * 3
    step = FAB(norm=norm)._to_plane(Rows(), gradient, margin, gradient)
    lengths = np.linalg.norm(step, norm, axis=1)
    slopes = np.linalg.norm(gradient, DUAL[norm], axis=1)
    # Linear functions: the shortest step with margin + gradient * step = 0.
    assert margin + (gradient * step).sum(axis=1) == pytest.approx(0, abs=1e-12)
    assert lengths == pytest.approx(np.abs(margin) / slopes)
    assert 0.3 < (margin > 0).mean() < 0.7


def fmn_radius(norm, gamma, shrinks, row):
    """Return the next radius of one row, by the rules of the documentation."""
    radius, reach, size, away, slope, margin = row
    narrow, wide = radius * (1 - gamma * shrinks), radius * (1 + gamma * shrinks)
    if norm == 0:  # whole features
        narrow = max(min(radius - 1, np.floor(narrow)), 1)
        wide = max(radius + 1, np.floor(wide))
    if margin > 0.25:
        return min(narrow, size)
    if np.isfinite(size):
        return wide
    if norm == 0:
        return radius + 1
    seen = away + (0.5 - margin) / (slope if slope > 0 else 1)
    return max(min(seen, max(2 * radius, reach)), (1 + gamma) * radius)


@pytest.mark.parametrize("norm", [*NORMS, 0])
@pytest.mark.parametrize("shrinks", [1.0, 0.3])
def test_radii_of_fmn_follow_their_rules(norm, shrinks):
    rng, n = np.random.default_rng(1), 400
    x, step = rng.normal(size=(2, n, 3))
    gradient = rng.normal(size=(n, 3)) * rng.choice([0, 0.01, 1], (n, 1))
    radius, reach = rng.exponential(size=(2, n))
    radius = np.ceil(3 * radius) if norm == 0 else radius
    size = np.where(rng.random(n) < 0.4, 2 * rng.exponential(size=n), np.inf)
    margin = rng.normal(size=n) / 2
    rows = Rows(x=x, reach=reach, size=size)
    attack = FMN(norm=norm, gamma=0.2)
    found = attack._radius(rows, x + step, radius, margin, gradient, shrinks)
    away = np.linalg.norm(step, norm, axis=1)
    slope = np.linalg.norm(gradient, DUAL[norm], axis=1)
    each = zip(radius, reach, size, away, slope, margin, strict=True)
    assert found == pytest.approx([fmn_radius(norm, 0.2, shrinks, row) for row in each])
    unseen = ~np.isfinite(size) & (margin <= 0.25)
    if norm != 0:  # twice the radius, the reach, and what was seen all decide
        for other in (2 * radius, reach, 1.2 * radius):
            assert (found[unseen] == other[unseen]).any()


@pytest.mark.parametrize("norm", [*NORMS, 0])
def test_fmn_is_near_the_boundary_only_of_rows_that_stand_and_have_a_slope(norm):
    rng, n = np.random.default_rng(2), 200
    gradient = rng.normal(size=(n, 3)) * rng.choice([0, 1], (n, 1))
    size = np.where(rng.random(n) < 0.5, rng.exponential(size=n), np.inf)
    margin = rng.normal(size=n)
    found = FMN(norm=norm)._nearness(Rows(size=size), margin, gradient)
    slope = np.linalg.norm(gradient, 1 if norm == np.inf else 2, axis=1)
    expected = [
        (0.5 - m) / s if s > 0 and m < 0.5 and z == np.inf else np.inf
        for m, s, z in zip(margin, slope, size, strict=True)
    ]
    assert found == pytest.approx(expected)


class Waves(Rows):
    """Search over a smooth function of rows; notes every point that it is shown."""

    def __init__(self, x, n_classes, targeted):
        super().__init__(x=x, shown=[], reach=np.full(len(x), 0.3))
        self.span, self.size = np.full(len(x), 0.4), np.full(len(x), np.inf)
        self.scores = np.zeros((len(x), n_classes))
        self.goal = SimpleNamespace(targeted=targeted)
        self.margin, self.gradient = margin_of(x), slope_of(x)
        self.looks = []  # whether a gradient was asked for

    def clip(self, z):
        return z

    def evaluate(self, z):
        self.looks.append(True)
        self.note(z)
        return margin_of(z), slope_of(z)

    def check(self, z):
        self.looks.append(False)
        self.note(z)

    def note(self, z):
        self.shown.append(z)
        size = np.linalg.norm(z - self.x, self.norm, axis=1)
        fooled = self.fools(margin_of(z))
        self.size = np.where(fooled, np.minimum(size, self.size), self.size)


def margin_of(z):
    return np.sin(z).sum(axis=-1) - 0.5


def slope_of(z):
    return np.cos(z)


def fmn_path(norm, x, n_steps, step_size, narrow):
    """Return the points of one row, by the rules of the documentation."""
    z, radius, size, path = x, 0.0, np.inf, []
    for k in range(n_steps):
        margin, slope = margin_of(z), slope_of(z)
        shrinks = (1 + np.cos(np.pi * k / n_steps)) / 2
        away = np.linalg.norm(z - x, norm)
        seen = 0.3, size, away, np.linalg.norm(slope, DUAL[norm]), margin
        radius = fmn_radius(norm, 0.2, shrinks, (radius, *seen))
        far = {1: 0.4, 0: 4.0}.get(norm, 2 * radius)
        far *= step_size * (0.01 + 0.99 * shrinks)
        if narrow and k % 2 and size == np.inf and margin < 0.5:
            steep = np.linalg.norm(slope, 1 if norm == np.inf else 2)
            far = min(far, (0.5 - margin) / steep)
        unit = np.sign(slope) if norm == np.inf else slope / np.linalg.norm(slope)
        step = z - x + far * unit
        z = x + project(step[None], np.array([radius]), norm)[0]
        path.append(z)
        if margin_of(z) > 0.25:
            size = min(size, np.linalg.norm(z - x, norm))
    return path


@pytest.mark.parametrize("norm", [*NORMS, 0])
@pytest.mark.parametrize(
    ("n_classes", "targeted", "narrow"), [(3, True, True), (2, True, False), (3, 0, 0)]
)
@pytest.mark.parametrize("step_size", [1.0, 0.1])
def test_fmn_walks_as_its_rules_say(norm, n_classes, targeted, narrow, step_size):
    x = np.random.default_rng(3).normal(-1.2, 0.5, size=(20, 3))
    rows = Waves(x, n_classes, targeted)
    rows.norm = norm
    attack = FMN(norm=norm, n_steps=9, gamma=0.2, step_size=step_size)
    attack._minimize(rows)
    assert rows.looks == [True] * 8 + [False]
    paths = [fmn_path(norm, row, 9, step_size, narrow) for row in x]
    np.testing.assert_allclose(np.swapaxes(rows.shown, 0, 1), paths, atol=1e-9)
    if step_size == 1 and norm != 0:
        assert np.isfinite(rows.size).any()


@pytest.mark.parametrize("norm", [1, 2])
@pytest.mark.parametrize(
    "parts", [Flat(20), Planes((9, 8), None), Planes((3, 9, 8), 1)], ids=lambda p: None
)
def test_squares_move_the_whole_length_of_the_ball(norm, parts):
    attack, rng = Square(0.7, norm=norm), np.random.default_rng(0)
    delta = attack._first(parts, rng, 30)

    def lengths():
        return np.linalg.norm(delta.reshape(30, -1), norm, axis=1)

    assert lengths() == pytest.approx(0.7)
    delta = 0.5 * delta  # what is left of the ball is filled up
    for share in (0.3, 0.1, 0.5, 0.02):
        before = delta
        delta = attack._reshape(parts, rng, delta, share, None)
        assert (delta != before).any(axis=(1, 2, 3)).all()
        assert lengths() == pytest.approx(0.7)


@pytest.mark.parametrize(
    ("norm", "rules", "leave"),
    [
        (2, None, True),
        (2, Constraints(integer=[2]), False),
        (np.inf, None, False),
        (np.inf, Constraints(integer=[2]), False),
    ],
    ids=str,
)
def test_only_objectives_that_stay_the_same_are_left_early(norm, rules, leave):
    rows = np.column_stack([X[:, :2], np.round(4 * X[:, 2]), X[:, 3]])
    model = LogisticRegression().fit(rows, Y)
    attack = CarliniWagner(norm=norm, n_steps=40, n_searches=3, constraints=rules)
    result = attack.run(model, rows, model.predict(rows))
    whole = 1 + 3 * 40  # gradients: of the clean rows, then of each step
    if leave:
        assert (result.backward < whole).mean() > 0.5
    else:
        assert (result.backward == whole).all()


@pytest.mark.parametrize("name", ["initial_const", "learning_rate"])
@pytest.mark.parametrize("value", [0, -0.5, -1])
def test_constants_of_carlini_and_wagner_are_above_0(name, value):
    model = LogisticRegression().fit(X, Y)
    with pytest.raises(ValueError, match=f"'{name}' parameter of CarliniWagner"):
        CarliniWagner(**{name: value}).perturb(model, X, Y)


@pytest.mark.filterwarnings("ignore:HopSkipJump found no fooling point")
@pytest.mark.parametrize("eps", [0.3, np.inf])
def test_a_walk_over_corners_asks_about_smaller_cubes_alone(eps, monkeypatch):
    plain, shares = CornerWalk._ask, []

    def noted(walk, rows, gaps):
        far = np.abs(gaps).reshape(len(rows), -1).max(axis=1)
        shares.extend(far / walk.score[rows])
        return plain(walk, rows, gaps)

    monkeypatch.setattr(CornerWalk, "_ask", noted)
    model = SVC(gamma=0.5).fit(X, Y)
    attack = HopSkipJump(eps, n_steps=3, n_directions=16, random_state=0)
    attack.perturb(model, X, Y)
    assert len(shares) > 100
    assert max(shares) < 1


@pytest.mark.parametrize(
    ("objective", "n_forward"), [("misclassification", 1), ("loss", 2)]
)
@pytest.mark.parametrize("norm", NORMS)
def test_one_step_is_judged_only_where_it_may_be_worse(norm, objective, n_forward):
    model = LogisticRegression().fit(X, Y)
    attack = FGSM(0.1, norm=norm, objective=objective, finish=None)
    result = attack.run(model, X, model.predict(X))
    assert (result.backward == 1).all()
    assert (result.forward == n_forward).all()


@pytest.mark.parametrize(
    "parts", [Flat(20), Planes((9, 8), None), Planes((3, 9, 8), 1)], ids=lambda p: None
)
def test_a_square_that_would_change_nothing_gets_the_other_sign(parts):
    attack, rng = Square(0.7), np.random.default_rng(0)
    delta = attack._first(parts, rng, 40)
    assert (np.abs(delta) == 0.7).all()
    for share in (0.5, 0.1, 0.02):
        before = delta
        delta = attack._recolour(parts, rng, delta, share)
        assert (np.abs(delta) == 0.7).all()
        assert (delta != before).any(axis=(1, 2, 3)).all()
        # Nothing changes outside of one square, or of one block.
        at = (delta != before).any(axis=1)
        if isinstance(parts, Planes):
            side = max(1, round(np.sqrt(share * 72)))
            spread = [np.ptp(np.argwhere(one), axis=0) + 1 for one in at]
            assert np.max(spread) == side
        else:
            assert at.sum(axis=(1, 2)).max() <= max(1, round(share * 20))


@pytest.mark.parametrize(("norm", "power"), [(1, 3), (2, 1)])
def test_the_length_of_the_diamond_lies_in_few_features(norm, power):
    bump = np.random.default_rng(0).normal(size=(4, 1, 3, 3))
    assert Square(norm=norm)._uneven(bump) == pytest.approx(bump**power)


@pytest.mark.parametrize("wait", [0.0, 0.25, 0.5])
def test_blocks_wait_before_they_shrink_as_published(wait):
    attack, plain = Square(n_steps=1000), Square(n_steps=10_000)
    for step in np.arange(0.3, 1000, 7):
        # What is left of the steps follows the whole schedule.
        place = (step - 1000 * wait) / (1000 * (1 - wait)) * 10_000
        assert attack._share(step, wait) == plain._share(place)
