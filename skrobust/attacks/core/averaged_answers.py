"""Expectation over transformation: the mean of the answers of a net that draws."""

from skrobust._keyed_noise.generator import seed_number


def averaged_answers(attack, view):
    """Return the context in which a view answers with the mean of ``n_draws`` passes.

    Parameters
    ----------
    attack : BaseAttack
        With ``n_draws`` above 1, and ``random_state``.
    view : view
        The model.
    """
    seed = seed_number(attack.random_state, type(attack).__name__)
    return view.several_draws(attack.n_draws, seed)
