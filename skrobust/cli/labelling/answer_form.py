"""Form of the answers of a session, as lists and the page offer them."""

from dataclasses import dataclass

VERDICTS = ("right", "wrong", "skip")
NAMES = ("label", "loss", "score")


@dataclass(frozen=True)
class AnswerForm:
    """What an answer may be.

    Attributes
    ----------
    labels : list of str
        Labels, or grades, to choose from.
    numbers : (float, float) or None
        Least and largest number, where all between are answers, too.
    name : str
        What is answered: "label", "loss" or "score".
    verdicts : tuple of str
        What may be said instead, or alone.
    """

    labels: list
    numbers: tuple | None = None
    name: str = "label"
    verdicts: tuple = VERDICTS

    @property
    def is_graded(self):
        """Whether answers are numbers of a scale and no labels."""
        return self.name != "label"


def answer_among(fields):
    """Return the answer of a person among all that a tool asked for, or None.

    Parameters
    ----------
    fields : dict
        Answers by question; a project may ask for more than we do.
    """
    return next((fields[name] for name in NAMES if fields.get(name) is not None), None)
