"""Grading of a session: answers that are numbers, and their range and direction.

A sampler takes losses, of which the lower is the better. Where the answers are scores,
of which the higher is the better, the loss of an input is the best score minus its own.
"""

from dataclasses import dataclass

from skrobust.cli.exit_codes import UserError


@dataclass(frozen=True)
class Grading:
    """Range of the numbers that people answer with, and which of its ends is good.

    Attributes
    ----------
    low, high : float
        Least and largest number.
    grades : tuple of float
        The only numbers there are, in the order in which they are shown; empty: all
        between ``low`` and ``high``.
    higher_is_better : bool
        Whether the numbers are scores; else they are losses.
    """

    low: float
    high: float
    grades: tuple = ()
    higher_is_better: bool = False

    @property
    def loss_range(self):
        """Least and largest loss, for a sampler."""
        if self.higher_is_better:
            return 0.0, self.high - self.low
        return self.low, self.high

    @property
    def name(self):
        """What the numbers are called: "loss" or "score"."""
        return "score" if self.higher_is_better else "loss"

    @property
    def measure(self):
        """What is estimated: "mean loss" or "mean score"."""
        return f"mean {self.name}"

    @property
    def best(self):
        """The best number."""
        return self.high if self.higher_is_better else self.low

    @property
    def scale(self):
        """The ends of the range in words."""
        low, high = written(self.low), written(self.high)
        words = ("worst", "best") if self.higher_is_better else ("best", "worst")
        return f"{low} ({words[0]}) to {high} ({words[1]})"

    def turned(self, number):
        """Return the loss of a number, or the number of a loss."""
        return self.high - number if self.higher_is_better else number

    def between(self, low, high):
        """Return two losses as numbers, the lower one first."""
        low, high = float(self.turned(low)), float(self.turned(high))
        return (high, low) if self.higher_is_better else (low, high)

    def as_text(self, loss):
        """Return the number of a loss as people write it."""
        return written(self.turned(loss))


def grading_from(settings):
    """Return the grading that the settings of a session state, or None.

    Parameters
    ----------
    settings : dict
        With ``grades``, ``loss_range`` and ``higher_is_better``; states of earlier
        versions have none of them.

    Raises
    ------
    UserError
        Where they contradict each other.
    """
    grades, ends = settings.get("grades"), settings.get("loss_range")
    higher_is_better = bool(settings.get("higher_is_better"))
    if grades and ends:
        raise UserError("Give --grades or --loss-range, not both.")
    if not (grades or ends):
        if higher_is_better:
            raise UserError(
                "--higher-is-better says what numbers mean; give --grades or "
                "--loss-range, too."
            )
        return None
    if grades and len(set(grades)) < len(grades):
        raise UserError(f"--grades names a grade twice: {grades}.")
    low, high = (min(grades), max(grades)) if grades else ends
    if not low < high:
        raise UserError(
            f"--loss-range is the least and the largest "
            f"{'score' if higher_is_better else 'loss'}, and {low:g} is not below "
            f"{high:g}."
        )
    return Grading(low, high, tuple(grades or ()), higher_is_better)


def written(number):
    """Return a number as people write it, without the last bits of a float."""
    return f"{number:.12g}"
