"""Skill of a classifier over the best constant prediction."""

from functools import partial

import numpy as np

from skrobust._array_checks import check_weights
from skrobust._validation import metric
from skrobust.metrics.labels import label_pair
from skrobust.metrics.normalized.factors import class_sizes
from skrobust.metrics.registry import MetricSpec, register
from skrobust.metrics.streaming.label_cells import LabelCells
from skrobust.metrics.undefined import warn_undefined


@metric
def accuracy_skill_score(y_true, y_pred, *, sample_weight=None):
    r"""Compute the accuracy on a scale where the best constant prediction is 0.

    At most 1; 1 is best, 0 is that of the best constant prediction, and worse
    predictions are negative. It compares data sets of different class sizes.

    .. math:: \frac{a - c}{1 - c}, \qquad c = \max_k \frac{n_k}{n}

    where :math:`a` is the accuracy and :math:`n_k` the size of class :math:`k` in
    ``y_true``.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels: text or numbers.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        Non-negative weights, in the accuracy and in the class sizes.

    Returns
    -------
    float
        The skill; nan with a warning when ``y_true`` has a single class.

    Raises
    ------
    ValueError
        For labels of different length or kind, no sample, one-hot or missing labels.

    See Also
    --------
    sklearn.metrics.balanced_accuracy_score : With ``adjusted=True``, the skill over
        chance of the mean recall of the classes.
    sklearn.metrics.matthews_corrcoef : Correlation of true and predicted labels.
    sklearn.metrics.d2_log_loss_score : The skill of probabilities.

    Notes
    -----
    The proportion of the errors of a constant prediction that the classifier avoids.
    It measures the same for each data set, and does not make easy and hard data equal.

    References
    ----------
    L. A. Goodman, W. H. Kruskal, "Measures of association for cross classifications",
    JASA 49 (1954), whose lambda is the skill of the best relabelling of ``y_pred``.

    Examples
    --------
    >>> from skrobust.metrics import accuracy_skill_score
    >>> accuracy_skill_score([0] * 8 + [1] * 2, [0] * 8 + [0, 1])
    0.5
    """
    caller = "accuracy_skill_score"
    y_true, y_pred = label_pair(y_true, y_pred, caller)
    weight = check_weights(sample_weight, len(y_true), caller)
    sizes = class_sizes(y_true, weight)
    if len(sizes) == 1:
        text = (
            f"{caller} is undefined when y_true has a single class; it is set to nan."
        )
        return warn_undefined(text)
    # Of what a constant prediction gets wrong: sums, so that ties are exactly 0.
    is_wrong = (y_true != y_pred).astype(np.float64)
    wrong = is_wrong.sum() if weight is None else np.sum(is_wrong * weight)
    others = np.sort(sizes)[:-1].sum()  # a difference would lose small weights
    return float(1 - wrong / others)


register(
    MetricSpec(
        "accuracy_skill",
        accuracy_skill_score,
        bounds=(-np.inf, 1.0),
        streaming=partial(LabelCells, accuracy_skill_score, "accuracy skill"),
    )
)
