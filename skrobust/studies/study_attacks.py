"""Attacks of the deepfake study on images, with their probabilities kept on disk."""

import warnings

import numpy as np
from sklearn.base import clone

from skrobust.attacks import FGSM, PGD, CarliniWagner, ProbabilityShift
from skrobust.studies.study_detectors import batch_size
from skrobust.studies.study_numbers import robust

_ROWS = 32  # images in one part on disk: what is lost when the study is killed
_BOX = {"data_range": (0, 1)}


class Detector:
    """A fitted detector with its answers to the images it is tested on.

    Parameters
    ----------
    name : str
        Name of the detector.
    model : classifier
        Label 1 is real.
    faces : Faces
        Images under test.
    store : Checkpoint
        Where answers are kept.
    verbose : int, default=0
        From 1 on, a progress bar over the parts of each attack.
    """

    def __init__(self, name, model, faces, store, verbose=0):
        self.name, self.model, self.faces, self._store = name, model, faces, store
        self._verbose = verbose
        self._parts = [slice(i, i + _ROWS) for i in range(0, len(faces), _ROWS)]
        self._prefixes = [
            store.prefix(model, faces.X[rows], faces.y[rows]) for rows in self._parts
        ]
        self.p = self.kept("clean", lambda rows: model.predict_proba(faces.X[rows]))
        self.correct = self.p.argmax(axis=1) == faces.y

    def kept(self, name, function, *settings):
        """Return what a function of a slice of the images gives, kept part by part.

        Parts are tasks: they run in parallel under ``joblib.parallel_config``.
        """
        tasks = [
            (self._store.key(prefix, name, *settings), function, rows)
            for rows, prefix in zip(self._parts, self._prefixes, strict=True)
        ]
        label = type(settings[0]).__name__ if settings else name
        how = {"label": f"{self.name}, {label}", "verbose": self._verbose}
        found = [part for part, _ in self._store.run_all(tasks, **how)]
        return np.concatenate(found).astype(np.float64)

    def answers(self, name, clips, change):
        """Return the probabilities on clips that are changed as a whole, kept as one.

        Parameters
        ----------
        name : str
            Of the change.
        clips : list of ndarray of int
            The rows of each clip.
        change : callable
            From the frames of a clip to its changed frames.
        """

        def run():
            q = np.empty_like(self.p)
            for rows in clips:
                q[rows] = self.model.predict_proba(change(self.faces.X[rows]))
            return q

        order = np.concatenate(clips)
        key = self._store.key(self._prefixes, "answers", name, order)
        return np.asarray(self._store.run(key, run), dtype=np.float64)

    def attacked(self, attack):
        """Return the probabilities on the examples of an attack."""
        faces = self.faces

        def run(rows):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # on masked gradients
                X_adv = attack.perturb(self.model, faces.X[rows], faces.y[rows])
            return self.model.predict_proba(X_adv)

        return self.kept("attack", run, attack)


def cells_of(detector, size):
    """Yield one dictionary for each attack and budget.

    Each has ``attack``, ``norm``, ``eps``; ``robust``, which images no run fools;
    ``judged``, the probabilities of the run for accuracy; and ``moved``, those that the
    robust ratio is of. They are two runs for the published attacks, since a run for
    accuracy stops where an image is fooled, and leaves the others closer to the clean
    image than the budget allows.

    Parameters
    ----------
    detector : Detector
        What is attacked.
    size : StudySize
        Budgets and steps.
    """
    shared = {"batch_size": batch_size(detector.model.device), **_BOX}
    budgets = [(np.inf, eps / 255) for eps in size.linf] + [(2, e) for e in size.l2]
    for norm, eps in budgets:
        attack = FGSM(eps, norm=norm, **shared)
        yield _published(detector, "FGSM", attack)
    steps = {"n_steps": size.n_steps, "random_state": 0}
    for eps in size.iterated:
        attack = PGD(eps / 255, **steps, **shared)
        yield _published(detector, "PGD", attack)
        attack = ProbabilityShift(eps / 255, n_restarts=1, **steps, **shared)
        q = detector.attacked(attack)
        yield _cell(detector, "ProbabilityShift", (np.inf, attack.eps), q, q)
    if size.l2:
        yield from _carlini_wagner(detector, size, shared)


def _published(detector, name, attack):
    runs = [
        detector.attacked(clone(attack).set_params(objective=aim))
        for aim in ("misclassification", "loss")
    ]
    return _cell(detector, name, (attack.norm, attack.eps), *runs)


def _cell(detector, name, budget, judged, moved):
    norm, eps = budget
    return {
        "detector": detector.name,
        "attack": name,
        "norm": "inf" if norm == np.inf else "2",
        "eps": float(eps),
        "robust": robust(detector.faces.y, detector.p, judged, moved),
        "judged": judged,
        "moved": moved,
    }


def _carlini_wagner(detector, size, shared):
    """Yield the cells of Carlini-Wagner: one search serves all budgets of its norm.

    Examples beyond a budget are cut to its ball.
    """
    attack = CarliniWagner(
        norm=2,
        n_steps=size.cw_steps,
        n_searches=size.cw_searches,
        initial_const=10,  # few searches: start where nearly all are fooled
        objective="minimal",
        **shared,
    )
    faces, model = detector.faces, detector.model

    def run(rows):
        X, y = faces.X[rows], faces.y[rows]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            delta = attack.perturb(model, X, y) - X
        length = np.sqrt((delta.astype(np.float64) ** 2).sum(axis=(1, 2, 3)))
        out = []
        for eps in size.l2:
            share = np.minimum(1, eps / np.maximum(length, 1e-30))
            X_adv = X + delta * share.astype(np.float32)[:, None, None, None]
            out.append(model.predict_proba(np.clip(X_adv, 0, 1)))
        return np.stack(out, axis=1)

    found = detector.kept("Carlini-Wagner", run, attack, list(size.l2))
    for k, eps in enumerate(size.l2):
        q = found[:, k]
        yield _cell(detector, "CarliniWagner", (2, eps), q, q)


def group_cells(detector, size):
    """Yield the cells that groups of further faces are compared by, of FGSM."""
    shared = {"batch_size": batch_size(detector.model.device), **_BOX}
    for eps in size.iterated:
        yield _published(detector, "FGSM", FGSM(eps / 255, **shared))
