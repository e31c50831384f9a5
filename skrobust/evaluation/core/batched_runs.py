"""Runs of perturbations and attacks over batches of rows, one task for each pair."""

import mmap
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import chain

import numpy as np
from joblib import effective_n_jobs
from scipy.sparse import issparse

from skrobust._containers import is_frame, n_rows, to_array
from skrobust._keyed_noise.equal_rows import (
    EarlierRows,
    RowNumbers,
    numbered_over_batches,
)
from skrobust._keyed_noise.rows import is_text
from skrobust._parallel import ScaledBar, StepBar
from skrobust._validation import check_count
from skrobust.base.spread import check_rows_apart
from skrobust.datasets import BatchedRows
from skrobust.evaluation.core.alike_warnings import AlikeWarnings

_SMALL = 1 << 28  # bytes of a mapped file that is taken as a whole
_TASKS_PER_WORKER = 4  # that are wanted before anything is waited for
_AHEAD = 2  # batches that are read for each worker, at most


def as_batches(X, y, batch_size, caller):
    """Return rows as :class:`BatchedRows`, or None for those that are in memory.

    Without ``y``, X has pairs of rows and labels. Arrays of large mapped files and of
    other libraries are read in batches, and with ``batch_size`` all arrays are.
    """
    if batch_size is not None:
        batch_size = check_count(batch_size, "batch_size", caller)
    if y is None:
        if hasattr(X, "shape") or is_text(X):
            raise ValueError(
                f"{caller} needs y, the labels or targets of the rows; without them X "
                "must be batches of rows and labels."
            )
        return X if isinstance(X, BatchedRows) else BatchedRows(X)
    if isinstance(X, BatchedRows):
        raise ValueError(
            f"{caller} takes y=None beside BatchedRows, which have their labels."
        )
    if hasattr(X, "__next__") or callable(X) or _is_loader(X) or _has_pairs(X):
        raise ValueError(
            f"{caller} takes y=None beside rows that come in batches, which have their "
            f"labels. Got {type(X).__name__} as X, and y."
        )
    is_array = hasattr(X, "shape") and not is_frame(X) and not is_text(X)
    if not is_array or not (batch_size or is_on_disk(X)):
        return None
    return BatchedRows.from_arrays(X, y, batch_size=batch_size)


def _is_loader(X):
    """Return whether X gives batches one after the other, and has no rows."""
    has_rows = hasattr(X, "__getitem__") or hasattr(X, "shape")
    return hasattr(X, "__iter__") and not has_rows


def _has_pairs(X):
    """Return whether X is a list of pairs of rows and labels."""
    first = X[0] if isinstance(X, (list, tuple)) and len(X) else None
    is_pair = isinstance(first, tuple) and len(first) == 2
    return is_pair and len(getattr(first[0], "shape", ())) > 1


def refuse_in_batches(attack, eps, caller):
    """Raise for what an attack on rows in batches does not have."""
    check_rows_apart(attack, caller)
    if isinstance(eps, str):
        raise ValueError(
            f"{caller} needs eps as a number where rows come in batches: {eps!r} is in "
            "units of the spread of all rows. Give the attack itself, with the number "
            "as its eps and constraints=Constraints(scale=X_train.std(axis=0))."
        )


def is_on_disk(X):
    """Return whether rows are in a large mapped file, or an array that reads slices.

    Workers of joblib get mapped files in place of arrays; small ones are taken whole.
    """
    if isinstance(X, np.ndarray):
        owner = X.base
        while isinstance(owner, np.ndarray):  # of slices and other views, too
            owner = owner.base
        is_mapped = isinstance(X, np.memmap) and isinstance(owner, mmap.mmap)
        return is_mapped and X.nbytes > _SMALL
    family = type(X).__module__.partition(".")[0]
    return family in ("zarr", "h5py") or type(X).__name__ == "LazyImages"


@dataclass(eq=False)
class _Batch:
    """A batch that is in memory, with what was found of it."""

    X: object
    y: object
    key: str
    start: int
    made: object = None
    parts: dict = field(default_factory=dict)  # by the place of the thing


class BatchedRuns:
    """Parts of an evaluation, of which each batch has one for each thing to do.

    So many batches are read ahead that all workers are busy, and no more: with one
    worker a single one.

    Parameters
    ----------
    rows : BatchedRows
        Rows and labels.
    store : Checkpoint
        Where parts are kept, by the content of their batch.
    caller : str
        Name of the public function, for error messages.
    n_jobs, verbose : int
        Parts at a time; whether there is a progress bar.
    **caught : object
        Which errors are results, as
        :func:`~skrobust.evaluation.core.failures.caught` says; the first of each
        thing is then in ``errors``, by its place, and the thing is left out of the
        batches that follow.
    """

    def __init__(self, rows, store, caller, *, n_jobs=None, verbose=0, **caught):
        self.store, self.caller = store, caller
        self.n_jobs, self.verbose = n_jobs, verbose
        self.caught, self.errors = caught, {}
        self.n_rows = rows.n_rows
        self._batches = iter(rows)
        first = next(self._batches, None)
        if first is None:
            raise ValueError(f"{caller} needs at least one sample; got none.")
        self.first = first
        self.y, self.sizes = rows.y, None  # labels, where they are known
        self._told = AlikeWarnings("batches")

    def run(
        self,
        things,
        tasks_of,
        prefix="",
        *,
        ready=None,
        first=None,
        after=None,
        n_needed=0,
    ):
        """Run the tasks of each batch and return their results, joined over batches.

        Parameters
        ----------
        things : list of objects
            What is known of a task beside the batch, for its key: the first of each is
            a perturbation or an attack, or a name.
        tasks_of : callable
            Takes the rows, the labels and what ``first`` made of a batch, and returns a
            function and its arguments for each thing.
        prefix : str, default=""
            Of the keys: what all parts share.
        ready : callable, default=None
            Takes the rows of each batch, in their order, and returns those for tasks.
        first : (object, callable), default=None
            What is made of each batch before the tasks: its name, and what takes the
            rows and returns an array.
        after : (object, callable), default=None
            One more thing, and what takes the rows, the labels and the results of a
            batch, and returns one more array; it is left out once a thing failed.
        n_needed : int, default=0
            So many things, from the first on, are needed: their errors are raised.

        Returns
        -------
        list of list of ndarray
            The results by thing and batch, those of a thing in ``self.errors`` not all;
            ``self.y`` has the labels, and ``self.sizes`` the numbers of rows.
        """
        found, labels = [[] for _ in range(len(things) + (after is not None))], []
        total = None if self.n_rows is None else self.n_rows * len(things)
        earlier, size = EarlierRows(), self._n_ahead(len(things))
        with ExitStack() as stack:
            stack.callback(self._told.show)
            bar = stack.enter_context(StepBar(total, self.caller, self.verbose))
            for window in _windows(self._read(prefix, ready), size):
                if first is not None:
                    made = self._once(window, first, lambda _: ())
                    for batch, (one, _) in zip(window, made, strict=True):
                        batch.made = one
                self._run_things(window, things, tasks_of, earlier, bar)
                for place in range(n_needed):
                    if place in self.errors:
                        raise self.errors[place]
                if after is not None and not self.errors:
                    self._run_after(window, after, len(things))
                for batch in window:
                    for i, part in batch.parts.items():
                        found[i].append(part)
                    labels.append(batch.y)
                window.clear()  # before the next one is read
                if all(i in self.errors for i in range(n_needed, len(things))):
                    break  # the caller raises the first of them
        self.y = np.concatenate(labels)
        self.sizes = np.array([len(labels_of_batch) for labels_of_batch in labels])
        return found

    def _n_ahead(self, n_things):
        """Return how many batches are in memory at a time."""
        n_workers = effective_n_jobs(self.n_jobs)
        if n_workers == 1:
            return 1
        wanted = -(-_TASKS_PER_WORKER * n_workers // n_things)
        return min(wanted, _AHEAD * n_workers)

    def _read(self, prefix, ready):
        """Yield batches with their keys."""
        start = 0
        for X, y in chain([self.first], self._batches):
            if y is None:
                raise ValueError(f"{self.caller} needs labels in every batch.")
            plain = isinstance(X, (list, tuple)) or issparse(X)
            # Noise may depend on the place of a row, also in batches of equal content.
            key = self.store.key(prefix, X if plain else to_array(X), y, start)
            yield _Batch(X if ready is None else ready(X), y, key, start)
            start += n_rows(X)

    def _once(self, window, what, more, **caught):
        """Return what is made once of each batch, of its rows and more, and errors."""
        (name, function), calls = what, []
        for batch in window:
            key = self.store.key(batch.key, name, *more(batch))
            calls.append((key, function, batch.X, *more(batch)))
        return self._run_all(calls, **caught)

    def _run_after(self, window, after, place):
        """Find the last part of batches from all others."""

        def more(batch):
            return batch.y, list(batch.parts.values())

        made = self._once(window, after, more, **self.caught)
        for batch, (part, error) in zip(window, made, strict=True):
            if error is None:
                batch.parts[place] = part
            else:
                self.errors.setdefault(place, error)

    def _run_things(self, window, things, tasks_of, earlier, bar):
        """Find the parts of batches, those of rows that came before anew."""
        tasks = {id(b): list(tasks_of(b.X, b.y, b.made)) for b in window}
        left = [i for i in range(len(things)) if i not in self.errors]
        asked = [(b, i, ()) for b in window for i in left]
        n_rows_here = len(things) * sum(len(b.y) for b in window)
        step = n_rows_here // len(asked)
        parts = self._parts(things, tasks, asked, ScaledBar(bar, step))
        bar.done(n_rows_here - step * len(asked))
        keys = {id(batch): {} for batch in window}
        for (batch, i), (part, own) in parts.items():
            batch.parts[i], keys[id(batch)][i] = part, own
        again = []
        for batch in window:
            for i, own in keys[id(batch)].items():
                before = earlier.before(i, own)
                if any(one.any() for one in before):
                    again.append((batch, i, before))
            earlier.add(keys[id(batch)])
        for (batch, i), (part, _) in self._parts(things, tasks, again).items():
            batch.parts[i] = part

    def _parts(self, things, tasks, asked, bar=None):
        """Return results and the keys of their rows, by batch and place of the thing.

        Parameters
        ----------
        things : list of objects
            As of :meth:`run`.
        tasks : dict of int to list of tuple
            Functions and arguments for each thing, by the id of the batch.
        asked : list of (_Batch, int, sequence of ndarray)
            Batch, place of the thing, and how often its rows came before.
        bar : ScaledBar or None
            Moves by one for each task.
        """
        calls, seen = [], Counter()
        for batch, i, before in asked:
            function, *arguments = tasks[id(batch)][i]
            more = [list(before)] if len(before) else []
            name = self.store.key(batch.key, things[i], *more)
            seen[name] += 1  # equal ones without a seed draw apart
            name = f"{name}-{seen[name]}" if name else name
            start = batch.start
            calls.append((name, _numbered, start, before, function, *arguments))
        found, parts = {}, self._run_all(calls, bar, **self.caught)
        for (batch, i, _), (part, error) in zip(asked, parts, strict=True):
            if error is None:
                found[batch, i] = _unpacked(part)
            else:
                self.errors.setdefault(i, error)  # that of the first batch
        return found

    def _run_all(self, calls, bar=None, **caught):
        with self._told.gathered():
            return self.store.run_all(calls, n_jobs=self.n_jobs, bar=bar, **caught)


def _windows(batches, size):
    """Yield lists of so many batches; what was read before an error is not lost."""
    window = []
    try:
        for batch in batches:
            window.append(batch)
            if len(window) == size:
                yield window
                window = []
    except Exception:
        if window:
            yield window
        raise
    if window:
        yield window


def _numbered(start, before, function, *arguments):
    """Return the result of a function and the keys of the rows, as one record."""
    with numbered_over_batches(RowNumbers(start, before)) as numbers:
        part = np.asarray(function(*arguments))
    sizes = np.array([len(keys) for keys in numbers.keys], dtype=np.int64)
    keys = np.concatenate([*numbers.keys, np.zeros(0, dtype=np.uint64)])
    record = np.zeros(
        (),
        dtype=[
            ("part", part.dtype, part.shape),
            ("keys", np.uint64, keys.shape),
            ("sizes", np.int64, sizes.shape),
        ],
    )
    record["part"], record["keys"], record["sizes"] = part, keys, sizes
    return record


def _unpacked(record):
    ends = np.cumsum(record["sizes"])[:-1] if record["sizes"].size else []
    keys = np.split(record["keys"], ends) if record["sizes"].size else []
    return record["part"], keys
