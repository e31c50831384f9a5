"""Distances to the boundary have closed forms on linear models."""

import numpy as np
import pandas as pd
import pytest
from problems import linear_problem
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from skrobust.evaluation import boundary_steps, empirical_boundary_distance
from skrobust.evaluation._empirical_boundary_distance import _directions

WIDE = (-50, 50)  # a box that nothing meets; steps are shares of its width of 100


def margins(model, X, y):
    """Signed score of the true class of a binary model: above 0 is right."""
    return np.where(y == 1, 1, -1) * model.decision_function(X)


def test_distance_has_a_closed_form():
    # In two dimensions many directions find the nearest point of the line: the root
    # mean square of its distance, rounded up to whole steps.
    model, X, y = linear_problem(n=60, d=2)
    step = 1e-4
    found = empirical_boundary_distance(
        model, X, y, n_directions=2000, step=step, max_steps=300, data_range=WIDE,
        random_state=0,
    )  # fmt: skip
    margin = margins(model, X, y)
    length = np.linalg.norm(model.coef_) * np.sqrt(2) * 100
    exact = np.maximum(margin, 0) / length
    assert found.n_wrong == (margin <= 0).sum()
    assert found.n_unreached == 0
    assert (found.distance >= exact - 1e-12).all()
    assert found.distance == pytest.approx(np.ceil(exact / step) * step, abs=1.1 * step)
    assert found.mean == pytest.approx(found.distance.mean())
    assert found.to_frame().shape == (60, 2)


@pytest.mark.parametrize("n_directions", [4, 6, 15])
def test_distances_are_exact_for_the_directions(n_directions):
    model, X, y = linear_problem(n=80, d=6)
    directions = _directions(6, n_directions, seed=1)
    assert directions.shape == (n_directions, 6)
    for start in range(0, n_directions, 6):  # basis by basis, root mean square 1
        basis = directions[start : start + 6]
        assert np.allclose(basis @ basis.T, 6 * np.eye(len(basis)))
    step = 1e-4
    found = empirical_boundary_distance(
        model, X, y, n_directions=n_directions, step=step, max_steps=900,
        data_range=WIDE, random_state=1,
    )  # fmt: skip
    slopes = 100 * directions @ model.coef_[0]
    out = np.where(y == 1, -slopes.min(), slopes.max())  # the steepest way out
    margin = margins(model, X, y)
    expected = np.where(margin > 0, np.ceil(margin / (out * step)), 0) * step
    assert found.distance == pytest.approx(expected, abs=1e-9)


def test_directions_point_both_ways():
    signs = np.sign(_directions(1, 1000, seed=0)).ravel()
    assert set(signs) == {-1, 1}
    assert abs(signs.mean()) < 0.1
    assert abs(np.sign(_directions(3, 999, seed=0)).mean(axis=0)).max() < 0.12


@pytest.mark.parametrize("limit", [0.3, 0.6])
def test_points_stay_in_the_box(limit):
    # The boundary x = .5 lies inside the box or behind its wall.
    X = np.full((4, 2), 0.2)
    model = LogisticRegression().fit([[0, 0], [1, 0]], [0, 1])
    model.coef_, model.intercept_ = np.array([[1.0, 0.0]]), np.array([-0.5])
    settings = {"data_range": (0, limit), "max_steps": 50, "step": 0.04}
    if limit < 0.5:
        with pytest.warns(UserWarning, match="for 4 of 4 samples"):
            empirical_boundary_distance(
                model, X, [0] * 4, n_directions=40, random_state=0, **settings
            )
        with pytest.warns(UserWarning, match="drops 4 of 4"):
            boundary_steps(model, X, [0] * 4, **settings)
    else:
        found = empirical_boundary_distance(
            model, X, [0] * 4, n_directions=40, random_state=0, **settings
        )
        # Along the axis .3 is a root mean square of .3 / sqrt(2), in shares of .6.
        assert found.mean == pytest.approx(0.375, abs=0.03)
        assert boundary_steps(model, X, [0] * 4, **settings).mean == 13


def test_more_directions_never_find_less():
    model, X, y = linear_problem(n=50, d=4)
    settings = {"step": 0.02, "max_steps": 60, "random_state": 3}
    few = empirical_boundary_distance(model, X, y, n_directions=400, **settings)
    fewer = empirical_boundary_distance(model, X, y, n_directions=100, **settings)
    assert (few.distance <= fewer.distance).all()
    assert few.mean < fewer.mean
    again = empirical_boundary_distance(model, X, y, n_directions=400, **settings)
    assert (again.distance == few.distance).all()


def test_unreached_samples_are_a_lower_bound():
    model, X, y = linear_problem()
    with pytest.warns(UserWarning, match="lower bound") as log:
        found = empirical_boundary_distance(
            model, X, y, n_directions=20, step=0.01, max_steps=3, random_state=0
        )
    assert len(log) == 1
    assert found.n_unreached == (~found.reached).sum() > 0
    assert (found.distance[~found.reached] == 0.03).all()
    assert set(np.unique(found.distance.round(6))) <= {0, 0.01, 0.02, 0.03}


def test_units_are_shares_of_the_range():
    _, X, y = linear_problem(n=40, d=3)
    wide = make_pipeline(StandardScaler(), LogisticRegression()).fit(X * 255, y)
    small = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
    settings = {"n_directions": 30, "random_state": 0}
    one = empirical_boundary_distance(small, X, y, **settings)
    other = empirical_boundary_distance(
        wide, X * 255, y, data_range=(0, 255), **settings
    )
    assert np.abs(one.distance - other.distance).max() <= 2 / 255 + 1e-9
    assert one.mean == pytest.approx(other.mean, rel=0.02)


def test_any_model_and_container():
    model, X, y = linear_problem(n=60, d=3)
    frame = pd.DataFrame(X, columns=list("abc"), index=np.arange(60) + 7)
    tree = DecisionTreeClassifier(max_depth=3, random_state=0).fit(frame, y)
    settings = {"n_directions": 30, "random_state": 0}
    found = empirical_boundary_distance(tree, frame, y, **settings)
    names = np.array(["no", "yes"])[y]
    plain = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, names)
    same = empirical_boundary_distance(plain, X, names, **settings)
    assert (found.distance == same.distance).all()
    assert 0 < found.mean < 0.5
    images = X.reshape(60, 3, 1)

    class Flat:
        def predict(self, images):
            return model.predict(images.reshape(len(images), 3))

    flat = empirical_boundary_distance(model, X, y, **settings)
    shaped = empirical_boundary_distance(Flat(), images, y, **settings)
    assert (flat.distance == shaped.distance).all()


# Sign-gradient steps -----------------------------------------------------------------


def test_steps_have_a_closed_form():
    model, X, y = linear_problem()
    step = 1e-4
    found = boundary_steps(
        model, X, y, step=step, max_steps=2000, data_range=WIDE, batch_size=7
    )
    reach = step * 100 * np.abs(model.coef_).sum()
    margin = margins(model, X, y)
    # Step k crosses when k * reach exceeds the margin.
    expected = np.where(margin < 0, 0, np.floor(margin / reach) + 1)
    assert found.steps.tolist() == expected.tolist()
    assert found.mean == pytest.approx(expected.mean())
    assert found.n_wrong == (margin < 0).sum()
    assert found.n_dropped == 0


def test_the_limit_drops_and_counts():
    model, X, y = linear_problem()
    settings = {"step": 0.001, "data_range": (0, 1)}
    free = boundary_steps(model, X, y, max_steps=5000, **settings)
    limit = int(np.median(free.steps))
    beyond = (free.steps > limit).sum()
    with pytest.warns(UserWarning, match=f"drops {beyond} of 80 samples") as log:
        found = boundary_steps(model, X, y, max_steps=limit, **settings)
    assert len(log) == 1
    assert found.n_dropped == np.isnan(found.steps).sum() == beyond
    kept = free.steps[free.steps <= limit]
    assert found.mean == pytest.approx(kept.mean())


def test_all_dropped_is_nan():
    model, X, y = linear_problem()
    right = model.predict(X) == y
    far = right & (np.abs(model.decision_function(X)) > 1)
    with pytest.warns(UserWarning, match="drops"):
        found = boundary_steps(model, X[far], y[far], step=1e-6, max_steps=1)
    assert np.isnan(found.mean)


@pytest.mark.torch
def test_nets_equal_linear_models():
    torch = pytest.importorskip("torch")
    pytest.importorskip("skorch")
    from nets_for_tests import Linear, make_net

    model, X, y = linear_problem(n=40)
    net = make_net(Linear, epochs=1)
    net.fit(X.astype(np.float32), y)
    with torch.no_grad():
        layer = net.module_.layer
        layer.weight[0], layer.bias[0] = 0, 0
        layer.weight[1] = torch.as_tensor(model.coef_[0])
        layer.bias[1] = float(model.intercept_[0])
    settings = {"step": 0.002, "max_steps": 900}
    plain = boundary_steps(model, X.astype(np.float32), y, **settings)
    found = boundary_steps(net, X.astype(np.float32), y, **settings)
    assert np.abs(found.steps - plain.steps).max() <= 1
    assert not np.array_equal(found.steps, np.zeros(40))
    # A label that the net never answers is wrong from the start.
    odd = y.copy()
    odd[0] = 5
    assert boundary_steps(net, X.astype(np.float32), odd, **settings).steps[0] == 0
    distance = empirical_boundary_distance(
        net, X.astype(np.float32), y, n_directions=30, random_state=0
    )
    same = empirical_boundary_distance(
        model, X.astype(np.float32), y, n_directions=30, random_state=0
    )
    assert np.abs(distance.distance - same.distance).max() <= 2 / 255 + 1e-9


MODEL, X, Y = linear_problem(n=20)
TREE = DecisionTreeClassifier(max_depth=2).fit(X, Y)


@pytest.mark.parametrize(
    "call, sentence",
    [
        (lambda: empirical_boundary_distance(MODEL, X, Y[:3]), "equal length"),
        (lambda: empirical_boundary_distance(MODEL, X * 9, Y), "outside data_range"),
        (lambda: empirical_boundary_distance(MODEL, X, Y, step=0), "'step'"),
        (lambda: empirical_boundary_distance(MODEL, X, Y, max_steps=0), "'max_steps'"),
        (lambda: empirical_boundary_distance(MODEL, X, Y, n_directions=1.5),
         "'n_directions'"),
        (lambda: empirical_boundary_distance(MODEL, X, Y, data_range=(1, 0)),
         "low < high"),
        (lambda: empirical_boundary_distance(MODEL, X * np.nan, Y), "finite X"),
        (lambda: boundary_steps(TREE, X, Y), "boundary_steps needs gradients"),
        (lambda: boundary_steps(MODEL, X, Y, step=-1), "'step'"),
        (lambda: boundary_steps(MODEL, X, Y, batch_size=0), "'batch_size'"),
        (lambda: boundary_steps(MODEL, X - 5, Y), "outside data_range"),
    ],
)  # fmt: skip
def test_refuses(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()
