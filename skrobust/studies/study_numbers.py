"""Numbers of the deepfake study for one detector under one attack."""

import warnings

import numpy as np
from sklearn.metrics import roc_auc_score

from skrobust.evaluation.attacked.temperature import fit_temperature, tempered
from skrobust.metrics import (
    aggregate_clips,
    clip_robustness,
    confidence_interval,
    robust_ratio_band,
    robust_ratio_curve,
)

TOLERANCES = np.arange(21) / 100


def quietly(function, *arguments, **settings):
    """Call a function without its warnings on few clips, which the page tells."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*arguments, **settings)


class Clips:
    """The clips of some faces: how frames are put together, and what is known of them.

    Parameters
    ----------
    faces : Faces
        Frames.
    """

    def __init__(self, faces):
        self._clip = faces.clip
        _, first = np.unique(faces.clip, return_index=True)
        first = np.sort(first)  # clips in the order in which they first occur
        self.y, self.video = faces.y[first], faces.video[first]
        self.names, self.group = faces.clip[first], faces.group[first]

    def mean(self, p):
        """Return the mean probabilities of the frames of each clip."""
        return aggregate_clips(p, self._clip)[0]

    def right(self, p):
        """Return which clips have the label of their mean probabilities."""
        return self.mean(p).argmax(axis=1) == self.y


def robust(y, p, judged, moved):
    """Return which images or clips are right without attack and in both of its runs.

    The run for accuracy leaves the frames that it fooled close to the clean ones, so
    the run to the end may fool more clips, and now and then another image.

    Parameters
    ----------
    y : ndarray of int of shape (n,)
        Labels.
    p, judged, moved : ndarray of shape (n, 2)
        Probabilities without attack, and after each of its runs.
    """
    right = [q.argmax(axis=1) == y for q in (p, judged, moved)]
    return np.logical_and.reduce(right)


def share(correct, video):
    """Return a share with the limits over videos, as a dictionary."""
    found = quietly(confidence_interval, "robust_accuracy", correct, clusters=video)
    return {"value": float(np.mean(correct)), "low": found.low, "high": found.high}


def curve(p, q, video):
    """Return the robust ratio over the tolerances with pointwise limits over videos."""
    band = quietly(robust_ratio_band, p, q, tolerances=TOLERANCES, clusters=video)
    return {"ratio": band.ratio, "low": band.low, "high": band.high}


def detector_numbers(detector, origin):
    """Return what there is to say of a detector before any attack."""
    faces, clips = detector.faces, Clips(detector.faces)
    both = len(np.unique(faces.y)) == 2
    return {
        "detector": detector.name,
        "weights": origin,
        "accuracy": share(detector.correct, faces.video),
        "clip_accuracy": share(clips.right(detector.p), clips.video),
        "auc": float(roc_auc_score(faces.y, detector.p[:, 1])) if both else None,
        "share_sure": float((detector.p.max(axis=1) > 0.99).mean()),
        "temperature": fit_temperature(detector.p, faces.y),
    }


def cell_numbers(detector, cell):
    """Return robust accuracy and robust ratio of images and clips, with limits.

    Parameters
    ----------
    detector : Detector
        What was attacked.
    cell : dict
        From :func:`~skrobust.studies.study_attacks.cells_of`.
    """
    faces, clips, p = detector.faces, Clips(detector.faces), detector.p
    judged, moved = cell["judged"], cell["moved"]
    clip_robust = robust(clips.y, *map(clips.mean, (p, judged, moved)))
    temperature = fit_temperature(p, faces.y)
    scaled = [tempered(rows, temperature) for rows in (p, moved)]
    found = quietly(
        clip_robustness, faces.y, p, moved, faces.clip, random_state=0, n_resamples=499
    )
    return {
        **{key: cell[key] for key in ("detector", "attack", "norm", "eps")},
        "accuracy": share(cell["robust"], faces.video),
        "clip_accuracy": share(clip_robust, clips.video),
        "images": curve(p, moved, faces.video),
        "clips": curve(clips.mean(p), clips.mean(moved), clips.video),
        "tempered": quietly(robust_ratio_curve, *scaled, tolerances=TOLERANCES)[1],
        "linearity": _linearity(found.linearity),
    }


def _linearity(table):
    """Return R squared of the chord of images, clips and their difference."""
    r, low, high = (table[f"r_squared_chord{end}"] for end in ("", "_low", "_high"))
    units = ("images", "clips", "difference")
    return {
        unit: {"value": r[k], "low": low[k], "high": high[k]}
        for k, unit in enumerate(units)
    }
