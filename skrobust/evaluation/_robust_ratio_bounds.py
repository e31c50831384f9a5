"""Bounds of the robust ratio: attacks above, a certificate below."""

import warnings

import numpy as np

from skrobust._parallel import StepBar
from skrobust._responses import predict_probabilities
from skrobust._results import Results
from skrobust._validation import check_choice
from skrobust.evaluation.attacked.attacks_in_ball import (
    OF_ATTACK,
    attacks_and_ball,
    examples_within,
)
from skrobust.evaluation.attacked.certificates import certify
from skrobust.evaluation.core.acted import part_of, warn_idle_attack
from skrobust.evaluation.core.argument_checks import check_labels, float_rows
from skrobust.evaluation.core.checkpoint import Checkpoint
from skrobust.evaluation.core.sample_groups import SampleGroups
from skrobust.evaluation.core.verdict import verdict_on_ratio_bounds
from skrobust.metrics.robust import probability_shift
from skrobust.metrics.robust.unmoved import full_attack
from skrobust.metrics.scorers.attack_objective import (
    at_full_strength,
    column_labels,
    is_full,
)

_CALLER = "robust_ratio_bounds"


def robust_ratio_bounds(
    estimator,
    X,
    y,
    attacks=None,
    *,
    tolerances=None,
    eps=None,
    norm=None,
    data_range=OF_ATTACK,
    reference="predicted",
    confidence=0.95,
    clusters=None,
    checkpoint=None,
    random_state=None,
    n_jobs=None,
    verbose=0,
):
    r"""Enclose the robust ratio within a ball: attacks above, a certificate below.

    .. math:: \frac{1}{n} \sum_i \mathbf{1}[c_i \le t] \;\le\;
        \frac{1}{n} \sum_i \mathbf{1}\Big[\max_{x' \in B(x_i)} |P(x') - P(x_i)|
        \le t\Big] \;\le\; \frac{1}{n} \sum_i \mathbf{1}[f_i \le t]

    where :math:`f_i` is the largest move of the probability that any attack found and
    :math:`c_i` a move that none in the ball :math:`B(x_i)` can exceed.

    Parameters
    ----------
    estimator : fitted classifier with ``predict_proba``
        The model; used as it is.
    X : array-like or data frame of shape (n_samples, ...)
        Raw input of the whole pipeline; not changed.
    y : array-like of shape (n_samples,)
        True labels, which attacks may use.
    attacks : object with ``perturb(estimator, X, y)``, list or "auto", default=None
        Each is run in full on the probability, both ways, unless its objective is
        "loss". Examples outside the ball are put back into it. None or "auto": as in
        :func:`robust_accuracy_bounds`, with ``eps`` given.
    tolerances : array-like of floats in [0, 1], default=None
        Bounds on the change of probability; None is 0, .01, ..., .20.
    eps : float or str, default=None
        Radius of the ball, in the units of X, or of its spread: ``"0.1 std"``. None is
        that of all attacks.
    norm : {inf, 2, 1, 0}, default=None
        Norm of the ball; None is that of all attacks, inf without attacks.
    data_range : "attack", None or (low, high), default="attack"
        Bounds of the raw input; "attack" is that of all attacks, None without attacks.
    reference : {"predicted", "true", "max"}, default="predicted"
        The class whose probability counts.
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
        Columns ``tolerances``, ``lower`` and ``upper``, the bounds of the robust ratio
        of these samples; ``low`` and ``high``, the interval of that of all samples of
        their kind (the lower limit of ``lower``, the upper one of ``upper``).
        ``certificate`` says where ``lower`` comes from, and ``is_exact`` whether the
        largest move is known. ``per_sample`` has the columns ``found`` and
        ``certified``; ``eps``, ``norm``, ``data_range``, ``scale``, ``n_samples``,
        ``confidence`` and ``attacks``; and for each of these ``changed``, the share of
        rows that it changed, and ``distortion``, the root mean square of the change of
        a row, on average over these rows.

    Raises
    ------
    ValueError
        For attacks whose balls differ where none is given, attacks with a target, with
        constraints or with ``objective="misclassification"``, a model without
        ``predict_proba`` and other bad input.

    Warns
    -----
    UserWarning
        Where an attack changed no row, unless ``eps=0``; where an object of your own
        left rows clean, as :func:`~skrobust.metrics.robust_ratio_score` has it; and
        where an attack found more than the certificate allows.

    Notes
    -----
    Certificates (:doc:`/guide/which_attack` has a table by model):

    - linear behind affine steps: of two classes exact, as the probability is monotone
      in the score, whose ends within ball and box are known in closed form; of more
      with softmax by branch and bound over the shares of the classes, to some 0.01;
      with sigmoids or the modified Huber loss each score at its worst;
    - trees and their sums (those of :class:`~skrobust.attacks.ExactTree`): the worst
      choice of leaves with a point in common; exact where the search ends in time;
    - nets: linear bounds backward through the layers [2]_;
    - Gaussian naive Bayes: a sum over features; exact in a cube for two classes;
    - support vector machines with Gaussian kernels: lines around each Gaussian;
    - nearest neighbours: the votes that no move within the ball can change;
    - calibrated, averaged, voting and one-vs-rest models, and thresholds: from those of
      their members, trees among them;
    - :class:`~skrobust.certificates.SmoothedClassifier`: of infinitely many votes, each
      row with probability ``1 - alpha``;
    - every other model: :math:`|dP| \le \max(P, 1 - P)`, so that ``lower`` is 0 at the
      usual tolerances and more only from .5 on (two classes). For a net, the
      certificate names the layer that is not understood.

    References
    ----------
    .. [1] Lyu, Jin, Das (NLDL 2025, arXiv 2412.09795), Eq. 2, whose "for all" a single
       attack cannot show.

    .. [2] H. Zhang et al., "Efficient Neural Network Robustness Certification with
       General Activation Functions", NeurIPS 2018 (CROWN), with slopes chosen as in K.
       Xu et al., "Fast and Complete", ICLR 2021.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.preprocessing import minmax_scale
    >>> from skrobust.attacks import FGSM
    >>> from skrobust.evaluation import robust_ratio_bounds
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = minmax_scale(X)
    >>> model = LogisticRegression().fit(X, y)
    >>> bounds = robust_ratio_bounds(model, X, y, FGSM(0.01, data_range=(0, 1)))
    >>> bool((bounds.lower <= bounds.upper).all())
    True
    >>> bounds.certificate
    'exact for linear models of two classes'
    """
    y = check_labels(estimator, X, y, _CALLER)
    check_choice(reference, "reference", _CALLER, probability_shift.REFERENCES)
    tolerances = probability_shift.check_tolerances(tolerances, _CALLER)
    values = float_rows(X, _CALLER)
    parts = estimator, X, y, values, attacks, (eps, norm, data_range), random_state
    attacks, ball = attacks_and_ball(*parts, _CALLER, "probability_shift")
    samples = SampleGroups(y, None, clusters, (confidence, 999, None), _CALLER)
    strong = [at_full_strength(attack)[0] for attack in attacks]
    p = predict_probabilities(estimator, X, _CALLER)
    labels = column_labels(estimator, p.shape[1])
    columns = probability_shift.reference_columns(p, reference, y, labels, _CALLER)
    store = Checkpoint(checkpoint, _CALLER)
    prefix = store.prefix(estimator, X, y)
    found, atol, effects = np.zeros(len(y)), 0.0, []
    bar = StepBar(len(strong) + 1, _CALLER, verbose)
    tasks = []
    for attack in strong:
        key = store.key(prefix, "within the ball, changed", attack, ball)
        tasks.append((key, _within_ball, estimator, attack, X, y, values, ball))
    runs = store.run_all(tasks, n_jobs=n_jobs, bar=bar)
    for attack, (run, _) in zip(strong, runs, strict=True):
        effects.append((float(run["changed"]), float(run["distortion"])))
        idle = effects[-1][0] == 0
        if ball["eps"] > 0:
            warn_idle_attack(attack, idle, _CALLER)
        parts = p, run["probabilities"], reference, y, labels, _CALLER
        with full_attack(is_full(attack) or idle):
            shift, slack = probability_shift.shift_and_atol(*parts)
        found, atol = np.maximum(found, shift), max(atol, slack)
    changed, distortion = np.array(effects).T
    exact = values.astype(np.float64)
    proof = certify(
        estimator, X, exact, p.astype(np.float64), columns, caller=_CALLER, **ball
    )
    certified = proof.shift(p.astype(np.float64), columns)
    bar.done()
    bar.close()
    if values.dtype != np.float64 or p.dtype != np.float64:
        certified = certified + 1e-6  # the model rounds
    beyond = int((found > certified + 1e-5).sum())
    if beyond and not proof.is_statistical:
        text = (
            f"{_CALLER} found a larger move of the probability than the certificate "
            f"allows ({proof.name}), for {beyond} samples; what was found is counted. "
            "Does predict_proba give the same answer twice?"
        )
        warnings.warn(text, UserWarning, stacklevel=2)
    certified = np.maximum(certified, found)
    moves = {"found": found, "certified": certified}
    lower = certified[:, None] <= tolerances + atol
    upper = found[:, None] <= tolerances + atol
    results = Results(
        columns=("tolerances", "lower", "upper", "low", "high"),
        tolerances=tolerances,
        lower=lower.mean(axis=0),
        upper=upper.mean(axis=0),
        low=samples.limits(lower)[0],
        high=samples.limits(upper)[1],
        certificate=proof.name,
        is_exact=proof.is_exact,
        per_sample=Results(columns=tuple(moves), **moves),
        **ball,
        n_samples=len(y),
        confidence=float(confidence),
        attacks=[repr(attack) for attack in attacks],
        changed=changed,
        distortion=distortion,
        **samples.facts(),
    )
    results["verdict"] = verdict_on_ratio_bounds(results)
    return results


def _within_ball(estimator, attack, X, y, values, ball):
    """Return what an attack did, with the probabilities of its examples."""
    X_adv = examples_within(estimator, attack, X, y, values, ball, _CALLER)
    q = predict_probabilities(estimator, X_adv, _CALLER)
    return part_of(X, X_adv, probabilities=q)
