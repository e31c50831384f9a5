"""ClipPGD: projected gradient descent on clips, smooth over time."""

import numpy as np

from skrobust._norms import namespace
from skrobust._parameters import Choice, Count
from skrobust.attacks._pgd import PGD


class ClipPGD(PGD):
    r"""Projected gradient descent (PGD) on clips, with a perturbation over time.

    Each row is a clip of T frames. The perturbation of frame t is a mean of K images
    :math:`\theta_k`,

    .. math:: \delta_t = \sum_{k=1}^{K} B_{tk} \, \theta_k, \qquad
        B_{tk} \ge 0, \quad \sum_k B_{tk} = 1,

    and the steps of the sign are taken in :math:`\theta`, so that every frame is within
    ``eps`` in the maximum norm. With one image it is the same in all frames, with a few
    it moves in lines between them, with T each frame has its own.

    Parameters
    ----------
    eps : float, default=0.1
        Largest change of a number in any frame, in the units of the raw input.
    data_range : None or (low, high), default=None
        Bounds of the raw input, scalars or one per feature. A frame that would leave
        them is cut there, which is the only way in which frames may differ more than B
        says.
    n_steps : int, default=40
        Steps of each run.
    step_size : float, default=None
        Length of a step in raw units; None is ``2.5 * eps / n_steps``.
    random_start : bool, default=True
        Whether a run starts from random images, drawn by the content of the clip.
    n_restarts : int, default=1
        Runs from different starts; needs ``random_start`` beyond 1.
    over_time : {"shared", "smooth", "free"}, default="shared"
        One perturbation for all frames; one that is linear between ``n_knots`` moments,
        spread evenly from the first to the last frame; or one for each frame.
    n_knots : int, default=2
        Moments of "smooth"; at least as many as frames is "free".
    objective : str or None, default=None
        See :class:`PGD`.
    loss : str, default="soft_margin"
        See :class:`PGD`.
    target : None, label or array-like of shape (n_samples,), default=None
        See :class:`PGD`.
    batch_size : int, default=256
        Clips attacked at a time.
    precision : {"float32", "tf32", "bfloat16"}, default="float32"
        Of the passes of the search on a net, see Notes of :class:`PGD`.
    compile : bool, default=False
        Whether torch compiles a replica of the net for the search.
    n_draws : int, default=1
        Passes over which the answers of a net that draws noise are averaged.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the random starts.

    Raises
    ------
    ValueError
        For parameters that are none of these, and for rows to start from, which need
        not have the form above.

    Notes
    -----
    The model takes clips, as :class:`skrobust.nets.ClipNet` does: the attack is on the
    score of the clip, where an attack on single frames is not. The family of
    perturbations is our choice; the sources below share one perturbation over all
    frames, or bound how fast it changes.

    References
    ----------
    X. Wei, J. Zhu, S. Yuan, H. Su, "Sparse adversarial perturbations for videos" (AAAI
    2019); S. Li et al., "Stealthy adversarial perturbations against real-time video
    classification systems" (NDSS 2019).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from skrobust.attacks import ClipPGD
    >>> rng = np.random.default_rng(0)
    >>> X = rng.random((60, 8))  # clips of 8 frames of one number
    >>> y = (X.mean(axis=1) > 0.5).astype(int)
    >>> model = LogisticRegression(C=100).fit(X, y)
    >>> attack = ClipPGD(0.1, over_time="shared", random_state=0)
    >>> change = attack.perturb(model, X, y) - X
    >>> bool(np.ptp(change, axis=1).max() < 1e-12)
    True
    """

    norm, finish, constraints = np.inf, None, None
    _left_out = ("norm", "finish", "constraints")
    _parameter_rules = {
        "over_time": Choice("shared", "smooth", "free"),
        "n_knots": Count(low=2),
    }
    _tells_units = False

    def __init__(self, eps=0.1, *, over_time="shared", n_knots=2, **shared):
        super().__init__(eps, **shared)
        self.over_time = over_time
        self.n_knots = n_knots

    @classmethod
    def _get_test_params(cls):
        smooth = {"over_time": "smooth", "n_knots": 3, "n_steps": 3}
        return [{"n_steps": 3}, smooth, {"over_time": "free", "n_steps": 2}]

    def _weights(self, n_frames):
        """Return B, of shape (n_frames, n_images)."""
        n_images = {"shared": 1, "smooth": self.n_knots, "free": n_frames}
        n_images = min(n_images[self.over_time], n_frames)
        if n_images == 1:
            return np.ones((n_frames, 1))
        places = np.linspace(0, n_images - 1, n_frames)
        return np.clip(1 - np.abs(places[:, None] - np.arange(n_images)), 0, 1)

    def _attack_from(self, estimator, X, y, key, start):
        raise ValueError("ClipPGD cannot start from given rows. Leave out start.")

    def _attack_batch(self, oracle, x, rng):
        xp, shape = namespace(x), tuple(x.shape)
        weights = self._weights(shape[1])
        size = int(np.prod(shape[2:], dtype=np.int64))
        tensor = oracle.batch.view.tensor
        images = np.zeros((len(oracle.batch.x), weights.shape[1], size))
        if self.random_start:
            images = self.eps * (2 * rng.random(images.shape) - 1)
        images = tensor(images)[oracle.rows]
        forward, back = tensor(weights), tensor(np.ascontiguousarray(weights.T))
        length = self.step_size or 2.5 * self.eps / self.n_steps

        def moved():
            change = xp.matmul(forward, images).reshape((-1, *shape[1:]))
            return oracle.project(oracle.x + change)

        z = moved()
        for _ in range(self.n_steps):
            _, gradient, images = oracle.gradient(z, images)
            if not len(gradient):
                return gradient
            slope = xp.matmul(back, gradient.reshape((len(gradient), shape[1], size)))
            images = xp.clip(images + length * xp.sign(slope), -self.eps, self.eps)
            z = moved()
        return z
