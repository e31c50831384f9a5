"""Scorer of the dataset-adaptive normalized metric."""

import numpy as np

from skrobust._containers import shape_of, to_array
from skrobust._responses import predict_labels, refuse_regressor
from skrobust._validation import check_choice
from skrobust.metrics.registry import get_metric, metric_names
from skrobust.metrics.scorers.base import BaseScorer
from skrobust.metrics.scorers.perturbed_rows import dense_rows


def normalized_names():
    """Return the kinds of the normalized score."""
    names = metric_names(needs="n_features")
    return [name.removeprefix("normalized_") for name in names]


class NormalizedScorer(BaseScorer):
    """Scorer of the dataset-adaptive normalized metric.

    Made by :func:`make_normalized_scorer`, which describes the parameters.
    """

    _keeps = "the number of features"

    def __init__(
        self, metric="accuracy", *, n_samples=None, n_features=None, options=None
    ):
        self.metric = metric
        self.n_samples = n_samples
        self.n_features = n_features
        self.options = options

    def _label(self):
        return f"normalized_{self.metric}"

    def _score(self, estimator, X, y, sample_weight):
        check_choice(self.metric, "metric", "NormalizedScorer", normalized_names())
        n_features = self.n_features
        if n_features is None:
            n_features = int(np.prod(shape_of(X)[1:]))
        size = {"n_samples": self.n_samples, "n_features": n_features}
        settings = {**(self.options or {}), **size}
        if self.metric == "accuracy":
            cure = 'Use make_normalized_scorer("r2").'
            refuse_regressor(estimator, "The normalized accuracy", cure)
            # A fold may miss a class that the training rows have.
            settings.setdefault("labels", getattr(estimator, "classes_", None))
        predicted = predict_labels(estimator, X)
        if self.metric == "clustering":
            settings["X"] = to_array(dense_rows(X))
        elif sample_weight is not None:
            settings["sample_weight"] = sample_weight
        return get_metric(self._label()).function(y, predicted, **settings)
