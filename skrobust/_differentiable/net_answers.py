"""Labels of views of nets, and replicas of a net on other devices."""

import copy
import sys

from skrobust._differentiable.net import NetView

_BATCH = 256  # rows of a pass, where a net has no number of its own


def batch_rows(view):
    """Return how many rows a net takes in one pass."""
    size = getattr(view.parts[0], "batch_size", None)
    return size if isinstance(size, int) and size > 0 else _BATCH


def replica_on(view, device):
    """Return the view of a copy of a net on a device; the net is not touched.

    Parameters
    ----------
    view : NetView
        Of the net.
    device : str or torch device
        Where the copy goes.

    Returns
    -------
    NetView
        With the same steps before the net.
    """
    net, *others = view.parts
    module = getattr(net.module_, "_orig_mod", net.module_)
    # As in FastNet: a copy by the copy module would write the net to a file.
    twin = object.__new__(type(net))
    moved = copy.deepcopy(module).to(device)
    twin.__dict__.update(net.__dict__, module_=moved, device=str(device))
    return NetView(twin, *others)


def lies_on(view, device):
    """Return whether a net is on a device; "cuda" is any of its kind."""
    wanted = sys.modules["torch"].device(device)
    here = sys.modules["torch"].device(view.device)
    return wanted.type == here.type and wanted.index in (None, here.index)


def labels_of(view, scores):
    """Return the labels that a net predicts, from its decision scores.

    Parameters
    ----------
    view : NetView
        Of the net.
    scores : tensor of shape (n_samples, n_classes)
        As ``decision_scores`` of the view has them.

    Returns
    -------
    ndarray of shape (n_samples,)
        Labels; those of plain nets of skorch are columns.
    """
    net, columns = view.parts[0], scores.argmax(1).cpu().numpy()
    return net.classes_[columns] if hasattr(net, "label_columns") else columns
