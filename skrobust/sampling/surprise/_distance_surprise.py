"""Distance-based surprise adequacy (DSA)."""

import warnings

import numpy as np
from sklearn.neighbors import KNeighborsTransformer

from skrobust._parallel import count, counting
from skrobust._stacklevel import level_outside
from skrobust._validation import invalid
from skrobust.sampling.core.pool import own_generator
from skrobust.sampling.surprise.base import BaseSurprise
from skrobust.sampling.surprise.indexed_rows import INDEX_RULE, IndexedRows
from skrobust.sampling.surprise.nearest_rows import NearestRows

_FEW_FOUND = 0.9  # share of exact neighbours below which a warning says so


def _check_index(value, name, caller):
    needed = "fit", "transform", "get_params"
    is_estimator = not isinstance(value, type) and all(
        hasattr(value, n) for n in needed
    )
    if value is not None and not is_estimator:
        raise invalid(name, caller, INDEX_RULE, value)


class DistanceSurprise(BaseSurprise):
    r"""Distance-based surprise adequacy (DSA).

    With the activations a of an input that is predicted as class c, the nearest
    training activation :math:`a_a` of the same predicted class, and the nearest
    training activation :math:`a_b` to :math:`a_a` of any other class:

    .. math::

        \mathrm{DSA} = \frac{\lVert a - a_a \rVert}{\lVert a_a - a_b \rVert}

    Nearest neighbours are exact, unless an ``index`` is given: matrix products find
    candidates, sums of squared differences in float64 decide. Memory beside the
    training activations is bounded; the denominator is computed once for each distinct
    neighbour.

    With an ``index``, every class of more than 5,000 distinct activations gets a clone
    of it, and smaller classes are searched exactly. It proposes neighbours, and exact
    distances decide among them: a distance is never too small, and too large where the
    index missed the nearest. The score may err both ways, because another :math:`a_a`
    has another denominator. ``index_error_`` says by how much, on up to 200 training
    activations that are left out of the indices and always searched exactly. The
    denominator asks the index of every other class, and an index has to be fitted: it
    pays only for very many scores with the same training activations. With 1,000,000 of
    64 units in 10 classes and 30 neighbours of pynndescent that was from 30,000 scores
    on, and with 100,000 never; the exact search took 2.5 ms and 0.3 ms a score.

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
    index : transformer or None, default=None
        None: exact. Otherwise an unfitted transformer like
        :class:`~sklearn.neighbors.KNeighborsTransformer`: ``fit`` takes rows and
        ``transform`` returns a sparse graph of shape (n_queries, n_rows) with entries
        at neighbours of small Euclidean distance; their values play no part.
        ``pynndescent.PyNNDescentTransformer`` (extra ``ann``) is approximate. It gets
        activations around their mean, scaled into [-1, 1].
    random_state : int, RandomState, Generator or None, default=None
        Draws the activations of ``index_error_``. An int also sets each
        ``random_state`` in the clones of ``index``; with None they keep their own.
    unseen : {"raise", "inf", "nan"}, default="raise"
        Surprise of an input whose class was never predicted in training.
    verbose : int, default=0
        From 1 on, ``fit`` and ``score_samples`` show a progress bar over the inputs.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes predicted in training, at least two.
    n_units_ : int
        Activations in a row.
    n_features_in_ : int
        Number of features, where ``fit`` got 2-D input.
    index_error_ : dict or None
        None without an ``index``. ``"n_rows"``: left-out training activations that were
        scored with the index and exactly, from all others; 0 where no class is large
        enough for an index. ``"same_class"`` and ``"other_class"``: shares in [0, 1] of
        them for which the nearest activation of the same class, and that of another
        class from there, was found. ``"median"`` and ``"largest"``: relative error of
        the score, ``abs(score - exact) / exact``.

    Warns
    -----
    UserWarning
        Where less than 90% of either kind of neighbour was found.

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

    Classes of 6,000 activations with an index, here one that is exact:

    >>> from sklearn.neighbors import KNeighborsTransformer
    >>> rng = np.random.default_rng(0)
    >>> train, classes = rng.normal(size=(12_000, 3)), np.repeat([0, 1], 6_000)
    >>> index = KNeighborsTransformer(n_neighbors=1)
    >>> surprise = DistanceSurprise(index=index, random_state=0).fit(train, classes)
    >>> surprise.index_error_["n_rows"], surprise.index_error_["same_class"]
    (200, 1.0)
    """

    _added_before = "unseen"
    _n_searches = 2  # within the class of each row, and across classes
    _parameter_rules = {"index": _check_index}

    @classmethod
    def _get_test_params(cls):
        return [{}, {"index": KNeighborsTransformer(), "random_state": 0}]

    def __init__(self, estimator=None, *, index=None, random_state=None, **shared):
        super().__init__(estimator, **shared)
        self.index = index
        self.random_state = random_state

    def _learn(self, activations, codes):
        n_classes = len(self.classes_)
        if n_classes < 2:
            raise ValueError(
                f"{type(self).__name__} needs training activations of at least two "
                f"predicted classes; got {len(activations)} sample(s) of 1 class: "
                f"{self.classes_.tolist()}."
            )
        parts = []
        for code in range(n_classes):
            own = activations[codes == code]
            parts.append(_distinct(own))
            count(len(own))
        self._edges = np.cumsum([0, *(len(part) for part in parts)])
        rows = np.concatenate(parts)
        self.index_error_ = None
        if self.index is None:
            self._nearest = NearestRows(rows)
            return
        rng = own_generator(self.random_state, type(self).__name__)
        seeded = self.random_state is not None
        self._nearest = IndexedRows(rows, self._edges, self.index, rng, seeded=seeded)
        with counting(None):
            self.index_error_ = self._measure_error()
        self._warn_of_misses()

    def _scores(self, activations, codes):
        distance, place = self._within(self._nearest, activations, codes)
        return _ratio(distance, self._across(self._nearest, place))

    def _fitting_class(self, activations):
        return self._codes_of(self._nearest.search(activations)[1])

    def _codes_of(self, place):
        return np.searchsorted(self._edges, place, side="right") - 1

    def _within(self, nearest, activations, codes, banned=None):
        """Return distance and place of the nearest row of the same class."""
        distance = np.empty(len(activations))
        place = np.empty(len(activations), dtype=np.intp)
        for code in np.unique(codes):
            rows = np.flatnonzero(codes == code)
            distance[rows], place[rows] = nearest.search(
                activations[rows],
                *self._edges[code : code + 2],
                banned=None if banned is None else banned[rows],
            )
        return distance, place

    def _across(self, nearest, place):
        """Return the distance from each row to the nearest one of another class."""
        neighbours, inverse = np.unique(place, return_inverse=True)
        code = self._codes_of(neighbours)
        own = np.column_stack([self._edges[code], self._edges[code + 1]])
        across, _ = nearest.search(nearest.rows[neighbours], banned=own)
        return across[inverse]

    def _measure_error(self):
        """Score the rows that no index contains with the indices and exactly."""
        indexed, held = self._nearest, self._nearest.held
        rows, codes = indexed.rows[held], self._codes_of(held)
        itself = np.column_stack([held, held + 1])
        near, place = self._within(indexed, rows, codes, itself)
        true_near, true_place = self._within(indexed.exact, rows, codes, itself)
        across = self._across(indexed, place)
        scores = _ratio(near, across)
        exact = _ratio(true_near, self._across(indexed.exact, true_place))
        error = np.zeros(len(held))
        wrong = scores != exact
        with np.errstate(divide="ignore", invalid="ignore"):
            error[wrong] = np.abs(scores - exact)[wrong] / exact[wrong]
        error[np.isnan(error)] = np.inf  # a finite score where the exact one is not
        same, other = near == true_near, across == self._across(indexed.exact, place)
        return {
            "n_rows": len(held),
            "same_class": float(same.mean()) if len(held) else 1.0,
            "other_class": float(other.mean()) if len(held) else 1.0,
            "median": float(np.median(error)) if len(held) else 0.0,
            "largest": float(error.max(initial=0.0)),
        }

    def _warn_of_misses(self):
        error = self.index_error_
        if min(error["same_class"], error["other_class"]) >= _FEW_FOUND:
            return
        warnings.warn(
            f"{type(self).__name__} with index={type(self.index).__name__} found the "
            f"nearest activation of the same class for {error['same_class']:.0%}, and "
            f"that of another class for {error['other_class']:.0%}, of "
            f"{error['n_rows']} training activations; their scores err by "
            f"{error['median']:.1%} in the median and at most {error['largest']:.0%}. "
            "Set a larger n_neighbors of the index, or index=None, which is exact.",
            UserWarning,
            stacklevel=level_outside(),
        )


def _ratio(distance, across):
    scores = np.full(len(distance), np.inf)
    return np.divide(distance, across, out=scores, where=across > 0)


def _distinct(rows):
    """Return the distinct rows in an order that depends on their content alone."""
    rows = np.ascontiguousarray(rows + rows.dtype.type(0))  # -0.0 becomes 0.0
    content = rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1]))).ravel()
    _, first = np.unique(content, return_index=True)
    return rows[first]
