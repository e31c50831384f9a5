"""Ball that several attacks share, and their examples within it."""

import numpy as np

from skrobust._containers import like, to_array
from skrobust._guarded_rows import perturb_guarded
from skrobust._keyed_noise.generator import seed_number
from skrobust._norms import NORMS
from skrobust._parameters import parse_radius
from skrobust._validation import check_number, invalid
from skrobust.attacks import StrongestAttack
from skrobust.base import BaseAttack, Constraints
from skrobust.base.attack_by_name import AUTO
from skrobust.base.domain import Domain
from skrobust.base.spread import spread_of, with_number

OF_ATTACK = "attack"


def attack_list(attacks, caller):
    """Return attacks as a list, or raise where one has another goal than any error."""
    attacks = list(attacks) if isinstance(attacks, (list, tuple)) else [attacks]
    rule = "an object with perturb(estimator, X, y), or a list of them"
    if not attacks:
        raise invalid("attacks", caller, rule, attacks)
    for attack in attacks:
        if isinstance(attack, type) or not callable(getattr(attack, "perturb", None)):
            raise invalid("attacks", caller, rule, attack)
        for name in ("target", "constraints"):
            if getattr(attack, name, None) is not None:
                # A target is one way out of many; constraints make another ball.
                raise invalid("attacks", caller, f"attacks without {name}", attack)
    return attacks


def attacks_and_ball(
    estimator, X, y, values, attacks, ball, random_state, caller, objective=None
):
    """Return the attacks as a list, and the ball: what was given or a default.

    Parameters
    ----------
    estimator, X, y : object
        Model, rows and labels.
    values : ndarray of shape (n_samples, ...)
        The rows as an array.
    attacks : object with ``perturb``, list of them, "auto" or None
        "auto" and None: the strongest that suits the model.
    ball : tuple
        ``eps``, ``norm`` and ``data_range``, as they were given.
    random_state : int, RandomState, Generator or None
        Seed of attacks that are not given.
    caller : str
        Name of the public function or class, for error messages.
    objective : {None, "probability_shift"}, default=None
        What attacks that are not given aim at; None: the labels.

    Returns
    -------
    attacks : list
        Each with ``perturb``.
    ball : dict
        ``eps``, ``norm``, ``data_range`` and ``scale``, the unit of each feature or
        None.
    """
    eps, norm, data_range = ball
    unit = scale = None
    is_auto = attacks is None or (isinstance(attacks, str) and attacks == AUTO)
    if not is_auto:
        attacks = attack_list(attacks, caller)
        eps = _shared(attacks, "eps", caller) if eps is None else eps
    if isinstance(eps, str):
        eps, unit = parse_radius(eps, "eps", caller)
        scale = spread_of(values, unit, caller)
    if not is_auto:
        attacks = [with_number(attack, values) for attack in attacks]
        found = shared_ball(attacks, values, eps, norm, data_range, caller)
        return attacks, {**found, "scale": scale}
    seed_number(random_state, caller)
    eps = check_number(eps, "eps", caller, low=0)
    norm = np.inf if norm is None else norm
    if isinstance(data_range, str) and data_range == OF_ATTACK:
        data_range = None
    ball = shared_ball([], values, eps, norm, data_range, caller)
    rules = None if scale is None else Constraints(scale=scale)
    more = {"objective": objective, "random_state": random_state}
    attack = StrongestAttack(**ball, constraints=rules, **more)
    return [attack], {**ball, "scale": scale}


def shared_ball(attacks, values, eps, norm, data_range, caller):
    """Return the ball that was given, or that all attacks share."""
    eps = _shared(attacks, "eps", caller) if eps is None else eps
    norm = _shared(attacks, "norm", caller) if norm is None else norm
    if isinstance(data_range, str) and data_range == OF_ATTACK:
        data_range = _shared(attacks, "data_range", caller)
    eps = check_number(eps, "eps", caller, low=0)
    if not np.isscalar(norm) or norm not in (*NORMS, 0):
        raise invalid("norm", caller, "numpy.inf, 2, 1 or 0", norm)
    if data_range is not None:
        try:
            low, high = (np.asarray(b, dtype=np.float64) for b in data_range)
            fits = all(b.shape in ((), values.shape[1:]) for b in (low, high))
            fine = fits and bool(np.isfinite(low).all() and np.isfinite(high).all())
            fine = fine and bool(np.all(low <= high))
        except (TypeError, ValueError):
            fine = False
        if not fine:
            rule = "'attack', None or a pair (low, high), scalars or one per feature"
            raise invalid("data_range", caller, rule, data_range)
        slack = 1e-6 * (high - low)
        if (values < low - slack).any() or (values > high + slack).any():
            raise ValueError(f"{caller} found input outside data_range={data_range}.")
    return {"eps": eps, "norm": norm, "data_range": data_range}


def _shared(attacks, name, caller):
    """Return a parameter that all attacks agree on."""
    if not all(hasattr(attack, name) for attack in attacks):
        if name == "data_range":
            return None
        raise ValueError(
            f"{caller} needs one ball, and an attack has no {name}. Give {name}."
        )
    first, *others = (getattr(attack, name) for attack in attacks)
    if not all(_same(first, other) for other in others):
        raise ValueError(
            f"{caller} needs one ball, and these attacks differ in {name}. Give {name}."
        )
    return first


def _same(a, b):
    try:
        return all(np.array_equal(x, z) for x, z in zip(a, b, strict=True))
    except (TypeError, ValueError):  # numbers or None
        return np.array_equal(a, b)


def examples_within(estimator, attack, X, y, values, ball, caller):
    """Return the examples of an attack within the ball, in a container like X."""
    X_adv = perturb_guarded(attack, estimator, X, y)
    scale, ball = ball["scale"], {k: v for k, v in ball.items() if k != "scale"}
    keeps = all(_same(getattr(attack, name, None), ball[name]) for name in ball)
    keeps = keeps and (scale is None) == (getattr(attack, "constraints", None) is None)
    if not isinstance(attack, BaseAttack) or not keeps:
        moved = np.asarray(to_array(X_adv))
        if moved.shape != values.shape:
            raise ValueError(
                f"{caller} needs examples of the shape of X, {values.shape}. "
                f"{type(attack).__name__} returned {moved.shape}."
            )
        if not np.isfinite(moved).all():
            raise ValueError(
                f"{caller} needs finite examples; {type(attack).__name__} returned "
                "NaN or infinity."
            )
        rules = None if scale is None else Constraints(scale=scale)
        domain = Domain(values, rules, caller=caller, **ball)
        X_adv = like(domain.put_back(moved, values), X)
    return X_adv
