"""Auto-PGD: projected gradient descent with momentum and adaptive step size."""

import numpy as np

from skrobust._norms import namespace, per_sample
from skrobust._parameters import Choice, Count
from skrobust._validation import invalid
from skrobust.attacks.core.gradient_attack import GradientAttack
from skrobust.attacks.core.loss_oracle import Run
from skrobust.attacks.core.losses import LOSS_NAMES

_MOMENTUM = 0.75
_RISES = 0.75  # share of steps that must raise the loss between two checkpoints


def checkpoints(n_steps):
    """Return the steps after which the step size is looked at.

    The gaps shrink from 22 % of the steps by 3 % each time, down to 6 %.
    """
    shares = [0.0, 0.22]
    while shares[-1] < 1:
        shares.append(shares[-1] + max(shares[-1] - shares[-2] - 0.03, 0.06))
    places = [int(np.ceil(round(share * n_steps, 9))) for share in shares]
    return [place for place in dict.fromkeys(places) if place <= n_steps]


class AutoPGD(GradientAttack):
    r"""Auto-PGD (APGD): projected gradient descent with an adaptive step size.

    .. math::

        z_{t+1} &= \Pi\,(x_t + \eta_t\, s(\nabla_x L(x_t, y))) \\
        x_{t+1} &= \Pi\,(x_t + 0.75\,(z_{t+1} - x_t) + 0.25\,(x_t - x_{t-1}))

    :math:`\eta` starts at ``2 * eps``. At checkpoints after 22 % of the steps and at
    gaps that shrink, it is halved for each sample whose loss rose in less than 75 % of
    the steps, or whose best loss and step are those of the checkpoint before; that
    sample then goes on from its best point.

    Parameters
    ----------
    eps : float, default=0.1
        Radius of the ball, in the units of the raw input of the whole pipeline.
    norm : {inf, 2, 1}, default=inf
        Norm of the ball.
    data_range : None or (low, high), default=None
        Bounds of the raw input, scalars or one per feature.
    n_steps : int, default=100
        Steps of each run.
    loss : str, default="soft_margin"
        "soft_margin" (see Notes of :class:`PGD`), "log_odds" (cross entropy without its
        saturation), "cross_entropy" (as it is), "margin", "dlr" (the margin over the
        gap between the first and third logit), or "targeted_dlr": one run for each of
        the ``n_target_classes`` likeliest wrong classes t of the clean sample, which
        drives the logit of t minus that of y, over the largest logit minus the mean of
        the third and fourth. DLR is not defined for
        two classes, nor its targeted form below four: there the differences of logits
        are used as they are.
    n_target_classes : int, default=9
        Most classes that "targeted_dlr" tries.
    n_restarts : int, default=1
        Runs from different random points.
    objective : {None, "misclassification", "loss", "probability_shift"}, default=None
        See :class:`PGD`.
    target : None, label or array-like of shape (n_samples,), default=None
        See :class:`PGD`; not for "targeted_dlr", which chooses its own.
    batch_size : int, default=256
        Samples attacked at a time.
    precision : {"float32", "tf32", "bfloat16"}, default="float32"
        Of the passes of a search on a net, see Notes of :class:`PGD`. "float32" leaves
        the net as it is.
    compile : bool, default=False
        Whether torch compiles a replica of the net for the search.
    n_draws : int, default=1
        Passes over which the answers of a net that draws noise are averaged.
    finish : {"auto"}, int or None, default="auto"
        Whether a search by queries goes on from what was found; see :class:`PGD`.
    constraints : Constraints, default=None
        Frozen, integer and categorical features, and units of their own.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the random starts.

    Notes
    -----
    For L1 the paper has no algorithm (a later one by the same authors has); here the
    scheme is run with the steps and the projection of that norm.

    References
    ----------
    .. [1] F. Croce and M. Hein, "Reliable evaluation of adversarial robustness with an
       ensemble of diverse parameter-free attacks", ICML 2020.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from skrobust.attacks import AutoPGD
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LogisticRegression(max_iter=1000).fit(X, y)
    >>> attack = AutoPGD(eps=0.3, loss="targeted_dlr", random_state=0)
    >>> X_adv = attack.perturb(model, X, y)
    >>> bool(model.score(X_adv, y) < model.score(X, y))
    True
    """

    _parameter_rules = {
        "n_steps": Count(),
        "n_target_classes": Count(),
        "n_restarts": Count(),
        "loss": Choice(*LOSS_NAMES, "targeted_dlr"),
    }

    def __init__(
        self,
        eps=0.1,
        *,
        n_steps=100,
        loss="soft_margin",
        n_target_classes=9,
        n_restarts=1,
        **shared,
    ):
        super().__init__(eps, loss=loss, **shared)
        self.n_steps = n_steps
        self.n_target_classes = n_target_classes
        self.n_restarts = n_restarts

    @classmethod
    def _get_test_params(cls):
        return [{"n_steps": 4}, {"n_steps": 3, "loss": "targeted_dlr"}]

    def _check_parameters(self):
        if self.target is not None and self.loss == "targeted_dlr":
            rule = "None with loss='targeted_dlr', which tries the likeliest classes"
            raise invalid("target", "AutoPGD", rule, self.target)

    def _runs(self, batch):
        if self.loss != "targeted_dlr" or self.objective == "probability_shift":
            return super()._runs(batch)
        xp, scores = namespace(batch.x), batch.clean_scores
        n_others = scores.shape[1] - 1
        # The classes of each row by falling score, without its own.
        order = xp.argsort(-scores, 1) if xp is np else xp.argsort(scores, 1, True)
        others = order[order != batch.label[:, None]].reshape((len(scores), n_others))
        return [
            Run(f"target {k}", batch.label, 1, "targeted_dlr", others[:, k])
            for k in range(min(self.n_target_classes, n_others))
        ]

    def _attack_batch(self, oracle, x, rng):
        z = x if oracle.has_start else oracle.random_start(rng)
        xp, marks = namespace(z), checkpoints(self.n_steps)
        z, gradient = oracle.gradient(z)
        if not len(z):
            return z
        # Per sample: the iterate before, the best one with its gradient and loss, the
        # loss of the last iterate, the step size, the rises since the last checkpoint,
        # and the best loss and whether the step was halved there.
        before = best = z
        best_gradient, peak = gradient, oracle.value
        last = marked = peak
        rises = halved = xp.zeros_like(peak)
        step = rises + 2 * oracle.eps
        for k in range(1, self.n_steps + 1):
            ahead = oracle.project(oracle.step(z, gradient, step))
            if k > 1:
                ahead = z + _MOMENTUM * (ahead - z) + (1 - _MOMENTUM) * (z - before)
                ahead = oracle.project(ahead)
            z, gradient, *state = oracle.gradient(
                ahead, z, best, best_gradient, peak, last, step, rises, marked, halved
            )
            if not len(z):
                return z
            before, best, best_gradient, peak, last, step, rises, marked, halved = state
            rises = rises + (oracle.value > last) * 1.0
            last = oracle.value
            higher = per_sample(last > peak, z)
            best = xp.where(higher, z, best)
            best_gradient = xp.where(higher, gradient, best_gradient)
            peak = xp.maximum(peak, last)
            if k in marks:
                gap = k - marks[marks.index(k) - 1]
                stuck = (halved == 0) & (marked >= peak)
                slow = (rises < _RISES * gap) | stuck
                step = xp.where(slow, step / 2, step)
                back = per_sample(slow, z)
                z = xp.where(back, best, z)
                gradient = xp.where(back, best_gradient, gradient)
                halved, marked, rises = slow * 1.0, peak, rises * 0
        oracle.finish(z)
        # The farthest point of the ball along the last gradient, which on a linear
        # model is the best.
        return oracle.project(oracle.step(oracle.x, gradient, oracle.eps))
