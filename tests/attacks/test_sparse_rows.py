"""Attacks on sparse rows: what they do to the dense ones, in the format that came."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from skrobust.attacks import DDN, PGD, Constraints, ExactLinear, RandomSearch
from skrobust.evaluation import check_evaluation
from skrobust.metrics import make_robust_scorer

RNG = np.random.default_rng(0)
DENSE = RNG.poisson(0.7, size=(40, 6)).astype(float)
Y = (DENSE @ RNG.normal(size=6) > 0).astype(int)
ATTACKS = [
    PGD(0.5, random_state=0),
    RandomSearch(0.5, n_steps=3, random_state=0),
    ExactLinear(0.5),
    DDN(0.5),
]


@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csc_array])
@pytest.mark.parametrize("attack", ATTACKS, ids=lambda a: type(a).__name__)
def test_the_same_as_of_dense_rows(attack, kind):
    X = kind(DENSE)
    model = LinearSVC().fit(X, Y)
    before = X.toarray()
    found = attack.run(model, X, Y)
    assert type(found.X_adv) is type(X)
    assert found.X_adv.format == X.format
    plain = attack.run(model, DENSE, Y)
    np.testing.assert_allclose(found.X_adv.toarray(), plain.X_adv, atol=1e-9)
    np.testing.assert_array_equal(found.success, plain.success)
    np.testing.assert_array_equal(X.toarray(), before)
    assert make_robust_scorer(attack)(model, X, Y) == np.mean(~found.success)


def test_models_get_sparse_rows_alone():
    class Strict(LogisticRegression):
        def predict(self, X):
            assert sparse.issparse(X)
            return super().predict(X)

    X = sparse.csr_matrix(DENSE)
    model = Strict().fit(X, Y)
    rules = Constraints(frozen=DENSE.sum(axis=0) == 0)
    attack = RandomSearch(0.5, n_steps=2, constraints=rules, random_state=0)
    assert attack.run(model, X, Y).success.any()
    counts = sparse.csr_matrix(DENSE.astype(int))
    assert attack.perturb(model, counts, Y).dtype == np.float64


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.int8, bool])
@pytest.mark.parametrize("attack", ATTACKS, ids=lambda a: type(a).__name__)
def test_numbers_keep_the_precision_that_dense_rows_keep(attack, dtype):
    rows = DENSE[:8].astype(dtype)
    model = LinearSVC().fit(DENSE, Y)
    found = attack.perturb(model, sparse.csr_matrix(rows), Y[:8])
    plain = attack.perturb(model, rows, Y[:8])
    assert found.dtype == plain.dtype
    assert found.dtype == (np.float32 if dtype is np.float32 else np.float64)


def test_checks_and_sentences():
    X = sparse.csr_matrix(DENSE)
    model = LogisticRegression().fit(X, Y)
    attack = PGD(0.3, random_state=0)
    assert check_evaluation(model, X, Y, attack, n_queries=20) == []
    weighted = make_pipeline(TfidfTransformer(), LogisticRegression()).fit(X, Y)
    with pytest.raises(ValueError, match="the step 'tfidftransformer'"):
        attack.perturb(weighted, X, Y)
    huge = sparse.csr_matrix((200_000, 2_000))
    with pytest.raises(ValueError, match="Attack fewer rows"):
        attack.perturb(model, huge, np.zeros(200_000))
