"""Mahalanobis-distance-based surprise adequacy (MDSA)."""

import numpy as np

from skrobust._parallel import count
from skrobust._parameters import Choice
from skrobust.sampling.surprise.covariance_surprise import CovarianceSurprise
from skrobust.sampling.surprise.whitening import Whitener, within_covariance


class MahalanobisSurprise(CovarianceSurprise):
    r"""Mahalanobis-distance-based surprise adequacy (MDSA).

    .. math::

        \mathrm{MDSA} = \sqrt{(a - \mu)^\top \Sigma^{-1} (a - \mu)}

    with the mean and the covariance of the training activations of the same predicted
    class. Affine maps of the activations leave it alone.

    Units whose variance is below ``var_threshold`` are left out, as in
    :class:`LikelihoodSurprise` (our choice); for a covariance per class they are
    chosen per class.

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
    covariance : {"class", "tied", "global"}, default="class"
        "class": mean and covariance of each class; "tied": the mean of each class and
        the pooled covariance within classes, for classes of few samples; "global": one
        mean and one covariance, so that predicted classes are neither needed nor used.
    var_threshold : float, default=1e-5
        At least 0. Units of a smaller variance are left out.
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
        The classes predicted in training; [0] for "global".
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
    J. Kim, J. Ju, R. Feldt, S. Yoo, "Reducing DNN Labelling Cost using Surprise
    Adequacy", ESEC/FSE 2020.
    K. Lee, K. Lee, H. Lee, J. Shin, "A Simple Unified Framework for Detecting
    Out-of-Distribution Samples and Adversarial Attacks", NeurIPS 2018, for "tied".

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.sampling import MahalanobisSurprise
    >>> train = np.array([[1.0, 0], [-1, 0], [0, 2], [0, -2]])
    >>> surprise = MahalanobisSurprise().fit(train, [0, 0, 0, 0])
    >>> surprise.score_samples([[0, 0], [0, 4]], [0, 0]).round(3)
    array([0.  , 2.449])
    """

    _added_before = "var_threshold"
    _parameter_rules = {"covariance": Choice("class", "tied", "global")}

    @classmethod
    def _get_test_params(cls):
        return [{}, {"covariance": "tied", "jitter": 0.1}, {"covariance": "global"}]

    def __init__(self, estimator=None, *, covariance="class", **shared):
        super().__init__(estimator, **shared)
        self.covariance = covariance

    def _learn(self, activations, codes):
        labels, settings = self.classes_.tolist(), self._settings(activations)
        groups = [activations[codes == code] for code in range(len(labels))]
        if self.covariance == "tied":
            pooled = within_covariance(activations, codes)
            shared = Whitener(activations, "all classes", covariance=pooled, **settings)
            self._shapes = [shared.moved(rows) for rows in groups]
        else:
            one = self.covariance == "global"
            clouds = ["all rows" if one else f"class {label!r}" for label in labels]
            self._shapes = []
            for rows, cloud in zip(groups, clouds, strict=True):
                self._shapes.append(Whitener(rows, cloud, **settings))
                count(len(rows))
        self._warn_of_rounding(self._shapes)

    def _scores_in_class(self, code, activations):
        z = self._shapes[code].whiten(activations)
        return np.sqrt(np.einsum("ij,ij->i", z, z))

    def _needs_classes(self):
        return self.covariance != "global"
