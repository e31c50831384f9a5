"""Number of sign-gradient steps to the decision boundary."""

import warnings

import numpy as np

from skrobust._differentiable import differentiable_view
from skrobust._parallel import StepBar
from skrobust._results import Results
from skrobust._validation import check_count, check_number
from skrobust.attacks.core.losses import log_odds_against
from skrobust.evaluation.core.argument_checks import rows_in_range


def boundary_steps(
    estimator,
    X,
    y,
    *,
    step=0.0005,
    max_steps=1000,
    data_range=(0, 1),
    batch_size=256,
    verbose=0,
):
    r"""Count the sign-gradient steps until the prediction leaves y (EBD-2).

    .. math:: EBD2 = \frac{1}{n} \sum_{i=1}^{n} \min \{k: \hat{y}(x_i^k) \ne y_i \},
        \quad x_i^{k+1} = \mathrm{clip}\left(x_i^k + step \, w \,
        \mathrm{sign} \nabla L(x_i^k, y_i)\right)

    where :math:`w` is the width of ``data_range``. Greater is more robust.

    Parameters
    ----------
    estimator : fitted classifier
        A skorch net or a linear classifier, bare or in a pipeline of scalers.
    X : array-like, data frame or tensor of shape (n_samples, ...)
        Raw input of the whole pipeline; not changed.
    y : array-like of shape (n_samples,)
        True labels.
    step : float, default=0.0005
        Length of a step in each feature, as a share of the range.
    max_steps : int, default=1000
        Steps before a sample is dropped.
    data_range : (float, float), default=(0, 1)
        Lowest and highest value; points are clipped to it.
    batch_size : int, default=256
        Samples at a time.
    verbose : int, default=0
        From 1 on, a progress bar, with the time left.

    Returns
    -------
    Results
        Column ``steps``, nan for samples that were dropped; ``mean`` over the others,
        nan when all were; ``n_wrong``, samples that were wrong from the start and count
        as 0; ``n_dropped``, with a warning.

    Raises
    ------
    ValueError
        For a model that cannot be differentiated, or parameters or input outside their
        range.

    Notes
    -----
    The loss is the log odds against the true class; its gradient has the direction of
    that of cross entropy but does not vanish for confident models. Dropping samples
    that hit the limit, as the source does, flatters no model but hides the most robust
    samples.

    References
    ----------
    Guo et al., "A comprehensive evaluation framework for deep model robustness"
    (Pattern Recognition, 2023, arXiv 2101.09617); code of the platform AISafety (2020).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.preprocessing import minmax_scale
    >>> from skrobust.evaluation import boundary_steps
    >>> X, y = load_iris(return_X_y=True)
    >>> X = minmax_scale(X)
    >>> model = LogisticRegression(C=100, max_iter=1000).fit(X, y)
    >>> results = boundary_steps(model, X, y, step=0.001)
    >>> results.n_wrong, results.n_dropped
    (3, 0)
    """
    caller = "boundary_steps"
    step = check_number(step, "step", caller, low=0, low_open=True)
    max_steps = check_count(max_steps, "max_steps", caller)
    batch_size = check_count(batch_size, "batch_size", caller)
    values, y, (low, high) = rows_in_range(X, y, data_range, caller)
    steps = np.full(len(values), np.nan)
    with differentiable_view(estimator, caller) as view:
        index = view.label_index(y)
        columns = np.asarray(view.host(index))
        n_classes = view.logits(view.tensor(values[:1])).shape[1]
        is_known = (columns >= 0) & (columns < n_classes)
        steps[~is_known] = 0  # a label that the model never answers is always wrong
        known = np.flatnonzero(is_known)
        with StepBar(len(known), caller, verbose) as bar:
            for start in range(0, len(known), batch_size):
                rows = known[start : start + batch_size]
                data = view.tensor(values[rows]), index[rows]
                move = step * (high - low)
                steps[rows] = _walk(view, *data, move, max_steps, (low, high))
                bar.done(len(rows))
    dropped = int(np.isnan(steps).sum())
    if dropped:
        text = f"{caller} drops {dropped} of {len(steps)} samples, which keep the true "
        text += f"label for {max_steps} steps."
        warnings.warn(text, UserWarning, stacklevel=2)
    return Results(
        columns=("steps",),
        steps=steps,
        mean=float(np.nanmean(steps)) if dropped < len(steps) else float("nan"),
        n_samples=len(steps),
        n_wrong=int((steps == 0).sum()),
        n_dropped=dropped,
    )


def _walk(view, z, column, move, max_steps, bounds):
    """Return the steps of each row of a batch, nan where the limit ends them."""
    steps = np.full(len(z), np.nan)
    rows = np.arange(len(z))
    for k in range(max_steps + 1):
        logits, pullback = view.forward(z)
        plain = logits if isinstance(logits, np.ndarray) else logits.detach()
        _, slope, margin = log_odds_against(plain, column)
        gone = margin > 0
        out = np.asarray(view.host(gone))
        steps[rows[out]] = k
        rows = rows[~out]
        if not len(rows) or k == max_steps:
            break
        gradient = pullback(slope)
        sign = (gradient > 0) * 1.0 - (gradient < 0) * 1.0  # NaN does not move
        z = (z + move * sign)[~gone].clip(*bounds)
        column = column[~gone]
    return steps
