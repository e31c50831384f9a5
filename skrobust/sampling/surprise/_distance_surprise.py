"""Distance-based surprise adequacy (DSA)."""

import numpy as np

from skrobust.sampling.surprise.base import BaseSurprise
from skrobust.sampling.surprise.nearest_rows import NearestRows


class DistanceSurprise(BaseSurprise):
    r"""Distance-based surprise adequacy (DSA).

    With the activations a of an input that is predicted as class c, the nearest
    training activation :math:`a_a` of the same predicted class, and the nearest
    training activation :math:`a_b` to :math:`a_a` of any other class:

    .. math::

        \mathrm{DSA} = \frac{\lVert a - a_a \rVert}{\lVert a_a - a_b \rVert}

    Nearest neighbours are exact: matrix products find candidates, sums of squared
    differences in float64 decide. Memory beside the training activations is bounded;
    the denominator is computed once for each distinct neighbour.

    Where a training activation also occurs in another class the denominator is 0 and
    the score of the inputs nearest to it is ``inf``, for a numerator of 0 as well: the
    classes cannot be told apart there. Of equally near neighbours one is taken that
    does not depend on the order of the training rows.

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
    unseen : {"raise", "inf", "nan"}, default="raise"
        Surprise of an input whose class was never predicted in training.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes predicted in training, at least two.
    n_units_ : int
        Activations in a row.
    n_features_in_ : int
        Number of features, where ``fit`` got 2-D input.

    References
    ----------
    J. Kim, R. Feldt, S. Yoo, "Guiding Deep Learning System Testing Using Surprise
    Adequacy", ICSE 2019, arXiv 1808.08444.
    M. Weiss, R. Chakraborty, P. Tonella, "A Review and Refinement of Surprise
    Adequacy", DeepTest 2021, arXiv 2103.05939.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.sampling import DistanceSurprise
    >>> train = np.array([[0.0, 0.0], [1.0, 0.0], [4.0, 0.0]])
    >>> surprise = DistanceSurprise().fit(train, [0, 0, 1])
    >>> surprise.score_samples([[1.0, 1.0], [4.0, 2.0]], [0, 1]).round(3)
    array([0.333, 0.667])

    With a model the scores are the suspicion of a sampler:

    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neural_network import MLPClassifier
    >>> from skrobust.sampling import DeepESTSampler
    >>> X, y = load_iris(return_X_y=True)
    >>> mlp = MLPClassifier(8, max_iter=2000, random_state=0).fit(X[::2], y[::2])
    >>> surprise = DistanceSurprise(mlp).fit(X[::2])
    >>> sampler = DeepESTSampler(mlp, auxiliary=surprise.score_samples)
    >>> sampler.fit(X[1::2]).n_pool_
    75
    """

    def _learn(self, activations, codes):
        n_classes = len(self.classes_)
        if n_classes < 2:
            raise ValueError(
                f"{type(self).__name__} needs training activations of at least two "
                f"predicted classes; got {len(activations)} sample(s) of 1 class: "
                f"{self.classes_.tolist()}."
            )
        parts = [_distinct(activations[codes == c]) for c in range(n_classes)]
        self._edges = np.cumsum([0, *(len(part) for part in parts)])
        self._nearest = NearestRows(np.concatenate(parts))

    def _scores(self, activations, codes):
        distance = np.empty(len(activations))
        place = np.empty(len(activations), dtype=np.intp)
        for code in np.unique(codes):
            rows = np.flatnonzero(codes == code)
            distance[rows], place[rows] = self._nearest.search(
                activations[rows], *self._edges[code : code + 2]
            )
        return self._ratio(distance, place)

    def _fitting_class(self, activations):
        _, place = self._nearest.search(activations)
        return np.searchsorted(self._edges, place, side="right") - 1

    def _ratio(self, distance, place):
        """Divide by the distance from each neighbour to the nearest other class."""
        neighbours, inverse = np.unique(place, return_inverse=True)
        code = np.searchsorted(self._edges, neighbours, side="right") - 1
        own = np.column_stack([self._edges[code], self._edges[code + 1]])
        across, _ = self._nearest.search(self._nearest.rows[neighbours], banned=own)
        across = across[inverse]
        scores = np.full(len(distance), np.inf)
        return np.divide(distance, across, out=scores, where=across > 0)


def _distinct(rows):
    """Return the distinct rows in an order that depends on their content alone."""
    rows = np.ascontiguousarray(rows + rows.dtype.type(0))  # -0.0 becomes 0.0
    content = rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1]))).ravel()
    _, first = np.unique(content, return_index=True)
    return rows[first]
