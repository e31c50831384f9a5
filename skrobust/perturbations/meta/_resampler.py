"""Resampler that adds perturbed training rows, for imbalanced-learn pipelines."""

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, clone

from skrobust._keyed_noise.generator import seed_number
from skrobust._keyed_noise.rows import join_rows, new_index, rows_as_given, take_rows
from skrobust._validation import check_choice, check_count, check_number, invalid
from skrobust.base import BasePerturbation
from skrobust.base.streams import other_noise
from skrobust.base.training_rows import (
    check_training_rows,
    choose_rows,
    replace_rows,
    sampler_tags,
)
from skrobust.perturbations.meta._function import TEST_NOISE


class PerturbationSampler(OneToOneFeatureMixin, BaseEstimator):
    """Resampler that adds perturbed copies of training rows, or replaces rows by them.

    In a Pipeline of imbalanced-learn this trains on noise and predicts on clean rows.
    It needs no imbalanced-learn itself; scikit-learn's Pipeline takes no samplers.

    Parameters
    ----------
    perturbation : perturbation
        A copy is fitted on the training rows and perturbs them.
    mode : {"add", "replace"}, default="add"
        Whether perturbed rows come after the original ones, or in their place.
    n_copies : int, default=1
        Perturbed copies of each chosen row, with noise of its own each; 1 for
        "replace".
    share : float in (0, 1], default=1.0
        Share of the rows of each class that is perturbed (rounded half up), drawn anew
        for each copy.
    sampling_strategy : None, "auto" or dict, default=None
        None treats all classes the same and keeps their balance. "auto" adds
        perturbed rows until every class is as large as the largest. A dict gives for
        each class how many rows it shall have; classes left out get none. With a
        strategy every row of a class is used once before any is used twice;
        ``n_copies`` and ``share`` stay at their defaults, and ``mode`` is "add".
    random_state : int, RandomState, Generator or None, default=None
        Seed of the choice of rows, which follows their order. The noise has the seed of
        the perturbation.

    Attributes
    ----------
    perturbation_ : perturbation
        The fitted copy.
    sample_indices_ : ndarray of shape (n_samples_new,)
        The row of X that each new row comes from.
    sampling_strategy_ : dict
        Number of perturbed rows of each class.
    n_features_in_ : int
        Number of features seen.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, where they had any.

    Notes
    -----
    Order of the new rows for "add": all original rows, unchanged and in their order;
    then the first copy of the chosen rows, in their order; then the second, and so on.
    For "replace" every row keeps its place. Frames keep their columns and dtypes where
    the new values allow it, and get a new index. Sample weights and other metadata do
    not follow the rows: imbalanced-learn's Pipeline hands on the old ones.

    Targets are classes, as everywhere in imbalanced-learn; for regression use
    :class:`PerturbedRegressor` with ``on="fit"``.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.perturbations import GaussianNoise, PerturbationSampler
    >>> X, y = np.random.default_rng(0).random((10, 3)), np.array([0] * 7 + [1] * 3)
    >>> noise = GaussianNoise(std=0.1, random_state=0)
    >>> X_new, y_new = PerturbationSampler(noise).fit_resample(X, y)
    >>> X_new.shape, bool((X_new[:10] == X).all())
    ((20, 3), True)
    >>> balanced = PerturbationSampler(noise, sampling_strategy="auto", random_state=0)
    >>> np.bincount(balanced.fit_resample(X, y)[1]).tolist()
    [7, 7]
    """

    # How imbalanced-learn calls samplers that are not for balancing alone.
    _sampling_type = "bypass"

    @classmethod
    def _get_test_params(cls):
        return [{"perturbation": TEST_NOISE, "random_state": 0}]

    def __init__(
        self,
        perturbation,
        *,
        mode="add",
        n_copies=1,
        share=1.0,
        sampling_strategy=None,
        random_state=None,
    ):
        self.perturbation = perturbation
        self.mode = mode
        self.n_copies = n_copies
        self.share = share
        self.sampling_strategy = sampling_strategy
        self.random_state = random_state

    def fit(self, X, y):
        """Check the input and fit the perturbation; ``fit_resample`` does the work.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, ...)
            Training rows.
        y : array-like of shape (n_samples,)
            Their classes.

        Returns
        -------
        self : object
            The sampler.
        """
        self._prepare(X, y)
        return self

    def fit_resample(self, X, y):
        """Return the training rows with their perturbed copies.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, ...), or texts
            Training rows; never changed. Texts are a list, array or series of str.
        y : array-like of shape (n_samples,), or one-hot columns
            Their classes.

        Returns
        -------
        X_new : container like X, of shape (n_samples_new, ...)
            In the order that the class describes.
        y_new : container like y, of shape (n_samples_new,)
            The class of each row.

        Raises
        ------
        ValueError
            For bad parameters, a single class, or targets that are not classes.
        """
        rows, codes, classes = self._prepare(X, y)
        n = len(codes)
        wanted = self._wanted(codes, classes)
        totals = wanted.sum(axis=0).tolist()
        self.sampling_strategy_ = dict(zip(classes.tolist(), totals, strict=True))
        seed = seed_number(self.random_state, type(self).__name__) % 2**64
        rng = np.random.default_rng(seed)
        parts, indices = [], []
        for copy, sizes in enumerate(wanted):
            chosen = choose_rows(codes, sizes, rng.random(len(codes)))
            noise = other_noise(self.perturbation_, "side", "fit", "copy", copy)
            parts.append(noise.perturb(None, take_rows(rows, chosen), None))
            indices.append(chosen)
        if self.mode == "add":
            parts.insert(0, rows)
            self.sample_indices_ = np.concatenate([np.arange(n), *indices])
            new = join_rows(parts)
        else:
            new = replace_rows(rows, parts[0], indices[0])
            self.sample_indices_ = np.arange(n)
        y_new = new_index(take_rows(y, self.sample_indices_))
        return rows_as_given(new, X), y_new

    def _prepare(self, X, y):
        self._check_parameters()
        rows, labels = check_training_rows(self, X, y)
        classes, codes = np.unique(labels, return_inverse=True)
        self.perturbation_ = clone(self.perturbation).fit(rows)
        return rows, codes, classes

    def _wanted(self, codes, classes):
        """Return the number of perturbed rows of each class in each copy."""
        sizes, strategy = np.bincount(codes), self.sampling_strategy
        if strategy is None:
            some = np.floor(self.share * sizes + 0.5).astype(int)
            return np.tile(some, (self.n_copies, 1))
        totals = np.full(len(sizes), sizes.max())
        if isinstance(strategy, dict):
            totals = sizes.copy()
            known = {name: i for i, name in enumerate(classes.tolist())}
            for name, total in strategy.items():
                i = known.get(name)
                if i is None or not isinstance(total, (int, np.integer)):
                    rule = f"a dict of classes of y to numbers of rows ({list(known)})"
                    raise self._bad_strategy(rule)
                if total < sizes[i]:
                    rule = f"at least the rows that a class has ({name!r}: {sizes[i]})"
                    raise self._bad_strategy(rule)
                totals[i] = total
        missing = totals - sizes
        n_blocks = int(np.max(-(-missing // sizes)))
        done = np.arange(n_blocks)[:, None] * sizes
        return np.clip(missing - done, 0, sizes)

    def _bad_strategy(self, rule):
        return invalid(
            "sampling_strategy", type(self).__name__, rule, self.sampling_strategy
        )

    def _check_parameters(self):
        caller = type(self).__name__
        if not isinstance(self.perturbation, BasePerturbation):
            raise invalid("perturbation", caller, "a perturbation", self.perturbation)
        check_choice(self.mode, "mode", caller, ("add", "replace"))
        check_count(self.n_copies, "n_copies", caller)
        check_number(self.share, "share", caller, low=0, high=1, low_open=True)
        strategy = self.sampling_strategy
        named = strategy is None or isinstance(strategy, dict)
        named = named or (isinstance(strategy, str) and strategy == "auto")
        if not named:
            raise self._bad_strategy("None, 'auto' or a dict of classes to numbers")
        if self.mode == "replace" and (self.n_copies != 1 or strategy is not None):
            raise ValueError(
                f"{caller} with mode='replace' keeps the number of rows: n_copies must "
                f"be 1 and sampling_strategy None. Got {self.n_copies!r} and "
                f"{strategy!r}."
            )
        if strategy is not None and (self.n_copies != 1 or self.share != 1):
            raise ValueError(
                f"{caller} takes its numbers from sampling_strategy: n_copies and "
                f"share must be 1 then. Got {self.n_copies!r} and {self.share!r}."
            )

    def __sklearn_tags__(self):
        return sampler_tags(super().__sklearn_tags__())
