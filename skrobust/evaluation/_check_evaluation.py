"""Checks that an evaluation under attack is honest."""

from functools import partial

import numpy as np
from sklearn.base import clone

from skrobust._containers import is_frame, to_array
from skrobust._keyed_noise.generator import seed_number
from skrobust._keyed_noise.rows import take_rows
from skrobust._one_line import one_line
from skrobust._parallel import StepBar, alone
from skrobust._validation import check_count
from skrobust.attacks import StrongestAttack
from skrobust.base import BaseAttack
from skrobust.base.attack import own_params
from skrobust.base.attack_by_name import read_attack
from skrobust.base.rows_as_numbers import as_numbers, frame_of
from skrobust.evaluation.attacked import attack_checks
from skrobust.evaluation.attacked.gradient_checks import check_gradients
from skrobust.evaluation.core import model_checks
from skrobust.evaluation.core._evaluation_warning import doubt
from skrobust.evaluation.core.argument_checks import check_labels
from skrobust.evaluation.core.model_checks import quietly
from skrobust.metrics.scorers.classes import check_perturber

_CALLER = "check_evaluation"
_N_CHECKS = 6  # that take long, each of some runs of attacks


def check_evaluation(
    estimator,
    X,
    y,
    attack,
    *,
    n_samples=64,
    n_queries=100,
    random_state=0,
    eps=None,
    norm=None,
    data_range=None,
    verbose=0,
):
    """Look for signs that an evaluation under attack overstates robustness.

    A handful of attacks run on a few samples and are compared with what an honest
    evaluation must show. The results are doubts, not proofs; neither is an empty list.

    Parameters
    ----------
    estimator : fitted classifier
        The model; used as it is.
    X : array-like or data frame of shape (n_samples, ...)
        Raw input of the whole pipeline; not changed.
    y : array-like of shape (n_samples,)
        True labels.
    attack : object with ``perturb(estimator, X, y)``, or "auto"
        The attack of the evaluation. Checks that it does not allow (no ``eps`` to vary)
        are left out.
    n_samples : int, default=64
        Samples to check, drawn from X; the units of the input are checked in all of X.
    n_queries : int, default=100
        Queries per sample of the random search.
    random_state : int, RandomState, Generator or None, default=0
        Seed of the draw and of the random search.
    eps, norm, data_range : object, default=None
        Ball and box of ``attack="auto"``, as in :func:`evaluate_attack`.
    verbose : int, default=0
        From 1 on, a progress bar over the checks, with the time left.

    Returns
    -------
    doubts : list of EvaluationWarning
        Each with ``code``, ``sentence`` and ``numbers``:

        - STOCHASTIC: two clean passes differ.
        - BATCH_DEPENDENT: rows in pairs and in a batch differ; nothing further is
          checked then.
        - INPUT_SCALE: the input looks standardised, or eps or ``data_range`` are in
          other units (normalisation in the wrong place).
        - ZERO_GRADIENT: gradients are zero or not finite.
        - WRONG_GRADIENT: the loss does not rise along the gradient, by finite
          differences (not asked of models that draw, nor where the attack knows and
          finishes by a search).
        - ATTACK_RAISES: the attack stops with an error, such as that no gradient
          reaches the input.
        - PROBABILITIES_AS_LOGITS: softmax fed into cross entropy.
        - SATURATED_LOSS: cross entropy underflows.
        - OUT_OF_RANGE, OUT_OF_BALL: examples outside the data range or the budget.
        - NOT_FALLING: accuracy rises with eps.
        - UNBOUNDED: with eps as wide as the data accuracy stays above chance. Neither
          is asked of "auto", which takes long and searches without gradients, too.
        - ONE_STEP_BEATS_ATTACK: FGSM fools samples that the attack misses.
        - BLACK_BOX_BEATS_ATTACK: random search fools samples that the attack misses.
        - TRANSFER_BEATS_ATTACK: examples made for a small net that was trained on the
          answers of the model fool samples that the attack misses.

        The last four do not apply to attacks with a target.

    Raises
    ------
    ValueError
        For an attack without ``perturb``, lengths that differ, or counts below 1.

    References
    ----------
    N. Carlini et al., "On evaluating adversarial robustness" (2019). M. Pintor et al.,
    "Indicators of attack failure" (NeurIPS 2022). F. Croce and M. Hein (ICML 2020).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.preprocessing import minmax_scale
    >>> from skrobust.attacks import PGD
    >>> from skrobust.evaluation import check_evaluation
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = minmax_scale(X)
    >>> model = LogisticRegression().fit(X, y)
    >>> check_evaluation(model, X, y, PGD(0.05, data_range=(0, 1), random_state=0))
    []
    """
    ball = {"eps": eps, "norm": norm, "data_range": data_range}
    seed = {"random_state": random_state}
    attack = read_attack(attack, "attack", _CALLER, X=X, **seed, **ball)
    check_perturber(attack, "attack", _CALLER)
    counts = {"n_samples": n_samples, "n_queries": n_queries}
    with StepBar(_N_CHECKS, _CALLER, verbose) as bar:
        counts["done"] = bar.done
        return doubts_and_fallen(estimator, X, y, attack, **counts, **seed)[0]


def doubts_or_unchecked(estimator, X, y, attack, seed):
    """Return what :func:`doubts_and_fallen` does; where it fails, this as a doubt.

    What was measured before is not lost by a check then.
    """
    parts = estimator, X, y, attack
    try:
        return alone(partial(quietly, doubts_and_fallen, random_state=seed), *parts)
    except Exception as error:
        doubts = [doubt("UNCHECKED", {"message": one_line(error)})]
        return doubts, np.zeros(len(y), dtype=bool)


def doubts_and_fallen(
    estimator,
    X,
    y,
    attack,
    *,
    random_state,
    n_samples=64,
    n_queries=100,
    done=lambda: None,
):
    """Return the doubts, and which rows fell to any example that a check made.

    Parameters
    ----------
    estimator, X, y, attack, random_state, n_samples, n_queries : object
        As for :func:`check_evaluation`; the attack with a number as its radius.
    done : callable
        Called after each check that takes long.

    Returns
    -------
    doubts : list of EvaluationWarning
        The doubts.
    fallen : ndarray of shape (n_samples,), dtype bool
        Right rows with an example within the budget of the attack; False for rows that
        were not checked.
    """
    y = check_labels(estimator, X, y, _CALLER)
    fallen = np.zeros(len(y), dtype=bool)
    n_samples = check_count(n_samples, "n_samples", _CALLER)
    n_queries = check_count(n_queries, "n_queries", _CALLER)
    seed = seed_number(random_state, _CALLER) % 2**32  # scikit-learn takes no more
    rng, given = np.random.default_rng(seed), X
    if isinstance(attack, BaseAttack):
        attack, estimator, X, _ = as_numbers(attack, estimator, X)
    rows = np.sort(rng.permutation(len(y))[:n_samples])
    whole = to_array(X)
    numbers, is_coded = whole, is_frame(given) and X is not given
    if is_coded:  # a frame with other columns: its free numbers come first
        numbers = whole[:, : max(1, len(frame_of(estimator).free))]
    seen = float(numbers.min()), float(numbers.max())
    attack = _at_rows(attack, rows, len(y))
    data = take_rows(X, rows), y[rows]
    case = attack_checks.AttackCase(attack, estimator, *data, seen)
    eps, norm = case.eps, case.norm
    bounds = None if is_coded else case.data_range
    doubts = list(model_checks.check_input(numbers, eps, norm, bounds))
    answers = estimator, case.X, take_rows
    doubts += model_checks.quietly(lambda: [*model_checks.check_answers(*answers)])
    if doubts and doubts[-1].code == "BATCH_DEPENDENT":
        return doubts, fallen
    # Differences of a model that draws are of its draws.
    differs = any(d.code == "STOCHASTIC" for d in doubts)
    is_finished = getattr(attack, "finish", None) is not None
    parts = estimator, to_array(case.X), not differs, is_finished
    doubts += model_checks.quietly(lambda: [*check_gradients(*parts)])
    done()
    try:
        doubts += attack_checks.check_examples(case)
    except ValueError as error:
        if not any(d.code == "ZERO_GRADIENT" for d in doubts):
            raise
        doubts.append(doubt("ATTACK_RAISES", {"message": str(error)}))
        case.stays, case.can_scale = case.correct, False
    done()
    if case.can_scale and eps:
        if not isinstance(case.attack, StrongestAttack):  # five more runs of it
            doubts += attack_checks.check_radii(case)
        done()
        doubts += attack_checks.check_one_step(case)
        done()
    if "eps" in own_params(attack) and eps:
        doubts += attack_checks.check_random_search(case, n_queries, rng)
        done()
        doubts += attack_checks.check_transfer(case, X, seed)
    fallen[rows] = case.fallen
    return doubts, fallen


def _at_rows(attack, rows, n):
    """Return an attack with the targets of some rows, where each row has its own."""
    target = own_params(attack).get("target")
    if np.ndim(target) != 1 or len(target) != n:
        return attack
    return clone(attack).set_params(target=np.asarray(target)[rows])
