"""Factories of scorers."""

from sklearn.base import clone

from skrobust._validation import check_choice
from skrobust.base.attack_by_name import read_attack
from skrobust.base.spread import with_number
from skrobust.metrics.scorers import classes
from skrobust.metrics.scorers.normalized_scorer import (
    NormalizedScorer,
    normalized_names,
)
from skrobust.metrics.scorers.over_time import StabilityIndexScorer
from skrobust.metrics.scorers.perturbed_rows import dense_rows


def _fitted(perturbation, X_ref):
    if X_ref is None:
        return perturbation
    if isinstance(getattr(perturbation, "eps", None), str):
        return with_number(perturbation, X_ref)
    if not hasattr(perturbation, "fit"):
        raise ValueError(
            f"X_ref is there to fit a perturbation, and {type(perturbation).__name__} "
            "has no fit."
        )
    return clone(perturbation).fit(dense_rows(X_ref))


def make_normalized_scorer(
    metric="accuracy", *, n_samples=None, n_features=None, **options
):
    """Make a scorer of the dataset-adaptive normalized metric.

    On the same rows, that of two classes rises with the accuracy, so that it selects
    the same model; its values do not compare data sets. The scorer takes the classes of
    the fitted model, and warns of rows that lack one: pass ``class_counts=``.

    Parameters
    ----------
    metric : {"accuracy", "r2", "clustering"}, default="accuracy"
        For classifiers, regressors and clusterers with ``predict``.
    n_samples : int, default=None
        N of the metric, a property of the data set: pass ``len(X)``. None takes the
        rows scored, so that a small fold looks like a small data set.
    n_features : int, default=None
        d of the metric; None reads it from X, as the product of all axes but the first.
    **options : dict
        Further parameters of the metric function, such as ``clip=False``.

    Returns
    -------
    scorer : NormalizedScorer
        Greater is better.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from skrobust.metrics import make_normalized_scorer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> scorer = make_normalized_scorer("accuracy", n_samples=len(X))
    >>> cross_val_score(GaussianNB(), X, y, scoring=scorer).shape
    (5,)
    """
    check_choice(metric, "metric", "make_normalized_scorer", normalized_names())
    size = {"n_samples": n_samples, "n_features": n_features}
    return NormalizedScorer(metric, **size, options=options or None)


def make_robust_scorer(
    perturbation,
    metric="robust_accuracy",
    *,
    tolerance=None,
    reference="predicted",
    X_ref=None,
    floor=None,
    eps=None,
    norm=None,
    data_range=None,
    random_state=None,
):
    """Make a scorer that perturbs or attacks the rows before it scores them.

    Parameters
    ----------
    perturbation : object with ``perturb(estimator, X, y)``, or "auto"
        A perturbation, an attack or an object of your own. One that learns scales must
        be fitted, or ``X_ref`` given. "auto" is
        :class:`~skrobust.attacks.StrongestAttack`, which chooses by the model.
    metric : str or callable, default="robust_accuracy"
        "robust_accuracy" or "robust_ratio" of classifiers, "regression_robust_ratio" of
        regressors. A scorer of scikit-learn is asked on the perturbed rows. Of a
        function of (y_true, y_pred) the name tells the direction: ``..._score``, or
        ``..._loss`` and ``..._error``, whose sign is changed; others are refused. Those
        that take scores or probabilities, as ``roc_auc_score``, get them.
        For a robust ratio an attack runs in full on every sample, fooled or not.
    tolerance : float, default=None
        Bound on the change of probability, in [0, 1], or of the prediction, in the
        units of the target; for the robust ratios, which need it.
    reference : {"predicted", "true", "max"}, default="predicted"
        Whose probability the robust ratio watches. An attack drives that of the
        predicted class; for another reference the ratio is a looser upper bound. For
        regressors: whether the change is from the clean prediction or from y.
    X_ref : array-like, default=None
        Training rows on which a copy of the perturbation is fitted, or whose spread is
        the unit of an attack with ``eps="0.1 std"``. Without them that is the spread of
        the rows scored.
    floor : float in [0, 1], default=None
        Smallest accuracy on the clean rows that counts, R2 for regressors. A model
        below it gets the lowest score of the metric, less what it lacks:
        ``lowest + accuracy - floor``, where the lowest is 0 for the metrics named above
        and -1 for a callable, whose values must not be smaller. None: no floor.
    eps : float or str, default=None
        Radius of "auto", which needs it: in the units of X, or ``"0.1 std"``.
    norm : {inf, 2, 1}, default=None
        Norm of "auto"; None is inf.
    data_range : (low, high), default=None
        Bounds of the raw input, for "auto".
    random_state : int, RandomState, Generator or None, default=None
        Seed of "auto".

    Returns
    -------
    scorer : RobustScorer
        Greater is better.

    Warns
    -----
    UserWarning
        When neither the clean accuracy (R2 for regressors) nor, for metrics of labels,
        that on the perturbed rows is greater than that of the best constant prediction
        on the same rows. Such a model can have a robust ratio of 1. Rows of one class
        give no warning, since no prediction is better than a constant there.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.svm import SVC
    >>> from skrobust.metrics import make_robust_scorer
    >>> from skrobust.perturbations import GaussianNoise
    >>> X, y = load_digits(return_X_y=True)
    >>> noise = GaussianNoise(std=0.2, data_range=(0, 16), random_state=0)
    >>> scores = cross_val_score(SVC(), X, y, scoring=make_robust_scorer(noise))
    >>> bool(scores.mean() > 0.5)
    True
    """
    caller = "make_robust_scorer"
    ball = {"eps": eps, "norm": norm, "data_range": data_range}
    ball["random_state"] = random_state
    attack = read_attack(perturbation, "perturbation", caller, **ball)
    classes.check_perturber(attack, "perturbation", caller)
    settings = {"tolerance": tolerance, "reference": reference, "floor": floor}
    if attack is not perturbation and X_ref is None:  # "auto" stays what was said
        return classes.RobustScorer(perturbation, metric, **settings, **ball)
    return classes.RobustScorer(_fitted(attack, X_ref), metric, **settings)


def make_asi_scorer(conditions, *, metric="accuracy", X_ref=None, floor=None):
    """Make a scorer of the Accuracy-Stability Index over conditions.

    The index is 1 for any constant accuracy, also that of a constant prediction. In a
    search, set ``floor`` to an accuracy that a useful model has.

    Parameters
    ----------
    conditions : list of objects with ``perturb(estimator, X, y)``
        For example ``two_factor_grid("asi68", image_shape=(8, 8))``.
    metric : "accuracy" or callable, default="accuracy"
        Metric under each condition, a share in [0, 1]; callables as in
        :func:`make_robust_scorer`, greater must be better.
    X_ref : array-like, default=None
        Training rows on which copies of the conditions are fitted.
    floor : float in [0, 1], default=None
        Smallest mean accuracy over the conditions. A model below it gets
        ``-1 + accuracy - floor``, which is below every index and rises with the
        accuracy. It applies to each set of rows that is scored, so to each fold. None:
        no floor.

    Returns
    -------
    scorer : StabilityScorer
        Greater is better, 1 is best.

    Warns
    -----
    UserWarning
        When the mean accuracy over the conditions is not greater than that of the best
        constant prediction on the same rows. Rows of one class give no warning.

    Notes
    -----
    The index does not rise with each accuracy: 0.6 under every condition gives 1, and
    0.9 under one of three conditions instead gives 0.55. Permutation importance by the
    index is therefore misleading: shuffling a feature on which the model depends makes
    its accuracy lower and more even, so the most important feature can get a negative
    importance. Use ``scoring=make_robust_scorer(condition)`` for importances.

    Examples
    --------
    >>> from skrobust.metrics import make_asi_scorer
    >>> from skrobust.perturbations import two_factor_grid
    >>> make_asi_scorer(two_factor_grid("asi68", image_shape=(8, 8))).__name__
    'accuracy_stability_index'
    """
    classes.check_conditions(conditions, "make_asi_scorer")
    conditions = [_fitted(condition, X_ref) for condition in conditions]
    return classes.StabilityScorer(conditions, metric=metric, floor=floor)


def make_stability_index_scorer(
    n_periods=None,
    *,
    metric="accuracy",
    response_method="auto",
    falling_rate_weight=12,
    variability_weight=0.5,
    floor=None,
):
    """Make a scorer of the stability index over time.

    The rows scored are cut into periods; the metric of each enters the index. Their
    ``times`` come through metadata routing, or as an argument of the scorer. Without
    them the rows are taken to be in the order of time. Use a splitter that keeps the
    order, such as TimeSeriesSplit: a scorer sees the test rows alone, so that it cannot
    notice shuffled folds. ``scorer.check_folds(cv.split(X))`` and
    :func:`skrobust.evaluation.cross_validate_perturbations` refuse them.

    Parameters
    ----------
    n_periods : int or None, default=None
        Number of periods, of (nearly) equal numbers of rows, or of distinct times. None
        makes each distinct time a period, and ten periods where there are no times.
    metric : str or callable, default="accuracy"
        Metric of each period, as in :func:`period_stability_index`: "accuracy", "gini",
        "roc_auc", or a callable as in :func:`make_robust_scorer`.
        Periods in which it is undefined are left out with a warning.
    response_method : {"auto", "predict", "predict_proba", "decision_function"}, \
            default="auto"
        What the metric takes. "auto" gives "gini", "roc_auc" and the functions of
        scikit-learn that take scores (such as ``roc_auc_score``) the decision function,
        or else the probabilities of the second class, and others the labels.
    falling_rate_weight : float, default=12
        Weight of a falling trend.
    variability_weight : float, default=0.5
        Weight of the spread about the trend.
    floor : float in [0, 1], default=None
        Smallest accuracy on the rows scored that counts, R2 for regressors. A model
        below it gets ``lowest + accuracy - floor``, which is below every index and
        rises with the accuracy; lowest is -12.25 for scores in [0, 1] and the default
        weights. Callables and "gini" must lie in [-1, 1]. None: no floor.

    Returns
    -------
    scorer : StabilityIndexScorer
        Greater is better.

    Warns
    -----
    UserWarning
        When the accuracy on the rows is not greater than that of the best constant
        prediction, or R2 not above 0; not for metrics of scores or probabilities, of
        which a constant has no more than chance.

    Notes
    -----
    ``get_scorer("gini_stability")`` has ``metric="gini"`` and a weight of 88.

    Examples
    --------
    >>> import sklearn
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import TimeSeriesSplit, cross_val_score
    >>> from skrobust.metrics import make_stability_index_scorer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> month = [i // 30 for i in range(len(X))]
    >>> scorer = make_stability_index_scorer(metric="roc_auc")
    >>> with sklearn.config_context(enable_metadata_routing=True):
    ...     scorer = scorer.set_score_request(times=True, sample_weight=False)
    ...     scores = cross_val_score(LogisticRegression(max_iter=5000), X, y,
    ...         cv=TimeSeriesSplit(2), scoring=scorer, params={"times": month})
    >>> scores.shape
    (2,)
    """
    return StabilityIndexScorer(
        n_periods,
        metric=metric,
        response_method=response_method,
        falling_rate_weight=falling_rate_weight,
        variability_weight=variability_weight,
        floor=floor,
    )
