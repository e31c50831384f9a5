"""Average distortion of inputs, and noise insensitivity of the loss."""

import numpy as np

from skrobust._array_checks import check_rows, check_scores, check_targets
from skrobust._norms import length
from skrobust._parameters import Norm
from skrobust._validation import check_choice, check_number, invalid, metric
from skrobust.metrics.labels import check_one_each, check_same_shape
from skrobust.metrics.robust.confidence_of_class import mean_over


@metric
def average_distortion(X, X_adversarial, *, norm=2, scale="absolute", successful=None):
    r"""Compute the average distortion in the L0, L2 or maximum norm (ALDp).

    Non-negative; 0 says that nothing changed.

    .. math:: ALD_p = \frac{1}{|A|} \sum_{i \in A} \|x'_i - x_i\|_p
        \quad \text{or} \quad
        \frac{1}{|A|} \sum_{i \in A} \frac{\|x'_i - x_i\|_2}{\|x_i\|_2}

    over the set :math:`A` of samples whose attack succeeded. The L0 distortion is the
    share of values that changed.

    Parameters
    ----------
    X : array-like of shape (n_samples, ...)
        Clean inputs.
    X_adversarial : array-like of the same shape
        Adversarial inputs.
    norm : {0, 2, inf}, default=2
        Share of changed values, root of the sum of squares, or largest change.
    scale : {"absolute", "relative"}, default="absolute"
        The length itself (DEEPSEC), or over the length of the clean input (AISafety).
        Used with ``norm=2`` only.
    successful : array-like of bool of shape (n_samples,) or None, default=None
        Success of each attack; None: all succeeded.

    Returns
    -------
    float
        The average; nan with a warning when no attack succeeded.

    Raises
    ------
    ValueError
        For shapes that differ, NaN, an unknown norm, or a clean input of length 0 with
        ``scale="relative"``.

    References
    ----------
    Ling et al., "DEEPSEC" (IEEE S&P, 2019); code of the platform AISafety (2020).

    Examples
    --------
    >>> from skrobust.metrics import average_distortion
    >>> average_distortion([[0.0, 0.0]], [[3.0, 4.0]])
    5.0
    """
    caller = "average_distortion"
    Norm(0, 2, np.inf)(norm, "norm", caller)
    check_choice(scale, "scale", caller, ("absolute", "relative"))
    clean, adversarial = check_inputs(X, X_adversarial, caller)
    succeeded = check_successful(successful, len(clean), caller)
    if norm == 0:
        changed = (adversarial != clean).reshape(len(clean), -1)
        return mean_over(changed.mean(axis=1), succeeded, caller)
    sizes = length(adversarial - clean, norm)
    if norm == 2 and scale == "relative":
        own = length(clean, 2)
        if (own[succeeded] == 0).any():
            raise ValueError(
                f"{caller} needs clean inputs of positive length for scale='relative'; "
                f"row {int((succeeded & (own == 0)).argmax())} is all 0."
            )
        sizes = sizes / np.where(own > 0, own, 1)
    return mean_over(sizes, succeeded, caller)


@metric
def noise_insensitivity(
    losses, losses_perturbed, X, X_perturbed, *, eps=None, average="per_sample"
):
    r"""Compute the empirical noise insensitivity (ENI).

    Non-negative; 0 is best.

    .. math:: ENI = \frac{1}{N} \sum_{i=1}^{N} \frac{|l_i - l'_i|}
        {\|x_i - x'_i\|_\infty}

    with the losses :math:`l_i` on the clean and :math:`l'_i` on the perturbed inputs.

    Parameters
    ----------
    losses, losses_perturbed : array-like of shape (n_samples,)
        The loss of each sample before and after.
    X : array-like of shape (n_samples, ...)
        Clean inputs.
    X_perturbed : array-like of the same shape
        Perturbed inputs, each different from the clean one.
    eps : positive float or None, default=None
        The budget; inputs farther away are refused. None: no check.
    average : {"per_sample", "pooled"}, default="per_sample"
        The mean of the ratios; or the shortcut of AISafety's code, the absolute
        difference of the summed losses over the largest distance and over N.

    Returns
    -------
    float
        The insensitivity: a mean slope of the loss.

    Raises
    ------
    ValueError
        For lengths that differ, inputs that did not move (for "pooled": none that
        moved), or inputs beyond ``eps``.

    Notes
    -----
    In the shortcut losses that rise and losses that fall cancel, so the two differ.
    The text of the paper beyond its introduction could not be read: the per-sample
    formula is unverified, and the pooled one is that of its code.

    References
    ----------
    Guo et al., "A comprehensive evaluation framework for deep model robustness"
    (Pattern Recognition, 2023, arXiv 2101.09617); code of the platform AISafety (2020).

    Examples
    --------
    >>> from skrobust.metrics import noise_insensitivity
    >>> X, moved = [[0.0], [0.0]], [[0.1], [0.05]]
    >>> round(noise_insensitivity([0.1, 0.2], [0.5, 0.3], X, moved), 4)
    3.0
    """
    caller = "noise_insensitivity"
    check_choice(average, "average", caller, ("per_sample", "pooled"))
    clean, perturbed = check_inputs(X, X_perturbed, caller)
    moved = _losses(losses_perturbed, "losses_perturbed", len(clean), caller)
    change = moved - _losses(losses, "losses", len(clean), caller)
    distance = length(perturbed - clean, np.inf)
    if eps is not None:
        eps = check_number(eps, "eps", caller, low=0, low_open=True)
        # Adding and subtracting a perturbation costs some last digits.
        if distance.max() > eps * (1 + 1e-6) + 1e-9:
            raise ValueError(
                f"{caller} needs inputs within eps={eps:g}; row "
                f"{int(distance.argmax())} moved by {distance.max():g}."
            )
    still = distance == 0
    if still.all() or (still.any() and average == "per_sample"):
        raise ValueError(
            f"{caller} is undefined for inputs that did not move; row "
            f"{int(still.argmax())} is the first of {int(still.sum())}. Leave such "
            "rows out."
        )
    if average == "pooled":
        return float(abs(change.sum()) / distance.max() / len(change))
    return float((np.abs(change) / distance).mean())


def check_inputs(X, X_adversarial, caller):
    """Return clean and adversarial inputs of one shape in double precision."""
    given = {"X": X, "X_adversarial": X_adversarial}
    pair = [check_rows(rows, caller, name=name) for name, rows in given.items()]
    pair = [rows.astype(np.float64) for rows in pair]
    check_same_shape(*pair, "clean and perturbed inputs", caller)
    return pair


def check_successful(successful, n_samples, caller):
    """Return which attacks succeeded as booleans; None: all of them."""
    if successful is None:
        return np.ones(n_samples, dtype=bool)
    successful = check_targets(successful, caller, name="successful")
    if len(successful) != n_samples or not np.isin(successful, (0, 1)).all():
        rule = f"{n_samples} booleans, one per sample"
        raise invalid("successful", caller, rule, successful.tolist()[:5])
    return successful.astype(bool)


def _losses(losses, name, n_samples, caller):
    losses = check_scores(losses, caller, name=name)
    check_one_each(losses, n_samples, "one loss per sample", name, caller)
    return losses
