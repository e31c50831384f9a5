"""Set of images that the loaders return."""

import numpy as np
from sklearn.utils import Bunch

from skrobust._optional import require
from skrobust.datasets.row_positions import row_positions

COLUMNS = ("filename", "target", "label", "group", "clip", "frame", "origin")


class ImageSet(Bunch):
    """Images with their labels, groups and clips; a dictionary with attributes.

    Made by the loaders of :mod:`skrobust.datasets`. All arrays have one entry per
    image, in the same order.

    Attributes
    ----------
    images : LazyImages of shape (n_images, height, width, 3)
        Read from disk on demand.
    target : ndarray of shape (n_images,), int
        Position of the label in ``target_names``.
    target_names : list of str
        The labels; for the deepfake sets "fake", "real".
    group : ndarray of str
        What to compare: a group of persons, or where the clip is from.
    clip : ndarray of str
        The video that an image is a frame of; keep a clip on one side of a split.
    frame : ndarray of int
        Number of the frame in its clip; -1 where it is not known.
    origin : ndarray of str
        The real clip that was manipulated, for real clips their own name. Split by it
        to keep a video and its fakes together.
    filenames : ndarray of str
        The files; several frames of a video have the same one.
    skipped : list of (str, str)
        Files that were left out, each with the reason.
    ignored : list of str
        Files that are neither images nor videos by their names.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import numpy as np
    >>> from PIL import Image
    >>> from skrobust.datasets import load_image_folder
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for label in ("fake", "real"):
    ...     (folder / label).mkdir()
    ...     for name in ("7_0.png", "7_30.png"):
    ...         Image.fromarray(np.zeros((4, 4, 3), np.uint8)).save(folder/label/name)
    >>> faces = load_image_folder(folder)
    >>> faces.clip.tolist(), faces.frame.tolist()
    (['fake/7', 'fake/7', 'real/7', 'real/7'], [0, 30, 0, 30])
    """

    def to_frame(self):
        """Return one row per image with everything but the pixels.

        Returns
        -------
        DataFrame
            Of pandas, with the columns filename, target, label, group, clip, frame,
            origin.
        """
        pandas = require("pandas", "to_frame", extra="report")
        labels = np.array(self["target_names"])[self["target"]]
        columns = {**self, "filename": self["filenames"], "label": labels}
        return pandas.DataFrame({name: columns[name] for name in COLUMNS})

    def take(self, rows):
        """Return some of the images with all that belongs to them.

        Parameters
        ----------
        rows : int, slice, or array-like of int or bool
            Positions or a mask.

        Returns
        -------
        ImageSet
            The images are still on disk.

        Raises
        ------
        ValueError
            For what is none of these, and for rows that there are not.
        """
        out = ImageSet(**self)
        rows = row_positions(rows, len(self["target"]), f"{type(self).__name__}.take")
        for name in ("target", "group", "clip", "frame", "origin", "filenames"):
            out[name] = self[name][rows]
        out["images"] = self["images"].take(rows)
        return out

    def __repr__(self):
        if not self.keys() >= {"images", "target", "target_names", "clip", "skipped"}:
            return f"ImageSet({', '.join(self)})"
        clips = len(np.unique(self["clip"]))
        return (
            f"ImageSet({len(self['target'])} images of {clips} clips, "
            f"{self['images'].shape[1:]}, labels {self['target_names']}, "
            f"{len(self['skipped'])} skipped)"
        )
