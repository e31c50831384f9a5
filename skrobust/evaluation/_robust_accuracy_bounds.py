"""Bounds of robust accuracy: attacks above, a certificate below."""

from skrobust._parallel import StepBar
from skrobust._results import Results
from skrobust.evaluation.attacked.attack_run import correct_labels
from skrobust.evaluation.attacked.attacks_in_ball import (
    OF_ATTACK,
    attacks_and_ball,
    examples_within,
)
from skrobust.evaluation.attacked.proved_rows import proved_rows
from skrobust.evaluation.core.argument_checks import check_labels, float_rows
from skrobust.evaluation.core.checkpoint import Checkpoint
from skrobust.evaluation.core.sample_groups import SampleGroups
from skrobust.evaluation.core.verdict import verdict_on_bounds
from skrobust.metrics.scorers.attack_objective import for_accuracy

_CALLER = "robust_accuracy_bounds"


def robust_accuracy_bounds(
    estimator,
    X,
    y,
    attacks=None,
    *,
    eps=None,
    norm=None,
    data_range=OF_ATTACK,
    confidence=0.95,
    clusters=None,
    checkpoint=None,
    random_state=None,
    n_jobs=None,
    verbose=0,
):
    r"""Enclose robust accuracy within a ball: attacks above, a certificate below.

    .. math:: \frac{1}{n} \sum_i \mathbf{1}[\text{proved}_i] \;\le\;
        \frac{1}{n} \sum_i \mathbf{1}\big[f(x') = y_i \;\forall x' \in B(x_i)\big]
        \;\le\; \frac{1}{n} \sum_i \mathbf{1}[\text{no attack fooled}_i]

    Parameters
    ----------
    estimator : fitted classifier
        The model; used as it is.
    X : array-like or data frame of shape (n_samples, ...)
        Raw input of the whole pipeline; not changed.
    y : array-like of shape (n_samples,)
        True labels.
    attacks : object with ``perturb(estimator, X, y)``, list or "auto", default=None
        A sample counts as fooled where any of them fools it. Examples outside the ball
        are put back into it. None or "auto":
        :class:`~skrobust.attacks.StrongestAttack`, with ``eps`` given.
    eps : float or str, default=None
        Radius of the ball, in the units of X, or of its spread: ``"0.1 std"``. None is
        that of all attacks.
    norm : {inf, 2, 1, 0}, default=None
        Norm of the ball; None is that of all attacks, inf without attacks.
    data_range : "attack", None or (low, high), default="attack"
        Bounds of the raw input; "attack" is that of all attacks, None without attacks.
    confidence : float in (0, 1), default=0.95
        Level of the interval.
    clusters : array-like of shape (n_samples,), default=None
        Samples that belong together; the interval is then over clusters.
    checkpoint : str or path, default=None
        Folder in which finished runs of attacks are kept.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the attacks that ``attacks=None`` stands for.
    n_jobs : int, default=None
        Number of attacks that run at a time, as everywhere in scikit-learn.
    verbose : int, default=0
        From 1 on, a progress bar over the attacks and the certificate, with the time
        left.

    Returns
    -------
    results : Results
        ``lower`` and ``upper``, the bounds of the robust accuracy of these samples;
        ``low`` and ``high``, the interval of that of all samples of their kind (the
        lower limit of ``lower``, the upper one of ``upper``); ``clean_accuracy``;
        ``per_sample`` with the columns ``lower`` (proved to keep the true label),
        ``upper`` (not fooled) of dtype bool and ``clean``; ``certificate``, which says
        where the proof comes from, and ``is_exact``, whether both ends are equal or the
        certificate decides every sample; ``eps``, ``norm``, ``data_range``, ``scale``
        (the unit of each feature, or None), ``n_samples``, ``confidence`` and
        ``attacks``.

    Raises
    ------
    ValueError
        For attacks whose balls differ where none is given, attacks with a target or
        with constraints, no ``eps`` at all, and other bad input.

    Warns
    -----
    UserWarning
        Where an attack fooled a sample that was proved to be robust: the model then
        answers otherwise than its parameters say. It counts as fooled.

    See Also
    --------
    robust_ratio_bounds : The same for probabilities, with the list of certificates.

    Notes
    -----
    What is proved for which model is listed on the page :doc:`/guide/which_attack`.
    Proofs are about real numbers; what a net computes in single precision is enclosed
    by a bound of its rounding errors, that of other models by a slack of 1e-9 of the
    scores.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import SGDClassifier
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from skrobust.evaluation import robust_accuracy_bounds
    >>> X, y = load_iris(return_X_y=True)
    >>> model = make_pipeline(StandardScaler(), SGDClassifier(random_state=0)).fit(X, y)
    >>> bounds = robust_accuracy_bounds(model, X, y, eps=0.2)
    >>> bool(0 < bounds.lower == bounds.upper < bounds.clean_accuracy)
    True
    >>> bounds.certificate
    'exact for linear models'
    """
    y = check_labels(estimator, X, y, _CALLER)
    values = float_rows(X, _CALLER)
    samples = SampleGroups(y, None, clusters, (confidence, 999, None), _CALLER)
    parts = estimator, X, y, values, attacks, (eps, norm, data_range), random_state
    attacks, ball = attacks_and_ball(*parts, _CALLER)
    clean = correct_labels(estimator, X, y, _CALLER)
    store = Checkpoint(checkpoint, _CALLER)
    prefix = store.prefix(estimator, X, y)
    stands, bar = clean.copy(), StepBar(len(attacks) + 1, _CALLER, verbose)
    tasks = []
    for attack in map(for_accuracy, attacks):
        key = store.key(prefix, "labels within the ball", attack, ball)
        tasks.append((key, _keeps, estimator, attack, X, y, values, ball))
    for keeps, _ in store.run_all(tasks, n_jobs=n_jobs, bar=bar):
        stands &= keeps
    parts = estimator, X, y, values, stands, clean, ball, _CALLER
    proved, name, is_exact = proved_rows(*parts)
    bar.done()
    bar.close()
    columns = {"lower": proved, "upper": stands, "clean": clean}
    results = Results(
        columns=(),
        lower=float(proved.mean()),
        upper=float(stands.mean()),
        low=float(samples.interval(proved)[0]),
        high=float(samples.interval(stands)[1]),
        clean_accuracy=float(clean.mean()),
        certificate=name,
        is_exact=bool(is_exact or (proved == stands).all()),
        per_sample=Results(columns=tuple(columns), **columns),
        **ball,
        n_samples=len(y),
        confidence=float(confidence),
        attacks=[repr(attack) for attack in attacks],
        **samples.facts(),
    )
    results["verdict"] = verdict_on_bounds(results)
    return results


def _keeps(estimator, attack, X, y, values, ball):
    moved = examples_within(estimator, attack, X, y, values, ball, _CALLER)
    return correct_labels(estimator, moved, y, _CALLER)
