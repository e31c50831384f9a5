"""Rates of errors of single annotators."""

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from skrobust._containers import one_per_row
from skrobust._validation import check_confidence, check_count, invalid
from skrobust.sampling.annotators.answer_table import answer_table
from skrobust.sampling.annotators.pair_rates import Pairs
from skrobust.sampling.core.result_lines import ResultLines

FEW = 20  # inputs shared with others, below which a rate is hardly known


@dataclass(frozen=True, eq=False)
class AnnotatorNoise(ResultLines):
    """How often each of several annotators is wrong, from the inputs that they share.

    Parameters
    ----------
    annotators : tuple of str
        Their names.
    rate : ndarray of shape (n_annotators,)
        Estimated probability that an answer is wrong.
    low, high : ndarray of shape (n_annotators,)
        Ends of its confidence interval.
    std_error : ndarray of shape (n_annotators,)
        Its estimated standard error.
    n_answers, n_shared : ndarray of shape (n_annotators,), int
        Answers, and those to inputs that another annotator has answered too.
    n_classes : int
        Labels that an answer chooses among.
    confidence : float
        Nominal coverage of each interval.
    warnings : tuple of str
        Reasons for doubt, one sentence each.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.sampling import estimate_annotator_noise
    >>> rng = np.random.default_rng(0)
    >>> wrong = rng.random((400, 3)) < [0.02, 0.05, 0.25]
    >>> found = estimate_annotator_noise(wrong, names=["ann", "bob", "cem"])
    >>> found.annotators, found.rate.round(2).tolist()
    (('ann', 'bob', 'cem'), [0.02, 0.04, 0.26])
    """

    annotators: tuple
    rate: np.ndarray
    low: np.ndarray
    high: np.ndarray
    std_error: np.ndarray
    n_answers: np.ndarray
    n_shared: np.ndarray
    n_classes: int
    confidence: float
    warnings: tuple = ()

    def _lines(self):
        for name, rate, low, high in zip(
            self.annotators, self.rate, self.low, self.high, strict=True
        ):
            yield (
                f"{name}: {100 * rate:.1f} % of the answers are wrong, "
                f"{100 * self.confidence:g} % interval {100 * low:.1f} to "
                f"{100 * high:.1f}"
            )
        yield from (f"warning: {text}" for text in self.warnings)


def estimate_annotator_noise(answers, *, n_classes=2, names=None, confidence=0.95):
    r"""Estimate how often each annotator is wrong, from the inputs that they share.

    With errors that are independent of each other, of a rate :math:`e_a` of each
    annotator that is the same for all inputs, and that choose among the K - 1 other
    labels evenly, the share of inputs to which a and b give different answers is

    .. math::

        d_{ab} = e_a + e_b - \frac{K}{K - 1} e_a e_b, \qquad
        1 - \frac{K}{K - 1} d_{ab} = u_a u_b, \quad
        u_a = 1 - \frac{K}{K - 1} e_a

    so that three annotators who share inputs two by two tell all three rates, and two
    alone do not. The rates maximise the likelihood of all pairs as if they were
    independent; their errors allow for those that are not. In contrast to the model of
    Dawid and Skene (1979), which has the same errors, nothing is assumed of the true
    labels. The pairwise form is our choice.

    Of two classes, who swaps right and wrong is told from who guesses, as long as most
    do not: the rate is then above 1/2, and a warning names the annotator. That most
    answer the right way round is an assumption. Swapped answers are never turned.

    Parameters
    ----------
    answers : array-like of shape (n_inputs, n_annotators)
        One column for each annotator: labels of any type, or whether the annotator says
        that a prediction is wrong. None or NaN where there is no answer. Who answers
        which inputs must not depend on the answers.
    n_classes : int, default=2
        K, the labels that an answer chooses among.
    names : array-like of shape (n_annotators,), default=None
        Names of the annotators; None numbers them.
    confidence : float in (0, 1), default=0.95
        Nominal coverage of each interval: t, from 0 on, with as many degrees of freedom
        as the annotator shares inputs, less the number of annotators. Its centre is the
        estimate with two pairs more for each two annotators, one of which differs.

    Returns
    -------
    AnnotatorNoise
        Rates with intervals.

    Raises
    ------
    ValueError
        For bad answers, and where the rate of an annotator cannot be told: who shares
        no input, or is linked to others without an odd circle of them.

    References
    ----------
    A. P. Dawid, A. M. Skene, "Maximum likelihood estimation of observer error-rates
    using the EM algorithm", Applied Statistics 1979. C. Varin, N. Reid, D. Firth, "An
    overview of composite likelihood methods", Statistica Sinica 2011.

    Examples
    --------
    >>> from skrobust.sampling import estimate_annotator_noise
    >>> agree, third = [["a", "a", "a"]] * 90, [["a", "a", "b"]] * 10
    >>> print(estimate_annotator_noise(agree + third, names=["ann", "bob", "cem"]))
    ann: 0.0 % of the answers are wrong, 95 % interval 0.0 to 2.4
    bob: 0.0 % of the answers are wrong, 95 % interval 0.0 to 2.4
    cem: 10.0 % of the answers are wrong, 95 % interval 4.2 to 16.6
    """
    caller = "estimate_annotator_noise"
    n_classes = check_count(n_classes, "n_classes", caller, low=2)
    confidence = check_confidence(confidence, caller)
    table = answer_table(answers, caller)
    if names is None:
        names = range(table.shape[1])
    names = one_per_row(names, "names", caller)
    if names.ndim != 1:
        raise invalid("names", caller, "a list of names, one for each column", names)
    names = [str(name) for name in names.tolist()]
    if len(set(names)) != len(names) or len(names) != table.shape[1]:
        rule = f"{table.shape[1]} different names, one for each column"
        raise invalid("names", caller, rule, names)
    return noise_of_annotators(table, names, n_classes, confidence, caller)[0]


def noise_of_annotators(table, names, n_classes, confidence, caller):
    """Return the ``AnnotatorNoise`` of a table, and its ``PairRates``."""
    pairs = Pairs(table, n_classes)
    unknown = [n for n, known in zip(names, pairs.known(), strict=True) if not known]
    if unknown:
        raise ValueError(
            f"{caller} cannot tell the rate of {', '.join(unknown)}: give inputs to "
            "three annotators (each two of whom then share some), or estimate one rate "
            "for all."
        )
    found = pairs.fit()
    there = table != None  # noqa: E711 (of each element)
    shared = (there & (there.sum(axis=1) > 1)[:, None]).sum(axis=0)
    std_error = np.sqrt(np.diag(found.covariance))
    freedom = np.maximum(shared - len(names), 1)
    half = stdtrit(freedom, (1 + confidence) / 2) * std_error
    low, high = np.clip(found.centre + np.outer([-1, 1], half), 0, 1)
    low, high = np.minimum(low, found.rates), np.maximum(high, found.rates)
    notes = [
        f"{name} shares only {n} inputs with others: the rate is hardly known."
        for name, n in zip(names, shared, strict=True)
        if n < FEW
    ]
    notes += [
        f"{name} may be wrong as often as a guess."
        for name, end, turned in zip(names, high, pairs.turned, strict=True)
        if pairs.turn * end > 0.9 and not turned
    ]
    notes += [
        f"{name} seems to answer the other way round: these answers differ from those "
        "of most others more often than guesses would. They are not turned; ask "
        f"{name}, and leave them out or have them given again."
        for name, turned in zip(names, pairs.turned, strict=True)
        if turned
    ]
    noise = AnnotatorNoise(
        annotators=tuple(names),
        rate=found.rates,
        low=low,
        high=high,
        std_error=std_error,
        n_answers=there.sum(axis=0),
        n_shared=shared,
        n_classes=n_classes,
        confidence=float(confidence),
        warnings=tuple(notes),
    )
    return noise, found
