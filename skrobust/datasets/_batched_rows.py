"""Rows and labels that come in batches."""

import numpy as np
from scipy.sparse import issparse

from skrobust._array_checks import check_targets
from skrobust._containers import is_frame, n_rows, refuse_mask, to_array
from skrobust._guarded_rows import perturb_guarded
from skrobust._keyed_noise import equal_rows
from skrobust._keyed_noise.rows import is_text
from skrobust._responses import respond
from skrobust._validation import check_choice, check_count, check_flag, invalid
from skrobust.base.spread import check_rows_apart
from skrobust.datasets.batch_readers import ArrayBatches, ParquetBatches, ShardBatches
from skrobust.datasets.image_options import ImageOptions
from skrobust.datasets.tar_shards import shard_files

_CALLER = "BatchedRows"
_ANSWERS = ("predict", "predict_proba", "decision_function")


class BatchedRows:
    """Rows and labels that come in batches, of which one at a time is in memory.

    It is what :func:`~skrobust.evaluation.evaluate_perturbations` and
    :func:`~skrobust.evaluation.evaluate_attack` take in place of ``X, y``, and may be
    iterated over: ``for X, y in rows``.

    Parameters
    ----------
    batches : iterable of (X, y), or callable
        For example a list, a ``DataLoader`` of torch, a generator, or a function that
        returns an iterator each time it is called. X is an array, a data frame, a list
        of texts or a tensor, which becomes an array; y has one label a row, or is None.
        A generator gives its rows once; all others may be gone over again.

    Attributes
    ----------
    n_rows : int or None
        Number of rows, where it is known before they are read.
    y : ndarray of shape (n_samples,) or None
        All labels, where they are known before the rows are read.

    Raises
    ------
    ValueError
        When the batches are gone over: for those that are no pair, or whose numbers of
        rows and labels differ, and for a generator that was read before.

    See Also
    --------
    skrobust.metrics.StreamingMetric : Metrics of rows that come in batches.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.datasets import BatchedRows
    >>> X, y = np.arange(12.0).reshape(6, 2), np.array([0, 1, 0, 1, 0, 1])
    >>> rows = BatchedRows.from_arrays(X, y, batch_size=4)
    >>> [part.shape for part, _ in rows], rows.n_rows
    ([(4, 2), (2, 2)], 6)
    """

    def __init__(self, batches):
        self.n_rows = getattr(batches, "n_rows", None)
        self.y = getattr(batches, "y", None)
        if isinstance(batches, BatchedRows):
            batches = batches._batches
        is_once = hasattr(batches, "__next__")
        if not callable(batches) and not hasattr(batches, "__iter__"):
            rule = "an iterable of pairs (X, y), or a function that returns one"
            raise invalid("batches", _CALLER, rule, batches)
        self._batches, self._is_once, self._begun = batches, is_once, False

    @classmethod
    def from_arrays(cls, X, y=None, *, batch_size=None):
        """Return batches of arrays that need not fit in memory.

        Parameters
        ----------
        X : array with ``shape`` and slices
            A ``numpy.memmap``, which is never copied as a whole, an array of zarr or
            h5py, :class:`LazyImages`, or an array in memory.
        y : array-like of shape (n_samples,), default=None
            Labels.
        batch_size : int, default=None
            Rows of a batch; None: as many as take 32 MB, at most 4,096.

        Returns
        -------
        BatchedRows
            The batches.

        Examples
        --------
        >>> import numpy as np
        >>> from skrobust.datasets import BatchedRows
        >>> BatchedRows.from_arrays(np.zeros((100, 3)), batch_size=30).n_rows
        100
        """
        caller = f"{_CALLER}.from_arrays"
        size = _size(batch_size, caller)
        has_rows = hasattr(X, "__getitem__") or issparse(X)
        if not getattr(X, "shape", ()) or not has_rows:
            rule = "an array with shape and slices, of one axis or more"
            shown = X if hasattr(X, "shape") else type(X).__name__
            raise invalid("X", caller, rule, shown)
        refuse_mask(X, "X")
        if y is not None:
            y = check_targets(y, caller)
            if len(y) != int(X.shape[0]):
                rule = f"of one label for each of the {X.shape[0]} rows"
                raise invalid("y", caller, rule, len(y))
        return cls(ArrayBatches(X, y, size))

    @classmethod
    def from_parquet(
        cls, path, *, target=None, columns=None, batch_size=None, as_frame=True
    ):
        """Return batches of a table in parquet files, of which row groups are read.

        Parameters
        ----------
        path : str, path, or list of these
            A file, a pattern with ``*``, or a folder: all files that end in .parquet or
            .pq in it and below. Columns in the names of folders (``month=1``) are not
            read, and raise unless ``columns`` are given.
        target : str, default=None
            Column of the labels.
        columns : list of str, default=None
            Columns of the rows; None: all but the target.
        batch_size : int, default=None
            Rows of a batch at most; None: 4,096.
        as_frame : bool, default=True
            Whether rows come as data frames of pandas, as a model wants them that was
            fitted on one; otherwise as arrays.

        Returns
        -------
        BatchedRows
            The batches. Needs pyarrow (the extra ``parquet``).

        Examples
        --------
        >>> from skrobust.datasets import BatchedRows
        >>> rows = BatchedRows.from_parquet("2026/", target="y")  # doctest: +SKIP
        """
        caller = f"{_CALLER}.from_parquet"
        check_flag(as_frame, "as_frame", caller)
        size = _size(batch_size, caller)
        return cls(ParquetBatches(path, target, columns, size, as_frame, caller))

    @classmethod
    def from_shards(
        cls,
        shards,
        *,
        row=None,
        label="cls",
        label_as=None,
        resize=None,
        crop=None,
        convert=False,
        batch_size=None,
    ):
        """Return batches of samples in tar files, in the manner of WebDataset.

        Members of a tar file that follow one another and have the same name up to its
        first dot are one sample: ``0001.jpg`` and ``0001.cls``. A row is the image (as
        red, green and blue bytes) or npy of a sample. Files are read in their order,
        from the first byte to the last, with the standard library.

        Parameters
        ----------
        shards : str, path, or list of these
            A tar file, a folder of them, or a pattern, such as ``"val-*.tar"`` or
            ``"val-{000..049}.tar"``.
        row : str, default=None
            Ending of the member with the row, such as ``"png"`` beside ``"mask.png"``;
            None: the one image or npy, of which there must not be several.
        label : str or None, default="cls"
            Ending of the member with the label; ``"json:FIELD"`` takes a field of
            ``.json``. None: there are no labels.
        label_as : {"number", "text"}, default=None
            What labels become. None: digits are a number, all else is text; a mixture
            of the two, and digits that begin with 0, raise.
        resize : (int, int), default=None
            (height, width) of images in pixels, by Pillow's bicubic filter.
        crop : callable, default=None
            Applied to each image before ``resize``.
        convert : bool, default=False
            Whether images of other colours become red, green and blue; otherwise they
            raise.
        batch_size : int, default=None
            Rows of a batch; None: as many as take 32 MB, at most 4,096.

        Returns
        -------
        BatchedRows
            The batches.

        References
        ----------
        A. Aizman, G. Maltby, T. Breuel, "High performance I/O for large scale deep
        learning" (IEEE Big Data, 2019), on the layout of WebDataset.

        Examples
        --------
        >>> from skrobust.datasets import BatchedRows
        >>> rows = BatchedRows.from_shards("val-{00..49}.tar")  # doctest: +SKIP
        """
        caller = f"{_CALLER}.from_shards"
        options = ImageOptions.checked(
            caller, resize=resize, crop=crop, convert=convert
        )
        if label is not None and (not isinstance(label, str) or not label):
            raise invalid("label", caller, "an ending, 'json:FIELD' or None", label)
        if row is not None and (not isinstance(row, str) or not row):
            raise invalid("row", caller, "an ending such as 'png', or None", row)
        check_choice(label_as, "label_as", caller, (None, "number", "text"))
        files, size = shard_files(shards, caller), _size(batch_size, caller)
        if row is not None:
            row = row.lower().removeprefix(".")
        return cls(ShardBatches(files, row, label, label_as, options, size, caller))

    def __iter__(self):
        if self._is_once and self._begun:
            raise ValueError(
                f"{_CALLER} was given an iterator, whose rows come once, and they were "
                "read before; pass a list, a DataLoader, or a function that returns a "
                "new iterator."
            )
        self._begun = True
        batches = self._batches
        if callable(batches) and not hasattr(batches, "__iter__"):
            batches = batches()
        is_empty = True
        for batch in batches:
            pair = _pair(batch)
            if n_rows(pair[0]):
                is_empty = False
                yield pair
        if is_empty and self._is_once:
            raise ValueError(
                f"{_CALLER} needs at least one sample; the iterator has no rows left, "
                "which come once: pass a list, a DataLoader, or a function that "
                "returns a new iterator."
            )

    def __array__(self, dtype=None, copy=None):
        raise TypeError(
            f"{_CALLER} come in batches, and this needs all rows in memory: join them "
            "with numpy.concatenate, or go over the batches. evaluate_perturbations, "
            "evaluate_attack and fit of samplers take them as they are."
        )

    def __len__(self):
        return len(self.__array__())

    def perturbed(self, thing, estimator=None):
        """Return the rows under a perturbation or an attack, batch by batch.

        Equal rows in different batches get independent noise, as those in one call do:
        the rows are those of ``thing.perturb(estimator, X, y)`` on all of them.

        Parameters
        ----------
        thing : object with ``perturb(estimator, X, y)``
            What changes rows; fitted, where it learns scales.
        estimator : fitted estimator, default=None
            The model, which attacks need.

        Returns
        -------
        BatchedRows
            Which changes rows each time it is gone over.

        Examples
        --------
        >>> import numpy as np
        >>> from skrobust.datasets import BatchedRows
        >>> from skrobust.perturbations import GaussianNoise
        >>> noise = GaussianNoise(std=0.1, data_range=(0, 1), random_state=0)
        >>> X = np.full((5, 4), 0.5)
        >>> rows = BatchedRows.from_arrays(X, batch_size=2).perturbed(noise)
        >>> bool((np.concatenate([X for X, _ in rows]) == noise.perturb(None, X)).all())
        True
        """
        caller = f"{_CALLER}.perturbed"
        if isinstance(thing, type) or not hasattr(thing, "perturb"):
            rule = "an object with perturb(estimator, X, y)"
            raise invalid("thing", caller, rule, thing)
        check_rows_apart(thing, caller)
        made = BatchedRows(_Perturbed(self, thing, estimator))
        made.n_rows = self.n_rows
        return made

    def answers(self, estimator, method="predict"):
        """Return what a model answers to each row, one array in memory.

        Parameters
        ----------
        estimator : fitted estimator
            The model.
        method : {"predict", "predict_proba", "decision_function"}, default="predict"
            What it is asked.

        Returns
        -------
        ndarray of shape (n_samples, ...)
            The answers in the order of the rows, such as samplers take.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.dummy import DummyClassifier
        >>> from skrobust.datasets import BatchedRows
        >>> X, y = np.zeros((5, 2)), [0, 1, 1, 1, 1]
        >>> model = DummyClassifier().fit(X, y)
        >>> BatchedRows.from_arrays(X, y, batch_size=2).answers(model)
        array([1, 1, 1, 1, 1])
        """
        caller = f"{_CALLER}.answers"
        check_choice(method, "method", caller, _ANSWERS)
        if not hasattr(estimator, method):
            raise ValueError(
                f"{caller} asks for {method}, which {type(estimator).__name__} does "
                "not have; take another method, or a model that has it."
            )
        found = [np.asarray(respond(estimator, method, X)) for X, _ in self]
        if not found:
            raise ValueError(f"{caller} needs at least one sample; got none.")
        return np.concatenate(found)

    def __repr__(self):
        n = "some" if self.n_rows is None else self.n_rows
        return f"{_CALLER}({type(self._batches).__name__}, {n} rows)"


class _Perturbed:
    """Batches under a perturbation or an attack."""

    def __init__(self, rows, thing, estimator):
        self.rows, self.thing, self.estimator = rows, thing, estimator

    def __iter__(self):
        earlier, start = equal_rows.EarlierRows(), 0
        for X, y in self.rows:
            moved, keys = perturbed_batch(self.thing, self.estimator, X, y, start)
            before = earlier.before(0, keys)
            if any(part.any() for part in before):
                parts = self.thing, self.estimator, X, y, start, before
                moved, keys = perturbed_batch(*parts)
            earlier.add({0: keys})
            start += n_rows(X)
            yield moved, y


def perturbed_batch(thing, estimator, X, y, start, before=()):
    """Return perturbed rows of a batch, and the keys of its rows in each keyed call."""
    at = equal_rows.RowNumbers(start, before)
    with equal_rows.numbered_over_batches(at) as numbers:
        return perturb_guarded(thing, estimator, X, y), numbers.keys


def _size(batch_size, caller):
    if batch_size is None:
        return None
    return check_count(batch_size, "batch_size", caller)


def _pair(batch):
    """Return the rows and labels of a batch, tensors as arrays."""
    if not isinstance(batch, (tuple, list)) or len(batch) != 2:
        kind = type(batch).__name__
        if isinstance(batch, (tuple, list)):
            kind = f"{kind} of {len(batch)} parts"
        raise ValueError(
            f"{_CALLER} needs batches that are pairs (X, y), where y may be None. Got "
            f"{kind} instead."
        )
    X, y = batch
    if not (is_frame(X) or is_text(X) or isinstance(X, (list, tuple)) or issparse(X)):
        X = to_array(X)
    if y is None:
        return X, None
    if np.ndim(y) == 0 and not hasattr(y, "detach"):
        raise ValueError(
            f"{_CALLER} needs batches that are pairs (X, y) of several rows and their "
            f"labels. Got {y!r} as y: join the rows to batches, as a DataLoader with "
            "batch_size does, or take BatchedRows.from_arrays."
        )
    y = check_targets(to_array(y) if hasattr(y, "detach") else y, _CALLER)
    if len(y) != n_rows(X):
        raise ValueError(
            f"{_CALLER} needs one label for each row of a batch; there are {n_rows(X)} "
            f"rows and {len(y)} labels."
        )
    return X, y
