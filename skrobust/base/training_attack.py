"""Attacks inside adversarial training: largest loss, new starts each time."""

from sklearn.base import clone

from skrobust._keyed_noise.generator import seed_number, stream_number
from skrobust._validation import invalid
from skrobust.base.attack import BaseAttack


def check_training_attack(attack, caller):
    """Raise unless an attack aims at the true label."""
    if not isinstance(attack, BaseAttack):
        raise invalid("attack", caller, "an attack of skrobust.attacks", attack)
    if getattr(attack, "objective", None) in (
        "probability_shift",
        "prediction_shift",
        "prediction_error",
    ):
        raise invalid(
            "attack",
            caller,
            "one on the label: objective=None, 'loss' or 'misclassification'",
            attack,
        )
    if getattr(attack, "target", None) is not None:
        raise invalid("attack", caller, "one without a target", attack)


def training_attack(attack, *place):
    """Return a copy of an attack for one place in training.

    Training wants the largest loss that the budget allows, as Madry et al. (2018) have
    it: an attack that can (one with losses) and was told no objective does not stop at
    the first wrong label. Its seed is its own and the place's.
    """
    inner = clone(attack)
    params = inner.get_params(deep=False)
    can = hasattr(inner, "loss") and not hasattr(inner, "minimal_norms")
    if can and params.get("objective", "fixed") is None:
        inner.set_params(objective="loss")
    if params.get("random_state") is not None:
        seed = seed_number(attack.random_state, type(attack).__name__)
        inner.set_params(random_state=stream_number(seed, "training", *place))
    return inner
