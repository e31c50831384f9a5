"""Attacks on data frames: columns by name, index, types and missing values."""

import numpy as np
import pandas as pd
import pytest
from problems import linear_problem
from sklearn.linear_model import LogisticRegression

from skrobust import metrics as m
from skrobust.attacks import DDN, FGSM, PGD, HopSkipJump


def test_columns_may_share_one_name():
    model, X, y = linear_problem()
    frame = pd.DataFrame(X, columns=list("aabcde"))
    plain = FGSM(0.05).perturb(model, X, y)
    out = FGSM(0.05).perturb(model, frame, y)
    assert list(out.columns) == list("aabcde")
    assert np.array_equal(out.to_numpy(), plain)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_attacks_name_the_column_that_holds_no_numbers(library):
    # The message must not be that of numpy or polars about types.
    frames = pytest.importorskip(library)
    times = np.array(["2020-01-01", "2021-01-01"], dtype="datetime64[us]")
    model = LogisticRegression().fit([[0.0, 0.0], [1.0, 1.0]], [0, 1])
    for name, values in (("job", ["none", "some"]), ("when", times)):
        X = frames.DataFrame({"x": [0.0, 1.0], name: values})
        for attack in (PGD(), DDN()):
            with pytest.raises(ValueError, match=f"takes column '{name}', which holds"):
                attack.perturb(model, X, [0, 1])
        values = X.to_numpy() if name == "job" else np.array([["a"], ["b"]])
        with pytest.raises(ValueError, match="numbers, and X holds"):
            PGD().perturb(model, values, [0, 1])


def test_attacks_name_the_row_of_a_missing_value_in_a_nullable_column():
    pandas = pytest.importorskip("pandas")
    model = LogisticRegression().fit([[0.0, 0.0], [1.0, 1.0]], [0, 1])
    X = pandas.DataFrame({"x": [0.0, 1.0], "n": pandas.array([1, None], dtype="Int64")})
    with pytest.raises(ValueError, match=r"finite X.*row 1"):
        PGD().perturb(model, X, [0, 1])


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_starting_rows_are_read_by_the_names_of_their_columns(library):
    # Read by place, each feature would begin with the values of another.
    frames = pytest.importorskip(library)
    rng = np.random.default_rng(0)
    values = rng.normal(size=(60, 2)) * [1.0, 100.0]
    X = frames.DataFrame(dict(zip("ab", values.T, strict=True)))
    y = (values[:, 0] > 0).astype(int)
    model = LogisticRegression().fit(X, y)
    other, few = X[["b", "a"]], X[:5]

    def jump(starts):
        attack = HopSkipJump(np.inf, norm=2, starts=starts, n_steps=1, n_directions=10)
        return np.asarray(attack.set_params(random_state=0).perturb(model, few, y[:5]))

    np.testing.assert_array_equal(jump(X), jump(other))
    attack = PGD(0.1, random_state=0)
    swapped = attack.run(model, few, y[:5], start=other[:5]).X_adv
    plain = attack.run(model, few, y[:5], start=few).X_adv
    np.testing.assert_array_equal(np.asarray(plain), np.asarray(swapped))
    for attack in (
        HopSkipJump(norm=2, starts=X[["a"]]),
        HopSkipJump(norm=2, starts=X[["b"]]),
    ):
        with pytest.raises(ValueError, match="needs starts with the columns of X"):
            attack.perturb(model, few, y[:5])


def test_scorers_take_frames_by_name_with_any_index():
    plain_model, X, y = linear_problem()
    frame = pd.DataFrame(X, columns=list("abcdef"), index=range(900, 980))
    model = LogisticRegression(C=100, max_iter=5000).fit(frame, y)
    plain = m.make_robust_scorer(FGSM(0.1))(plain_model, X, y)
    assert m.make_robust_scorer(FGSM(0.1))(model, frame, pd.Series(y)) == plain
    swapped = frame[list("bacdef")]
    with pytest.raises(ValueError, match="feature names"):
        m.make_robust_scorer(FGSM(0.1))(model, swapped, y)
