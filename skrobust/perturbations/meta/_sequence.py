"""Sequence of perturbations."""

import copy
from collections import Counter

import numpy as np
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.utils.validation import validate_data

from skrobust._array_checks import check_same_length
from skrobust._containers import (
    is_frame,
    like,
    named_once,
    on_device,
    refuse_ragged,
    shape_of,
    to_array,
)
from skrobust._keyed_noise.generator import seed_number
from skrobust._keyed_noise.row_hash import ContentKey, content_keys, is_series
from skrobust._validation import check_choice, check_count
from skrobust.base import BasePerturbation
from skrobust.base.table_change import TableDescription
from skrobust.perturbations.meta._function import TEST_NOISE
from skrobust.perturbations.tables.column_selection import NoColumnsError
from skrobust.perturbations.tables.frame_table import table_of


class PerturbationSequence(TableDescription, BasePerturbation):
    """Sequence of perturbations, applied one after another.

    All steps are keyed by the row that enters the whole sequence, so that A then B
    draws the same noise as B then A and the difference between the two is an effect of
    the order alone.

    Parameters
    ----------
    steps : list of perturbations
        Applied from first to last; an empty list is the clean condition. The
        parameters of a step are reached by its class name in lower case (and a number
        from the second of its kind on), as in ``gaussiannoise__std`` or
        ``gaussiannoise2__std``.
    name : str, default=None
        Name of this condition, for tables and plots; None joins the names of the steps.
    number : int, default=None
        Number of this condition in its grid.
    replicate : int, default=0
        Conditions that differ in this number alone draw fresh noise.
    noise_key : {"content", "position"}, default="content"
        What the noise of a row belongs to: its content, or its place in the call. By
        position, noise does not change when a column does (as in feature selection or
        for rows that differ in one bit), but it depends on the batch and the order of
        the rows: each fold and each chunk begins again with the first draw. The tag
        ``non_deterministic`` says so. A single perturbation gets it as the only step of
        a sequence.
    no_columns : {"raise", "skip"}, default="raise"
        What happens to a step that finds no column to act on in the rows of ``fit``,
        such as one for categories in a table of numbers: an error, or it is left out.
        Evaluations leave out conditions of which no step is left.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the whole sequence; the seeds of the steps enter as well.

    Attributes
    ----------
    steps_ : list of perturbations
        Fitted copies of the steps.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.perturbations import (
    ...     GaussianNoise, PerturbationSequence, SaltAndPepper)
    >>> salt, gauss = SaltAndPepper(0.2), GaussianNoise(std=0.1)
    >>> images = np.full((3, 8, 8), 0.5)
    >>> first = PerturbationSequence([salt, gauss], random_state=0)
    >>> second = PerturbationSequence([gauss, salt], random_state=0)
    >>> a, b = first.perturb(None, images), second.perturb(None, images)
    >>> bool((a[(b > 0) & (b < 1)] == b[(b > 0) & (b < 1)]).all())
    True
    """

    _test_params = ({"steps": [TEST_NOISE, TEST_NOISE]},)

    def __init__(
        self,
        steps=(),
        *,
        name=None,
        number=None,
        replicate=0,
        noise_key="content",
        no_columns="raise",
        random_state=None,
    ):
        self.steps = steps
        self.name = name
        self.number = number
        self.replicate = replicate
        self.noise_key = noise_key
        self.no_columns = no_columns
        self.random_state = random_state

    def __str__(self):
        if self.name is not None:
            return self.name
        return " -> ".join(type(step).__name__ for step in self.steps) or "CLEAN"

    def _named_steps(self):
        seen = Counter()
        named = {}
        for step in self.steps if isinstance(self.steps, (list, tuple)) else ():
            kind = type(step).__name__.lower()
            seen[kind] += 1
            named[kind if seen[kind] == 1 else f"{kind}{seen[kind]}"] = step
        return named

    def get_params(self, deep=True):
        """Return the parameters, with those of the steps as ``step__parameter``.

        Parameters
        ----------
        deep : bool, default=True
            Whether the steps and their parameters are included.

        Returns
        -------
        dict
            Names to values.
        """
        params = super().get_params(deep=False)
        if deep:
            for name, step in self._named_steps().items():
                params[name] = step
                if hasattr(step, "get_params"):
                    for key, value in step.get_params(deep=True).items():
                        params[f"{name}__{key}"] = value
        return params

    def set_params(self, **params):
        """Set parameters of the sequence or, as ``step__parameter``, of a step.

        Parameters
        ----------
        **params : dict
            Names to values.

        Returns
        -------
        self : object
            The sequence.
        """
        own = super().get_params(deep=False)
        for key in [key for key in params if key in own]:
            setattr(self, key, params.pop(key))
        named = self._named_steps()
        for key, value in params.items():
            name, _, rest = key.partition("__")
            if name not in named:
                known = sorted([*own, *named])
                raise ValueError(
                    f"Invalid parameter {key!r} for PerturbationSequence; valid are "
                    f"{known}."
                )
            if rest:
                named[name].set_params(**{rest: value})
            else:
                named[name] = value
                self.steps = list(named.values())
        return self

    def _check_parameters(self):
        caller = "PerturbationSequence"
        check_count(self.replicate, "replicate", caller, low=0)
        check_choice(self.noise_key, "noise_key", caller, ("content", "position"))
        check_choice(self.no_columns, "no_columns", caller, ("raise", "skip"))
        if not isinstance(self.steps, (list, tuple)) or not all(
            isinstance(step, BasePerturbation) for step in self.steps
        ):
            raise ValueError(
                "The 'steps' parameter of PerturbationSequence must be a list of "
                f"perturbations. Got {self.steps!r} instead."
            )
        # Inner steps are keyed by what enters the whole sequence.
        for step in self.steps:
            if getattr(step, "noise_key", self.noise_key) != self.noise_key:
                raise ValueError(
                    f"{caller} takes one noise_key for all: set that of the outermost "
                    f"sequence. Got {self.noise_key!r} outside and "
                    f"{step.noise_key!r} inside."
                )

    def _refusal(self, X):
        steps = self.steps if isinstance(self.steps, (list, tuple)) else ()
        found = (getattr(step, "_refusal", lambda X: None)(X) for step in steps)
        return next((reason for reason in found if reason is not None), None)

    def _learn(self, values):
        self.steps_ = []
        for step in self.steps:
            try:
                self.steps_.append(clone(step).fit(values))
            except NoColumnsError:
                if self.no_columns == "raise":
                    raise

    def finds_columns(self, X=None):
        """Return whether a step has a column to act on; True for the clean condition.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features), default=None
            Rows that are looked at; None asks for what ``fit`` found.

        Returns
        -------
        bool
            Always True with ``no_columns="raise"``.
        """
        if self.no_columns == "raise" or not self.steps:
            return True
        if X is None:
            return bool(getattr(self, "steps_", self.steps))
        return any(_finds_columns(step, X) for step in self.steps)

    def _is_identity(self):
        return False

    @property
    def _any_container(self):
        steps = self.steps if isinstance(self.steps, (list, tuple)) else ()
        return not steps or any(getattr(s, "_any_container", False) for s in steps)

    def _check(self, X, *, reset=False):
        if not self._any_container or issparse(X):  # which it refuses in a sentence
            return super()._check(X, reset=reset)
        refuse_ragged(X, "PerturbationSequence")
        # The steps check what each of them needs; here only names and their number.
        if not (is_frame(X) or is_series(X) or isinstance(X, (list, tuple))):
            X = to_array(X)
        check_same_length("PerturbationSequence", X=X)  # not without rows
        if len(shape_of(X)) == 2 and (reset or hasattr(self, "n_features_in_")):
            validate_data(self, named_once(X), reset=reset, skip_check_array=True)
        return X

    @property
    def _takes_device(self):
        steps = self.steps if isinstance(self.steps, (list, tuple)) else ()
        return all(getattr(step, "_takes_device", False) for step in steps)

    def _perturb_container(self, X, key):
        if on_device(X) and self._takes_device:
            # The steps check their rows; here only how many features there are.
            super()._check(np.zeros((min(len(X), 1), *X.shape[1:]), dtype=np.float32))
            return self._run(X, key)
        if not self._any_container:
            return super()._perturb_container(X, key)
        out = self._run(self._check(X), key)
        return out if is_frame(X) else like(out, X)

    def _run(self, values, key):
        self._check_parameters()
        if key is None:
            seed = seed_number(self.random_state, "PerturbationSequence")
            if self.noise_key == "position":
                key = ContentKey.from_positions(len(values), seed)
            else:
                first = next(iter(getattr(self, "steps_", self.steps)), None)
                # Those of series read the content of several containers alike.
                hashes = getattr(first, "_content_keys", content_keys)
                key = ContentKey.from_container(values, seed, hashes)
        key = key.derive("replicate", self.replicate)
        seen, is_new = Counter(), False
        for step in getattr(self, "steps_", self.steps):
            kind = type(step).__name__
            # A step without a seed adds nothing to that of the sequence.
            state = step.random_state
            own = 0 if state is None else seed_number(state, kind)
            own_key = key.derive(kind, seen[kind], own)
            # Steps that keep containers check what they get; arrays are checked once.
            own_way = self._any_container or on_device(values)
            run = step._perturb_container if own_way else step._run
            seen[kind] += 1
            try:
                values, is_new = run(values, own_key), True
            except NoColumnsError:  # steps that were not fitted
                if self.no_columns == "raise":
                    raise
        if on_device(values) and not is_new:
            return values.clone()
        return values if is_new else copy.copy(values)

    def __sklearn_is_fitted__(self):
        return hasattr(self, "steps_")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        inner = [step.__sklearn_tags__() for step in self._named_steps().values()]
        # What a step forbids or breaks, the sequence does.
        tags.input_tags.allow_nan = all(t.input_tags.allow_nan for t in inner)
        tags.input_tags.string = all(t.input_tags.string for t in inner)
        by_position = self.noise_key == "position"
        tags.non_deterministic = by_position or any(t.non_deterministic for t in inner)
        return tags

    def _perturb(self, X, rng):
        raise AssertionError("a sequence runs its steps, never itself")


def _finds_columns(step, X):
    if hasattr(step, "finds_columns"):
        return step.finds_columns(X)
    if not hasattr(step, "_select"):
        return True
    try:
        step._select(table_of(step._check(X)))
    except NoColumnsError:
        return False
    return True
