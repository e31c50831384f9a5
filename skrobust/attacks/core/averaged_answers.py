"""Expectation over transformation: the mean of the answers of a net that draws."""

from contextlib import nullcontext

from skrobust._keyed_noise.generator import seed_number


def averaged_answers(attack, view):
    """Return the context in which a view answers with the mean of ``n_draws`` passes.

    Parameters
    ----------
    attack : BaseAttack
        With ``n_draws`` and ``random_state``. One draw is neither seeded nor averaged.
    view : view
        The model.
    """
    if attack.n_draws == 1:
        return nullcontext()
    seed = seed_number(attack.random_state, type(attack).__name__)
    return view.several_draws(attack.n_draws, seed)
