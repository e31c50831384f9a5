"""Clips of faces, and a published detector under attacks on frames and on clips."""

import warnings

import numpy as np

from skrobust.attacks import PGD, ClipPGD
from skrobust.datasets import load_image_folder
from skrobust.nets import ClipNet, load_mesonet_weights, make_net_classifier

OPTIONS = {"data_range": (0, 1), "objective": "loss", "random_state": 0}


def clips(folder, n_clips, n_frames):
    """Return clips (n, n_frames, 3, 256, 256) in [0, 1], as many of each label, and 1
    for the real ones.
    """
    path = folder / "deepfake" / "faces"
    found = load_image_folder(path, resize=(256, 256), convert=True)
    pixels = np.asarray(found.images).transpose(0, 3, 1, 2)
    X, y = [], []
    for label in range(2):
        own = np.unique(found.clip[found.target == label])
        for clip in np.random.default_rng(0).permutation(own)[: n_clips // 2]:
            rows = np.flatnonzero(found.clip == clip)
            rows = rows[np.argsort(found.frame[rows])][:n_frames]
            X.append(pixels[rows])
            y.append(int(found.target_names[label] == "Real"))
    return np.stack(X).astype(np.float32) / 255, np.array(y)


def answers(folder, size, eps, way, n_steps):
    """Return labels and the probabilities of all frames, clean and attacked.

    Shapes are (n_clips,), and twice (n_clips, n_frames, 2).
    """
    X, y = clips(folder, *size)
    weights = folder / "deepfake" / "mesonet_weights" / "Meso4_DF.h5"
    net, rows = load_mesonet_weights(weights), {"classes": [0, 1], "fitted": True}
    model = make_net_classifier(net, batch_size=24, **rows)
    ball = {"eps": eps / 255, "n_steps": n_steps, **OPTIONS}
    frames, of_frames = X.reshape(-1, *X.shape[2:]), np.repeat(y, X.shape[1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of frames that no step moves
        if way == "shared":
            whole = make_net_classifier(ClipNet(net), batch_size=4, **rows)
            attack = ClipPGD(over_time="shared", batch_size=4, **ball)
            moved = attack.perturb(whole, X, y).reshape(frames.shape)
        elif way == "per frame":
            moved = PGD(batch_size=24, **ball).perturb(model, frames, of_frames)
        else:
            moved = cumulative(model, X, y, ball).reshape(frames.shape)
    p, q = model.predict_proba(frames), model.predict_proba(moved)
    return y, p.reshape(*X.shape[:2], 2), q.reshape(*X.shape[:2], 2)


def cumulative(model, X, y, ball):
    """Return clips whose frames are attacked in turn.

    The attack on a frame starts from what was added to the one before.
    """
    attack, found = PGD(batch_size=24, **ball), []
    for t in range(X.shape[1]):
        start = None if t == 0 else X[:, t] + (found[-1] - X[:, t - 1])
        found.append(attack.run(model, X[:, t], y, start=start).X_adv)
    return np.stack(found, axis=1)


def detected(folder, size, eps, n_steps, weights):
    """Return the same of a detector by the name of its weights, by PGD per frame."""
    X, y = clips(folder, *size)
    path = folder / "deepfake" / "mesonet_weights" / f"{weights}.h5"
    model = make_net_classifier(
        load_mesonet_weights(path), batch_size=20, classes=[0, 1], fitted=True
    )
    frames, of_frames = X.reshape(-1, *X.shape[2:]), np.repeat(y, X.shape[1])
    attack = PGD(eps / 255, n_steps=n_steps, batch_size=20, **OPTIONS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of frames that no step moves
        moved = attack.perturb(model, frames, of_frames)
    p, q = model.predict_proba(frames), model.predict_proba(moved)
    return y, p.reshape(*X.shape[:2], 2), q.reshape(*X.shape[:2], 2)
