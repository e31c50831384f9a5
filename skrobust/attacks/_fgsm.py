"""FGSM: fast gradient sign method."""

from skrobust.attacks.core.gradient_attack import GradientAttack


class FGSM(GradientAttack):
    r"""Fast gradient sign method (FGSM): one full step along the gradient.

    .. math:: x' = x + \mathrm{eps} \cdot \mathrm{sign}(\nabla_x L(x, y))

    for the L-infinity norm; for the L2 norm the gradient divided by its length takes
    the place of its sign, and for the L1 norm its largest entry alone (at a bound of
    ``data_range`` the rest goes to the next largest). L is the margin, softened over
    the other classes (see Notes of :class:`PGD`), unless ``loss`` says otherwise.

    Parameters
    ----------
    eps : float, default=0.1
        Radius of the ball, in the units of the raw input of the whole pipeline.
    norm : {inf, 2, 1}, default=inf
        Norm of the ball.
    data_range : None or (low, high), default=None
        Bounds of the raw input, scalars or one per feature.
    objective : str or None, default=None
        See :class:`PGD`.
    loss : str, default="soft_margin"
        See :class:`PGD`.
    target : None, label or array-like of shape (n_samples,), default=None
        See :class:`PGD`.
    batch_size : int, default=256
        Samples attacked at a time.
    n_draws : int, default=1
        Passes over which the answers of a net that draws noise are averaged.
    finish : {"auto"}, int or None, default="auto"
        Whether a search by queries goes on from what was found; see :class:`PGD`. The
        one step alone is ``finish=None``.
    constraints : Constraints, default=None
        Frozen, integer and categorical features, and units of their own.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the search of ``finish``; the step draws nothing.

    Notes
    -----
    There is no ``precision``: what one pass would save, its check in single precision
    takes.

    References
    ----------
    .. [1] I. Goodfellow, J. Shlens and C. Szegedy, "Explaining and Harnessing
       Adversarial Examples", ICLR 2015.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.preprocessing import minmax_scale
    >>> from skrobust.attacks import FGSM
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = minmax_scale(X)
    >>> model = LogisticRegression().fit(X, y)
    >>> attack = FGSM(eps=0.05, data_range=(0, 1))
    >>> X_adv = attack.perturb(model, X, y)
    >>> bool(model.score(X_adv, y) < model.score(X, y))
    True
    """

    _trusts_last = True
    _left_out = ("precision", "compile")

    def __init__(self, eps=0.1, **shared):
        super().__init__(eps, **shared)

    def _attack_batch(self, oracle, x, rng):
        _, gradient = oracle.gradient(x)
        return oracle.project(oracle.step(oracle.x, gradient, oracle.eps))
