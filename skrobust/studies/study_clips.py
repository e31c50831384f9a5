"""Attacks on the score of whole clips."""

import warnings

import numpy as np

from skrobust.attacks import PGD, ClipPGD
from skrobust.nets import make_net_classifier
from skrobust.studies.study_attacks import Detector
from skrobust.studies.study_detectors import batch_size
from skrobust.studies.study_faces import Faces
from skrobust.studies.study_numbers import curve, robust, share

_OVER_TIME = {
    "free": "of its own in each frame",
    "smooth": "smooth over time",
    "shared": "one for all frames",
}
CUMULATIVE = "frame by frame, cumulative"
_BOX = {"data_range": (0, 1)}


def whole_clips(faces):
    """Return faces whose rows are clips, each of the median number of frames.

    The median is rounded down. Of longer clips the first frames are taken, and shorter
    ones are left out. None where the median is below two.
    """
    clips = np.unique(faces.clip)
    rows = [np.flatnonzero(faces.clip == clip) for clip in clips]
    n_frames = int(np.median([len(own) for own in rows]))
    rows = [
        own[np.argsort(faces.frame[own], kind="stable")][:n_frames]
        for own in rows
        if len(own) >= n_frames
    ]
    if n_frames < 2:
        return None
    first = faces.take(np.array([own[0] for own in rows]))
    names = ("clip", "origin", "video", "frame", "group", "source")
    columns = {name: getattr(first, name) for name in names}
    return Faces(faces.X[np.stack(rows)], first.y, **columns)


def clip_cells(detector, size, store):
    """Yield the numbers of the attacks on clips, one dictionary for each way.

    Parameters
    ----------
    detector : Detector
        On frames.
    size : StudySize
        Budget and steps.
    store : Checkpoint
        Where answers are kept.
    """
    faces, model = whole_clips(detector.faces), detector.model
    if faces is None:
        return
    from skrobust.nets import ClipNet  # loads torch

    n_frames = faces.X.shape[1]
    n_clips = max(1, batch_size(model.device) // n_frames)
    of_clips = make_net_classifier(
        ClipNet(model.module_),
        classes=list(model.classes),
        fitted=True,
        device=model.device,
        batch_size=n_clips,
    )
    whole = Detector(detector.name, of_clips, faces, store)
    ball = {"eps": size.clip_eps / 255, "random_state": 0, **_BOX}
    ball |= {"n_steps": size.n_steps}
    for over_time, words in _OVER_TIME.items():
        if over_time == "smooth" and n_frames <= 2:
            continue  # a line through two frames is free
        attack = ClipPGD(over_time=over_time, batch_size=n_clips, **ball)
        judged = whole.attacked(attack.set_params(objective="misclassification"))
        moved = whole.attacked(attack.set_params(objective="loss"))
        yield _numbers(whole, words, ball["eps"], judged, moved)
    attack = PGD(batch_size=batch_size(model.device), objective="loss", **ball)
    q = whole.kept("cumulative", lambda rows: _cumulative(attack, model, faces, rows))
    yield _numbers(whole, CUMULATIVE, ball["eps"], q, q)


def _cumulative(attack, model, faces, rows):
    """Return the probabilities of clips whose frames are attacked in turn.

    The attack on a frame starts from the perturbation of the one before, so that what
    it found is kept and grows.
    """
    X, y = faces.X[rows], faces.y[rows]
    found, q = X[:, 0], []
    for t in range(X.shape[1]):
        start = None if t == 0 else X[:, t] + (found - X[:, t - 1])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            found = attack.run(model, X[:, t], y, start=start).X_adv
        q.append(model.predict_proba(found))
    return np.mean(q, axis=0)


def _numbers(detector, over_time, eps, judged, moved):
    faces = detector.faces
    right = robust(faces.y, detector.p, judged, moved)
    return {
        "detector": detector.name,
        "over_time": over_time,
        "norm": "inf",
        "eps": eps,
        "n_clips": len(faces),
        "n_frames": faces.X.shape[1],
        "accuracy": share(right, faces.video),
        "clips": curve(detector.p, moved, faces.video),
    }
