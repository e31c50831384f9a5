"""Scores of texts: one column a class, and how many texts were asked."""

import numpy as np

from skrobust._responses import one_a_row, refuse_regressor, refuse_unwrapped, unwrap


class TextScores:
    """Scores of a classifier of texts, counted.

    Parameters
    ----------
    estimator : fitted classifier
        With ``decision_function`` or ``predict_proba``.
    container : callable
        From texts and the rows that they belong to, to what the model takes.
    caller : str
        Name of the public class, for error messages.
    probabilities : bool
        Whether logarithms of probabilities are asked for first.
    n : int
        Number of rows under attack.
    """

    def __init__(self, estimator, container, caller, probabilities, n):
        refuse_unwrapped(estimator, caller)
        refuse_regressor(estimator, caller, "It needs a classifier.")
        self._estimator, self._container, self._caller = estimator, container, caller
        order = ["predict_proba", "decision_function"]
        order = order if probabilities else order[::-1]
        self._method = next((m for m in order if hasattr(estimator, m)), None)
        if self._method is None:
            name = type(unwrap(estimator)[1]).__name__
            raise ValueError(
                f"{caller} needs scores, decision_function or predict_proba; {name} "
                "has neither."
            )
        self.classes = np.asarray(estimator.classes_)
        self.counts = np.zeros(n, dtype=np.int64)

    def __call__(self, texts, rows):
        """Return scores whose softmax stands for probabilities, (n, n_classes)."""
        if not len(texts):
            return np.zeros((0, len(self.classes)))
        np.add.at(self.counts, rows, 1)
        answers = one_a_row(self._estimator, self._method, self._container(texts, rows))
        answers = np.asarray(answers, dtype=np.float64)
        if self._method == "predict_proba":
            return np.log(np.clip(answers, 1e-300, 1))
        if answers.ndim == 1:
            answers = np.column_stack([np.zeros_like(answers), answers])
        if answers.shape[1] != len(self.classes):
            raise ValueError(
                f"{self._caller} needs one score a class; decision_function gave "
                f"{answers.shape[1]} columns for {len(self.classes)} classes."
            )
        return answers

    def labels(self, texts, rows):
        """Return predicted labels."""
        np.add.at(self.counts, rows, 1)
        return np.asarray(
            one_a_row(self._estimator, "predict", self._container(texts, rows))
        )
