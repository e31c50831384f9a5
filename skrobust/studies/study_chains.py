"""Clips that pass encodings: H.264, resizing and chains of both."""

import numpy as np

from skrobust.perturbations import get_preset
from skrobust.studies.study_numbers import Clips, curve, share


def chain_numbers(detector):
    """Return robust accuracy and robust ratio of each encoding.

    The frames of each clip are encoded in the order of time.

    Parameters
    ----------
    detector : Detector
        On frames.
    """
    faces, clips = detector.faces, Clips(detector.faces)
    order = [np.flatnonzero(faces.clip == clip) for clip in clips.names]
    order = [own[np.argsort(faces.frame[own], kind="stable")] for own in order]
    rows = []
    for chain in get_preset("video_chain", clips=None, channel_axis=1)[1:]:
        q = detector.answers(chain.name, order, lambda X, c=chain: c.perturb(None, X))
        right = detector.correct & (q.argmax(axis=1) == faces.y)
        clip_right = clips.right(detector.p) & clips.right(q)
        rows.append(
            {
                "detector": detector.name,
                "chain": chain.name,
                "accuracy": share(right, faces.video),
                "clip_accuracy": share(clip_right, clips.video),
                "images": curve(detector.p, q, faces.video),
                "clips": curve(clips.mean(detector.p), clips.mean(q), clips.video),
            }
        )
    return rows
