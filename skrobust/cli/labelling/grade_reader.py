"""Reader of graded answers: numbers of a scale, or skip."""

import math

from skrobust.cli.exit_codes import UserError
from skrobust.cli.labelling.answer_form import AnswerForm
from skrobust.cli.labelling.grading import written

_CONTROLS = {"s": "skip", "?": "skip", "u": "undo", "q": "quit"}
_CONTROLS |= {word: word for word in ("skip", "undo", "quit")}


class GradeReader:
    """Reader of graded answers: words become losses.

    It has the methods of :class:`AnswerReader`. Predictions are shown and compared with
    nothing, and a colon may mark what is no number.

    Parameters
    ----------
    sampler : sampler
        Fitted.
    grading : Grading
        The scale.
    """

    takes_labels, known = False, ()

    def __init__(self, sampler, grading):
        self.y_pred, self.grading = sampler.y_pred_, grading
        labels = [written(grade) for grade in grading.grades]
        numbers = None if labels else (grading.low, grading.high)
        self.form = AnswerForm(labels, numbers, grading.name, ("skip",))

    @property
    def help(self):
        """What may be typed."""
        grades = ", ".join(self.form.labels)
        of = f" ({grades})" if grades else ""
        name, scale = self.grading.name, self.grading.scale
        return f"the {name}{of}, {scale}, or s skip, u undo, q quit"

    def control(self, word):
        """Return skip, undo or quit, or None for any other word."""
        return _CONTROLS.get(word.strip().removeprefix(":").lower())

    def read(self, word):
        """Return "loss" and the loss, None for a skipped input.

        Raises
        ------
        UserError
            For what is no number of the scale.
        """
        control = self.control(word)
        if control in ("undo", "quit"):
            raise UserError(f"the answer {word.strip()!r} is a command of the terminal")
        if control == "skip":
            return "loss", None
        return "loss", float(self.grading.turned(self._number(word)))

    def read_old(self, word):
        """Refuse lists that were written for labels."""
        raise UserError(self._no_number(word))

    def read_pair(self, i, label, verdict):
        """Return what ``read`` does for a number and the verdict skip.

        Parameters
        ----------
        i : int
            Position in the pool.
        label : str or None
            The number, or nothing.
        verdict : str or None
            skip, or nothing.

        Returns
        -------
        (str, float or None) or None
            None where nothing is given.

        Raises
        ------
        UserError
            For any other word, and where both are given.
        """
        words = [word.strip() for word in (label, verdict) if (word or "").strip()]
        if len(words) > 1:
            raise UserError(f"the answers {words[0]!r} and {words[1]!r} are two")
        return self.read(words[0]) if words else None

    def choice(self, at):
        """Return the answer that the button of a number stands for."""
        return self.read(self.form.labels[at])

    def hint(self, answer):
        """Return None: no number is like a control word."""

    def in_words(self, kind, answer):
        """Return an answer as it may be typed."""
        return "skip" if answer is None else self.grading.as_text(answer)

    def as_read(self, kind, answer):
        """Return an answer as people read it."""
        return "skipped" if answer is None else self.grading.as_text(answer)

    def predicted(self, i):
        """Return the predicted label of an input as text, empty where there is none."""
        return "" if self.y_pred is None else str(self.y_pred[i])

    def _number(self, word):
        text = word.strip()
        if text.count(",") == 1 and "." not in text:
            if len(text.partition(",")[2]) == 3:  # 1,250 is 1.25 or 1250
                raise UserError(
                    f"the answer {text!r} may be a fraction or thousands; write it "
                    "with a point, or without a comma"
                )
            text = text.replace(",", ".")  # as spreadsheets of many countries write
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        low, high = self.grading.low, self.grading.high
        if self.form.labels:
            near = min(self.grading.grades, key=lambda grade: abs(grade - number))
            is_one = abs(near - number) <= 1e-9 * (high - low)
            number = near if is_one else math.nan
        if not low <= number <= high:
            raise UserError(self._no_number(word))
        return number

    def _no_number(self, word):
        name, labels = self.grading.name, ", ".join(self.form.labels)
        wanted = f"one of {labels}" if labels else f"a number, {self.grading.scale}"
        return f"the answer {word.strip()!r} is no {name}: {wanted}, or skip"
