"""Randomised smoothing of any classifier, with a certified radius."""

import numpy as np
from scipy.stats import beta, binomtest, norm
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from skrobust._array_checks import check_classes, check_same_length, number_array
from skrobust._keyed_noise.generator import seed_number
from skrobust._parallel import StepBar
from skrobust._parameters import Count, Number, check_parameters
from skrobust._responses import respond
from skrobust._results import Results
from skrobust._validation import invalid
from skrobust.metrics.labels import label_array

_NUMBERS = 2**22  # values of noisy rows that are held at once


def limits_of_share(counts, n, alpha):
    """Return exact (Clopper-Pearson) limits of shares, each one-sided at ``alpha``.

    Parameters
    ----------
    counts : ndarray of int
        Successes out of ``n``.
    n : int
        Trials.
    alpha : float
        Probability that a limit is wrong.

    Returns
    -------
    low, high : ndarray of the shape of ``counts``
        Lower and upper limits.
    """
    counts = np.asarray(counts)
    with np.errstate(invalid="ignore"):
        low = np.where(counts > 0, beta.ppf(alpha, counts, n - counts + 1), 0.0)
        high = np.where(counts < n, beta.ppf(1 - alpha, counts + 1, n - counts), 1.0)
    return low, high


class SmoothedClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    r"""Classifier that votes over Gaussian noise, with a certified L2 radius.

    The smoothed classifier calls x the class that its base calls most often among
    x + noise. Where the share of the top class is at least :math:`\underline{p}` its
    label is the same within the L2 radius

    .. math:: R = \sigma \, \Phi^{-1}(\underline{p})

    whatever the base is. The share is estimated by ``n_samples`` draws, and
    :math:`\underline{p}` is its exact lower limit (Clopper-Pearson) at ``alpha``; the
    class is chosen by other draws. Where the limit is not above a half, nothing is
    certified (abstention).

    Parameters
    ----------
    estimator : classifier
        The base; a clone of it is fitted. One that is fitted already is kept as it is
        inside of :class:`sklearn.frozen.FrozenEstimator`.
    sigma : float, default=0.25
        Standard deviation of the noise, in the units of X.
    n_samples : int, default=1000
        Draws by which shares are estimated.
    n_selection : int, default=100
        Further draws by which the class to certify is chosen.
    alpha : float in (0, 1), default=0.001
        Probability that the certificate of a row is wrong.
    n_copies : int, default=1
        Noisy copies of the training rows on which the base is fitted; 0 fits it on the
        rows themselves. Without noise in training, most bases fail under it.
    random_state : int, RandomState, Generator or None, default=None
        Seed. Each row sees the same noise, so that answers depend neither on the other
        rows nor on the order.
    verbose : int, default=0
        From 1 on, a progress bar over the draws, with the time left.

    Attributes
    ----------
    estimator_ : classifier
        The fitted base.
    classes_ : ndarray of shape (n_classes,)
        Labels.
    n_features_in_ : int
        Features of a row.

    Notes
    -----
    Certificates are about the smoothed classifier with infinitely many draws, of which
    ``predict`` is an estimate; each holds with probability ``1 - alpha`` over the draws
    of this object. The probability of a class, here its share of the votes, changes
    within an L2 distance r at most to :math:`\Phi(\Phi^{-1}(p) \pm r / \sigma)`, since
    :math:`\Phi^{-1}(p)` has the Lipschitz constant :math:`1 / \sigma` [2]_.

    References
    ----------
    .. [1] J. Cohen, E. Rosenfeld and Z. Kolter, "Certified Adversarial Robustness via
       Randomized Smoothing", ICML 2019 (Theorem 1, and CERTIFY for the limits).
    .. [2] H. Salman et al., "Provably Robust Deep Learning via Adversarially Trained
       Smoothed Classifiers", NeurIPS 2019 (Lemma 2).

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from skrobust.certificates import SmoothedClassifier
    >>> X, y = load_digits(return_X_y=True)
    >>> X = X / 16
    >>> forest = RandomForestClassifier(20, random_state=0)
    >>> model = SmoothedClassifier(forest, 0.2, n_samples=200, random_state=0)
    >>> radius = model.fit(X[:1000], y[:1000]).certified_radius(X[1000:1050])
    >>> bool(0.2 < radius.mean() < 0.5)
    True
    """

    _parameter_rules = {
        "sigma": Number(low=0, low_open=True),
        "n_samples": Count(),
        "n_selection": Count(),
        "alpha": Number(low=0, high=1, low_open=True),
        "n_copies": Count(low=0),
        "verbose": Count(low=0),
    }

    @classmethod
    def _get_test_params(cls):
        settings = {"n_samples": 60, "n_selection": 20, "random_state": 0}
        return [{"estimator": LogisticRegression(), "sigma": 0.3, **settings}]

    def __init__(
        self,
        estimator,
        sigma=0.25,
        *,
        n_samples=1000,
        n_selection=100,
        alpha=0.001,
        n_copies=1,
        random_state=None,
        verbose=0,
    ):
        self.estimator = estimator
        self.sigma = sigma
        self.n_samples = n_samples
        self.n_selection = n_selection
        self.alpha = alpha
        self.n_copies = n_copies
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X, y):
        """Fit a clone of the base on noisy copies of the rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, ...)
            Training rows.
        y : array-like of shape (n_samples,)
            Labels.

        Returns
        -------
        self : object
            The fitted model.
        """
        caller = type(self).__name__
        if isinstance(self.estimator, type) or not hasattr(self.estimator, "fit"):
            raise invalid("estimator", caller, "a classifier", self.estimator)
        check_parameters(self)
        X = number_array(X, "X", caller)
        y = label_array(y, caller, "y", warn=True)
        check_same_length(caller, X=X, y=y)
        X, y = validate_data(self, X, y, dtype="numeric", allow_nd=True)
        check_classes(y, caller)
        X = _floats(X)
        self._seed = seed_number(self.random_state, caller)
        rng = np.random.default_rng([self._seed % 2**63, 0])
        if self.n_copies:
            noisy = [X + self._noise(rng, X.shape, X) for _ in range(self.n_copies)]
            X, y = np.concatenate(noisy), np.tile(y, self.n_copies)
        self.estimator_ = clone(self.estimator).fit(X, y)
        self.classes_ = np.asarray(self.estimator_.classes_)
        return self

    def _noise(self, rng, shape, like):
        return self.sigma * rng.standard_normal(shape).astype(like.dtype)

    def _rows(self, X):
        check_is_fitted(self)
        check_parameters(self)
        X = number_array(X, "X", type(self).__name__)
        return _floats(
            validate_data(self, X, dtype="numeric", allow_nd=True, reset=False)
        )

    def _votes(self, X, n_draws, stream):
        """Return how often the base calls each row each class, under common noise."""
        rng = np.random.default_rng([self._seed % 2**63, stream])
        votes = np.zeros((len(X), len(self.classes_)), dtype=np.int64)
        width = max(1, int(np.prod(X.shape[1:])))
        step = max(1, _NUMBERS // (width * max(1, len(X))))
        with StepBar(n_draws, type(self).__name__, self.verbose) as bar:
            for start in range(0, n_draws, step):
                count = min(step, n_draws - start)
                # One draw of all numbers: the same whatever the steps are.
                noise = self._noise(rng, (count, *X.shape[1:]), X)
                noisy = (X[:, None] + noise[None]).reshape((-1, *X.shape[1:]))
                labels = np.asarray(respond(self.estimator_, "predict", noisy))
                labels = labels.reshape(len(X), count)
                for index, label in enumerate(self.classes_):
                    votes[:, index] += (labels == label).sum(axis=1)
                bar.done(count)
        return votes

    def predict(self, X):
        """Return the class with most votes.

        Parameters
        ----------
        X : array-like of shape (n_samples, ...)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels. Rows on which the votes say too little get one too;
            :meth:`certify` says which they are.
        """
        X = self._rows(X)
        return self.classes_[self._votes(X, self.n_samples, 1).argmax(axis=1)]

    def predict_proba(self, X):
        """Return the share of the votes of each class.

        Parameters
        ----------
        X : array-like of shape (n_samples, ...)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Shares, in the order of ``classes_``.
        """
        return self._votes(self._rows(X), self.n_samples, 1) / self.n_samples

    def certified_radius(self, X):
        """Return the L2 radius within which each label is proved to stay.

        Parameters
        ----------
        X : array-like of shape (n_samples, ...)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,), dtype float64
            0 where nothing is certified.
        """
        return self.certify(X).radius

    def certify(self, X):
        """Return label, radius and limits of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, ...)
            Rows.

        Returns
        -------
        results : Results
            Columns ``label`` (of the class chosen), ``radius`` (in L2), ``p_low`` (the
            lower limit of its share), ``abstains`` (whether nothing is certified) and
            ``p_value`` (of the two-sided test that the two classes with most votes are
            equally common; above ``alpha``, ``predict`` itself is in doubt).
        """
        X = self._rows(X)
        chosen = self._votes(X, self.n_selection, 2).argmax(axis=1)
        votes = self._votes(X, self.n_samples, 1)
        rows = np.arange(len(X))
        p_low = limits_of_share(votes[rows, chosen], self.n_samples, self.alpha)[0]
        radius = np.where(p_low > 0.5, self.sigma * norm.ppf(p_low), 0.0)
        top = np.sort(votes, axis=1)[:, ::-1][:, :2]
        if top.shape[1] == 1:
            top = np.column_stack([top, np.zeros_like(top)])
        columns = {
            "label": self.classes_[chosen],
            "radius": radius,
            "p_low": p_low,
            "abstains": p_low <= 0.5,
            "p_value": np.array([binomtest(a, a + b).pvalue for a, b in top.tolist()]),
        }
        return Results(columns=tuple(columns), **columns)

    def probability_bounds(self, X, radius):
        """Return bounds of the shares at every point within an L2 radius.

        Parameters
        ----------
        X : array-like of shape (n_samples, ...)
            Rows.
        radius : float or array-like of shape (n_samples,)
            Distance in L2.

        Returns
        -------
        low, high : ndarray of shape (n_samples, n_classes)
            Bounds of the share of each class among infinitely many draws; all of a row
            hold at once with probability ``1 - alpha``.
        """
        votes = self._votes(self._rows(X), self.n_samples, 1)
        alpha = self.alpha / (2 * len(self.classes_))
        low, high = limits_of_share(votes, self.n_samples, alpha)
        shift = np.reshape(np.asarray(radius, dtype=np.float64), (-1, 1)) / self.sigma
        with np.errstate(invalid="ignore"):
            return norm.cdf(norm.ppf(low) - shift), norm.cdf(norm.ppf(high) + shift)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        if hasattr(self.estimator, "__sklearn_tags__"):
            inner = get_tags(self.estimator)
            tags.classifier_tags = inner.classifier_tags or tags.classifier_tags
        tags.input_tags.sparse = False
        tags.input_tags.allow_nan = False
        tags.non_deterministic = self.random_state is None
        return tags


def _floats(X):
    return X if X.dtype.kind == "f" else X.astype(np.float64)
