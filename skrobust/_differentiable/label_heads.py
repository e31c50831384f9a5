"""Heads of one label of models that predict several labels per row."""

from dataclasses import replace

import numpy as np

from skrobust._differentiable.heads import Head, two_columns
from skrobust._differentiable.maps import chain, pick
from skrobust._differentiable.models import layers_map


def label_head(model, name, label, translate):
    """Return the head of one label, or None.

    Parameters
    ----------
    model : fitted estimator
        Without the steps before it.
    name : str
        Its class.
    label : int
        Place of the label.
    translate : callable
        From an estimator to its head.
    """
    if name == "MultiOutputClassifier":
        return translate(model.estimators_[label])
    both = np.array([0, 1])
    if name == "OneVsRestClassifier" and model.multilabel_:
        return replace(translate(model.estimators_[label]), classes=both, model=None)
    if name == "MLPClassifier" and model.n_outputs_ > 1:
        own = chain([layers_map(model), pick(np.array([label]))])
        return Head(two_columns(own), both, "softmax")
    return None
