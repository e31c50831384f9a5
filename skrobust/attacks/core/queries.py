"""Queries of a black-box model: batched and counted."""

import numpy as np

from skrobust._responses import (
    check_net_input,
    is_net,
    one_a_row,
    refuse_regressor,
    several_answers,
    unwrap,
)
from skrobust.attacks.core.net_logits import NetLogits

RESPONSES = ("auto", "predict", "predict_proba", "decision_function")
_BYTES_PER_CALL = 2**26  # of rows given to the model at a time


class Queries:
    """Queries of one model, for many candidates of many rows at once.

    Parameters
    ----------
    model : ModelInContainer
        A fitted classifier, asked by one method alone and never fitted, and the rows
        under attack; candidates are put into a container like theirs.
    caller : str
        Name of the public function or class, for error messages.
    response : {"auto", "predict", "predict_proba", "decision_function"}
        The method; "auto" takes the first of ``order`` that the model has, and the
        logits in the place of the probabilities of a skorch net.
    order : sequence of str
        Preference of "auto".
    max_queries : int or None
        Most rows that the model may be shown for each row under attack.
    batch_size : int or None
        Most rows in a call; None: as many as fit 64 MiB.
    of_numbers : bool, default=False
        Whether the model is a regressor, whose predictions are the scores.

    Attributes
    ----------
    counts : ndarray of shape (n_samples,), int
        Rows shown to the model on behalf of each row under attack.
    n_calls : int
        Calls of a method of the model.
    method : str
        The method that is asked; ``"logits"`` of a net, which no loader prepares.
    """

    def __init__(
        self,
        model,
        caller,
        *,
        response="auto",
        order=("decision_function", "predict_proba", "predict"),
        max_queries=None,
        batch_size=None,
        of_numbers=False,
    ):
        if not of_numbers:
            cure = "For a regressor use RandomSearch, Square or ZOO."
            refuse_regressor(model.model, caller, cure)
        self.of_numbers = of_numbers
        self._model, self._estimator, self.caller = model, model.model, caller
        X = model.X
        self.max_queries, self._batch_size = max_queries, batch_size
        self.counts = np.zeros(X.shape[0] if hasattr(X, "shape") else len(X), int)
        self.n_calls = 0
        self.classes = getattr(model.model, "classes_", None)
        self._learns_classes = self.classes is None
        self.method = "predict" if of_numbers else self._choose(response, order)
        self._logits = None
        if response == "auto" and self.method == "predict_proba":
            self._logits = NetLogits.of(self._estimator, caller)
            self.method = self.method if self._logits is None else "logits"

    def _choose(self, response, order):
        if response == "auto":
            for name in order:
                if hasattr(self._estimator, name) and self._is_readable(name):
                    return name
        elif hasattr(self._estimator, response) and self._is_readable(response):
            return response
        wanted = " or ".join(order) if response == "auto" else response
        kind = type(unwrap(self._estimator)[1]).__name__
        raise ValueError(
            f"{self.caller} needs a fitted classifier with {wanted}, one column a "
            f"class; {kind} has none."
        )

    def _is_readable(self, name):
        # One against one has a column for each pair of classes.
        model = unwrap(self._estimator)[1]
        pairs = getattr(model, "decision_function_shape", "ovr") == "ovo"
        n_classes = 2 if self.classes is None else len(self.classes)
        return name != "decision_function" or not pairs or n_classes == 2

    @property
    def needs_softmax(self):
        """Whether probabilities are the softmax of the scores."""
        return self.method in ("decision_function", "logits")

    def left(self, rows):
        """Return how many more questions each row may ask."""
        if self.max_queries is None:
            return np.full(len(rows), np.iinfo(np.int64).max)
        return self.max_queries - self.counts[rows]

    def labels(self, values, rows=None):
        """Return the index of the label that ``predict`` gives to each candidate.

        Parameters
        ----------
        values : ndarray of shape (m, ...)
            Candidates.
        rows : integer ndarray of shape (m,), default=None
            The row under attack that each is asked for; None counts for none.

        Returns
        -------
        ndarray of shape (m,), int
            Indices; -1 for a label outside ``classes``.
        """
        answers = self._ask("predict", values, rows)
        if answers.ndim > 1 and answers.shape[1:] != (1,):
            raise ValueError(
                several_answers(
                    self._estimator, f"{self.caller} needs one label", answers.shape
                )
            )
        answers = answers.reshape(-1)
        self.learn(answers)
        return self.label_index(answers)

    def learn(self, labels):
        """Note labels of a model that does not list them."""
        if self._learns_classes:
            known = [] if self.classes is None else self.classes
            new = np.setdiff1d(labels, known)
            self.classes = np.concatenate([known, new]) if len(known) else new

    def label_index(self, labels):
        """Return the index of each label; -1 for labels unknown to the model."""
        if labels.dtype.kind == "O":
            labels = np.asarray(labels.tolist())
        found = np.full(len(labels), -1)
        for index, label in enumerate(np.asarray(self.classes).tolist()):
            found[np.asarray(labels == label)] = index
        return found

    def scores(self, values, rows):
        """Return one score a class: of the method, or 1 for the label predicted.

        Of a regressor it is the prediction.

        Parameters
        ----------
        values : ndarray of shape (m, ...)
            Candidates.
        rows : integer ndarray of shape (m,)
            The row under attack that each is asked for.

        Returns
        -------
        ndarray of shape (m, n_classes), float64
            The larger, the likelier the class.
        """
        if self.of_numbers:
            answers = self._ask("predict", values, rows).astype(np.float64)
            if answers.size != len(values):
                number = f"{self.caller} needs one number"
                raise ValueError(
                    several_answers(self._estimator, number, answers.shape)
                )
            if not np.isfinite(answers).all():
                raise ValueError(
                    f"{self.caller} needs finite answers; predict returned NaN or "
                    "infinity."
                )
            return answers.reshape(-1, 1)
        if self.method == "predict":
            index = self.labels(values, rows)
            return (index[:, None] == np.arange(len(self.classes))).astype(float)
        answers = self._ask(self.method, values, rows)
        if answers.ndim == 2 and answers.shape[1] == 1:
            answers = answers[:, 0]
        if answers.ndim == 1:  # two classes
            zero = np.zeros_like(answers)
            if self.method == "predict_proba":
                zero = 1 - answers
            answers = np.column_stack([zero, answers])
        if answers.ndim > 2:
            label = f"{self.caller} needs one label"
            raise ValueError(several_answers(self._estimator, label, answers.shape))
        if answers.ndim != 2 or len(answers) != len(values):
            raise ValueError(
                f"{self.caller} needs {self.method} of shape (n_samples, n_classes); "
                f"it returned {answers.shape}."
            )
        if self.classes is None or len(self.classes) != answers.shape[1]:
            # A net may have more outputs than its fold had classes.
            self.classes = np.arange(answers.shape[1])
            self._learns_classes = False
        return answers

    def is_saturated(self, scores):
        """Say for which rows the probabilities of a net are 0 and 1 to the last digit.

        Trees say 0 and 1 too, and mean it; a net has lost the scores behind them.
        """
        if self.method != "predict_proba" or not is_net(unwrap(self._estimator)[1]):
            return np.zeros(len(scores), dtype=bool)
        return (scores > 0).sum(axis=1) == 1

    def _ask(self, method, values, rows):
        if rows is not None:
            np.add.at(self.counts, rows, 1)
        size = self._batch_size
        if size is None:
            width = max(1, int(np.prod(values.shape[1:])))
            size = max(1, _BYTES_PER_CALL // (width * values.itemsize))
        parts = []
        for start in range(0, len(values), size):
            batch = self._model.container(values[start : start + size])
            check_net_input(self._estimator, batch)
            answer = self._answer(method, batch)
            self.n_calls += 1
            parts.append(np.asarray(answer))
        answers = np.concatenate(parts)
        if method == "predict":
            return answers
        answers = answers.astype(np.float64)
        if not np.isfinite(answers).all():
            raise ValueError(
                f"{self.caller} needs finite answers; {method} returned NaN or "
                "infinity."
            )
        return answers

    def _answer(self, method, batch):
        if method == "logits" and self.method == "logits":
            try:
                return self._logits(batch)
            except ValueError:
                if self._logits.has_answered:
                    raise
                self.method = "predict_proba"  # a net that the view does not understand
        method = self.method if method == "logits" else method
        return one_a_row(self._estimator, method, batch)
