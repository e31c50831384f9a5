"""Reader of what stands where an attack is expected: an object, or ``"auto"``."""

import importlib

from skrobust._containers import is_text
from skrobust._keyed_noise.generator import seed_number
from skrobust._validation import invalid
from skrobust.base.spread import with_number

AUTO = "auto"


def read_attack(attack, name, caller, *, X=None, random_state=None, **ball):
    """Return the attack that an argument stands for.

    Parameters
    ----------
    attack : object or "auto"
        "auto" is :class:`skrobust.attacks.StrongestAttack`; anything else is returned
        as it is.
    name, caller : str
        For error messages.
    X : container, default=None
        Rows whose spread is the unit of a radius such as ``"0.1 std"``; None leaves
        such a radius to the attack.
    random_state : int, RandomState, Generator or None
        Seed of "auto".
    **ball : object
        ``eps``, ``norm`` and ``data_range`` of "auto"; None is not given.

    Returns
    -------
    attack : object
        With a number as its radius, where X is given.
    """
    given = {key: value for key, value in ball.items() if value is not None}
    if isinstance(attack, str):
        if attack != AUTO:
            rule = "'auto' or an object with perturb(estimator, X, y)"
            raise invalid(name, caller, rule, attack)
        of_texts = X is not None and is_text(X)
        if of_texts and given:
            raise ValueError(
                f"The parameter {min(given)!r} of {caller} does not apply to texts, "
                f"whose budget is words. Pass {name}=StrongestAttack(n_words=3), or "
                "'auto' alone for 3 words."
            )
        if "eps" not in given and not of_texts:
            raise ValueError(
                f"{caller} needs eps with {name}='auto': a number in the units of X, "
                "or one in units of its spread, such as '0.1 std'."
            )
        seed_number(random_state, caller)
        # Attacks stand on a floor above the scorers that take this name.
        attacks = importlib.import_module("skrobust.attacks")
        attack = attacks.StrongestAttack(random_state=random_state, **given)
    elif given:
        raise ValueError(
            f"The parameter {min(given)!r} of {caller} belongs to {name}='auto'; an "
            "attack has its own. Set it there."
        )
    return attack if X is None else with_number(attack, X)
