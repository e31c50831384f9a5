"""Pools in batches: a model answers one after the other, and draws are the same."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.dummy import DummyRegressor
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier

from skrobust import sampling
from skrobust.datasets import BatchedRows
from skrobust.sampling import (
    BaseSampler,
    CrossEntropySampler,
    DeepESTSampler,
    OperationalSampler,
    SimpleRandomSampler,
    StratifiedSampler,
)

X, Y = load_digits(return_X_y=True)
X, Y, REST, TRUTH = X[:600], Y[:600], X[600:], Y[600:]
# Trees answer a row alike, whatever other rows are asked about with it.
MODEL = DecisionTreeClassifier(max_depth=6, random_state=0).fit(X, Y)
KINDS = [
    kind
    for kind in (getattr(sampling, name) for name in sampling.__all__)
    if isinstance(kind, type)
    and issubclass(kind, BaseSampler)
    and kind is not BaseSampler
]


def batches(values=REST, size=77):
    return BatchedRows.from_arrays(values, batch_size=size)


def drawn(sampler, pool, **more):
    sampler = clone(sampler).fit(pool, **more)
    ids = np.concatenate([sampler.ask(8), sampler.ask(5)])
    sampler.tell(ids, failed=MODEL.predict(REST[ids]) != TRUTH[ids])
    return [*ids, *sampler.ask(4)], sampler


def same(sampler, batched, pool, **more):
    ids, one = drawn(sampler, batched, **more)
    wanted, other = drawn(sampler, pool, **more)
    assert ids == wanted
    assert one.to_json() == other.to_json()
    return one


@pytest.mark.parametrize("kind", KINDS)
def test_draws_of_batches_are_those_of_inputs_in_memory(kind):
    one = same(kind(MODEL, random_state=0), batches(), REST)
    assert one.n_pool_ == len(REST)
    assert one.n_features_in_ == 64
    assert np.array_equal(one.y_pred_, MODEL.predict(REST))


def test_a_generator_is_enough_and_each_batch_is_asked_once():
    calls = []

    class Counting(DecisionTreeClassifier):
        def predict_proba(self, X, check_input=True):
            calls.append(len(X))
            return super().predict_proba(X, check_input)

    model = Counting(max_depth=6, random_state=0).fit(X, Y)
    pairs = ((REST[i : i + 400], None) for i in range(0, len(REST), 400))
    same(OperationalSampler(model, random_state=0), BatchedRows(pairs), REST)
    assert calls == [400, 400, 397, 1197]  # the last one is of inputs in memory


def test_scores_callables_costs_and_features():
    scores = 1 - MODEL.predict_proba(REST).max(axis=1)
    costs, features = 1 + np.arange(len(REST)) % 5, REST[:, :3]
    same(OperationalSampler(random_state=0), batches(scores), scores)
    more = {"costs": costs, "features": features}
    same(OperationalSampler(MODEL, random_state=0), batches(), REST, **more)
    same(StratifiedSampler(MODEL, random_state=0), batches(), REST, costs=costs)
    by_sum = StratifiedSampler(auxiliary=lambda X: X.sum(axis=1), random_state=0)
    ids = clone(by_sum).fit(batches()).ask(20)
    assert np.array_equal(ids, clone(by_sum).fit(REST).ask(20))
    known = DeepESTSampler(MODEL, auxiliary=scores, random_state=0)
    same(known, batches(), REST, y_pred=MODEL.predict(REST))
    same(SimpleRandomSampler(random_state=0), batches(), REST)
    same(CrossEntropySampler(random_state=0), batches(), REST)
    loss = SimpleRandomSampler(
        DummyRegressor().fit(X, Y), loss=lambda a, b: abs(a - b) > 1, random_state=0
    )
    assert np.array_equal(clone(loss).fit(batches()).y_pred_, np.full(1197, Y.mean()))


def test_what_needs_the_inputs_is_refused_in_one_sentence():
    combined = DeepESTSampler(MODEL, auxiliary="combined", surprise=REST[:, 0])
    with pytest.raises(
        ValueError, match=r"all inputs in memory; .* Give fit the score"
    ):
        combined.fit(batches())
    with pytest.raises(ValueError, match="at least one input; got none"):
        OperationalSampler(MODEL).fit(BatchedRows([]))
    with pytest.raises(ValueError, match="takes 1-D scores"):
        OperationalSampler().fit(batches())
    with pytest.raises(ValueError, match=r"1197 finite numbers above 0"):
        OperationalSampler(MODEL).fit(batches(), costs=np.ones(3))
    with pytest.raises(NotFittedError):
        OperationalSampler(DecisionTreeClassifier()).fit(batches())
