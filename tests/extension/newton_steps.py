"""Newton steps: walk to the boundary along the first-order distance."""

from skrobust._norms import per_sample, steepest
from skrobust._parameters import Count
from skrobust.attacks.core.minimal_norm_attack import MinimalNormAttack


class NewtonSteps(MinimalNormAttack):
    """Take ``n_steps`` steps, together three times the first-order distance.

    Parameters
    ----------
    eps : float, default=numpy.inf
        Longest perturbation that counts.
    n_steps : int, default=20
        Number of steps.
    **shared
        Parameters of every minimal-norm attack.
    """

    _parameter_rules = {"n_steps": Count()}

    def __init__(self, eps=float("inf"), *, n_steps=20, **shared):
        super().__init__(eps, **shared)
        self.n_steps = n_steps

    def _minimize(self, search):
        z, gradient = search.x, search.gradient
        length = per_sample(3 * search.reach / self.n_steps, z)
        for _ in range(self.n_steps):
            z = search.clip(z + length * steepest(gradient, self.norm))
            _, gradient = search.evaluate(z)
