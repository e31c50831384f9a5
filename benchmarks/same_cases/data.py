"""Data that the cases share."""

import inspect

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris
from sklearn.preprocessing import minmax_scale

DIGITS = load_digits(return_X_y=True)
CANCER = load_breast_cancer(return_X_y=True)
CANCER = (minmax_scale(CANCER[0]), CANCER[1])
DIABETES = load_diabetes(return_X_y=True)
IRIS = load_iris(return_X_y=True)


def rng(seed=0):
    """Return a generator of its own for one purpose."""
    return np.random.default_rng(seed)


def signature(function):
    """Return the names of the parameters of a function or class."""
    return inspect.signature(function).parameters
