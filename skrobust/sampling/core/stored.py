"""Saving and restoring of a sampler: ``to_json``, ``from_json`` and ``save``."""

from sklearn.utils.validation import check_is_fitted

from skrobust._validation import check_flag, check_path
from skrobust._whole_file import write_text_whole
from skrobust.sampling.core.ask_tell import AskTellSampler
from skrobust.sampling.core.state import State, history


class StoredSampler(AskTellSampler):
    """Sampler whose ``State`` can be written as JSON and restored."""

    def to_json(self, *, include_pool=True):
        """Write the state as text.

        Parameters
        ----------
        include_pool : bool, default=True
            Whether to put the scores and predictions of the pool into the text, so
            that it can go on by itself. Otherwise only their hash is there, and
            ``from_json`` needs the pool again.

        Returns
        -------
        str
            JSON with the SHA-256 of each part, for ``from_json`` of the same class.

        Raises
        ------
        ValueError
            For true labels that JSON cannot hold.
        """
        caller = self._caller("to_json")
        include_pool = check_flag(include_pool, "include_pool", caller)
        return State.of(self, include_pool=include_pool).to_json()

    @classmethod
    def from_json(
        cls,
        text,
        X=None,
        *,
        estimator=None,
        y_pred=None,
        costs=None,
        features=None,
        frozen=False,
        **parameters,
    ):
        """Restore a sampler as it was when ``to_json`` was called.

        Parameters
        ----------
        text : str or bytes
            What ``to_json`` of this class returned.
        X : array-like, default=None
            The pool as ``fit`` took it; needed where the text does not hold it.
        estimator : fitted classifier, default=None
            The model, which is never in the text.
        y_pred, costs, features : array-like, default=None
            As in ``fit``, together with X.
        frozen : bool, default=False
            Take the stored draws as they are, without playing them again: the result is
            there and answers can be told, but nothing more can be drawn.
        **parameters
            Parameters that JSON cannot hold, such as a callable ``auxiliary``.

        Returns
        -------
        sampler
            Fitted.

        Raises
        ------
        ValueError
            For text of another class, format or pool; for text that was changed, also
            with ``frozen`` (it names the parts of which the digest does not hold); and
            where the stored draws cannot be made again (another version of numpy):
            nothing is lost then, see ``frozen``.
        """
        caller = f"{cls.__name__}.from_json"
        frozen = check_flag(frozen, "frozen", caller)
        state = State.parse(text, cls.__name__, caller)
        parameters["estimator"] = estimator
        of_rows = {"y_pred": y_pred, "costs": costs, "features": features}
        new = state.make(cls, X, of_rows, parameters, caller)
        if frozen:
            state.freeze(new)
        else:
            state.play(new, caller)
        return new

    def save(self, path, *, include_pool=True):
        """Write ``to_json`` to a file, completely or not at all.

        Parameters
        ----------
        path : str or path
            Read it back with ``from_json(Path(path).read_text())``.
        include_pool : bool, default=True
            As in ``to_json``.
        """
        path = check_path(path, "path", self._caller("save"))
        write_text_whole(path, self.to_json(include_pool=include_pool))

    def _history(self, n_points=50):
        """Yield a copy as it was after each answer, or after some of many at once."""
        check_is_fitted(self)
        yield from history(self, n_points)
