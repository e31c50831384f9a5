"""Contract check of samplers."""

import pickle

import numpy as np

from skrobust._validation import check_count
from skrobust.testing.promises import Promises, seeded

_MOST = 10**6  # repeats; more take hours


def _raises(call):
    try:
        call()
    except ValueError:
        return True
    return False


def check_sampler(sampler, scores=None, failed=None, *, n_repeats=300):
    """Check that a sampler keeps the contract of samplers.

    Parameters
    ----------
    sampler : sampler without an estimator
        Of your own, or one of skrobust.
    scores : ndarray of shape (n_pool,), default=None
        Suspicion of each input; None takes 40 numbers in (0, 1).
    failed : ndarray of bool of shape (n_pool,), default=None
        Mispredicted inputs, as a mask; given together with ``scores``.
    n_repeats : int, default=300
        Estimates whose mean must lie within 4 standard errors of the truth.

    Raises
    ------
    AssertionError
        With the promise that was broken.

    Examples
    --------
    >>> from skrobust.sampling import SimpleRandomSampler
    >>> from skrobust.testing import check_sampler
    >>> check_sampler(SimpleRandomSampler())
    """
    n_repeats = check_count(n_repeats, "n_repeats", "check_sampler", low=2, most=_MOST)
    promise = Promises("sampler", sampler, "get_params", "fit", "ask", "tell")
    if scores is None:
        rng = np.random.default_rng(0)
        scores = rng.random(40)
        failed = rng.random(40) < scores * 0.6
    promise.check_copies()
    s = seeded(sampler)
    promise(s.fit(scores) is s, "fit must return self")
    first = s.result()
    promise(np.isnan(first.accuracy), "before two labels the accuracy is nan")
    promise(tuple(first.interval) == (0, 1), "before two labels the interval is (0, 1)")
    ids = s.ask(10)
    promise(len(np.unique(ids)) == 10, "ids must be distinct")
    promise(_raises(lambda: s.ask(31)), "asking for more than is left must raise")
    s.tell(ids[::-1], failed=failed[ids[::-1]])
    straight = seeded(sampler).fit(scores)
    straight.tell(straight.ask(10), failed=failed[ids])
    is_same = straight.result().accuracy == s.result().accuracy
    promise(is_same, "answers out of order must give the same estimate")
    promise(_raises(lambda: s.tell(ids[:1], failed=[True])), "telling twice must raise")
    other = np.setdiff1d(np.arange(len(scores)), ids)[:1]
    is_refused = _raises(lambda: s.tell(other, failed=[True]))
    promise(is_refused, "telling an unasked id must raise")
    twin = pickle.loads(pickle.dumps(s))
    is_same = np.array_equal(twin.ask(5), s.ask(5))
    promise(is_same, "a pickled sampler must go on the same")
    text = type(s).from_json(s.to_json())
    promise(np.array_equal(text.ask(5), s.ask(5)), "a sampler from JSON must go on")
    _check_answers(sampler, scores, failed, promise)
    census = seeded(sampler).fit(scores)
    result = census.sample(len(scores), lambda ids: failed[ids])
    is_exact = np.isclose(result.accuracy, 1 - np.mean(failed))
    promise(is_exact, "with all labels the accuracy is exact")
    estimates = []
    for seed in range(n_repeats):
        one = seeded(sampler, seed).fit(scores)
        estimates.append(one.sample(12, lambda ids: failed[ids]).unbiased_value)
    error = abs(np.mean(estimates) - (1 - np.mean(failed)))
    spread = np.std(estimates, ddof=1) / np.sqrt(n_repeats)
    promise(error <= 4 * spread, "the estimate must be unbiased")
    losses = np.where(failed, 0.3 + 0.7 * scores / max(np.max(scores), 1), 0.1)
    _check_losses(sampler, scores, losses, n_repeats, promise)


def _check_losses(sampler, scores, losses, n_repeats, promise):
    """Check answers that are losses in [0, 1]."""
    census = seeded(sampler).fit(scores)
    result = census.sample(len(scores), lambda ids: losses[ids], kind="loss")
    is_exact = np.isclose(result.mean_loss, np.mean(losses))
    promise(is_exact, "with all losses their mean is exact")
    estimates = []
    for seed in range(n_repeats):
        one = seeded(sampler, seed).fit(scores)
        result = one.sample(12, lambda ids: losses[ids], kind="loss")
        low, high = result.interval
        promise(low <= result.mean_loss <= high, "the interval must hold the mean loss")
        estimates.append(result.unbiased_value)
    error = abs(np.mean(estimates) - np.mean(losses))
    spread = np.std(estimates, ddof=1) / np.sqrt(n_repeats)
    promise(error <= 4 * spread, "the estimated mean loss must be unbiased")
    again = type(one).from_json(one.to_json()).result()
    is_same = again.mean_loss == result.mean_loss
    promise(is_same, "a sampler from JSON must keep its losses")


def _check_answers(sampler, scores, failed, promise):
    """Check answers that are missing and answers that are corrected."""
    s = seeded(sampler).fit(scores)
    ids = s.ask(12)
    first = s.tell(ids, failed=failed[ids]).result()
    s.correct(ids, failed=~failed[ids]).correct(ids[:1], failed=None)
    s.correct(ids[1:], failed=failed[ids[1:]])
    low, high = s.result().accuracy_bounds
    is_inside = low - 1e-9 <= first.accuracy <= high + 1e-9
    promise(is_inside, "bounds must hold whatever a skipped answer would be")
    s.tell(ids[:1], failed=failed[ids[:1]])
    is_same = s.result().accuracy == first.accuracy
    promise(is_same, "a corrected answer must count as if it had been told at first")
