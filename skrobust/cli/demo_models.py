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


def run_demo(seed, quick, call, say, checkpoint):
    """Train a support vector machine and a small CNN, and collect their report.

    Parameters
    ----------
    seed : int
        Seed of the split, the models and the report.
    quick : bool
        Fewer passes of the CNN and fewer rows scored.
    call : str
        Call that reproduces the report.
    say : Progress
        Called with a line before each step.
    checkpoint : str or None
        Folder of finished measurements; the models are trained again, to the same
        weights.

    Returns
    -------
    collected : dict
        For :func:`~skrobust.report.write_report`.
    """
    X, y = load_digits(return_X_y=True)  # raw values 0 to 16
    X_train, X_test, y_train, y_test = train_test_split(
        X, y, test_size=200 if quick else 0.3, random_state=seed, stratify=y
    )
    # Probabilities of a support vector machine come from a calibration on top.
    svc = CalibratedClassifierCV(SVC(), ensemble=False)
    models, skipped = {"scaled SVC": make_pipeline(StandardScaler(), svc)}, {}
    epochs = 8 if quick else 30
    settings = {"epochs": epochs, "random_state": seed, "verbose": 0}
    try:
        models["small CNN"] = small_cnn_classifier((8, 8), 10, **settings)
    except ImportError as error:
        skipped["small CNN"] = str(error)
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
        return collect_report(
            models,
            X_test,
            y_test,
            X_train=X_train,
            image_shape=(8, 8),
            data_range=(0.0, 16.0),
            eps=0.8,
            norm=np.inf,
            attacks=["FGSM", "PGD"],  # in seconds; "auto" takes minutes for the net
            n_samples=len(X),
            class_counts=np.bincount(y),
            n_labels=40 if quick else 100,
            random_state=seed,
            verbose=int(say.has_bars),
            checkpoint=checkpoint,
            title="Handwritten digits: two models",
            call=call,
            dataset="digits (scikit-learn)",
            skipped=skipped,
            progress=say,
        )
