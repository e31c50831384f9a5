"""Clips that pass encodings: H.264, resizing and chains of both."""

import numpy as np

from skrobust.perturbations import get_preset
from skrobust.studies.study_numbers import Clips, curve, share


def chain_cells(detector):
    """Yield the answers after each encoding, in the form of attacks.

    The frames of each clip are encoded in the order of time.

    Parameters
    ----------
    detector : Detector
        On frames.
    """
    faces, clips = detector.faces, Clips(detector.faces)
    order = [np.flatnonzero(faces.clip == clip) for clip in clips.names]
    order = [own[np.argsort(faces.frame[own], kind="stable")] for own in order]
    for chain in get_preset("video_chain", clips=None, channel_axis=1)[1:]:
        q = detector.answers(chain.name, order, lambda X, c=chain: c.perturb(None, X))
        robust = detector.correct & (q.argmax(axis=1) == faces.y)
        cell = {"attack": chain.name, "norm": None, "eps": None}
        yield {**cell, "robust": robust, "judged": q, "moved": q}


def chain_numbers(detector, cell):
    """Return robust accuracy and robust ratio after one encoding."""
    faces, clips, q = detector.faces, Clips(detector.faces), cell["moved"]
    clip_right = clips.right(detector.p) & clips.right(q)
    return {
        "detector": detector.name,
        "chain": cell["attack"],
        "accuracy": share(cell["robust"], faces.video),
        "clip_accuracy": share(clip_right, clips.video),
        "images": curve(detector.p, q, faces.video),
        "clips": curve(clips.mean(detector.p), clips.mean(q), clips.video),
    }
