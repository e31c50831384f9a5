"""Base class of formats: lists of JSON objects, one for each input to label."""

import json
from dataclasses import dataclass

from skrobust.cli.exit_codes import UserError


@dataclass(frozen=True)
class FilledInput:
    """One input of a list that came back, with what was answered.

    Attributes
    ----------
    where : str
        Its place in the file, such as "line 3".
    id : object
        Position in the pool as it was read; None where only the name is known.
    item : str or None
        Name of the input.
    label : str or None
        The true label; None or empty where it is not given.
    verdict : str or None
        right, wrong, skip or empty (the label is the empty text), or None.
    word : str or None
        Instead of both, in old lists: what would be typed in the terminal.
    name : str or None
        What ``label`` is, where the list says so: "loss" or "score".
    """

    where: str
    id: object
    item: str | None = None
    label: str | None = None
    verdict: str | None = None
    word: str | None = None
    name: str | None = None

    @property
    def is_open(self):
        """Whether nothing was answered."""
        answers = (self.label, self.verdict, self.word)
        return not any((answer or "").strip() for answer in answers)


class ListFormat:
    """Format of lists, which a subclass describes one record at a time.

    ``name`` is its name on the command line, ``lines`` tells whether each line of the
    file is a record (JSONL) or the file is one list, and ``takes_numbers`` whether any
    number of a range can be answered.
    """

    name, lines, takes_numbers = "", False, False

    def _record(self, shown, form):
        """Return the record of an input to label, as a dictionary.

        Parameters
        ----------
        shown : ShownInput
            The input.
        form : AnswerForm
            What may be answered. Without ``labels`` and ``numbers``, answers are the
            ``verdicts``.
        """
        raise NotImplementedError

    def _knows(self, record):
        """Return whether a record may be of this format."""
        return False

    def _answers(self, record):
        """Yield a label and a verdict, each or None, for each answer in a record."""
        raise NotImplementedError

    def _place(self, record):
        """Return the position in the pool and the name of an input, each or None."""
        return record.get("pool_id"), record.get("item")

    def _settings(self, form, has_pictures):
        """Return the ending and the text of a file that sets the tool up, or None."""
        return None

    def recognises(self, record):
        """Return whether a record of a file may be of this format."""
        return isinstance(record, dict) and self._knows(record)

    def settings(self, form, has_pictures):
        """Return the ending and the text of a file that sets the tool up, or None."""
        return self._settings(form, has_pictures)

    def write(self, shown, form):
        """Return the text of a list."""
        records = [self._record(one, form) for one in shown]
        if not self.lines:
            return f"{json.dumps(records, ensure_ascii=False, indent=1)}\n"
        return "".join(f"{json.dumps(r, ensure_ascii=False)}\n" for r in records)

    def read(self, text):
        """Yield the filled inputs of a list."""
        for number, record in enumerate(parse_records(text) or [None], 1):
            where = f"{'line' if self.lines else 'record'} {number}"
            if not self.recognises(record):
                raise UserError(f"{where} is no record of {self.name}")
            i, item = self._place(record)
            for label, verdict in self._answers(record):
                label = None if label is None else str(label)
                yield FilledInput(where, i, item, label, verdict)


def parse_records(text):
    """Return the objects of a JSON list or of JSON lines; None where it is neither."""
    try:
        found = json.loads(text)
        return found if isinstance(found, list) else [found]
    except ValueError:
        pass
    try:
        return [json.loads(line) for line in text.split("\n") if line.strip()]
    except ValueError:
        return None
