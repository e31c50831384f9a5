"""Checks of what the deepfake study is given, and counts of what it tests."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from skrobust._validation import invalid
from skrobust.datasets import FaceCrop
from skrobust.studies.study_detectors import CLASSES
from skrobust.studies.study_sizes import DETECTORS

CALLER = "deepfake_study"


def check_detectors(detectors, weights, orders):
    """Return names, weights and orders of detectors as a list and dictionaries."""
    names = [detectors] if isinstance(detectors, str) else detectors
    if isinstance(names, np.ndarray):
        names = names.tolist()
    known = isinstance(names, (list, tuple)) and all(
        isinstance(name, str) and name in DETECTORS for name in names
    )
    if not known or not names or len(set(names)) < len(names):
        rule = f"one or several of {', '.join(DETECTORS)}, each once"
        raise invalid("detectors", CALLER, rule, detectors)
    for parameter, given in (("weights", weights), ("orders", orders)):
        if given is not None and not isinstance(given, Mapping):
            raise invalid(parameter, CALLER, "None or a dict by detector", given)
    names = list(names)
    weights, orders = dict(weights or {}), dict(orders or {})
    for parameter, given in (("weights", weights), ("orders", orders)):
        strange = [name for name in given if name not in names]
        if strange:
            rule = f"for the detectors of the study, {', '.join(names)}"
            raise invalid(parameter, CALLER, rule, strange[0])
    for name, path in weights.items():
        if not Path(path).is_file():
            raise invalid("weights", CALLER, f"a file for {name}", str(path))
    for name, order in orders.items():
        if sorted(order) != sorted(CLASSES):
            rule = "('real', 'fake') or ('fake', 'real') for a detector"
            raise invalid("orders", CALLER, rule, {name: order})
    return names, weights, orders


def face_crop(model):
    """Return the crop of faces, or say at once what it lacks."""
    crop = FaceCrop(model=None if model is None else str(model))
    try:
        crop.check()
    except ImportError as error:
        raise ImportError(
            f"{CALLER} needs a detector of faces to cut them out ({error}) For faces "
            "that are cut out already pass cropped=True (--cropped)."
        ) from error
    return crop


def check_labels(train, test):
    """Raise unless there are real and fake faces to train on and to test on."""
    for faces, doing in ((train, "train on"), (test, "test on")):
        if faces is not None and len(np.unique(faces.y)) < 2:
            found = "none" if not len(faces) else CLASSES[int(faces.y[0])]
            raise ValueError(
                f"{CALLER} needs real and fake faces to {doing}; it has {found} only."
            )


def data_counts(sources, train, test):
    """Return what is tested, as counts."""
    _, first = np.unique(test.clip, return_index=True)
    n_fake, n_real = np.bincount(test.y[first], minlength=2).tolist()
    counts = np.bincount(test.y)
    rows = []
    for name, path in sources.items():
        own = test.source == name
        n_clips = len(np.unique(test.clip[own]))
        row = {"source": name, "path": Path(path).name, "n_clips": n_clips}
        rows.append(row | {"n_images": int(own.sum())})
    return {
        "sources": rows,
        "n_images": len(test),
        "n_clips": len(first),
        "n_fake_clips": n_fake,
        "n_real_clips": n_real,
        "n_videos": len(np.unique(test.video)),
        "n_train_images": len(train),
        "constant_accuracy": float(counts.max() / counts.sum()),
    }
