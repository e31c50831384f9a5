"""Likelihood-based surprise adequacy (LSA)."""

import numpy as np

from skrobust._parallel import count
from skrobust.sampling.surprise.covariance_surprise import CovarianceSurprise
from skrobust.sampling.surprise.whitening import Whitener

_CELLS = 1 << 20  # products of queries and training rows at a time


class LikelihoodSurprise(CovarianceSurprise):
    r"""Likelihood-based surprise adequacy (LSA).

    The negative logarithm of a Gaussian kernel density estimate over the n training
    activations of the same predicted class c, with Scott's bandwidth:

    .. math::

        \mathrm{LSA} = -\log \frac{1}{n} \sum_{t \in c}
            \mathcal{N}\bigl(a;\, t,\, h^2 \Sigma_c\bigr), \qquad h = n^{-1/(d+4)}

    with :math:`\Sigma_c` the covariance of the class and d its units. Computed in log
    space, so it is finite however far out an input is; it may be negative.

    Units whose variance within the class is below ``var_threshold`` are left out for
    this class, as published: a deviation in them goes unnoticed, and classes with other
    units kept are not on one scale.

    Outputs of a softmax sum to 1, so their covariance is singular but for rounding.
    Without ``jitter`` the scores are then those of scipy's ``gaussian_kde`` with a
    warning, or one sentence where the factorisation fails; any jitter changes such
    scores by several units.

    Parameters
    ----------
    estimator : fitted classifier, default=None
        A skorch net or an MLPClassifier, bare or in a Pipeline, a fitted search or
        FrozenEstimator. With it ``fit`` and ``score_samples`` take inputs, and find the
        activations and the predicted classes themselves. Never refitted, never cloned.
    layer : str, int or None, default=None
        As in :func:`extract_activations`; None is the penultimate layer.
    pool : {"flatten", "mean"}, default="flatten"
        Treatment of maps of shape (n_samples, channels, ...), given or extracted.
    batch_size : int or None, default=None
        Inputs in one pass of the estimator.
    var_threshold : float, default=1e-5
        At least 0. Units of a smaller variance within a class are left out.
    jitter : float or None, default=None
        A positive share of the mean variance of all training activations, added to
        each variance; it makes singular covariances and small classes possible.
    unseen : {"raise", "inf", "nan"}, default="raise"
        Surprise of an input whose class was never predicted in training.
    verbose : int, default=0
        From 1 on, ``fit`` and ``score_samples`` show a progress bar over the inputs.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes predicted in training.
    n_units_ : int
        Activations in a row.
    n_features_in_ : int
        Number of features, where ``fit`` got 2-D input.

    Warns
    -----
    UserWarning
        For a covariance that is singular but for rounding.

    References
    ----------
    J. Kim, R. Feldt, S. Yoo, "Guiding Deep Learning System Testing Using Surprise
    Adequacy", ICSE 2019, arXiv 1808.08444.
    M. Weiss, R. Chakraborty, P. Tonella, "A Review and Refinement of Surprise
    Adequacy", DeepTest 2021, arXiv 2103.05939.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.sampling import LikelihoodSurprise
    >>> train = np.random.default_rng(0).normal(size=(400, 2))
    >>> surprise = LikelihoodSurprise().fit(train, np.zeros(400))
    >>> near, far = surprise.score_samples([[0, 0], [5, 5]], [0, 0])
    >>> bool(near < 3 < 30 < far)
    True
    """

    @classmethod
    def _get_test_params(cls):
        return [{}, {"jitter": 0.1, "var_threshold": 0}]

    def _learn(self, activations, codes):
        settings = self._settings(activations)
        self._densities = []
        for code, label in enumerate(self.classes_.tolist()):
            rows = activations[codes == code]
            self._densities.append(_Density(rows, f"class {label!r}", **settings))
            count(len(rows))
        self._warn_of_rounding([density.shape for density in self._densities])

    def _scores_in_class(self, code, activations):
        return self._densities[code].scores(activations)


class _Density:
    """Kernel density estimate of one class."""

    def __init__(self, rows, cloud, **settings):
        self.shape = Whitener(rows, cloud, **settings)
        n, d = len(rows), len(self.shape.kept)
        self._width = n ** (-1 / (d + 4))
        points = self.shape.whiten(rows) / self._width
        half = np.einsum("ij,ij->i", points, points) / 2
        # With a column of ones in the query, one product gives q.t - |t|^2 / 2.
        self._side = np.column_stack([points, -half])
        self._constant = (
            np.log(n)
            + self.shape.log_det
            + d * (np.log(self._width) + np.log(2 * np.pi) / 2)
        )

    @np.errstate(over="ignore", invalid="ignore")
    def scores(self, rows):
        out = np.empty(len(rows))
        step = max(1, _CELLS // len(self._side))
        for at in range(0, len(rows), step):
            q = self.shape.whiten(rows[at : at + step]) / self._width
            s = np.column_stack([q, np.ones(len(q))]) @ self._side.T
            top = s.max(axis=1)
            s -= top[:, None]
            np.exp(s, out=s)
            half = np.einsum("ij,ij->i", q, q) / 2
            out[at : at + step] = half - top - np.log(s.sum(axis=1))
            # So far out that the square is no double: the surprise is none either.
            out[at : at + step][~np.isfinite(half)] = np.inf
        return out + self._constant
