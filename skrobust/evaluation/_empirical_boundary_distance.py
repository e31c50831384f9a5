"""Empirical boundary distance along random directions."""

import warnings

import numpy as np

from skrobust._containers import like
from skrobust._keyed_noise.generator import seed_number
from skrobust._parallel import StepBar
from skrobust._results import Results
from skrobust._validation import check_count, check_number
from skrobust.evaluation.attacked.attack_run import correct_labels
from skrobust.evaluation.core.argument_checks import rows_in_range

_BATCH_VALUES = 1 << 22  # numbers per predicted batch


def empirical_boundary_distance(
    estimator,
    X,
    y,
    *,
    n_directions=1000,
    step=2 / 255,
    max_steps=63,
    data_range=(0, 1),
    random_state=None,
    verbose=0,
):
    r"""Compute the empirical boundary distance along random directions (EBD).

    .. math:: EBD = \frac{1}{n} \sum_{i=1}^{n} \min_{u} \min \{d = step, 2\,step, \dots:
        \hat{y}(\mathrm{clip}(x_i + d\,w\,u)) \ne y_i \}

    over random orthogonal directions :math:`u` with a root mean square of 1, where
    :math:`w` is the width of ``data_range``. Greater is more robust.

    Parameters
    ----------
    estimator : fitted classifier
        The model, with ``predict``; used as it is.
    X : array-like, data frame or tensor of shape (n_samples, ...)
        Raw input of the whole pipeline; not changed.
    y : array-like of shape (n_samples,)
        True labels.
    n_directions : int, default=1000
        Directions, the same for all samples. Beyond the number of features further
        random bases are drawn.
    step : float, default=2/255
        Length of a step as a share of the range: root mean square over the features.
    max_steps : int, default=63
        Steps before a direction is given up.
    data_range : (float, float), default=(0, 1)
        Lowest and highest value; points are clipped to it.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the directions.
    verbose : int, default=0
        From 1 on, a progress bar, with the time left.

    Returns
    -------
    Results
        Columns ``distance``, of the step at which the first direction leaves, and
        ``reached``, False where none did; ``mean``; ``n_wrong``, samples that were
        wrong from the start and count as 0; ``n_unreached``, samples that count as the
        farthest step, so that the mean is a lower bound (a warning says so).

    Raises
    ------
    ValueError
        For parameters or input outside their range.

    Notes
    -----
    The distance is that of the step before clipping. A finite number of directions
    finds an upper bound of the distance to the boundary, loose in many dimensions.
    AISafety's code takes the greatest of ten directions instead of the least, and 255
    where none leaves.

    References
    ----------
    Guo et al., "A comprehensive evaluation framework for deep model robustness"
    (Pattern Recognition, 2023, arXiv 2101.09617); code of the platform AISafety (2020).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.preprocessing import minmax_scale
    >>> from skrobust.evaluation import empirical_boundary_distance
    >>> X, y = load_iris(return_X_y=True)
    >>> X = minmax_scale(X)
    >>> model = LogisticRegression(C=100, max_iter=1000).fit(X, y)
    >>> results = empirical_boundary_distance(model, X, y, random_state=0)
    >>> results.n_wrong, bool(0.1 < results.mean < 0.3)
    (3, True)
    """
    caller = "empirical_boundary_distance"
    n_directions = check_count(n_directions, "n_directions", caller)
    step = check_number(step, "step", caller, low=0, low_open=True)
    max_steps = check_count(max_steps, "max_steps", caller)
    values, y, (low, high) = rows_in_range(X, y, data_range, caller)
    n, shape = len(values), values.shape[1:]
    seed = seed_number(random_state, caller)
    directions = _directions(int(np.prod(shape)), n_directions, seed)
    directions = directions.reshape(-1, *shape).astype(values.dtype)

    def leaves(points, labels):
        return ~correct_labels(estimator, points, labels, caller)

    wrong = leaves(like(values, X), y)
    distance = np.where(wrong, 0.0, max_steps * step)
    live = np.flatnonzero(~wrong)
    reached = wrong.copy()
    with StepBar(max_steps, caller, verbose) as bar:
        for k in range(1, max_steps + 1):
            if not len(live):
                break
            moves = values.dtype.type(k * step * (high - low)) * directions
            gone = _any_leaves(leaves, X, values, y, live, moves, (low, high))
            distance[live[gone]], reached[live[gone]] = k * step, True
            live = live[~gone]
            bar.done()
    if len(live):
        text = (
            f"{caller}: no direction leaves the true label within {max_steps} steps "
            f"for {len(live)} of {n} samples; they count as the farthest step, so the "
            "mean is a lower bound."
        )
        warnings.warn(text, UserWarning, stacklevel=2)
    return Results(
        columns=("distance", "reached"),
        distance=distance,
        reached=reached,
        mean=float(distance.mean()),
        n_samples=n,
        n_wrong=int(wrong.sum()),
        n_unreached=len(live),
        n_directions=n_directions,
    )


def _any_leaves(leaves, X, values, y, live, moves, bounds):
    """Return whether any of the moves changes the label of each live row."""
    size = max(1, _BATCH_VALUES // max(1, moves[0].size))
    gone = np.zeros(len(live), dtype=bool)
    n_moves = max(1, min(len(moves), size))
    n_rows = max(1, size // n_moves)
    for first in range(0, len(moves), n_moves):
        some = moves[first : first + n_moves]
        still = np.flatnonzero(~gone)  # one direction that leaves is enough
        for start in range(0, len(still), n_rows):
            chosen = still[start : start + n_rows]
            rows = live[chosen]
            points = np.clip(values[rows, None] + some, *bounds)
            points = points.reshape(-1, *values.shape[1:])
            labels = np.repeat(y[rows], len(some))
            out = leaves(_like_rows(points, X), labels)
            gone[chosen] = out.reshape(len(rows), len(some)).any(axis=1)
    return gone


def _like_rows(points, X):
    """Put any number of new rows into the kind of container that X is."""
    if hasattr(X, "columns"):
        if hasattr(X, "iloc"):
            return type(X)(points, columns=X.columns)
        return type(X)(points, schema=list(X.columns))
    return like(points, X)


def _directions(n_features, n_directions, seed):
    """Return random directions with a root mean square of 1, orthogonal basis by basis.

    The sign of each is drawn too, so that they are uniform on the sphere.
    """
    rng = np.random.default_rng(seed % 2**64)
    parts = []
    for start in range(0, n_directions, n_features):
        width = min(n_features, n_directions - start)
        q, r = np.linalg.qr(rng.normal(size=(n_features, width)))
        parts.append((q * np.where(np.diag(r) < 0, -1.0, 1.0)).T)
    return np.concatenate(parts) * np.sqrt(n_features)
