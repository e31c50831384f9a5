"""Random search attack."""

import numpy as np

from skrobust._norms import length, per_sample
from skrobust._parameters import Choice, Count
from skrobust.attacks.core.black_box_attack import BlackBoxAttack

DRAWS = ("mixed", "uniform", "corners", "gaussian")


class RandomSearch(BlackBoxAttack):
    r"""Random search: points of the ball, and changes of the best one so far.

    Each step shows the model ``n_candidates`` points of every row in one call. Where
    the model gives scores, half of them change the best point so far, less and less: a
    random share of its features jumps to a face of the cube (L-infinity), or a Gaussian
    step is put back onto the sphere (other norms). With labels alone all are drawn
    anew.

    Parameters
    ----------
    eps : float, default=0.1
        Radius of the ball, in the units of the raw input of the whole pipeline.
    norm : {inf, 2, 1}, default=inf
        Norm of the ball.
    data_range : None or (low, high), default=None
        Bounds of the raw input, scalars or one per feature.
    n_steps : int, default=20
        Calls of the model, for a block of rows.
    n_candidates : int, default=50
        Candidates of each row in a step.
    draws : {"mixed", "uniform", "corners", "gaussian"}, default="mixed"
        Uniform in the ball; corners of the cube (L-infinity), random signs (L2), or
        single features (L1) at full length; Gaussian directions at full length; or a
        third of each (L-infinity: three corners to one uniform point).
    objective : {None, "misclassification", "loss", "probability_shift"}, default=None
        Goal of the attack. ``"misclassification"``, and None unless a scorer asks
        for more: a row that is fooled leaves; one that is not comes back unchanged.
        ``"probability_shift"``: two full runs drive the probability of the predicted
        class down and up, and the largest shift is kept. ``"loss"``: one full run
        drives the probability of the label down, and the largest shift of that of the
        predicted class is kept (with ``target``: the probability of the target up, and
        its largest rise). Where there is no ``predict_proba``, the softmax of the
        decision function takes its place. Of a regressor None or
        ``"prediction_shift"``: two full runs drive the prediction up and down, and the
        largest change is kept; ``"prediction_error"``: the largest distance from y.
    target : None, label or array-like of shape (n_samples,), default=None
        Label, or one label per sample, that the model is driven to predict; success is
        then the prediction of it, and y is not used. None: any wrong label will do.
    response : {"auto", "predict", "predict_proba", "decision_function"}, default="auto"
        The method that is asked. "auto" prefers decisions, then probabilities, then
        labels; probabilities first where the objective is about them. Of a skorch net
        whose module returns logits these take the place of its probabilities, which
        may be 0 and 1 to the last digit. What seems to be fooled is confirmed by
        ``predict``.
    max_queries : int, default=None
        Most rows shown to the model for each row under attack, the clean one and the
        confirmation included. None: what the steps need.
    batch_size : int, default=None
        Most rows in a call of the model; None: as many as fit 64 MiB.
    constraints : Constraints, default=None
        Frozen, integer and categorical features, and units of their own.
    random_state : int, RandomState, Generator or None, default=None
        Seed. The same int gives the same result whatever the batch size or the order
        of the rows.

    Notes
    -----
    The plainest attack there is: what it finds, a stronger attack must find too.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from skrobust.attacks import RandomSearch
    >>> X, y = load_iris(return_X_y=True)
    >>> model = RandomForestClassifier(20, random_state=0).fit(X, y)
    >>> X_adv = RandomSearch(eps=0.3, random_state=0).perturb(model, X, y)
    >>> bool(model.score(X_adv, y) < model.score(X, y))
    True
    """

    _parameter_rules = {
        "n_steps": Count(),
        "n_candidates": Count(),
        "draws": Choice(*DRAWS),
    }

    def __init__(
        self, eps=0.1, *, n_steps=20, n_candidates=50, draws="mixed", **shared
    ):
        super().__init__(eps, **shared)
        self.n_steps = n_steps
        self.n_candidates = n_candidates
        self.draws = draws

    @classmethod
    def _get_test_params(cls):
        return [{"n_steps": 3, "n_candidates": 10}]

    @property
    def _n_candidates(self):
        return self.n_candidates

    def _search_rows(self, search):
        for step in range(self.n_steps):
            live = search.live()
            if not len(live):
                return
            rng = search.rng(step, live)
            z = self._fresh(rng, len(live), search.x.shape[1:])
            if step and search.is_guided:
                n_old = self.n_candidates // 2
                best = search.domain.units.relative(
                    search.current[live] - search.x[live]
                )
                z[:, :n_old] = self._changed(rng, best / self.eps, n_old, step)
            search.ask(
                live, search.x[live][:, None] + self.eps * search.domain.units.spread(z)
            )

    def _fresh(self, rng, n, shape):
        """Return points of the unit ball, (n, n_candidates, ...)."""
        size = (n, self.n_candidates, int(np.prod(shape)))
        kinds = [self.draws] if self.draws != "mixed" else DRAWS[1:]
        if self.draws == "mixed" and self.norm == np.inf:
            kinds = ("corners", "corners", "corners", "uniform")
        z = np.empty(size)
        for i, kind in enumerate(kinds):
            part = z[:, i :: len(kinds)]
            part[...] = self._points(rng, kind, part.shape)
        return z.reshape(*size[:2], *shape)

    def _points(self, rng, kind, size):
        if kind == "corners" and self.norm == 1:
            place = np.floor(rng.random(size[:2]) * size[2]).astype(int)
            sign = np.where(rng.random(size[:2]) < 0.5, -1.0, 1.0)
            return (np.arange(size[2]) == place[..., None]) * sign[..., None]
        if kind == "corners":
            return self._to_sphere(np.where(rng.random(size) < 0.5, -1.0, 1.0))
        if kind == "gaussian":
            return self._to_sphere(rng.normal(size=size))
        if self.norm == np.inf:
            return rng.uniform(-1, 1, size=size)
        z = rng.normal(size=size)
        if self.norm == 1:  # gaps of exponential numbers fill the simplex
            z = np.sign(z) * -np.log(np.maximum(rng.random(size), 1e-300))
        radius = rng.random(size[:2]) ** (1 / size[2])
        return self._to_sphere(z) * radius[..., None]

    def _to_sphere(self, z):
        flat = np.asarray(z, dtype=np.float64).reshape(-1, *z.shape[2:])
        size = length(flat, self.norm)
        flat = flat / per_sample(np.where(size > 0, size, 1.0), flat)
        return flat.reshape(z.shape)

    def _changed(self, rng, best, k, step):
        """Return k changes of each best point, smaller from step to step."""
        size = (len(best), k, *best.shape[1:])
        left = 1 - step / self.n_steps
        if self.norm == np.inf:
            share = np.maximum(0.5 * left, 1 / best[0].size)
            corner = np.where(rng.random(size) < 0.5, -1.0, 1.0)
            return np.where(rng.random(size) < share, corner, best[:, None])
        width = 2 * 0.005 ** (1 - left) / np.sqrt(best[0].size)
        return self._to_sphere(best[:, None] + width * rng.normal(size=size))
