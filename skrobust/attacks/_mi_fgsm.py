"""Iterated fast gradient sign methods: BIM (I-FGSM) and, with momentum, MI-FGSM."""

from skrobust._norms import length, per_sample
from skrobust._parameters import Count, Number
from skrobust.attacks.core.gradient_attack import GradientAttack


class BIM(GradientAttack):
    r"""Basic iterative method (BIM, I-FGSM): projected steps from the clean row.

    .. math:: x_{t+1} = \Pi\,(x_t + \mathrm{step\_size} \cdot s(\nabla_x L(x_t, y)))

    This is :class:`PGD` without random start, with the small published step.

    Parameters
    ----------
    eps : float, default=0.1
        Radius of the ball, in the units of the raw input of the whole pipeline.
    norm : {inf, 2, 1}, default=inf
        Norm of the ball.
    data_range : None or (low, high), default=None
        Bounds of the raw input, scalars or one per feature.
    n_steps : int, default=10
        Steps.
    step_size : float, default=None
        Length of a step in raw units; None is ``eps / n_steps``.
    objective : {None, "misclassification", "loss", "probability_shift"}, default=None
        See :class:`PGD`.
    loss : str, default="soft_margin"
        See :class:`PGD`.
    target : None, label or array-like of shape (n_samples,), default=None
        See :class:`PGD`.
    batch_size : int, default=256
        Samples attacked at a time.
    precision : {"float32", "tf32", "bfloat16"}, default="float32"
        Of the passes of the search on a net, see Notes of :class:`PGD`.
    compile : bool, default=False
        Whether torch compiles a replica of the net for the search.
    n_draws : int, default=1
        Passes over which the answers of a net that draws noise are averaged.
    finish : {"auto"}, int or None, default="auto"
        Whether a search by queries goes on from what was found; see :class:`PGD`.
    constraints : Constraints, default=None
        Frozen, integer and categorical features, and units of their own.
    random_state : int, RandomState, Generator or None, default=None
        Nothing is drawn; the parameter is there so that all are seeded alike.

    References
    ----------
    .. [1] A. Kurakin, I. Goodfellow and S. Bengio, "Adversarial Examples in the
       Physical World", ICLR Workshop 2017.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.preprocessing import minmax_scale
    >>> from skrobust.attacks import BIM
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = minmax_scale(X)
    >>> model = LogisticRegression().fit(X, y)
    >>> X_adv = BIM(eps=0.05, data_range=(0, 1)).perturb(model, X, y)
    >>> bool(model.score(X_adv, y) < model.score(X, y))
    True
    """

    decay = 0.0
    _parameter_rules = {
        "n_steps": Count(),
        "step_size": Number(low=0, low_open=True, optional=True),
    }

    def __init__(self, eps=0.1, *, n_steps=10, step_size=None, **shared):
        super().__init__(eps, **shared)
        self.n_steps = n_steps
        self.step_size = step_size

    @classmethod
    def _get_test_params(cls):
        return [{"n_steps": 3}]

    def _attack_batch(self, oracle, x, rng):
        step = self.step_size or self.eps / self.n_steps
        z, gathered = x, 0 * x
        for _ in range(self.n_steps):
            z, gradient, gathered = oracle.gradient(z, gathered)
            if not len(z):
                return z
            size = per_sample(length(gradient, 1), gradient)
            gathered = self.decay * gathered + gradient / (size + (size == 0))
            z = oracle.project(oracle.step(z, gathered, step))
        return z


class MomentumPGD(BIM):
    r"""Momentum iterative method (MI-FGSM): steps along an accumulated gradient.

    .. math::
        g_{t+1} = \mathrm{decay} \cdot g_t + \nabla L / \lVert\nabla L\rVert_1, \qquad
        x_{t+1} = \Pi\,(x_t + \mathrm{step\_size} \cdot s(g_{t+1}))

    with s the steepest unit step of the norm. It starts from the row itself.

    Parameters
    ----------
    eps : float, default=0.1
        Radius of the ball, in the units of the raw input of the whole pipeline.
    norm : {inf, 2, 1}, default=inf
        Norm of the ball.
    data_range : None or (low, high), default=None
        Bounds of the raw input, scalars or one per feature.
    n_steps : int, default=10
        Steps.
    step_size : float, default=None
        Length of a step in raw units; None is ``eps / n_steps``.
    decay : float, default=1.0
        Share of the accumulated gradient that is kept at each step.
    objective : {None, "misclassification", "loss", "probability_shift"}, default=None
        See :class:`PGD`.
    loss : str, default="soft_margin"
        See :class:`PGD`.
    target : None, label or array-like of shape (n_samples,), default=None
        See :class:`PGD`.
    batch_size : int, default=256
        Samples attacked at a time.
    precision : {"float32", "tf32", "bfloat16"}, default="float32"
        Of the passes of the search on a net, see Notes of :class:`PGD`.
    compile : bool, default=False
        Whether torch compiles a replica of the net for the search.
    n_draws : int, default=1
        Passes over which the answers of a net that draws noise are averaged.
    finish : {"auto"}, int or None, default="auto"
        Whether a search by queries goes on from what was found; see :class:`PGD`.
    constraints : Constraints, default=None
        Frozen, integer and categorical features, and units of their own.
    random_state : int, RandomState, Generator or None, default=None
        Nothing is drawn; the parameter is there so that all are seeded alike.

    References
    ----------
    .. [1] Y. Dong, F. Liao, T. Pang, H. Su, J. Zhu, X. Hu and J. Li, "Boosting
       Adversarial Attacks with Momentum", CVPR 2018.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.preprocessing import minmax_scale
    >>> from skrobust.attacks import MomentumPGD
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = minmax_scale(X)
    >>> model = LogisticRegression().fit(X, y)
    >>> X_adv = MomentumPGD(eps=0.05, data_range=(0, 1)).perturb(model, X, y)
    >>> bool(model.score(X_adv, y) < model.score(X, y))
    True
    """

    _parameter_rules = {"decay": Number(low=0)}

    def __init__(self, eps=0.1, *, decay=1.0, **shared):
        super().__init__(eps, **shared)
        self.decay = decay
