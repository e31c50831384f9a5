"""Heads of support vector machines and kernel ridge."""

from itertools import combinations

import numpy as np

from skrobust._differentiable.duel_margins import duel_margins
from skrobust._differentiable.heads import Head, two_columns
from skrobust._differentiable.kernels import KERNELS, find_gamma, kernel_map
from skrobust._differentiable.maps import chain, dense, linear
from skrobust._differentiable.steps import ask
from skrobust._differentiable.vote_models import counted_pairs


def _machine(model, weights, offset, method, tail=(), instead=None):
    """Return the map of a support vector machine to its answers, or None.

    ``tail`` holds the maps between its raw decisions and what ``method`` returns.
    With ``instead`` a second map has that one in the place of the tail.
    """
    build = _builder(model, weights, offset)
    gamma = _gamma(model, lambda g: build(g, tail), method)
    answers = None if gamma is None else build(gamma, tail)
    if instead is None:
        return answers
    return answers, None if gamma is None else build(gamma, [instead])


def _builder(model, weights, offset):
    points = dense(model.support_vectors_)

    def build(gamma, tail):
        kernel = kernel_map(model.kernel, points, gamma, model.degree, model.coef0)
        return chain([kernel, linear(weights, offset), *tail])

    return build


def _gamma(model, build, method):
    """Return the gamma of a machine, or None where its answers do not tell it."""
    if model.kernel not in KERNELS:
        return None
    points = dense(model.support_vectors_)
    gamma = 1 / points.shape[1] if model.gamma == "auto" else model.gamma
    if model.kernel == "linear":
        gamma = 1.0
    if isinstance(gamma, str):
        gamma = find_gamma(
            lambda rows: ask(method, rows).reshape(len(rows), -1),
            lambda g, rows: build(g).apply(rows)[0],
            points,
        )
    return None if gamma is None else float(gamma)


def svc_head(model, name):
    """Return the head of SVC or NuSVC.

    Two classes: the decision function. More: one against one, its decisions counted and
    summed as in ``decision_function_shape="ovr"``. The label is that with most votes,
    the first of several. The map is that of the decisions; attacks on labels follow the
    margins of the votes.
    """
    dual, offset = dense(model.dual_coef_), dense(model.intercept_)
    method = model.decision_function
    classes, k = model.classes_, len(model.classes_)
    if k == 2:
        raw = _machine(model, dual.T, offset, method)
        return None if raw is None else Head(two_columns(raw), classes, model=model)
    weights = _pair_weights(model)
    counted, by_pair = counted_pairs(k), model.decision_function_shape == "ovo"
    tail = [] if by_pair else [counted]
    scores, margins = _machine(model, weights, offset, method, tail, duel_margins(k))
    if scores is None:
        return None
    scores = chain([scores, counted]) if by_pair else scores
    if model.break_ties and not by_pair:
        return Head(scores, classes, model=model)
    return Head(scores, classes, decide=_most_votes, margins=margins, model=model)


def _pair_weights(model):
    """Return the weights of the support vectors in each duel of two classes."""
    dual, k = dense(model.dual_coef_), len(model.classes_)
    pairs = list(combinations(range(k), 2))
    caller = np.repeat(np.arange(k), model.n_support_)
    weights = np.zeros((dual.shape[1], len(pairs)))
    for column, (i, j) in enumerate(pairs):
        weights[caller == i, column] = dual[j - 1, caller == i]
        weights[caller == j, column] = dual[i, caller == j]
    return weights


def pair_machine(model):
    """Return the parts of the duels of a fitted SVC or NuSVC, or None.

    Parameters
    ----------
    model : SVC or NuSVC
        Fitted.

    Returns
    -------
    points, weights, offset, gamma : ndarray, ndarray, ndarray, float
        Support vectors, their weights in each duel of shape (n_support, n_pairs), its
        offset, and gamma of the kernel. The duel of (i, j) is positive for i; that of
        two classes for the second.
    """
    offset, k = dense(model.intercept_), len(model.classes_)
    weights = dense(model.dual_coef_).T if k == 2 else _pair_weights(model)
    voting = k > 2 and model.decision_function_shape == "ovr"
    tail, build = [counted_pairs(k)] if voting else [], _builder(model, weights, offset)
    gamma = _gamma(model, lambda g: build(g, tail), model.decision_function)
    if gamma is None:
        return None
    return dense(model.support_vectors_), weights, offset, gamma


def _most_votes(scores):
    """Return scores whose largest is the first class with the most votes."""
    winner = np.rint(scores).argmax(axis=1)
    rows = np.arange(len(scores))
    peak = scores.max(axis=1)
    ahead = scores[rows, winner] < peak
    if not ahead.any():
        return scores
    out = scores.copy()
    out[rows[ahead], winner[ahead]] = peak[ahead] + 1e-9
    return out


def svr_head(model, name):
    """Return the head of SVR or NuSVR."""
    dual, offset = dense(model.dual_coef_), dense(model.intercept_)
    raw = _machine(model, dual.T, offset, model.predict)
    return None if raw is None else Head(raw)


def kernel_ridge_head(model, name):
    """Return the head of KernelRidge with one target."""
    points, dual = dense(model.X_fit_), dense(model.dual_coef_)
    if model.kernel not in KERNELS or (dual.ndim == 2 and dual.shape[1] > 1):
        return None
    kernel = kernel_map(model.kernel, points, model.gamma, model.degree, model.coef0)
    return Head(chain([kernel, linear(dual.reshape(-1, 1))]))


MODELS = {
    "SVC": svc_head,
    "NuSVC": svc_head,
    "SVR": svr_head,
    "NuSVR": svr_head,
    "KernelRidge": kernel_ridge_head,
}
