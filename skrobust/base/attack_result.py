"""Results of an attack: success, distance and cost of each sample."""

import dataclasses
import numbers
from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing

from skrobust._containers import is_frame
from skrobust._optional import require
from skrobust._responses import predict_probabilities, undisturbed
from skrobust._results import facts_html

_PER_SAMPLE = (
    "success",
    "norm",
    "forward",
    "backward",
    "queries",
    "iterations",
    "found_by",
    "changed",
)


@dataclasses.dataclass(repr=False)
class AttackResult:
    """Adversarial rows with success, distance and cost of each.

    Attributes
    ----------
    X_adv : container like X
        What ``perturb`` returns.
    success : ndarray of bool of shape (n_samples,)
        Whether the estimator's own ``predict``, asked again about ``X_adv``, gives a
        label other than y, or the target of a targeted attack. Samples that were wrong
        from the start count as successes at distance 0.
    norm : ndarray of float of shape (n_samples,)
        Distance to X in the norm of the attack, in raw units; nan where an attack on
        the label failed.
    forward, backward : ndarray of int of shape (n_samples,), or None
        Passes of each sample through the model and back, as far as the attack counts
        them; the question of ``success`` is not among them. None for attacks without
        a search.
    queries : ndarray of int of shape (n_samples,), or None
        Rows that the attack asked ``predict`` or its kin about: those of black-box
        attacks, of a finish, and of minimal-norm attacks that confirm an example.
    iterations : ndarray of int of shape (n_samples,), or None
        Steps of each sample, over all restarts.
    seconds : float
        Wall-clock time of the attack.
    warnings : list of str
        Messages that ``perturb`` warns of.
    found_by : ndarray of str of shape (n_samples,), or None
        For ensembles and finished attacks: the member that fooled the sample first,
        "clean" where it was wrong from the start, "" where none did. Of a finished
        shift of probabilities: whose row was kept.
    finish : str or None
        Of attacks by gradients: which search by queries went on with the rows that
        stood, why, with what budget, and how many of them it fooled (for a shift of
        probabilities: with all rows, and how many of its own were kept); None where
        none did. Its queries are in ``queries``, and what it found in
        ``found_by``.
    objective : str or None
        What the rows were made for: "misclassification" (for robust accuracy alone) or
        one of the others.
    changed : ndarray of bool of shape (n_samples,), or None
        Whether the row differs from the clean one at all.

    Notes
    -----
    An attack on the label leaves wrong rows as they are and stops once a row is fooled,
    so that a robust ratio from its rows is too high. Arrays cannot carry what they
    were made for: scikit-learn drops subclasses and attributes, and ``predict_proba``
    returns new arrays. The result can, also in ``result[rows]``: its
    :meth:`predict_proba` refuses where the ratio would be wrong.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.preprocessing import minmax_scale
    >>> from skrobust.attacks import FGSM
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = minmax_scale(X)
    >>> model = LogisticRegression().fit(X, y)
    >>> result = FGSM(0.05, data_range=(0, 1)).run(model, X, y)
    >>> result.n_successes == (model.predict(result.X_adv) != y).sum()
    np.True_
    >>> int(result.backward.max())
    1
    """

    X_adv: Any
    success: np.ndarray
    norm: np.ndarray
    forward: np.ndarray | None = None
    backward: np.ndarray | None = None
    queries: np.ndarray | None = None
    iterations: np.ndarray | None = None
    seconds: float = 0.0
    warnings: list = dataclasses.field(default_factory=list)
    found_by: np.ndarray | None = None
    finish: str | None = None
    objective: str | None = None
    changed: np.ndarray | None = None

    def __getitem__(self, rows):
        """Return the result of some samples: a slice, a mask, or an array of places."""
        if isinstance(rows, numbers.Integral):
            rows = [rows]
        found = {name: getattr(self, name) for name in _PER_SAMPLE}
        found = {k: None if v is None else v[rows] for k, v in found.items()}
        X_adv = self.X_adv
        X_adv = _safe_indexing(X_adv, rows) if is_frame(X_adv) else X_adv[rows]
        return dataclasses.replace(self, X_adv=X_adv, **found)

    def predict_proba(self, estimator):
        """Return probabilities on the adversarial rows, for the robust ratio.

        Parameters
        ----------
        estimator : fitted classifier
            The model that was attacked.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Its probabilities on ``X_adv``.

        Raises
        ------
        ValueError
            For rows that were made for misclassification, whose robust ratio is too
            high.
        """
        if self.objective == "misclassification":
            raise ValueError(
                "AttackResult.predict_proba is for the robust ratio, and these rows "
                "were made for misclassification: wrong rows are clean, and a row that "
                "is fooled moves no further, so that the ratio would be too high. "
                "Attack with objective='probability_shift', or ask the estimator "
                "itself about X_adv."
            )
        with undisturbed(estimator):
            return predict_probabilities(estimator, self.X_adv, type(self).__name__)

    @property
    def n_samples(self):
        """Number of samples."""
        return len(self.success)

    @property
    def n_successes(self):
        """Number of samples that were fooled, or wrong from the start."""
        return int(self.success.sum())

    @property
    def n_passes(self):
        """Forward and backward passes, or queries, of all samples together."""
        counts = (self.forward, self.backward, self.queries)
        known = [int(c.sum()) for c in counts if c is not None]
        return sum(known) if known else None

    def to_frame(self):
        """Return what is known of each sample as a data frame of pandas.

        Returns
        -------
        DataFrame
            One row per sample.
        """
        pandas = require("pandas", "to_frame", extra="report")
        known = {name: getattr(self, name) for name in _PER_SAMPLE}
        return pandas.DataFrame({k: v for k, v in known.items() if v is not None})

    def _facts(self):
        facts = {"fooled": f"{self.n_successes} of {self.n_samples} samples"}
        if self.objective is not None:
            facts["made for"] = self.objective
        if self.changed is not None:
            facts["changed"] = f"{int(self.changed.sum())} rows"
        reached = self.norm[self.success]
        if np.isfinite(reached).any():
            facts["median norm"] = f"{np.nanmedian(reached):.4g}"
        for name in ("forward", "backward", "queries"):
            counts = getattr(self, name)
            if counts is not None:
                facts[f"{name} per sample"] = f"{counts.mean():.1f}"
        if self.finish:
            facts["finish"] = self.finish
        facts["seconds"] = f"{self.seconds:.3g}"
        for number, message in enumerate(self.warnings, 1):
            facts[f"warning {number}"] = message
        return facts

    def __repr__(self):
        lines = [f"  {name}: {value}" for name, value in self._facts().items()]
        return "AttackResult(\n" + "\n".join(lines) + "\n)"

    def _repr_html_(self):
        return facts_html("AttackResult", self._facts())
