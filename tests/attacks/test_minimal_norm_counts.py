"""What minimal-norm attacks count."""

import numpy as np
from sklearn.linear_model import LogisticRegression

from skrobust.attacks import DDN

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 4))
Y = (X @ [1, -2, 0.5, 1] + RNG.normal(size=60) > 0).astype(int)
MODEL = LogisticRegression().fit(X, Y)


def test_minimal_norm_attacks_count_the_labels_that_confirm_examples():
    result = DDN(n_steps=10).run(MODEL, X, Y)
    wrong = MODEL.predict(X) != Y
    assert wrong.any()
    assert (result.queries[wrong] == 0).all()
    assert (result.queries[~wrong] >= 1).all()
    assert result.success.all()
