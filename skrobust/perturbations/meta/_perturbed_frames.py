"""Successive frames of an input under a perturbation."""

import copy
import numbers
from collections.abc import Iterator

import numpy as np
from sklearn.base import BaseEstimator, clone

from skrobust._keyed_noise.generator import seed_number
from skrobust._parameters import Choice, Count, check_parameters
from skrobust._responses import predict_labels, respond
from skrobust._validation import invalid
from skrobust.base import BasePerturbation
from skrobust.base.perturbation import MAX_SEVERITY
from skrobust.base.sequence_steps import steps_of
from skrobust.base.streams import other_noise


class PerturbedFrames(BaseEstimator):
    """Successive frames of each input, in which a perturbation grows or is drawn anew.

    As in ImageNet-P [1]_, an input becomes a short video in which nothing but the
    perturbation changes: the picture turns, gets brighter, or flickers with noise. How
    often the answer of a model flips meanwhile is :func:`~skrobust.metrics.flip_rate`,
    and how its accuracy holds is :func:`~skrobust.metrics.period_stability_index`. It
    works with every perturbation, of images, tables, series and texts.

    Parameters
    ----------
    perturbation : perturbation of skrobust
        What happens to the inputs; a copy is fitted.
    steps : dict of str to array-like of shape (n_frames,), default=None
        Values of parameters of the perturbation in each frame, such as ``{"angle":
        range(-15, 16)}``; several change together. With None and ``draws`` "same" the
        severity goes from 0 to 5 in equal steps, or, where the perturbation has a
        physical strength such as ``std=0.1``, that goes to its value in equal steps
        from the one that changes nothing. With None and ``draws`` "new" the first frame
        is clean, and all others have the perturbation as it is.
    n_frames : int, default=31
        Number of frames where ``steps`` is None, at least 2; 31 as in [1]_.
    draws : {"same", "new"}, default="same"
        Whether all frames of an input share their random draws, so that the same noise
        grows, or each has draws of its own.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the draws in place of that of ``perturbation``; None leaves it that one,
        and where that is None, too, each call of ``frames`` draws one for all frames.

    Attributes
    ----------
    perturbation_ : perturbation
        The fitted copy.

    Raises
    ------
    ValueError
        For steps of different lengths or of parameters that the perturbation lacks.

    Notes
    -----
    Frames are made one at a time, so that memory holds one of them. Frames are no
    independent inputs: intervals are over inputs, as ``confidence_interval`` of
    "flip_rate" takes them. The scale is learned in ``fit`` once for all frames.

    The published sequences: noise of standard deviation .03, .05 or .08 drawn anew
    (``GaussianNoise(std=0.03)``, ``draws="new"``), compared with the first frame;
    rotations and tilts of -15 to 15 degrees in steps of 1; brightness shifted by -.3 to
    .3 in steps of .02; translations of -20 to 20 pixels in steps of 1.

    References
    ----------
    .. [1] D. Hendrycks and T. Dietterich, "Benchmarking neural network robustness to
       common corruptions and perturbations", ICLR 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.svm import SVC
    >>> from skrobust.metrics import flip_rate
    >>> from skrobust.perturbations import PerturbedFrames, Rotation
    >>> X, y = load_digits(return_X_y=True)
    >>> model = SVC().fit(X[:900], y[:900])
    >>> turn = Rotation(image_shape=(8, 8), data_range=(0, 16))
    >>> frames = PerturbedFrames(turn, steps={"angle": range(-15, 16)})
    >>> y_pred = frames.predict_frames(model, X[900:1000])
    >>> y_pred.shape, round(flip_rate(y_pred, against=frames.against), 3)
    ((100, 31), 0.007)
    """

    _parameter_rules = {"n_frames": Count(low=2), "draws": Choice("same", "new")}

    def __init__(
        self,
        perturbation,
        *,
        steps=None,
        n_frames=31,
        draws="same",
        random_state=None,
    ):
        self.perturbation = perturbation
        self.steps = steps
        self.n_frames = n_frames
        self.draws = draws
        self.random_state = random_state

    @property
    def against(self):
        """The frame with which each is compared, for ``flip_rate``: as in the source.

        "first" where each frame has draws of its own, and "previous" otherwise.
        """
        return "first" if self.draws == "new" else "previous"

    def fit(self, X, y=None):
        """Learn the scales that the perturbation needs, if any.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, ...)
            Training data.
        y : None
            Ignored.

        Returns
        -------
        self : object
            The fitted frames.
        """
        self._settings()
        self.perturbation_ = clone(self.perturbation).fit(X)
        return self

    def frames(self, X):
        """Yield the frames of all inputs, one after the other.

        Parameters
        ----------
        X : array-like, data frame, tensor or list of str of shape (n_samples, ...)
            Inputs; never changed.

        Yields
        ------
        frame : container like X
            All inputs at one moment, of the shape of ``X``.
        """
        inner = getattr(self, "perturbation_", self.perturbation)
        drawn = seed_number(None, type(self).__name__) >> 32  # 32 bits for any library
        for number, settings in enumerate(self._settings()):
            if settings is None:
                yield copy.deepcopy(X)
                continue
            one = _own_copy(inner).set_params(**settings)
            if self.random_state is not None:
                one.set_params(random_state=self.random_state)
            elif not _has_seed(one) and "random_state" in one.get_params(deep=False):
                one.set_params(random_state=drawn)
            if self.draws == "new":
                one = other_noise(one, "frame", number)
            yield one.perturb(None, X, None)

    def predict_frames(self, estimator, X, *, method="predict"):
        """Return what a model answers to each frame of each input.

        Parameters
        ----------
        estimator : fitted estimator
            The model.
        X : array-like, data frame, tensor or list of str of shape (n_samples, ...)
            Inputs; never changed.
        method : str, default="predict"
            The method of the model that answers, such as ``"predict_proba"``.

        Returns
        -------
        answers : ndarray of shape (n_samples, n_frames) or (n_samples, n_frames, ...)
            Along the second axis the frames in their order.
        """
        if not hasattr(estimator, str(method)):
            rule = f"a method of the model; {type(estimator).__name__} has no such one"
            raise invalid("method", "PerturbedFrames.predict_frames", rule, method)
        if method == "predict":
            found = [predict_labels(estimator, frame) for frame in self.frames(X)]
        else:
            found = [np.asarray(respond(estimator, method, f)) for f in self.frames(X)]
        return np.stack(found, axis=1)

    @property
    def n_features_in_(self):
        """Number of features seen in ``fit``."""
        return self.perturbation_.n_features_in_

    def __sklearn_is_fitted__(self):
        return hasattr(self, "perturbation_")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        if isinstance(self.perturbation, BasePerturbation):
            tags.input_tags = self.perturbation.__sklearn_tags__().input_tags
        return tags

    def _settings(self):
        """Return the parameters of each frame; None for a clean one."""
        caller = type(self).__name__
        if not isinstance(self.perturbation, BasePerturbation):
            rule = "a perturbation of skrobust"
            raise invalid("perturbation", caller, rule, self.perturbation)
        check_parameters(self)
        seed_number(self.random_state, caller)
        known, kind = self.perturbation.get_params(), type(self.perturbation).__name__
        if self.steps is None and self.draws == "new":
            return [None] + [{}] * (self.n_frames - 1)
        steps = self.steps
        if steps is None:
            if "severity" not in known:
                rule = f"given, since {kind} has no severity"
                raise invalid("steps", caller, rule, None)
            strengths = self.perturbation._strengths.items()
            physical = {n: s for n, s in strengths if known[n] is not None}
            if physical:
                return [None, *self._growing(physical, known, caller)]
            steps = {"severity": np.linspace(0, MAX_SEVERITY, self.n_frames)}
        rule = "a dict of parameters of the perturbation to values, one for each frame"
        if not isinstance(steps, dict) or not steps:
            raise invalid("steps", caller, rule, steps)
        unknown = [name for name in steps if name not in known]
        if unknown:
            rule = f"a dict of parameters of {kind} ({', '.join(known)})"
            raise invalid("steps", caller, rule, unknown[0])
        values = {name: _listed(of, name, caller) for name, of in steps.items()}
        lengths = sorted({len(of) for of in values.values()})
        if len(lengths) > 1 or lengths[0] < 2:
            rule = "at least two values for each parameter"
            counts = {name: len(of) for name, of in values.items()}
            raise invalid("steps", caller, f"{rule}, and their numbers equal", counts)
        pairs = zip(*values.values(), strict=True)
        return [dict(zip(values, frame, strict=True)) for frame in pairs]

    def _growing(self, physical, known, caller):
        """Return physical strengths of all frames after the first, which is clean."""
        for name, strength in physical.items():
            if strength.whole or not isinstance(known[name], numbers.Real):
                rule = f"given, with the values of {name!r} in each frame, since this "
                raise invalid("steps", caller, f"{rule}takes no fractions", None)
        shares = np.arange(1, self.n_frames) / (self.n_frames - 1)
        grown = {
            name: strength.zero + shares * (float(known[name]) - strength.zero)
            for name, strength in physical.items()
        }
        return [
            {name: float(values[at]) for name, values in grown.items()}
            for at in range(len(shares))
        ]


def _listed(values, name, caller):
    if isinstance(values, (str, Iterator)) or not np.iterable(values):
        rule = f"a list of values of {name!r}, one for each frame"
        raise invalid("steps", caller, rule, values)
    return [v.item() if isinstance(v, np.generic) else v for v in values]


def _has_seed(perturbation):
    """Return whether a perturbation, or the one that it wraps, has a seed."""
    while perturbation is not None:
        if getattr(perturbation, "random_state", None) is not None:
            return True
        perturbation = getattr(perturbation, "perturbation", None)
    return False


def _own_copy(perturbation):
    """Return a copy whose parameters, and those of what it holds, are its own.

    What was learned is shared, and what was fitted takes the place of the parameters.
    """
    one = copy.copy(perturbation)
    steps = steps_of(one)
    if steps is not None:
        one.steps = [_own_copy(step) for step in steps]
        if hasattr(one, "steps_"):
            one.steps_ = one.steps
    inner = getattr(one, "perturbation_", getattr(one, "perturbation", None))
    if inner is not None:
        one.perturbation = _own_copy(inner)
        if hasattr(one, "perturbation_"):
            one.perturbation_ = one.perturbation
    return one
