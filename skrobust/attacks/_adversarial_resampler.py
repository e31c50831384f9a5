"""Sampler of adversarial training rows for pipelines of imbalanced-learn."""

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, clone

from skrobust._array_checks import check_rows
from skrobust._containers import is_frame, to_array
from skrobust._keyed_noise.generator import NoiseKey, seed_number
from skrobust._keyed_noise.rows import join_rows, new_index, rows_as_given, take_rows
from skrobust._parameters import Choice, Count, Number, check_parameters
from skrobust._responses import predict_labels, predicts_numbers
from skrobust._validation import invalid
from skrobust.base.training_attack import check_training_attack, training_attack
from skrobust.base.training_rows import (
    check_training_rows,
    choose_rows,
    replace_rows,
    sampler_tags,
)


class AdversarialSampler(OneToOneFeatureMixin, BaseEstimator):
    """Resampler that adds adversarial examples to training rows, or replaces rows.

    A copy of ``estimator`` is fitted on the rows and attacked; the examples join the
    rows, with the labels of the rows that they come from. Each further round fits a new
    copy on what the round before gave and attacks that one. Works by hand
    (``model.fit(*sampler.fit_resample(X, y))``) and in a Pipeline of imbalanced-learn,
    where it acts at fit alone. It needs no imbalanced-learn itself.

    For nets, :class:`skrobust.nets.AdversarialTraining` attacks each batch anew.

    Parameters
    ----------
    estimator : classifier
        A copy is fitted and attacked: the model that will be trained, or another one
        for it (examples transfer). ``FrozenEstimator(model)`` of scikit-learn is
        attacked as it is.
    attack : attack
        Of :mod:`skrobust.attacks`. With ``objective=None`` an attack that has losses
        drives every row to the largest loss; others aim at wrong labels.
    mode : {"add", "replace"}, default="add"
        Whether the examples of all rounds come after the original rows, or those of the
        last round stand in the place of theirs.
    share : float in (0, 1], default=1.0
        Share of the rows of each class that is attacked (rounded half up), drawn anew
        for each round by the content of the rows.
    n_rounds : int, default=1
        Fits and attacks. One round shows the model the examples of the plain model
        alone; more show it those of its own successors. See Notes.
    keep : {"last", "best"}, default="last"
        Whether the rows of the last round are returned, or those of the round (the
        plain rows among them) whose model kept most of the attacked rows right. "best"
        costs a fit and an attack more.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the choice of rows. The attack has a seed of its own.

    Attributes
    ----------
    estimator_ : classifier
        The fitted copy that was attacked last; with ``keep="best"`` the best one, which
        was fitted on the rows that are returned.
    sample_indices_ : ndarray of shape (n_samples_new,)
        The row of X that each new row comes from.
    sampling_strategy_ : dict
        Number of adversarial rows of each class, over all rounds that were made.
    n_features_in_ : int
        Number of features seen.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, where they had any.

    Notes
    -----
    One round often is not enough, and may be worse than none: the examples of a model
    that bends little all move along the same few directions, and the next model merely
    turns these around. With "add" the rounds play against one another (fictitious
    play), which settles slowly; ``n_rounds=20, keep="best"`` is a good start, and is
    never worse than plain training on the attacked rows.

    Order of the new rows for "add": all original rows, unchanged; then the examples of
    the first round in the order of their rows; then those of the second, and so on. For
    "replace" every row keeps its place. Adversarial rows of integers are floats, and
    the whole then is. Sample weights and other metadata do not follow the rows:
    imbalanced-learn's Pipeline hands on the old ones. ``eps`` is in the units of the
    rows that the sampler gets: behind a scaler, in scaled units.

    References
    ----------
    .. [1] A. Madry, A. Makelov, L. Schmidt, D. Tsipras and A. Vladu, "Towards Deep
       Learning Models Resistant to Adversarial Attacks", ICLR 2018.
    .. [2] C. Szegedy et al., "Intriguing properties of neural networks", ICLR 2014
       (training on examples of a model that is fitted, in rounds).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from skrobust.attacks import FGSM, AdversarialSampler
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LogisticRegression(max_iter=1000)
    >>> sampler = AdversarialSampler(model, FGSM(eps=0.5))
    >>> X_new, y_new = sampler.fit_resample(X, y)
    >>> X_new.shape, bool((X_new[:150] == X).all())
    ((300, 4), True)
    >>> robust = model.fit(X_new, y_new)
    """

    # How imbalanced-learn calls samplers that are not for balancing alone.
    _sampling_type = "bypass"
    _parameter_rules = {
        "mode": Choice("add", "replace"),
        "share": Number(low=0, high=1, low_open=True),
        "n_rounds": Count(),
        "keep": Choice("last", "best"),
    }

    def __init__(
        self,
        estimator,
        attack,
        *,
        mode="add",
        share=1.0,
        n_rounds=1,
        keep="last",
        random_state=None,
    ):
        self.estimator = estimator
        self.attack = attack
        self.mode = mode
        self.share = share
        self.n_rounds = n_rounds
        self.keep = keep
        self.random_state = random_state

    @classmethod
    def _get_test_params(cls):
        from sklearn.linear_model import LogisticRegression

        from skrobust.attacks import FGSM

        return [
            {"estimator": LogisticRegression(), "attack": FGSM(0.1), "random_state": 0}
        ]

    def fit(self, X, y):
        """Check the input; ``fit_resample`` does the work.

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
        """Return the training rows with their adversarial examples.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, ...)
            Training rows; never changed.
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
            For bad parameters, a share that means no row at all, a single class,
            targets that are no classes, or a model that the attack cannot attack.
        """
        rows, labels = self._prepare(X, y)
        classes, codes = np.unique(labels, return_inverse=True)
        sizes = np.floor(self.share * np.bincount(codes) + 0.5).astype(int)
        if not sizes.any():
            rule = f"so large that it means a row of some class, here of {len(codes)}"
            raise invalid("share", type(self).__name__, rule, self.share)
        totals = (sizes * self.n_rounds).tolist()
        self.sampling_strategy_ = dict(zip(classes.tolist(), totals, strict=True))
        seed = seed_number(self.random_state, type(self).__name__)
        new, places, parts = rows, np.arange(len(labels)), [rows]
        best = (-1.0, None, None, None)
        for number in range(self.n_rounds):
            chosen = _choose(rows, codes, sizes, seed, number)
            data = (take_rows(rows, chosen), labels[chosen])
            examples, robust = self._examples(new, labels[places], *data, number)
            if robust > best[0]:
                best = (robust, self.estimator_, new, places)
            if self.mode == "add":
                parts.append(examples)
                places = np.concatenate([places, chosen])
                new = join_rows(parts)
            else:
                new = replace_rows(rows, examples, chosen)
        if self.keep == "best":
            _, robust = self._examples(new, labels[places], *data, self.n_rounds)
            if robust < best[0]:
                _, self.estimator_, new, places = best
        self.sample_indices_ = places
        return rows_as_given(new, X), new_index(take_rows(y, places))

    def _examples(self, new, new_labels, clean, labels, number):
        """Fit a model of the new rows; return its examples and how many hold."""
        self.estimator_ = clone(self.estimator).fit(new, new_labels)
        attack = training_attack(self.attack, "round", number)
        examples = attack.perturb(self.estimator_, clean, labels)
        return examples, (predict_labels(self.estimator_, examples) == labels).mean()

    def _prepare(self, X, y):
        self._check_parameters()
        rows, labels = check_training_rows(self, X, y)
        values = check_rows(rows, type(self).__name__)
        return rows if is_frame(rows) else values, labels

    def _check_parameters(self):
        caller = type(self).__name__
        if not hasattr(self.estimator, "fit") or isinstance(self.estimator, type):
            raise invalid("estimator", caller, "a classifier", self.estimator)
        if predicts_numbers(self.estimator):
            name = type(self.estimator).__name__
            raise ValueError(f"{caller} needs a classifier; {name} is a regressor.")
        check_training_attack(self.attack, caller)
        check_parameters(self)

    def __sklearn_tags__(self):
        return sampler_tags(super().__sklearn_tags__())


def _choose(rows, codes, sizes, seed, number):
    key = NoiseKey.from_rows(to_array(rows), seed).derive("chosen", number)
    return choose_rows(codes, sizes, key.generator().random((len(codes),)))
