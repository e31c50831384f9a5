"""Effective robustness: accuracy beyond what the clean accuracy predicts."""

from functools import partial

import numpy as np
from scipy.special import expit, logit, ndtr, ndtri

from skrobust._array_checks import (
    check_fractions,
    check_scores,
    check_weights,
    number_array,
)
from skrobust._validation import check_choice, invalid, metric
from skrobust.metrics.intervals.row_outcomes import RowOutcomes, outcome_spec
from skrobust.metrics.labels import check_one_each
from skrobust.metrics.registry import MetricSpec, register
from skrobust.metrics.robust.sample_values import with_clean_correctness

_LINKS = {
    "logit": (logit, expit),
    "probit": (ndtri, ndtr),
    "linear": (lambda p: p, lambda z: z),
}


@metric
def effective_robustness(
    shifted, clean, *, reference_clean, reference_shifted, link="logit"
):
    r"""Compute the accuracy under shift beyond what the clean accuracy predicts.

    0 is what reference models of the same clean accuracy reach; above 0 is better.

    .. math:: \rho = shifted - \beta(clean), \qquad
        g(\beta(a)) = \alpha + \gamma \, g(a)

    with the link :math:`g`, and the line :math:`\alpha, \gamma` fitted by least squares
    to the reference models on the scale of :math:`g`.

    Parameters
    ----------
    shifted : float or array-like of shape (n_models,)
        Accuracy in [0, 1] under the distribution shift.
    clean : float or array-like of shape (n_models,)
        Accuracy in (0, 1) without the shift.
    reference_clean, reference_shifted : array-like of shape (n_references,)
        The same of at least two reference models, trained without any robustness
        intervention.
    link : {"logit", "probit", "linear"}, default="logit"
        Scale of the fit: logit (Taori et al., 2020), probit (Miller et al., 2021), or
        the accuracies themselves, where 0 and 1 are allowed.

    Returns
    -------
    float or ndarray of shape (n_models,)
        The effective robustness of each model, in [-1, 1] with logit and probit.

    Raises
    ------
    ValueError
        For accuracies outside their range, lengths that differ, fewer than two
        references, or references of one clean accuracy.

    Notes
    -----
    Fewer than some ten references fix the line badly; the fit has no error bar here.
    :func:`confidence_interval` has the interval of one model, with the line as known.

    References
    ----------
    Taori et al., "Measuring robustness to natural distribution shifts in image
    classification" (NeurIPS, 2020); Miller et al., "Accuracy on the line" (ICML, 2021).

    Examples
    --------
    >>> from skrobust.metrics import effective_robustness
    >>> round(effective_robustness(0.7, 0.8, reference_clean=[0.7, 0.8, 0.9],
    ...     reference_shifted=[0.5, 0.6, 0.7], link="linear"), 4)
    0.1
    """
    caller = "effective_robustness"
    check_choice(link, "link", caller, tuple(_LINKS))
    given = {"shifted": shifted, "clean": clean}
    given = {name: number_array(one, name, caller) for name, one in given.items()}
    is_one = all(one.ndim == 0 for one in given.values())
    given = {name: np.atleast_1d(one) for name, one in given.items()}
    for name, values in given.items():
        given[name] = _accuracies(values, name, link, caller)
    shifted, clean = given.values()
    what = "one accuracy of each kind per model"
    check_one_each(shifted, len(clean), what, "shifted", caller, other="clean")
    line = _reference_line(reference_clean, reference_shifted, link, caller)
    result = shifted - line(clean)
    return float(result[0]) if is_one else result


def _accuracies(values, name, link, caller):
    values = check_scores(values, caller, name=name)
    values = check_fractions(values, caller, name=name)
    outside = (values <= 0) | (values >= 1)
    if link != "linear" and name != "shifted" and outside.any():
        rule = f"in (0, 1) for link={link!r}, which is infinite at 0 and 1"
        raise invalid(name, caller, rule, float(values[outside][0]))
    return values


def _reference_line(reference_clean, reference_shifted, link, caller):
    """Return the function that predicts the shifted accuracy from the clean one."""
    name, other = "reference_clean", "reference_shifted"
    x = _accuracies(reference_clean, name, link, caller)
    y = _accuracies(reference_shifted, other, link, caller)
    what = "one accuracy of each kind per model"
    check_one_each(x, len(y), what, name, caller, other=other)
    if len(np.unique(x)) < 2:
        raise ValueError(
            f"{caller} needs reference models of at least two clean accuracies to fit "
            "a line."
        )
    forward = _LINKS[link][0]
    x, y = forward(x), forward(y)
    slope = float((x - x.mean()) @ (y - y.mean()) / ((x - x.mean()) ** 2).sum())
    return partial(_on_line, link, x.mean(), y.mean(), slope)


def _on_line(link, x, y, slope, clean):
    forward, backward = _LINKS[link]
    return backward(y + slope * (forward(clean) - x))


def _outcomes(
    *data,
    reference_clean,
    reference_shifted,
    link="logit",
    paired=True,
    sample_weight=None,
    caller,
):
    """Return the outcomes of one model, with the line of the references as known."""
    check_choice(link, "link", caller, tuple(_LINKS))
    line = _reference_line(reference_clean, reference_shifted, link, caller)
    correct, clean = with_clean_correctness(data, caller, _TITLE)
    shifted = correct.mean(axis=1)
    parts = None
    if paired:
        cure = "Pass paired=False for test sets of different samples."
        if len(shifted) != len(clean):
            got = f"{len(shifted)} and {len(clean)} samples"
            raise invalid("data", caller, "as many shifted as clean samples", got, cure)
        columns = np.column_stack([shifted, clean])
    else:  # each mean is over the samples of its own set
        n, m = len(shifted), len(clean)
        parts = np.repeat(np.eye(2), (n, m), axis=0)
        columns = parts * np.concatenate([shifted, clean])[:, None]
    weight = check_weights(sample_weight, len(columns), caller)
    return RowOutcomes(
        columns,
        partial(_beyond, line),
        bounds=(-np.inf, np.inf) if link == "linear" else (-1.0, 1.0),
        weight=weight,
        parts=parts,
        settle=partial(_ends, link, caller),
    )


def _beyond(line, means):
    return means[:, 0] - line(means[:, 1])


def _ends(link, caller, means):
    share = float(means[1])
    if np.isnan(share):
        raise invalid("sample_weight", caller, "positive for some clean samples", 0.0)
    if link != "linear" and share in (0.0, 1.0):
        rule = f"a clean accuracy in (0, 1) for link={link!r}, infinite at 0 and 1"
        raise invalid("data", caller, rule, share, "Pass link='linear'.")
    return {
        "worst": np.array([0.0, share]),
        "best": np.array([1.0, share]),
        "unseen": (np.array([0.0, 1.0]), np.array([1.0, 0.0])),
    }


_TITLE = "effective robustness"
register(
    MetricSpec(
        "effective_robustness",
        effective_robustness,
        bounds=(-np.inf, np.inf),
        needs={"outcomes"},
        **outcome_spec(_outcomes, _TITLE),
    )
)
