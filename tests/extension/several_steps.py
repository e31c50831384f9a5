"""Several steps: gradient ascent of constant length."""

from skrobust._parameters import Count
from skrobust.attacks.core.gradient_attack import GradientAttack


class SeveralSteps(GradientAttack):
    """Take ``n_steps`` gradient steps, together twice as long as the ball is wide.

    Parameters
    ----------
    eps : float, default=0.1
        Radius of the ball in the units of the raw input.
    n_steps : int, default=4
        Number of steps.
    **shared
        Parameters of every gradient attack.
    """

    _parameter_rules = {"n_steps": Count()}

    def __init__(self, eps=0.1, *, n_steps=4, **shared):
        super().__init__(eps, **shared)
        self.n_steps = n_steps

    def _attack_batch(self, oracle, x, rng):
        for _ in range(self.n_steps):
            x, gradient = oracle.gradient(x)
            if not len(x):  # all rows are done
                break
            x = oracle.project(oracle.step(x, gradient, 2 * self.eps / self.n_steps))
        return x
