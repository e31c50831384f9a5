"""Doubt about an evaluation."""

from dataclasses import dataclass


@dataclass(frozen=True)
class EvaluationWarning:
    """Doubt about an evaluation, with the numbers behind it.

    Parameters
    ----------
    code : str
        Short name of the check.
    sentence : str
        What was seen and what to do.
    numbers : dict
        The numbers behind it.

    Examples
    --------
    >>> from skrobust.evaluation import EvaluationWarning
    >>> print(EvaluationWarning("UNBOUNDED", "Accuracy stays.", {"accuracy": 0.8}))
    UNBOUNDED: Accuracy stays.
    """

    code: str
    sentence: str
    numbers: dict

    def __str__(self):
        return f"{self.code}: {self.sentence}"
