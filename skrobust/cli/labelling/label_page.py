"""Labelling page: what it shows, and what its buttons and keys do."""

import threading

from skrobust.cli.exit_codes import UserError
from skrobust.cli.labelling.result_sentences import (
    estimate_sentence,
    progress_counts,
)
from skrobust.cli.labelling.shown_input import picture_bytes, show_input

_FOR_VERDICTS = "rwsuq"
KEYS = [
    key for key in "123456789abcdefghijklmnopqrstuvwxyz" if key not in _FOR_VERDICTS
]


class LabelPage:
    """Labelling page, without the server: states and actions as plain data.

    Parameters
    ----------
    queue : QuestionQueue
        Inputs to label.
    pool : Pool
        Inputs to show.
    show : sequence of str
        Columns to show.
    options : dict
        Options of the command: ``blind`` hides predictions.
    """

    def __init__(self, queue, pool, show, options):
        self._queue, self._pool, self._reader = queue, pool, queue.reader
        self._show, self._blind = show, options["blind"]
        self._lock = threading.Lock()  # one request at a time, from however many tabs
        self._is_closed = False

    def close(self):
        """Wait for the answer that is being taken in, and take no other."""
        with self._lock:
            self._is_closed = True

    def state(self, note=""):
        """Return what the page shows now, as plain data."""
        with self._lock:
            return self._state(note)

    def picture(self, i):
        """Return media type and bytes of the picture of an input that was asked.

        Raises
        ------
        UserError
            Where there is none.
        """
        with self._lock:
            is_asked = i in self._queue.sampler.ids_
        picture = self._shown(i).picture if is_asked else None
        if picture is None:
            raise UserError(f"There is no picture of id {i}.")
        return picture_bytes(picture)

    def act(self, action, turn, given):
        """Do what was asked for on the page.

        Parameters
        ----------
        action : {"answer", "undo", "keep"}
            What to do.
        turn : int
            Turn that the page has shown. Another tab may have answered meanwhile; then
            nothing is done.
        given : dict
            Of an answer: ``verdict`` (right, wrong or skip), or ``label`` (position
            among the known labels), or ``text`` (any label), with ``sure`` where a
            label that the model does not know is meant.

        Returns
        -------
        dict
            The state after it, with a ``note`` where nothing was done.
        """
        with self._lock:
            if self._is_closed:
                raise ConnectionAbortedError("The session has ended.")
            if turn != self._queue.turn:
                return self._state("Another tab was faster; this is the question now.")
            i = self._queue.current()
            if action == "undo":
                return self._state("" if self._queue.undo() else "Nothing to undo.")
            if action == "keep":
                if i is not None and self._queue.given(i) is not None:
                    self._queue.keep()
                return self._state()
            if i is None:
                return self._state("All is labelled.")
            try:
                kind, answer = self._answer(i, given)
            except UserError as error:
                return self._state(_as_sentence(error.message))
            if self._queue.is_unknown(kind, answer) and given.get("sure") is not True:
                note = (
                    f"The model has no label {str(answer)!r}. Send it again to keep it."
                )
                return self._state(note) | {"unsure": given.get("text")}
            self._queue.answer(kind, answer)
            return self._state()

    def _answer(self, i, given):
        if "verdict" in given:
            pair = self._reader.read_pair(i, None, given["verdict"])
        elif "label" in given:
            n, at = len(self._reader.form.labels), given["label"]
            if not (isinstance(at, int) and 0 <= at < n):
                raise UserError(f"there is no label number {at!r}")
            pair = self._reader.choice(at)
        else:
            pair = self._reader.read_pair(i, given.get("text"), None)
        if pair is None:
            raise UserError("nothing was answered")
        return pair

    def _shown(self, i):
        return show_input(i, self._pool, self._reader, self._show, blind=self._blind)

    def _state(self, note=""):
        queue = self._queue
        i = queue.current()  # may draw
        found = queue.facts()
        facts = {
            "turn": queue.turn,
            "note": note,
            "question": None if i is None else self._question(i),
            "labels": self._labels(),
            "graded": self._graded(),
            "blind": self._blind,
            "n_done": found["n_labels"] + found["n_skipped"],
            "n_wanted": queue.n,
            "n_failures": found["n_failures"],
            "n_skipped": found["n_skipped"],
            "counts": progress_counts(found),
            "sentence": estimate_sentence(found).replace(" %", "\u00a0%"),
        }
        if queue.until:
            half = (found["interval"][1] - found["interval"][0]) / 2
            facts |= {"until": queue.until, "half_width": half}
        return facts

    def _question(self, i):
        shown, given = self._shown(i), self._queue.given(i)
        return {
            "id": i,
            "place": self._queue.place(i) + 1,
            "item": shown.item,
            "predicted": shown.predicted,
            "columns": list(shown.columns.items()),
            "picture": shown.picture is not None,
            "was": None if given is None else self._reader.as_read(*given),
        }

    def _labels(self):
        form = self._reader.form
        keys = [*KEYS, *[""] * len(form.labels)]
        if form.is_graded and all(len(label) == 1 for label in form.labels):
            keys = form.labels  # the key of a digit is the digit
        known = zip(form.labels, keys, strict=False)
        return [{"text": label, "key": key} for label, key in known]

    def _graded(self):
        """Return what grades are called and what they mean, or None."""
        if not self._reader.form.is_graded:
            return None
        grading = self._reader.grading
        return {"name": grading.name.capitalize(), "scale": grading.scale}


def _as_sentence(text):
    return f"{text[:1].upper()}{text[1:]}."
