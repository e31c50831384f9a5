"""PGD: projected gradient descent."""

import numpy as np

from skrobust._parameters import Count, Flag, Number
from skrobust._validation import invalid
from skrobust.attacks.core.gradient_attack import GradientAttack


class PGD(GradientAttack):
    r"""Projected gradient descent (PGD): small steps, each projected onto the ball.

    .. math:: x_{t+1} = \Pi\,(x_t + a_t \cdot s(\nabla_x L(x_t, y)))

    where :math:`a_t` is the length of the step, :math:`\Pi` projects onto the ball of
    radius ``eps`` around x (and into ``data_range``) and s is the sign (L-infinity),
    the gradient over its length (L2), or its largest entry alone (L1; at a bound of
    ``data_range`` the rest of the step goes to the next largest).

    Parameters
    ----------
    eps : float, default=0.1
        Radius of the ball, in the units of the raw input of the whole pipeline.
    norm : {inf, 2, 1}, default=inf
        Norm of the ball.
    data_range : None or (low, high), default=None
        Bounds of the raw input, scalars or one per feature.
    n_steps : int, default=40
        Steps of each run.
    step_size : float, default=None
        Constant length of a step in raw units. None is ``2.5 * eps / n_steps`` in
        L-infinity, and steps that fall from ``eps`` in the other norms, see Notes.
    random_start : bool, default=True
        Whether a run starts from a random point of the ball, drawn by the content of
        the row, or from the row itself.
    n_restarts : int, default=1
        Runs from different starts; needs ``random_start`` beyond 1.
    objective : str or None, default=None
        Goal of the attack. ``"misclassification"``: a sample that is fooled leaves
        at once, so that a robust ratio of what comes back is too high. ``"loss"``: the
        same loss, but every sample gets every step, and the iterate that moves the
        probability of the predicted class most is kept.
        ``"probability_shift"``: drives that probability down and up in two runs and
        keeps the largest shift. None follows the caller: misclassification, unless a
        scorer of the robust ratio asks for the probability shift. For regressors (y is
        not needed) it is ``"prediction_shift"``, the same for the prediction itself;
        ``"prediction_error"`` keeps what lies farthest from y instead.
    loss : str, default="soft_margin"
        Loss that rises. "soft_margin": the margin, which is the largest other logit
        minus that of the class, softened over the other classes (see Notes).
        "margin": the margin itself; "dlr": the margin over the gap between the largest
        and the third logit ([2]_; the margin for two classes). "log_odds": the log odds
        against the class (cross entropy without its saturation); "cross_entropy": as it
        is. Where the slope of a loss underflows, the sample follows the soft margin,
        and that is warned of. The probability shift always follows the log odds, and so
        does ``objective="loss"`` with the soft margin.
    target : None, label or array-like of shape (n_samples,), default=None
        Label, or one label per sample, that the model is driven to predict; success is
        then the prediction of it, and y is not used. None: any wrong label will do.
    batch_size : int, default=256
        Samples attacked at a time.
    precision : {"float32", "tf32", "bfloat16"}, default="float32"
        Of the passes of the search, for nets, see Notes. "float32" leaves the net as it
        is; "tf32" rounds products on a CUDA device; "bfloat16" is autocast, with images
        channels last.
    compile : bool, default=False
        Whether torch compiles a replica of the net for the search. Takes a compiler,
        and a while at the first batch.
    n_draws : int, default=1
        Passes over which the answers of a net that draws noise in evaluation mode are
        averaged (expectation over transformation): each gradient is that of the loss of
        the mean output of ``n_draws`` passes. Passes are counted.
    finish : {"auto"}, int or None, default="auto"
        Most queries of each row that stands after the steps, by a search that needs no
        gradient: :class:`Square`, or :class:`HopSkipJump` for models without scores.
        "auto": 100 where the gradients are not those of the model, which is the case
        for rows that are rounded (``constraints``) and for counted votes and steps
        without slopes, or where some vanish, and none elsewhere. None never finishes.
        For shifts of a probability Square goes on with all rows, from what was found.
        ``finish`` of the result of :meth:`run` says what was done.
    constraints : Constraints, default=None
        Frozen, integer and categorical features, and units of their own.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the random starts. The same int gives the same starts whatever the
        batch size or the order of the rows.

    Notes
    -----
    On a sphere, steps of one length end up circling the best point. With
    ``step_size=None`` step t of T = ``n_steps`` (t = 0, ..., T - 1) is therefore
    :math:`\max(1, 5 / (T + 1))\,(1 - t / T)` times ``eps`` long in L2 and L1: from
    ``eps`` down to ``eps / T`` in a line, and for T < 4 longer, so that all steps
    together cross the ball. This is our choice: for as many passes it fools more rows
    of nets and of kernel models, in L1 many more. In a cube the signs reach the corners
    as well with the constant step, and iterates that are rounded to allowed values
    (``constraints``) come past more of these with it; there it stays. Give
    ``step_size`` for the constant step of the paper in every norm.

    The gradient of cross entropy is that of the log odds against the true class times
    1 - P(y | x). The factor underflows for confident models, and an attack then stands
    still; the direction does not. Log odds in turn depend on the scale of the logits:
    where these are close together, all other classes pull alike, and the nearest one is
    lost. Labels do not depend on the scale. We therefore follow the soft margin

    .. math:: T \log \sum_{k \ne y} e^{z_k / T} - z_y, \qquad
        T = 0.2 \, |\max_{k \ne y} z_k - z_y|,

    which is our choice: with it, the margin and DLR the same rows are fooled at every
    positive scale of the logits, up to rounding.

    With another ``precision``, or ``compile``, a frozen replica of the net is searched,
    and its best iterates are judged again by the net itself in single precision: only
    what holds there counts, and shifts of probability are measured there. Rows that
    stand by less than the two precisions differ anywhere in the batch, among them those
    that were claimed and do not hold, then get a full run in single precision. Other
    rows that stand do not, so a robust accuracy can differ a little from that of a
    search in single precision.

    References
    ----------
    .. [1] A. Madry, A. Makelov, L. Schmidt, D. Tsipras and A. Vladu, "Towards Deep
       Learning Models Resistant to Adversarial Attacks", ICLR 2018.
    .. [2] F. Croce and M. Hein, "Reliable evaluation of adversarial robustness with an
       ensemble of diverse parameter-free attacks", ICML 2020.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from skrobust.attacks import PGD
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
    >>> X_adv = PGD(eps=0.5, norm=2, random_state=0).perturb(model, X, y)
    >>> bool(((X_adv - X) ** 2).sum(axis=1).max() ** 0.5 <= 0.5 + 1e-9)
    True
    """

    _parameter_rules = {
        "n_steps": Count(),
        "step_size": Number(low=0, low_open=True, optional=True),
        "n_restarts": Count(),
        "random_start": Flag(),
    }

    def __init__(
        self,
        eps=0.1,
        *,
        n_steps=40,
        step_size=None,
        random_start=True,
        n_restarts=1,
        **shared,
    ):
        super().__init__(eps, **shared)
        self.n_steps = n_steps
        self.step_size = step_size
        self.random_start = random_start
        self.n_restarts = n_restarts

    @classmethod
    def _get_test_params(cls):
        return [{"n_steps": 3}, {"norm": 2, "n_steps": 2, "random_start": False}]

    @property
    def _trusts_last(self):
        """Whether the caller's own prediction judges the last iterates of a cube.

        In a cube they are corners, beside which the last candidate below is nothing
        new. Further restarts need to know which rows are left.
        """
        is_plain = self.precision == "float32" and not self.compile
        return self.norm == np.inf and self.n_restarts == 1 and is_plain

    def _check_parameters(self):
        if self.n_restarts > 1 and not self.random_start:
            rule = "1 where random_start=False, since all runs would be the same"
            raise invalid("n_restarts", "PGD", rule, self.n_restarts)

    def _attack_batch(self, oracle, x, rng):
        z, n = x, self.n_steps
        if self.random_start and not oracle.has_start:
            z = oracle.random_start(rng)
        falls = oracle.norm != np.inf and not oracle.rounds
        for number in range(n):
            share = max(1, 5 / (n + 1)) * (1 - number / n) if falls else 2.5 / n
            z, gradient = oracle.gradient(z)
            if not len(z):
                return z
            step = oracle.step(z, gradient, self.step_size or self.eps * share)
            z = oracle.project(step)
        if self._trusts_last and oracle.batch.goal.stops and not oracle.rounds:
            return z
        oracle.finish(z)
        # Small steps in a sphere turn towards the best point without reaching it; the
        # point of the sphere along the last gradient is that point on a linear model.
        return oracle.project(oracle.step(oracle.x, gradient, oracle.eps))
