"""Differentiable views of scikit-learn pipelines, in numpy."""

import numpy as np
from scipy.special import softmax

from skrobust._differentiable.frame_maps import with_frame
from skrobust._differentiable.heads import linked
from skrobust._differentiable.maps import chain, dense, stand_in_of
from skrobust._differentiable.numpy_views import HostView
from skrobust._differentiable.step_maps import step_maps
from skrobust._differentiable.steps import BLACK_BOX, ask
from skrobust._differentiable.translate import bare_head, steps_and_model
from skrobust.base.one_label import OneLabel


class PipelineView(HostView):
    """A translated pipeline: scores with their pullback, in the units of raw input.

    Parameters
    ----------
    estimator : fitted estimator
        Of steps and a model that are understood.
    caller : str
        Name of the public function or class, for error messages.

    Attributes
    ----------
    is_regressor : bool
        Whether ``forward`` gives predictions of shape (n, 1) instead of scores.
    is_affine : bool
        Whether the whole of it is ``x @ weights + offset``.
    stand_in : str
        What has no slopes, so that others are followed in their place; "" for nothing.
    """

    def __init__(self, estimator, caller):
        steps, model, label = steps_and_model(estimator)
        steps = with_frame(steps, model, caller)
        head = bare_head(model, caller, label)
        model = model if label is None else OneLabel(model, label)
        self._steps = chain(step_maps(steps, caller))
        self._head, self._model, self._verified = head, model, False
        self.is_regressor = head.classes is None
        self.is_affine = self._steps.affine and head.map.affine
        self._scores = head.map if head.margins is None else head.margins
        self.stand_in = stand_in_of([self._steps, self._scores])
        self._classes, self._caller = head.classes, caller
        first = steps[0][1] if steps else model
        self._width = getattr(first, "n_features_in_", None)
        if hasattr(first, "differentiable_transform"):
            self._width = None

    def forward(self, x):
        """Return logits of shape (n, n_classes) and the pullback of their gradient."""
        self._check_width(x)
        z, pull_steps = self._steps.apply(x)
        logits, pull = self._scores.apply(z)
        if not self._verified:
            self._verify(z[:4], logits[:4])
        return logits, lambda slope: pull_steps(pull(slope))

    def _verify(self, z, logits):
        """Compare a few answers with the model's own, once: versions may differ."""
        head, model = self._head, self._model
        method, found = "predict", logits[:, 0]
        if head.link is not None:
            method = "predict_proba"
            found = softmax(linked(logits, head.link)[0], axis=1)
        elif head.classes is not None:
            method = "decision_function"
            found = logits[:, 1] - logits[:, 0] if logits.shape[1] == 2 else logits
        if not hasattr(model, method):  # a hard vote
            self._verified = True
            return
        expected = dense(ask(getattr(model, method), z))
        if expected.ndim < found.ndim:
            expected = expected[:, None]
        same_form = expected.shape == found.shape and not hasattr(model, "break_ties")
        if same_form and not np.allclose(found, expected, rtol=1e-4, atol=1e-4):
            raise ValueError(
                f"{self._caller} translates {type(model).__name__} otherwise than this "
                "version of scikit-learn computes it. Use a black-box attack, "
                f"{BLACK_BOX}."
            )
        self._verified = True

    def decision_scores(self, logits):
        """Return scores whose largest is the label that the model predicts."""
        if self._head.margins is not None:
            return logits
        return self._head.decision_scores(logits)

    def scores(self, x, logits):
        """Return what the probabilities are the softmax of, and its slope (None: 1).

        Where the model's own map to probabilities is not known (the pairwise coupling
        of SVC), its probabilities judge the iterates, and the direction is that of
        softmax.
        """
        head = self._head
        if head.link is not None:
            return linked(logits, head.link)
        if head.model is None or not hasattr(head.model, "predict_proba"):
            return logits, None
        p = ask(head.model.predict_proba, self._steps.apply(x)[0])
        return np.log(np.clip(p, 1e-300, 1)), None
