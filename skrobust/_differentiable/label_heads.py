"""Heads of one or any label of models that predict several labels per row."""

from dataclasses import replace

import numpy as np

from skrobust._differentiable.heads import Head, two_columns
from skrobust._differentiable.maps import Map, beside, chain, linear, pick
from skrobust._differentiable.models import layers_map
from skrobust.base.label_codes import selection
from skrobust.base.one_label import ANY


def label_head(model, name, label, translate):
    """Return the head of one label, or None.

    Parameters
    ----------
    model : fitted estimator
        Without the steps before it.
    name : str
        Its class.
    label : int or "any"
        Place of the label, or all of them.
    translate : callable
        From an estimator to its head.
    """
    if label == ANY:
        return _joint_head(model, name, translate)
    if name == "MultiOutputClassifier":
        return translate(model.estimators_[label])
    both = np.array([0, 1])
    if name == "OneVsRestClassifier" and model.multilabel_:
        return replace(translate(model.estimators_[label]), classes=both, model=None)
    if name == "MLPClassifier" and model.n_outputs_ > 1:
        own = chain([layers_map(model), pick(np.array([label]))])
        return Head(two_columns(own), both, "softmax")
    return None


def _joint_head(model, name, translate):
    """Return the head whose classes are the combinations of all labels, or None."""
    n_labels = getattr(model, "n_outputs_", len(getattr(model, "estimators_", ())))
    heads = [label_head(model, name, k, translate) for k in range(n_labels)]
    if not heads or not all(map(_decides_by_scores, heads)):
        return None
    # A product of softmaxes is the softmax of the sums.
    maps, link = [head.map for head in heads], "softmax"
    if any(head.link is None for head in heads):
        link = None
    elif any(head.link != "softmax" for head in heads):
        maps = [Map(head.log_proba, stand_in=head.map.stand_in) for head in heads]
    sums = selection([len(head.classes) for head in heads])
    whole = chain([beside(maps), linear(sums)])
    return Head(whole, np.arange(sums.shape[1]), link)


def _decides_by_scores(head):
    """Say whether the largest score of a head is the label, as it is."""
    if head is None or head.classes is None:
        return False
    return head.offset is None and head.decide is None and head.margins is None
