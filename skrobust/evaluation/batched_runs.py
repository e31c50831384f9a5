"""Runs of perturbations and attacks over batches of rows, one task for each pair."""

import mmap
from collections import Counter
from itertools import chain

import numpy as np
from scipy.sparse import issparse

from skrobust._containers import is_frame, to_array
from skrobust._keyed_noise.equal_rows import (
    EarlierRows,
    RowNumbers,
    numbered_over_batches,
)
from skrobust._keyed_noise.rows import is_text
from skrobust._parallel import StepBar, alone
from skrobust._validation import check_count
from skrobust.base.changed_rows import n_rows
from skrobust.base.spread import check_rows_apart
from skrobust.datasets import BatchedRows

_SMALL = 1 << 28  # bytes of a mapped file that is taken as a whole


def as_batches(X, y, batch_size, caller):
    """Return rows as :class:`BatchedRows`, or None for those that are in memory.

    Without ``y``, X has pairs of rows and labels. Arrays of large mapped files and of
    other libraries are read in batches, and with ``batch_size`` all arrays are.
    """
    if batch_size is not None:
        check_count(batch_size, "batch_size", caller)
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


def refuse_in_batches(attack, eps, checks, caller):
    """Raise for what an attack on rows in batches does not have."""
    check_rows_apart(attack, caller)
    if isinstance(eps, str):
        raise ValueError(
            f"{caller} needs eps as a number where rows come in batches: {eps!r} is in "
            "units of the spread of all rows. Give the attack itself, with the number "
            "as its eps and constraints=Constraints(scale=X_train.std(axis=0))."
        )
    if checks:
        raise ValueError(f"{caller} takes checks=True for rows in memory alone.")


def is_on_disk(X):
    """Return whether rows are in a large mapped file, or an array that reads slices.

    Workers of joblib get mapped files in place of arrays; small ones are taken whole.
    """
    if isinstance(X, np.ndarray):
        is_mapped = isinstance(X, np.memmap) and isinstance(X.base, mmap.mmap)
        return is_mapped and X.nbytes > _SMALL
    family = type(X).__module__.partition(".")[0]
    return family in ("zarr", "h5py") or type(X).__name__ == "LazyImages"


class BatchedRuns:
    """Parts of an evaluation, computed batch by batch.

    Parameters
    ----------
    rows : BatchedRows
        Rows and labels.
    store : Checkpoint
        Where parts are kept, by the content of their batch.
    caller : str
        Name of the public function, for error messages.
    n_jobs, verbose : int
        Parts of a batch at a time; whether there is a progress bar.
    **caught : object
        Which errors are results, as :func:`~skrobust.evaluation.failures.caught` says;
        they are then in ``errors``, by the place of the thing, which is left out of the
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

    def run(self, things, tasks_of, prefix="", after=None):
        """Run the tasks of each batch and return their results, joined over batches.

        Parameters
        ----------
        things : list of objects
            What is known of a task beside the batch, for its key: the first of each is
            a perturbation or an attack, or a name.
        tasks_of : callable
            Takes the rows, the labels and the key of a batch, and returns a function
            and its arguments for each thing.
        prefix : str, default=""
            Of the keys: what all parts share.
        after : (object, callable), default=None
            One more thing, and what takes the rows, the labels and the results of a
            batch, and returns one more array.

        Returns
        -------
        list of list of ndarray
                The results by thing and batch; ``self.y`` has the labels, and
            ``self.sizes`` the numbers of rows.
        """
        found, labels = [[] for _ in range(len(things) + (after is not None))], []
        earlier, start = EarlierRows(), 0
        total = None if self.n_rows is None else self.n_rows * len(things)
        bar = StepBar(total, self.caller, self.verbose)
        for X, y in chain([self.first], self._batches):
            if y is None:
                raise ValueError(f"{self.caller} needs labels in every batch.")
            plain = isinstance(X, (list, tuple)) or issparse(X)
            # Noise may depend on the place of a row, also in batches of equal content.
            key = self.store.key(prefix, X if plain else to_array(X), y, start)
            tasks = list(enumerate(tasks_of(X, y, key)))
            tasks = [(i, task) for i, task in tasks if i not in self.errors]
            parts = self._parts(things, tasks, key, start)
            keys = {i: part[1] for i, part in parts.items()}
            before = {i: earlier.before(i, own) for i, own in keys.items()}
            again = [i for i, b in before.items() if any(one.any() for one in b)]
            anew = [(i, task) for i, task in tasks if i in again]
            parts |= self._parts(things, anew, key, start, before)
            earlier.add(keys)
            for i, (part, _) in parts.items():
                found[i].append(part)
            if after is not None and not self.errors:
                made = [part for part, _ in parts.values()]
                name = self.store.key(key, after[0], made)
                found[-1].append(alone(self.store.run, name, after[1], X, y, made))
            labels.append(y)
            start += n_rows(X)
            bar.done(n_rows(X) * len(things))
        bar.close()
        self.y = np.concatenate(labels)
        self.sizes = np.array([len(labels_of_batch) for labels_of_batch in labels])
        return found

    def _parts(self, things, tasks, key, start, before=None):
        """Return the result of each task by its place, and the keys of its rows."""
        calls, seen, found = [], Counter(), {}
        for i, (function, *arguments) in tasks:
            own = () if before is None else before[i]
            name = self.store.key(key, things[i], *([own] if own else []))
            seen[name] += 1  # equal ones without a seed draw apart
            name = f"{name}-{seen[name]}" if name else name
            calls.append((name, _numbered, start, own, function, *arguments))
        parts = self.store.run_all(calls, n_jobs=self.n_jobs, **self.caught)
        for (i, _), (part, error) in zip(tasks, parts, strict=True):
            if error is None:
                found[i] = _unpacked(part)
            else:
                self.errors[i] = error
        return found


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


def joined(parts, name):
    """Return a field of parts with one value a row, of all batches."""
    return np.concatenate([np.atleast_1d(part[name]) for part in parts])


def joined_effect(parts, sizes):
    """Return the share of changed rows, their mean distortion, and its unit.

    Parameters
    ----------
    parts : list of structured ndarray
        As :func:`~skrobust.evaluation.acted.part_of` makes them, by batch.
    sizes : ndarray of int of shape (n_batches,)
        Rows of each batch.
    """
    changed = np.array([float(part["changed"]) for part in parts])
    known = np.array([int(part["moved"]) for part in parts])
    mean = np.array([float(part["distortion"]) for part in parts])
    unit = next((str(part["unit"]) for part in parts if str(part["unit"])), "")
    share = float((np.rint(changed * sizes)).sum() / sizes.sum())
    if not known.any():
        return share, float("nan"), unit
    seen = known > 0
    return share, float((mean[seen] * known[seen]).sum() / known.sum()), unit
