"""Reader of answers: labels, and control words that no label can be taken for.

Where predictions are known, an answer is a true label, and a control word begins with a
colon: ``:right``, ``:wrong``, ``:skip``. Classes may have any name, those words
included. Without predictions there are no labels, and the colon may be left out.
"""

import math

import numpy as np

from skrobust.cli.exit_codes import UserError

_LONG = {"r": "right", "w": "wrong", "s": "skip", "?": "skip", "u": "undo", "q": "quit"}
_CONTROLS = _LONG | {word: word for word in _LONG.values()}
_OF_THE_LOOP = ("undo", "quit")
_EMPTY = ":empty"  # the label without a character; an empty answer is no answer


class AnswerReader:
    """Reader of answers: words become labels.

    Parameters
    ----------
    sampler : sampler
        Fitted; with predictions (``y_pred_``) answers may be true labels.
    classes : sequence, default=()
        Labels of the model, including those that it never predicted here.
    """

    def __init__(self, sampler, classes=()):
        self.y_pred = sampler.y_pred_
        self.takes_labels = self.y_pred is not None
        predicted = np.unique(self.y_pred).tolist() if self.takes_labels else []
        texts = bool(predicted) and all(isinstance(p, str) for p in predicted)
        known = [str(label) for label in classes] if texts else list(classes)
        self.known = list(dict.fromkeys([*predicted, *known]))

    def control(self, word):
        """Return right, wrong, skip, undo or quit, or None for any other word."""
        marked = word.strip().startswith(":")
        if self.takes_labels and not marked:
            return None
        return _CONTROLS.get(word.strip().removeprefix(":").lower())

    def read(self, word):
        """Return the kind of an answer and the answer, None for a skipped input.

        Parameters
        ----------
        word : str
            A label, or a control word for right, wrong or skipped.

        Returns
        -------
        kind : {"y_true", "failed"}
        answer : object

        Raises
        ------
        UserError
            For any other word.
        """
        control = self.control(word)
        if control in _OF_THE_LOOP:
            raise UserError(f"the answer {word.strip()!r} is a command of the terminal")
        if control is not None:
            return "failed", None if control == "skip" else control == "wrong"
        if not self.takes_labels:
            raise UserError(
                f"the answer {word!r} is not right, wrong or skip (there are no "
                "predictions that a label could be compared with)"
            )
        return "y_true", self._label(word)

    def hint(self, answer):
        """Return the control word that an unknown label may have been meant for."""
        control = _CONTROLS.get(str(answer).strip().lower())
        return None if control is None else f":{control}"

    def in_words(self, kind, answer):
        """Return an answer as it may be typed."""
        mark = ":" if self.takes_labels else ""
        if answer is None:
            return f"{mark}skip"
        if kind == "failed":
            return f"{mark}wrong" if answer else f"{mark}right"
        return self._written(answer)

    def predicted(self, i):
        """Return the predicted label of an input as text, empty where there is none."""
        return str(self.y_pred[i]) if self.takes_labels else ""

    def _written(self, label):
        text = str(label)
        if not text:
            return _EMPTY
        control = text.startswith("::") or text == _EMPTY or self.control(text)
        return f":{text}" if control else text

    def _label(self, word):
        by_text = {str(label): label for label in self.known}
        for text in (word, word.strip()):  # a label may begin or end with a space
            if text in by_text and text != _EMPTY and not text.startswith("::"):
                return by_text[text]
        word = word.strip()
        if word == _EMPTY:
            word = ""
        elif word.startswith("::"):
            word = word[1:]
        elif word.startswith(":"):
            raise UserError(
                f"the answer {word!r} is no control word (:right, :wrong, :skip, and "
                ":empty for the empty label); a label that begins with a colon is "
                "written with two"
            )
        if word in by_text:
            return by_text[word]
        kind = self.y_pred.dtype.kind
        if kind in "biuf":
            return _number(word, kind)
        if not all(isinstance(label, str) for label in self.known):
            raise UserError(f"the answer {word!r} is not one of the labels")
        return word


def _number(word, kind):
    if kind == "b" and word.lower() in ("true", "false"):
        return word.lower() == "true"
    try:
        number = int(word)  # exact, however long
    except ValueError:
        try:
            number = float(word)
            if not math.isfinite(number) or (kind in "biu" and number != int(number)):
                raise ValueError
        except ValueError:
            raise UserError(
                f"the answer {word!r} is no number as the predicted labels are, and "
                "none of :right, :wrong and :skip"
            ) from None
    if kind == "b" and number not in (0, 1):
        raise UserError(f"the answer {word!r} is neither true nor false")
    return {"b": bool, "f": float}.get(kind, int)(number)
