"""Fitted detectors of the deepfake study: given weights, or trained here."""

import io
import warnings

import numpy as np

from skrobust._optional import require
from skrobust._sealed import find_named, write_named
from skrobust._validation import invalid
from skrobust.base.content_digest import content_digest
from skrobust.evaluation.core.checkpoint import versions_of
from skrobust.nets import make_net_classifier
from skrobust.nets.state_dicts import read_state_dict

CLASSES = ("fake", "real")


def make_detectors(names, weights, orders, train, size, *, device, keep, seed, say):
    """Return fitted classifiers by name, and a sentence on the weights of each.

    Parameters
    ----------
    names : list of str
        Names of :data:`skrobust.studies.face_nets.KINDS`.
    weights : dict of str to path
        Files of weights by the name of the detector.
    orders : dict of str to tuple
        The label of each output of given weights, where it is not fake before real.
    train : Faces
        What the others are trained on.
    size : StudySize
        How many epochs.
    device : str
        Device of torch.
    keep : path
        Folder of trained weights.
    seed : int
        Of the training.
    say : callable
        Called with a line on what begins.
    """
    models, origin = {}, {}
    for name in names:
        net, ready = _net(name, weights, orders, seed)
        classes = [0, 1]  # the order of training
        if ready:
            classes = [CLASSES.index(label) for label in orders.get(name, CLASSES)]
            origin[name] = "given weights, which may have been trained on these clips"
        else:
            begun = "given weights" if name in weights else "random weights"
            origin[name] = (
                f"trained here from {begun} on {len(np.unique(train.clip))} other "
                f"clips ({len(train)} images, each also mirrored, {size.n_epochs} "
                f"epoch{'s' if size.n_epochs > 1 else ''})"
            )
            stem = _stem_of(name, net, train, size, seed)
            file = find_named(keep, stem, ".pt")  # damaged ones are left out
            say(f"{name} is {origin[name]}{', kept' if file else ''}")
            if file is None:
                file = write_named(
                    keep, stem, ".pt", _trained(net, train, size, device, seed)
                )
            _load(net, file)
        # Small batches stay in the cache of a CPU: up to five times faster.
        models[name] = make_net_classifier(
            net.eval(),
            classes=classes,
            fitted=True,
            device=device,
            batch_size=batch_size(device),
        )
    return models, origin


def batch_size(device):
    """Return how many images a detector takes at a time."""
    return 4 if str(device) == "cpu" else 128


def needs_training(names, weights, orders):
    """Return the detectors whose weights are not ready for use.

    Raises ValueError where an order is given for one of them.
    """
    return [name for name in names if not _net(name, weights, orders, 0)[1]]


def _net(name, weights, orders, seed):
    torch = require("torch", "deepfake_study", extra="deepfake")
    from skrobust.studies.face_nets import make_net

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        net, ready = make_net(name, weights.get(name))
    if name in orders and not ready:
        rule = f"for detectors with ready weights, and {name} is trained here"
        cure = "Leave it out: training takes the labels in the order fake, real."
        raise invalid("orders", "deepfake_study", rule, {name: orders[name]}, cure)
    return net, ready


def _stem_of(name, net, train, size, seed):
    """Return the beginning of the name of the file with the weights after training."""
    import torch

    begun = [v.numpy() for v in net.state_dict().values()]
    known = [begun, train.X, train.y, size.n_epochs, seed]
    known += [versions_of(net), str(torch.__version__)]
    return f"{name}_{content_digest(known)[:12]}"


def _load(net, file):
    net.load_state_dict(read_state_dict(file, "deepfake_study"))


def _trained(net, train, size, device, seed):
    """Return the weights of the net after training, as the bytes of a file."""
    import torch

    classifier = make_net_classifier(
        net,
        classes=[0, 1],
        device=device,
        max_epochs=size.n_epochs,
        batch_size=16,
        random_state=seed,
    )
    X = np.concatenate([train.X, train.X[..., ::-1]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        classifier.fit(X, np.tile(train.y, 2))
    file = io.BytesIO()
    torch.save(classifier.module_.cpu().state_dict(), file)
    return file.getvalue()
