"""Two models for the demo, trained on handwritten digits."""

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from skrobust.nets import small_cnn_classifier
from skrobust.perturbations import (
    Brightness,
    Contrast,
    GaussianBlur,
    GaussianNoise,
    Occlusion,
    Rotation,
    SaltAndPepper,
)
from skrobust.perturbations.severity_grid import severity_grid

_IMAGES = {"image_shape": (8, 8), "data_range": (0.0, 16.0)}  # raw values


def digits_demo(seed, quick):
    """Return the models of digits, not fitted, and the arguments of their report.

    The conditions are those that pictures of 8 x 8 pixels allow: shake and zoom, whose
    strengths are made for photographs, leave nothing of them to read.

    Parameters
    ----------
    seed : int
        Seed of the split and the models.
    quick : bool
        Fewer passes of the CNN and fewer rows scored.

    Returns
    -------
    models : dict of str to estimator or str
        A support vector machine and a small CNN, not fitted. Text is the reason why a
        model is not available.
    rows : tuple
        Training rows, test rows, training labels and test labels.
    settings : dict
        Further arguments of :func:`~skrobust.report.collect_report`.
    """
    X, y = load_digits(return_X_y=True)
    rows = train_test_split(
        X, y, test_size=200 if quick else 0.3, random_state=seed, stratify=y
    )
    # Probabilities of a support vector machine come from a calibration on top.
    svc = CalibratedClassifierCV(SVC(), ensemble=False)
    epochs = 8 if quick else 30
    fitting = {"epochs": epochs, "random_state": seed, "verbose": 0}
    try:
        net = small_cnn_classifier((8, 8), 10, **fitting)
    except ImportError as error:
        net = str(error)
    models = {"SVC": make_pipeline(svc), "small CNN": net}
    settings = {
        **_IMAGES,
        "conditions": _conditions(seed),
        "eps": 0.8,
        "norm": np.inf,
        "attacks": ["FGSM", "PGD"],  # in seconds; "auto" takes minutes for the net
        "thresholds": {"accuracy": 0.95, "worst_accuracy": 0.8, "robust_accuracy": 0.5},
        "n_samples": len(X),
        "class_counts": np.bincount(y),
        "title": "Handwritten digits: two models",
        "dataset": "digits (scikit-learn)",
    }
    return models, rows, settings


def _conditions(seed):
    kinds = {
        "noise": GaussianNoise,
        "salt-and-pepper": SaltAndPepper,
        "brightness": Brightness,
        "contrast": Contrast,
        "blur": GaussianBlur,
        "rotation": Rotation,
        "occlusion": Occlusion,
    }
    named = {name: kind(**_IMAGES) for name, kind in kinds.items()}
    return severity_grid(named, (1, 2, 3), "skrobust demo", seed)
