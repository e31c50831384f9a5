"""Further models on the pool of a sampler, judged by the labels that are there."""

import copy
from dataclasses import dataclass

import numpy as np

from skrobust._array_checks import check_same_length
from skrobust._containers import n_rows, shown_value
from skrobust._responses import predict_labels, predict_probabilities
from skrobust._validation import check_confidence, invalid
from skrobust.sampling.core.answer_checks import FAILED, PASSED, differ
from skrobust.sampling.core.loss_scale import is_continuous
from skrobust.sampling.core.packing import pack, unpack
from skrobust.sampling.core.paired_difference import model_difference
from skrobust.sampling.core.pool import (
    one_minus_confidence,
    read_predictions,
)
from skrobust.sampling.core.rate_estimator import CORRECTED

FITTED = "fitted"  # name of the model that the sampler was fitted with


@dataclass(frozen=True, eq=False)
class LaterModel:
    """Predictions of a model for the pool, and its failure probabilities or None."""

    y_pred: np.ndarray
    failure: np.ndarray | None = None


class LaterModels:
    """Mixin of samplers: ``add_model``, ``compare`` and the results of such models.

    Draws and their probabilities depend on the fitted model alone, so that they are as
    fair to any other model, and the stored ones serve all of them.
    """

    def add_model(self, name, estimator=None, X=None, *, y_pred=None):
        """Add the predictions of another model for the same pool.

        All labels told so far, and those told later, count for it too: see
        ``result(model=name)`` and ``compare``. The predictions must not have been
        chosen by these labels (a model that was trained on them looks too good).

        Parameters
        ----------
        name : str
            Its name; "fitted" is the model of the sampler itself.
        estimator : fitted classifier, default=None
            Used as it is; it is not kept.
        X : array-like of shape (n_pool, ...), default=None
            The pool as the estimator takes it, in the same order as in ``fit``.
        y_pred : array-like of shape (n_pool,), default=None
            Predicted labels, instead of an estimator with X.

        Returns
        -------
        self : object
            The sampler.

        Raises
        ------
        ValueError
            For a name that is taken, predictions of another length or type, and a
            sampler that was fitted without predictions.
        """
        caller = self._caller("add_model")
        if not isinstance(name, str) or not name or name in (FITTED, *self._models):
            rule = "a text that names no other model of the sampler"
            raise invalid("name", caller, rule, name)
        if (estimator is None) == (y_pred is None) or (estimator is None) != (
            X is None
        ):
            raise ValueError(f"{caller} takes either y_pred=, or an estimator and X.")
        needs_predictions(self, caller)
        if X is not None and n_rows(X) != self.n_pool_:
            rule = f"the {self.n_pool_} inputs of the pool"
            raise invalid("X", caller, rule, f"{n_rows(X)} rows")
        failure = None
        if estimator is not None:
            y_pred = predict_labels(estimator, X)
            if hasattr(estimator, "predict_proba"):
                p = predict_probabilities(estimator, X, caller)
                failure = one_minus_confidence(p)
        y_pred = read_predictions(None, None, y_pred, caller)
        check_same_length(caller, X=range(self.n_pool_), y_pred=y_pred)
        if is_continuous(y_pred):
            rule = "labels: hardly any two continuous numbers are equal"
            raise invalid("y_pred", caller, rule, y_pred)
        if isinstance(y_pred.tolist()[0], str) != isinstance(
            self.y_pred_.tolist()[0], str
        ):
            raise invalid(
                "y_pred",
                caller,
                f"labels of the type of those of the fitted model, such as "
                f"{self.y_pred_.tolist()[0]!r}",
                y_pred.tolist()[0],
            )
        self._models = {**self._models, name: LaterModel(y_pred, failure)}
        return self

    def compare(self, first, second=FITTED, *, confidence=0.95):
        r"""Estimate the difference of the accuracies of two models, paired.

        With d the correctness (0 or 1) of the first model less that of the second,

        .. math::

            \hat\Delta = \sum_t w_t \frac{1}{N} \Bigl[\sum_{\text{drawn before}} d_j
                + \sum_{i \in t} \frac{d_i}{\pi_i}\Bigr]

        the estimate of the sampler, of d in place of its own outcomes: exactly
        unbiased. Where both predict the same d is 0, and what both have right or wrong
        adds no error. So the interval is narrower than that of two separate estimates,
        the more so the more alike the models are. Once all inputs on which they differ
        are labelled the difference is known, and is given as it is.

        Parameters
        ----------
        first : str
            Name of a model (``add_model``), or "fitted".
        second : str, default="fitted"
            Name of the other.
        confidence : float in (0, 1), default=0.95
            Nominal coverage of the interval.

        Returns
        -------
        ModelDifference
            Accuracy of the first model less that of the second; ``print`` says it in a
            sentence.

        Raises
        ------
        ValueError
            For names that are unknown or equal, and for mispredictions of the fitted
            model of which the true label is needed and was not told.

        Notes
        -----
        The interval is that of Student's t. Uniform draws, and others while fewer than
        ten labels tell the models apart, have the one that Newcombe makes of the
        intervals of both kinds of such labels (his method 10, with the correlation of
        the two shares as estimated from the draws; for weighted draws it is our
        extension, and the wider of the two counts).

        References
        ----------
        R. G. Newcombe, "Improved confidence intervals for the difference between
        binomial proportions based on paired data", Statistics in Medicine 1998.
        """
        caller = self._caller("compare")
        confidence = check_confidence(confidence, caller)
        predictions = [model_of(self, name, caller).y_pred for name in (first, second)]
        if first == second:
            raise invalid("second", caller, "the name of another model", second)
        apart = np.array(
            [a != b for a, b in zip(*(p.tolist() for p in predictions), strict=True)],
            dtype=bool,
        )
        statuses = [status_for(self, name, caller, apart) for name in (first, second)]
        return model_difference(
            self, (first, second), statuses, apart, confidence, caller
        )

    def _answers_of(self, name, caller):
        """Return the answers as if the named model had been fitted."""
        if name is None:
            return self._answers
        status, answers = status_for(self, name, caller), copy.copy(self._answers)
        answers.status = answers.status.copy()
        answers.status[self.ids_] = status
        return answers

    def _predictor_of(self, name, predictor, estimator):
        """Return what corrects the estimate of a model: its own confidence."""
        named = isinstance(estimator, str)
        corrected = named and estimator in CORRECTED and estimator != "learned"
        if name in (None, FITTED) or predictor is not None or not corrected:
            return predictor
        return self._models[name].failure


def needs_predictions(sampler, caller):
    """Raise for a sampler that has no predictions to compare labels with."""
    if sampler.y_pred_ is None:
        raise ValueError(
            f"{caller} needs the predictions of the fitted model: fit with a "
            "classifier or with y_pred=."
        )


def model_of(sampler, name, caller):
    """Return the model of a name; the fitted one is among them."""
    needs_predictions(sampler, caller)
    if isinstance(name, str) and name == FITTED:
        return LaterModel(sampler.y_pred_)
    if not isinstance(name, str) or name not in sampler._models:
        known = ", ".join(repr(one) for one in (FITTED, *sampler._models))
        raise ValueError(
            f"{caller} knows no model {shown_value(name)}; it knows {known}. Add one "
            "with add_model."
        )
    return sampler._models[name]


def status_for(sampler, name, caller, needed=None):
    """Return the status of each draw as if the named model had been fitted.

    ``needed`` masks the inputs of the pool of which the outcome matters.
    """
    ids, labels = sampler.ids_, sampler._answers.labels
    if sampler._answers.tells_losses:
        raise ValueError(
            f"{caller} judges models by labels, and losses were told: they are those "
            "of the fitted model alone. Tell true labels, with tell(ids, y_true)."
        )
    status = sampler._answers.status[ids].copy()
    if isinstance(name, str) and name == FITTED:
        return status
    y_pred = model_of(sampler, name, caller).y_pred
    same = np.array([sampler.y_pred_[i] == y_pred[i] for i in ids.tolist()], dtype=bool)
    told = np.array([i in labels for i in ids.tolist()], dtype=bool)
    if told.any():
        some = ids[told]
        true, loss = [labels[i] for i in some.tolist()], sampler._answers.loss
        wrong = differ(true, y_pred, some, loss, caller)
        status[told] = np.where(wrong, FAILED, PASSED)
    # The label of a passed input is the prediction; if that of a failed one is the
    # same for both models, both have it wrong.
    status[~told & ~same & (status == PASSED)] = FAILED
    unknown = ~told & ~same & (sampler._answers.status[ids] == FAILED)
    if needed is not None:
        unknown &= needed[ids]
    if unknown.any():
        raise ValueError(
            f"{caller}: whether {name!r} is right is not known for {unknown.sum()} "
            f"inputs that were told as failed= alone (the first is id "
            f"{ids[unknown][0]}): give their true labels, with correct(ids, y_true)."
        )
    return status


def models_to_plain(models, caller):
    """Return the models by name as plain data for JSON."""
    return {
        name: {
            "y_pred": pack(model.y_pred, f"y_pred of {name!r}", caller),
            "failure": pack(model.failure, "failure", caller),
        }
        for name, model in models.items()
    }


def models_from_plain(plain):
    """Return the models that ``models_to_plain`` wrote."""
    return {
        name: LaterModel(unpack(one["y_pred"]), unpack(one["failure"]))
        for name, one in plain.items()
    }
