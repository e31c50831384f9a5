"""What attacks and resamplers refuse: one sentence about what was given."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from skrobust.attacks import (
    FGSM,
    AdversarialSampler,
    Constraints,
    RandomSearch,
    StrongestAttack,
)
from skrobust.base.attack_by_name import read_attack
from skrobust.base.label_codes import codes
from skrobust.base.training_rows import check_training_rows
from skrobust.perturbations import FeatureNoise, PerturbationSampler

X = np.random.default_rng(0).random((20, 2))
Y = (X[:, 0] > 0.5).astype(int)
MODEL = LogisticRegression().fit(X, Y)


def test_labels_of_other_rows():
    with pytest.raises(ValueError, match="equal length; X has 20, y has 19"):
        FGSM().perturb(MODEL, X, Y[:-1])


def test_a_range_without_room():
    with pytest.raises(ValueError, match=r"with low < high. Got \(1, 1\)"):
        FGSM(data_range=(1, 1)).perturb(MODEL, np.ones((4, 2)))


def test_names_of_features_that_have_none():
    with pytest.raises(ValueError, match=r"the X that FGSM got\. Got 'age'"):
        FGSM(constraints=Constraints(frozen=["age"])).perturb(MODEL, X)


def test_a_radius_for_texts():
    texts = ["good film", "bad film"]
    with pytest.raises(ValueError, match="'eps' of f does not apply to texts"):
        read_attack("auto", "attack", "f", X=texts, eps=0.1)
    assert type(read_attack("auto", "attack", "f", X=texts)) is StrongestAttack


def test_combinations_of_too_many_labels():
    of_ten = codes(np.ones((1, 10)), 10 * [np.array([0, 1])])
    assert of_ten.tolist() == [1023]
    with pytest.raises(ValueError, match="labels have over 1024 combinations"):
        codes(np.ones((1, 11)), 11 * [np.array([0, 1])])


@pytest.mark.parametrize("last", [[2, 2], [2, -1]], ids=["", "with the sum 1"])
def test_several_labels_of_training_rows(last):
    labels = np.array([[0, 1], [1, 0]] * 9 + [[1, 0], last])
    with pytest.raises(ValueError, match="one class per row; y has several outputs"):
        check_training_rows(FGSM(), X, labels)


def test_columns_of_a_frame_are_named_by_their_place_in_it():
    frame = pd.DataFrame({"job": list("ab") * 10, "age": np.arange(20) + 0.5})
    parts = [("job", OneHotEncoder(), ["job"]), ("age", "passthrough", ["age"])]
    model = make_pipeline(ColumnTransformer(parts), MODEL).fit(frame, Y)
    attack = RandomSearch(constraints=Constraints(integer=["age"]))
    with pytest.raises(ValueError, match="feature 1 must hold whole numbers, and row"):
        attack.perturb(model, frame, Y)


SPREADS = {
    "std": np.std(X, axis=0),
    "iqr": np.subtract(*np.quantile(X, [0.75, 0.25], axis=0)),
    "range": np.ptp(X, axis=0),
}


@pytest.mark.parametrize("unit", SPREADS)
def test_a_radius_in_units_of_the_spread_is_read_where_the_rows_are_known(unit):
    attack = RandomSearch(f"0.5 {unit}")
    assert read_attack(attack, "attack", "f") is attack
    read = read_attack(attack, "attack", "f", X=X)
    assert read.eps == 0.5
    np.testing.assert_allclose(read.constraints.scale, SPREADS[unit])
    assert attack.eps == f"0.5 {unit}"
    number = RandomSearch(0.5)
    assert read_attack(number, "attack", "f", X=X) is number


@pytest.mark.parametrize("n_rows, n_labels", [(20, 8), (8, 20), (20, 19)])
@pytest.mark.parametrize(
    "sampler",
    [
        AdversarialSampler(LogisticRegression(), FGSM()),
        PerturbationSampler(FeatureNoise(severity=1)),
    ],
    ids=lambda sampler: type(sampler).__name__,
)
def test_training_rows_have_one_label_each(sampler, n_rows, n_labels):
    said = f"{type(sampler).__name__} needs inputs of equal length; "
    said += f"X has {n_rows}, y has {n_labels}"
    for call in (sampler.fit, sampler.fit_resample):
        with pytest.raises(ValueError, match=said):
            call(X[:n_rows], Y[:n_labels])
