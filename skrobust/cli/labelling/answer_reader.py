"""Reader of answers: labels, and control words that no label can be taken for.

In lists and on the page, labels and verdicts (right, wrong, skip) have a place each. In
the terminal one line serves both: where predictions are known, it is a true label, and
a control word begins with a colon (``:right``, ``:wrong``, ``:skip``). Classes may have
any name, those words included. Without predictions there are no labels, and the colon
may be left out.
"""

import math

import numpy as np

from skrobust.cli.exit_codes import UserError
from skrobust.cli.labelling.answer_form import AnswerForm

_LONG = {"r": "right", "w": "wrong", "s": "skip", "?": "skip", "u": "undo", "q": "quit"}
_CONTROLS = _LONG | {word: word for word in _LONG.values()}
_OF_THE_LOOP = ("undo", "quit")
_EMPTY = ":empty"  # the label without a character; an empty answer is no answer
_VERDICTS = {"r": "right", "w": "wrong", "s": "skip"}
_VERDICTS |= {word: word for word in ("right", "wrong", "skip", "empty")}


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

    @property
    def form(self):
        """The form of the answers; labels that nobody knew are learned in between."""
        return AnswerForm(list(map(str, self.known)) if self.takes_labels else [])

    @property
    def help(self):
        """What may be typed."""
        if self.takes_labels:
            return (
                "the true label, or :r if the prediction is right, :w wrong, :s skip, "
                ":u undo, :q quit"
            )
        return "r right, w wrong, s skip, u undo, q quit"

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

    def read_old(self, word):
        """Return what ``read`` does for a list in which labels and verdicts are one.

        Raises
        ------
        UserError
            Also where a word is both.
        """
        text = word.strip()
        if self.takes_labels and self.control(text) and text in map(str, self.known):
            raise UserError(
                f"the answer {text!r} is a label and a control word; add a column "
                "'verdict' for right, wrong and skip, and keep labels in 'answer'"
            )
        return self.read(word)

    def read_pair(self, i, label, verdict):
        """Return what ``read`` does for a label and a verdict in a place each.

        Parameters
        ----------
        i : int
            Position in the pool.
        label : str or None
            The true label; empty or None where it is not given.
        verdict : str or None
            right, wrong or skip; empty (the label is the text without a character);
            or nothing.

        Returns
        -------
        (str, object) or None
            Kind and answer; None where nothing is given.

        Raises
        ------
        UserError
            For any other word, and where label and verdict contradict each other.
        """
        word = (verdict or "").strip().lower()
        if label and not self.takes_labels:  # so it can only be a verdict
            kind, answer = self.read(label)
            if word and self.read(word) != (kind, answer):
                raise UserError(f"the answers {label!r} and {word!r} are two")
            return kind, answer
        given, verdict = label not in (None, ""), _VERDICTS.get(word)
        if word and (verdict is None or (verdict == "empty" and not self.takes_labels)):
            raise UserError(
                f"the verdict {word!r} is not right, wrong or skip (or empty, for the "
                "label without a character)"
            )
        is_label = given or verdict == "empty"
        if not is_label:
            failed = None if verdict == "skip" else verdict == "wrong"
            return ("failed", failed) if verdict else None
        answer = self.read_label("" if verdict == "empty" else label)
        as_predicted = "right" if answer == self.y_pred[i] else "wrong"
        agree = not given if verdict == "empty" else verdict in (None, as_predicted)
        if not agree:
            raise UserError(
                f"the label {label!r} and the verdict {verdict!r} contradict each other"
            )
        return "y_true", answer

    def hint(self, answer):
        """Return the control word that an unknown label may have been meant for."""
        control = _CONTROLS.get(str(answer).strip().removeprefix(":").lower())
        return None if control is None else f":{control}"

    def in_words(self, kind, answer):
        """Return an answer as it may be typed."""
        mark = ":" if self.takes_labels else ""
        if answer is None:
            return f"{mark}skip"
        if kind == "failed":
            return f"{mark}wrong" if answer else f"{mark}right"
        return self._written(answer)

    def as_read(self, kind, answer):
        """Return an answer as people read it."""
        if kind == "y_true" and answer is not None:
            return str(answer) or "(empty)"
        return {None: "skipped", True: "wrong", False: "right"}[answer]

    def choice(self, at):
        """Return the answer that the button of a label stands for."""
        return "y_true", self.known[at]

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
        """Return the label of a line of the terminal, where a colon marks controls."""
        by_text = set(map(str, self.known))
        for text in (word, word.strip()):  # a label may begin or end with a space
            if text in by_text and text != _EMPTY and not text.startswith("::"):
                return self.read_label(text)
        word = word.strip()
        if word == _EMPTY:
            word = ""
        elif word.startswith("::"):
            word = word[1:]
        elif word.startswith(":"):
            raise UserError(
                f"the answer {word!r} is no control word (:right, :wrong, :skip, "
                ":undo, :quit, and :empty for the empty label); a label that begins "
                "with a colon is written with two"
            )
        return self.read_label(word)

    def read_label(self, text):
        """Return the label that a text names, whatever the text is.

        Parameters
        ----------
        text : str
            As it is; where no label is called so, spaces at its ends are dropped.

        Returns
        -------
        object
            Of the type of the predicted labels.
        """
        by_text = {str(label): label for label in self.known}
        for word in (text, text.strip()):
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
                f"the answer {word!r} is no number as the predicted labels are"
            ) from None
    if kind == "b" and number not in (0, 1):
        raise UserError(f"the answer {word!r} is neither true nor false")
    return {"b": bool, "f": float}.get(kind, int)(number)
