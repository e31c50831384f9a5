"""Two models for the demo, trained on handwritten digits."""

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from skrobust.nets import small_cnn_classifier
from skrobust.report import collect_report


def demo_data(seed, *, quick=False):
    """Return training and test rows of the digits, raw values 0 to 16."""
    X, y = load_digits(return_X_y=True)
    size = 200 if quick else 0.3
    return train_test_split(X, y, test_size=size, random_state=seed, stratify=y)


def run_demo(
    seed, *, quick=False, call=None, progress=None, verbose=0, checkpoint=None
):
    """Train a support vector machine and a small CNN, and collect their report.

    Parameters
    ----------
    seed : int
        Seed of the split, the models and the report.
    quick : bool, default=False
        Fewer passes of the CNN and fewer rows scored.
    call : str, default=None
        Call that reproduces the report.
    progress : callable, default=None
        Called with a line before each step.
    verbose : int, default=0
        From 1 on, progress bars.
    checkpoint : str or None, default=None
        Folder of finished measurements; the models are trained again, to the same
        weights.

    Returns
    -------
    collected : dict
        For :func:`~skrobust.report.write_report`.
    """
    say = progress or (lambda line: None)
    X_train, X_test, y_train, y_test = demo_data(seed, quick=quick)
    epochs = 8 if quick else 30
    models, skipped = _untrained(seed, epochs)
    # Models this small gain nothing from a second thread, and where other programs
    # want the cores, threads that wait for one another take many times as long.
    with threadpool_limits(1):
        for name, model in models.items():
            say(f"training the {name}")
            model.fit(X_train, y_train)
            # skorch takes Ctrl-C as the wish to end training, and goes on.
            if len(getattr(model[-1], "history", range(epochs))) < epochs:
                raise KeyboardInterrupt
        for name, reason in skipped.items():
            say(f"skipped the {name}: {reason}")
        low, high = 0.0, 16.0
        return collect_report(
            models,
            X_test,
            y_test,
            X_train=X_train,
            image_shape=(8, 8),
            data_range=(low, high),
            eps=(high - low) / 20,
            norm=np.inf,
            n_samples=len(X_train) + len(X_test),
            class_counts=np.bincount(np.concatenate([y_train, y_test])),
            n_labels=40 if quick else 100,
            random_state=seed,
            verbose=verbose,
            checkpoint=checkpoint,
            title="Handwritten digits: two models",
            call=call,
            dataset="digits (scikit-learn)",
            skipped=skipped,
            progress=progress,
        )


def _untrained(seed, epochs):
    # Probabilities of a support vector machine come from a calibration on top.
    svc = CalibratedClassifierCV(SVC(), ensemble=False)
    models = {"scaled SVC": make_pipeline(StandardScaler(), svc)}
    settings = {"epochs": epochs, "random_state": seed, "verbose": 0}
    try:
        models["small CNN"] = small_cnn_classifier((8, 8), 10, **settings)
    except ImportError as error:
        return models, {"small CNN": str(error)}
    return models, {}
