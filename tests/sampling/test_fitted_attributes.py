"""What fit leaves behind: attributes of this pool, and none of the pool before."""

import numpy as np
import pandas as pd
import pytest

from skrobust.sampling import DeepESTSampler, MahalanobisSurprise, SimpleRandomSampler

ROWS = np.random.default_rng(0).random((12, 3))
FRAME = pd.DataFrame(ROWS[:, :2], columns=["age", "income"])


def mean_of_rows(X):
    return np.asarray(X).mean(axis=1)


@pytest.mark.parametrize("kind", [SimpleRandomSampler, DeepESTSampler])
def test_names_and_number_of_columns_are_those_of_the_last_pool(kind):
    sampler = kind(auxiliary=mean_of_rows, random_state=0).fit(FRAME)
    assert sampler.n_features_in_ == 2
    assert sampler.feature_names_in_.tolist() == ["age", "income"]
    sampler.fit(ROWS)
    assert sampler.n_features_in_ == 3
    assert not hasattr(sampler, "feature_names_in_")
    sampler.set_params(auxiliary="confidence").fit(mean_of_rows(ROWS))
    assert not hasattr(sampler, "n_features_in_")
    assert not hasattr(sampler, "feature_names_in_")


def test_without_classes_all_training_rows_are_of_class_0():
    surprise = MahalanobisSurprise(covariance="global").fit(ROWS)
    assert surprise.classes_.tolist() == [0]
    z = ROWS - ROWS.mean(axis=0)
    inverse = np.linalg.inv(np.cov(ROWS.T))
    expected = np.sqrt(np.einsum("ij,jk,ik->i", z, inverse, z))
    assert surprise.score_samples(ROWS) == pytest.approx(expected)
