"""Effective robustness: accuracy beyond what the clean accuracy predicts."""

import numpy as np
from scipy.special import expit, logit, ndtr, ndtri

from skrobust._validation import (
    check_choice,
    check_fractions,
    check_scores,
    invalid,
    metric,
)
from skrobust.metrics.labels import check_one_each

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
    is_one = np.ndim(shifted) == 0 and np.ndim(clean) == 0
    given = {
        "shifted": np.atleast_1d(shifted),
        "clean": np.atleast_1d(clean),
        "reference_clean": reference_clean,
        "reference_shifted": reference_shifted,
    }
    for name, values in given.items():
        values = check_scores(values, caller, name=name)
        given[name] = check_fractions(values, caller, name=name)
        outside = (values <= 0) | (values >= 1)
        if link != "linear" and name != "shifted" and outside.any():
            rule = f"in (0, 1) for link={link!r}, which is infinite at 0 and 1"
            raise invalid(name, caller, rule, float(values[outside][0]))
    shifted, clean, x, y = given.values()
    what = "one accuracy of each kind per model"
    check_one_each(shifted, len(clean), what, "shifted", caller, other="clean")
    name, other = "reference_clean", "reference_shifted"
    check_one_each(x, len(y), what, name, caller, other=other)
    if len(np.unique(x)) < 2:
        raise ValueError(
            f"{caller} needs reference models of at least two clean accuracies to fit "
            "a line."
        )
    forward, backward = _LINKS[link]
    x, y = forward(x), forward(y)
    slope = float((x - x.mean()) @ (y - y.mean()) / ((x - x.mean()) ** 2).sum())
    expected = backward(y.mean() + slope * (forward(clean) - x.mean()))
    result = shifted - expected
    return float(result[0]) if is_one else result
