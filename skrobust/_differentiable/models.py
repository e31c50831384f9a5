"""Heads of linear models, multilayer perceptrons and Gaussian models."""

import numpy as np
from scipy.special import expit

from skrobust._differentiable.heads import Head, two_columns
from skrobust._differentiable.maps import Map, chain, dense, linear

LINKS = {
    "LogisticRegression": "softmax",
    "LogisticRegressionCV": "softmax",
    "LinearDiscriminantAnalysis": "softmax",
    "LinearSVC": None,
    "Perceptron": None,
    "PassiveAggressiveClassifier": None,
    "RidgeClassifier": None,
    "RidgeClassifierCV": None,
    "SGDClassifier": None,
}
REGRESSORS = {
    "ARDRegression", "BayesianRidge", "ElasticNet", "ElasticNetCV", "GammaRegressor",
    "HuberRegressor", "Lars", "LarsCV", "Lasso", "LassoCV", "LassoLars",
    "LinearRegression", "LinearSVR", "OrthogonalMatchingPursuit", "PoissonRegressor",
    "QuantileRegressor", "Ridge", "RidgeCV", "SGDRegressor", "TheilSenRegressor",
    "TweedieRegressor",
}  # fmt: skip


def linear_head(model, name):
    """Return the head of a linear classifier."""
    link = LINKS[name]
    if name == "SGDClassifier":
        link = {"log_loss": "sigmoid", "modified_huber": "huber"}.get(model.loss)
    scores = _coefficients(model)
    if len(model.classes_) == 2:
        scores = two_columns(scores)
    return Head(scores, model.classes_, link, model=model)


def _coefficients(model):
    weights = np.atleast_2d(dense(model.coef_)).reshape(-1, np.shape(model.coef_)[-1])
    return linear(weights.T, dense(model.intercept_).reshape(1, -1))


def linear_regression(model, name):
    """Return the head of a linear regressor, with the link of a generalised one."""
    value = _coefficients(model)
    if np.ndim(model.coef_) == 2 and len(model.coef_) > 1:
        return None  # several targets
    is_log = name in ("GammaRegressor", "PoissonRegressor")
    if name == "TweedieRegressor":
        is_log = model.link == "log" or (model.link == "auto" and model.power > 0)
    if is_log:
        value = chain([value, _elementwise(np.exp, lambda x, z: z)])
    return Head(value)


def _elementwise(function, slope_of):
    """Return the map of a function of one number and its slope by (x, z)."""

    def apply(x):
        z = function(x)
        return z, lambda slope: slope * slope_of(x, z)

    return Map(apply)


ACTIVATIONS = {
    "identity": (lambda x: x, lambda x, z: 1.0),
    "logistic": (expit, lambda x, z: z * (1 - z)),
    "relu": (lambda x: np.maximum(x, 0), lambda x, z: x > 0),
    "tanh": (np.tanh, lambda x, z: 1 - z * z),
}


def layers_map(model):
    """Return the map of a multilayer perceptron up to its last activation."""
    maps = []
    for weights, offset in zip(model.coefs_, model.intercepts_, strict=True):
        maps += [linear(dense(weights), dense(offset))]
        maps += [_elementwise(*ACTIVATIONS[model.activation])]
    return chain(maps[:-1])


def mlp_head(model, name):
    """Return the head of an MLPClassifier, up to its logits."""
    scores = layers_map(model)
    if model.out_activation_ == "logistic" and len(model.classes_) == 2:
        scores = two_columns(scores)
    elif model.out_activation_ != "softmax":
        return None  # several labels a row
    return Head(scores, model.classes_, "softmax")


def mlp_regression(model, name):
    """Return the head of an MLPRegressor with one target."""
    return Head(layers_map(model)) if model.n_outputs_ == 1 else None


def gaussian_head(model, name):
    """Return the head of GaussianNB: the joint logarithms of probability."""
    middle, spread = dense(model.theta_), dense(model.var_)
    fixed = np.log(model.class_prior_) - 0.5 * np.log(2 * np.pi * spread).sum(axis=1)

    def apply(x):
        apart = [x - m for m in middle]
        far = [(a * a / v).sum(axis=1) for a, v in zip(apart, spread, strict=True)]

        def pullback(slope):
            parts = zip(apart, spread, slope.T, strict=True)
            return sum(-s[:, None] * a / v for a, v, s in parts)

        return fixed - 0.5 * np.stack(far, axis=1), pullback

    return Head(Map(apply), model.classes_, "softmax")


def quadratic_head(model, name):
    """Return the head of QuadraticDiscriminantAnalysis: the log posteriors."""
    middle = dense(model.means_)
    axes = zip(model.rotations_, model.scalings_, strict=True)
    turned = [dense(r) * dense(s) ** -0.5 for r, s in axes]
    sizes = np.array([np.log(s).sum() for s in model.scalings_])
    fixed = np.log(model.priors_) - 0.5 * sizes

    def apply(x):
        z = [(x - m) @ w for m, w in zip(middle, turned, strict=True)]

        def pullback(slope):
            parts = zip(z, turned, slope.T, strict=True)
            return sum((-s[:, None] * one) @ w.T for one, w, s in parts)

        far = np.stack([(one * one).sum(axis=1) for one in z], axis=1)
        return fixed - 0.5 * far, pullback

    return Head(Map(apply), model.classes_, "softmax")


MODELS = {
    **dict.fromkeys(LINKS, linear_head),
    **dict.fromkeys(REGRESSORS, linear_regression),
    "MLPClassifier": mlp_head,
    "MLPRegressor": mlp_regression,
    "GaussianNB": gaussian_head,
    "QuadraticDiscriminantAnalysis": quadratic_head,
}
