"""Verdict of a sequential test of an accuracy."""

from dataclasses import dataclass

from skrobust.sampling.core.result_lines import ResultLines


@dataclass(frozen=True)
class GateDecision(ResultLines):
    """Whether an accuracy reaches a threshold, as far as the labels tell.

    Parameters
    ----------
    verdict : {"passes", "fails", "undecided"}
        "passes": the accuracy is at least ``threshold``. "fails": it is below
        ``threshold + margin``.
    decided_at : int or None
        Number of labels at the decision; None before it. (With weighted draws: of
        those at the look that found it.)
    n_labels, n_failures : int
        Labels that there are, and the mispredictions among them; skipped ones count as
        mispredictions.
    can_pass_at : int or None
        Labels in all at which it passes if no further misprediction comes. None once it
        is decided, where that cannot be, and with weighted draws.
    threshold, margin, alpha, beta : float
        As in :class:`AccuracyGate`.
    method : {"exact", "anytime"}
        Likelihood ratio of uniform draws, or anytime interval of weighted ones.

    Examples
    --------
    >>> from skrobust.sampling import AccuracyGate
    >>> print(AccuracyGate(0.9, margin=0.08).decide([0] * 20))
    undecided: accuracy of at least 0.9 (error 0.05); it passes at 35 labels if all \
further ones are right
    20 labels, 0 mispredictions
    """

    verdict: str
    decided_at: int | None
    n_labels: int
    n_failures: int
    can_pass_at: int | None
    threshold: float
    margin: float
    alpha: float
    beta: float
    method: str

    def _lines(self):
        first = f"accuracy of at least {self.threshold:g} (error {self.alpha:g})"
        if self.verdict == "fails":
            level = self.threshold + self.margin
            first = f"accuracy below {level:g} (error {self.beta:g})"
        if self.decided_at is not None:
            first += f", decided after {self.decided_at} labels"
        elif self.can_pass_at is not None:
            first += (
                f"; it passes at {self.can_pass_at} labels if all further ones are "
                "right"
            )
        yield f"{self.verdict}: {first}"
        yield (
            f"{self.n_labels} labels, "
            f"{self.n_failures} misprediction{'s' * (self.n_failures != 1)}"
        )
