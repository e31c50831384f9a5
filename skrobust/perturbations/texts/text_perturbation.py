"""Base class of perturbations of text, and its draws."""

import random
from abc import abstractmethod

from sklearn.utils.validation import validate_data

from skrobust._containers import named_once
from skrobust._keyed_noise.generator import NoiseKey, seed_number
from skrobust._keyed_noise.row_hash import content_keys
from skrobust._validation import invalid
from skrobust.base import BasePerturbation
from skrobust.base.idle import warn_if_idle
from skrobust.base.row_kind import describe_rows
from skrobust.perturbations.strength import Strength
from skrobust.perturbations.texts.text_container import (
    as_keyable,
    check_texts,
    text_columns,
    with_texts,
)

LETTER_RATE = Strength((0.01, 0.02, 0.05, 0.1, 0.2), high=1)
WORD_RATE = Strength((0.02, 0.05, 0.1, 0.2, 0.4), high=1)
_SHIFT = 2.0**26


class Kinds:
    """A non-empty list or tuple of the listed names."""

    def __init__(self, *names):
        self.names = names

    def __call__(self, value, name, caller):
        """Raise unless the value obeys the rule."""
        listed = isinstance(value, (list, tuple)) and len(value) > 0
        if not listed or any(kind not in list(self.names) for kind in value):
            rule = f"a non-empty tuple of {name} among {self.names}"
            raise invalid(name, caller, rule, value)


def select_places(rng, n, rate):
    """Return (i, v) for those of n places that a rate selects.

    Place i is selected where its uniform number is below the rate: a higher rate
    selects the same places and more. ``v`` in [0, 1) comes from the lower bits of the
    same number and says what happens there, the same at every rate.
    """
    draw = rng.random
    return [
        (i, u * _SHIFT % 1.0)
        for i, u in enumerate(draw() for _ in range(n))
        if u < rate
    ]


def pick(v, options):
    """Return one of the options and a number in [0, 1) for the next choice."""
    place = v * len(options)
    i = int(place)
    return options[i], place - i


class TextPerturbation(BasePerturbation):
    """Base class of perturbations of text.

    A subclass writes ``_perturb_text(text, rng)``: one string that is not empty in, one
    string out. ``rng`` is a :class:`random.Random` seeded by the document, so that a
    document gets the same edits in any batch, order, container or process.

    The base accepts lists, arrays and series of str, and two-dimensional arrays and
    frames, in which ``columns`` (where a class has it) names the columns of text, and
    None means all. It returns the same kind of container, so that a vectorizer of
    scikit-learn can follow in a Pipeline; arrays of fixed-width strings get as wide as
    the new texts need, categories become text. Empty strings stay empty, missing values
    (None, NaN, NA) stay as they are, and any other value is an error.

    Nothing is learned, so no fit is needed. ``set_output`` is not offered, as for the
    vectorizers of scikit-learn: text goes out as it came in.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        Strength, for a subclass with ``_strengths``; 0 changes nothing.
    columns : str, int or list of these, default=None
        Columns of text in a table; None is all columns.
    random_state : int, RandomState, Generator or None, default=None
        The same int gives the same noise for the same rows.

    Examples
    --------
    >>> from skrobust.perturbations import TextPerturbation
    >>> class Shout(TextPerturbation):
    ...     def __init__(self, random_state=None):
    ...         self.random_state = random_state
    ...     def _perturb_text(self, text, rng):
    ...         return text.upper() + "!" * rng.randint(1, 3)
    >>> [text.rstrip("!") for text in Shout(random_state=0).transform(["a", "b"])]
    ['A', 'B']
    """

    _takes = "text"
    _any_container = True
    # What a document must hold to be changed at any strength, for a message.
    _target = "anything that it could change"
    columns = None  # of classes without this parameter

    def __init__(self, severity=None, *, columns=None, random_state=None):
        self.severity = severity
        self.columns = columns
        self.random_state = random_state

    def __init_subclass__(cls, **kwargs):
        # Text cannot be wrapped into a frame of numbers.
        super().__init_subclass__(auto_wrap_output_keys=None, **kwargs)

    def transform(self, X):
        """Return perturbed documents.

        Parameters
        ----------
        X : list, array, series or frame of str
            Documents; never changed.

        Returns
        -------
        X_new : container like X
            The documents in the same order.

        Warns
        -----
        UserWarning
            Where no document holds what this kind changes, such as letters with two
            cases for a change of case.
        """
        X = self._check(X)
        return warn_if_idle(self, X, self._run(X, None))

    def _refusal(self, X):
        try:
            check_texts(X, self.columns, type(self).__name__)
        except ValueError as error:
            cause = str(error).rstrip(".")
            return f"it takes text, and X is {describe_rows(X)} ({cause})"
        return None

    def _perturb_container(self, X, key):
        return self._run(self._check(X), key)

    def _check(self, X, *, reset=False):
        X = check_texts(X, self.columns, type(self).__name__)
        if len(getattr(X, "shape", (0,))) == 2 and (
            reset or hasattr(self, "n_features_in_")
        ):
            validate_data(self, named_once(X), reset=reset, skip_check_array=True)
        return X

    def _run(self, values, key):
        self._check_parameters()
        caller = type(self).__name__
        seed = seed_number(self.random_state, caller)
        columns = text_columns(values, self.columns, caller)
        if self._is_identity() or len(values) == 0:
            return with_texts(values, {j: list(texts) for j, texts in columns})
        if key is None:
            keys = content_keys(as_keyable(values))
            key = NoiseKey.from_keys(keys, seed).derive(caller, 0)
        new = {}
        for j, texts in columns:
            # The first column of a table is keyed as a single column.
            seeds = (key.derive("column", j) if j else key).seeds
            new[j] = self._perturb_documents(texts, seeds.tolist())
        return with_texts(values, new)

    def _perturb_documents(self, texts, seeds):
        rng = random.Random()
        out = []
        for text, seed in zip(texts, seeds, strict=True):
            if isinstance(text, str) and text:
                rng.seed(seed)
                text = self._perturb_text(text, rng)
                if not isinstance(text, str):
                    raise TypeError(
                        f"{type(self).__name__}._perturb_text must return str; it "
                        f"returned {type(text).__name__}."
                    )
            out.append(text)
        return out

    @abstractmethod
    def _perturb_text(self, text, rng):
        """Return one perturbed document; ``text`` is not empty."""

    def _can_change(self, text):
        """Return whether the document holds what this kind changes."""
        return True

    def _idle_reason(self, X):
        X = self._check(X)
        columns = text_columns(X, self.columns, type(self).__name__)
        texts = [t for _, column in columns for t in column if isinstance(t, str) and t]
        if not texts or any(map(self._can_change, texts)):
            return None
        return f"no document has {self._target}"

    def _perturb(self, X, rng):
        raise AssertionError("text is perturbed document by document")

    def __sklearn_is_fitted__(self):
        return True

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        tags.input_tags.allow_nan = True
        tags.requires_fit = False
        tags.transformer_tags.preserves_dtype = []
        return tags


class TextErrors(TextPerturbation):
    """Base class of errors at a rate of the letters or words."""

    _strengths = {"rate": LETTER_RATE}
