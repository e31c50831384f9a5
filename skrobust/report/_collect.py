"""Data of a report, collected from fitted models."""

import numpy as np

from skrobust.report.collection import collect


def collect_report(
    models,
    X,
    y,
    *,
    X_train=None,
    image_shape=None,
    channel_axis=None,
    data_range=None,
    eps=None,
    norm=np.inf,
    attacks=None,
    radii=None,
    conditions=None,
    groups=None,
    times=None,
    metrics=None,
    checks=True,
    thresholds=None,
    reference=None,
    evidence=None,
    n_samples=None,
    class_counts=None,
    n_labels=100,
    random_state=0,
    n_jobs=None,
    verbose=None,
    checkpoint=None,
    record=None,
    title=None,
    call=None,
    dataset=None,
    skipped=None,
    progress=None,
):
    """Measure everything that a report shows.

    A section that a model or the data do not allow is skipped with its reason.

    Parameters
    ----------
    models : dict of str to fitted estimator
        Classifiers or regressors, used as they are.
    X : array-like or data frame of shape (n_samples, ...)
        Rows to score: raw input of the whole pipelines, not seen in training. Text may
        be of shape (n_samples,).
    y : array-like of shape (n_samples,) or (n_samples, n_targets)
        True labels or values. For models that predict several targets, each target has
        its own results, under the name of the model and of the target.
    X_train : array-like or data frame, default=None
        The training rows: they count into the size of the data set, are compared with
        ``X``, and give the range of the pixels where ``data_range`` does not.
    image_shape : tuple of int, default=None
        (height, width), with channels first or last, for flat rows.
    channel_axis : {1, -1}, default=None
        Axis of the channels, where the shape is ambiguous.
    data_range : (low, high), default=None
        Bounds of the raw input.
    eps : float, str or list of them, default=None
        Radius of the attacks, in the units of the raw input, or of the spread of each
        feature: ``"0.1 std"``, the way to speak for tables. That is the spread of
        ``X_train``, or of ``X`` without it. With several, each attack is made at each
        and named with it, "auto, eps 0.1". None: no attacks.
    norm : {inf, 2, 1}, default=inf
        Norm of the attacks.
    attacks : "auto", list of str or dict of str to attack, default=None
        Classes of ``skrobust.attacks`` that take ``eps`` by their names, or objects
        with ``perturb(estimator, X, y)``, which bring their own radius; None and "auto"
        are :class:`~skrobust.attacks.StrongestAttack`, named "auto". The summary shows
        the robust ratio of "auto", of PGD, or of the last one.
    radii : array-like of float, default=None
        Rising positive radii for a curve of robust accuracy under PGD.
    conditions : str or list, default=None
        Conditions to perturb the rows by: a name of
        :func:`~skrobust.perturbations.get_preset` or a list of conditions; None is
        ``"asi68"`` for images, ``"text"`` for text and ``"tabular"`` for tables whose
        training rows are given.
    groups : array-like of shape (n_samples,) or dict of str to such, default=None
        Group of each row, or several groupings by their names, of 2 to 50 groups each.
    times : array-like of shape (n_samples,), default=None
        Period of each row: numbers, datetimes, pandas Periods or ISO text.
    metrics : list of str, default=None
        Further metrics of the predictions, by their names in
        :mod:`skrobust.metrics`: those that take ``(y_true, y_pred)``. Each is a column
        of the summary, with its interval.
    checks : bool, default=True
        Whether attacked models are asked for signs of overstated robustness, see
        :func:`~skrobust.evaluation.check_evaluation`: about seven attacks on 64 rows.
    thresholds : dict of str to float, default=None
        Needs that decide the verdict: the lowest acceptable "accuracy",
        "mean_accuracy", "worst_accuracy" (of any condition), "robust_accuracy",
        "certified_accuracy", "robust_ratio", "asi", "normalized", of regressors "r2",
        "mean_r2", "worst_r2" and "robust_r2", and those of ``metrics``. A need is met
        where the lower 95 % limit reaches it. None: each model is compared with a
        constant model.
    reference : str, default=None
        The model whose mean corruption error is 1; None is a constant model.
    evidence : str or list of str, default=None
        "eu-ai-act", "nist-ai-rmf" or "iso-24029-2", or several: a section that lists
        the figures by the clauses they speak to, with what was not measured,
        fingerprints of the data and the models, and blank lines for signatures. The
        mapping is that of skrobust and no legal advice.
    n_samples : int, default=None
        Size of the whole data set, for the normalized score; None: the rows of ``X``
        and of ``X_train``.
    class_counts : array-like or mapping, default=None
        Class sizes of the whole data set, for the normalized score; None: those of
        ``y``.
    n_labels : int, default=100
        Labels to spend in the rehearsal of operational testing.
    random_state : int, RandomState, Generator or None, default=0
        Seed of everything that is drawn.
    n_jobs : int, default=None
        Conditions scored at a time.
    verbose : int, default=None
        From 1 on, a progress bar with the percentage done and the time left; 0 is none.
        None: a bar where standard error is a terminal and there is no ``progress``.
    checkpoint : str or path, default=None
        Folder in which finished conditions and attacks are kept, so that a report that
        was interrupted goes on from there when it is made again.
    record : str or path, default=None
        File for a sealed record of all perturbations and attacks, with what was found
        for each sample, and of this report: for
        :func:`~skrobust.evaluation.verify_record` and
        :func:`~skrobust.evaluation.replay_record`.
    title : str, default=None
        Heading of the report.
    call : str, default=None
        Call that reproduces the report.
    dataset : str, default=None
        Name of the data.
    skipped : dict of str to str, default=None
        Models that are not available, and why.
    progress : callable, default=None
        Called with one line of text before each section.

    Returns
    -------
    collected : dict
        ``title``, ``created``, ``seconds``, ``call``, ``settings``, ``columns``,
        ``classes``, ``models`` (one dict each, with ``clean``, ``normalized``,
        ``stability``, ``weakness`` (what the worst condition rests on), ``attacks``,
        ``curve``, ``doubts``, ``groups``, ``times`` and ``labelling``, or
        None), ``verdicts`` (one for each model), ``untested`` and ``undefined`` (what
        was not tested, and why a number is undefined), ``comparisons`` (rankings of two
        and more models, with their paired differences), ``skipped``, ``warnings`` and
        ``versions``, and ``evidence`` and ``record`` where they were asked for.

    Raises
    ------
    ValueError
        For input that no section can use, and for a model that cannot predict it.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from skrobust.report import collect_report
    >>> X, y = load_iris(return_X_y=True)
    >>> model = KNeighborsClassifier().fit(X[::2], y[::2])
    >>> collected = collect_report({"neighbours": model}, X[1::2], y[1::2])
    >>> collected["models"][0]["clean"]["n_rows"]
    75
    >>> [row["section"] for row in collected["skipped"]]
    ['stability', 'attacks']
    """
    return collect("collect_report", **locals())  # its arguments, all of them
