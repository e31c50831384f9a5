"""Labelling sessions on disk: a state, and a journal of the answers since.

The state is the JSON of the sampler, with one entry of our own (``command_line``)
under the same seal; it is replaced as a whole. An answer is appended to the journal and
forced to the disk before the next question, which costs the same however large the pool
is. Each line of the journal has a number, and the state knows how many of them it
holds, so a death between any two steps loses nothing and counts nothing twice. What
was changed on the disk is refused.
"""

import json
import uuid
from pathlib import Path

from skrobust._sealed import SEAL, extended, open_seal
from skrobust._whole_file import write_text_whole
from skrobust.cli.exit_codes import UserError, as_user_error
from skrobust.cli.labelling.answer_journal import AnswerJournal
from skrobust.cli.labelling.sampler_names import get_sampler_classes
from skrobust.sampling.core.state import DrawsDiffer

OURS = "command_line"


class Session:
    """Labelling session: a sampler with its files.

    Parameters
    ----------
    path : path-like
        Path of the state; the journal is beside it.
    """

    def __init__(self, path):
        self.path = Path(path).resolve()
        self.journal_path = self.path.with_name(self.path.name + ".journal")
        self.sampler, self.facts, self._journal = None, None, None
        self.frozen = False

    def __enter__(self):
        try:
            self._journal = AnswerJournal(self.journal_path)
        except BlockingIOError:
            raise UserError(
                f"Another skrobust works on {str(self.path)!r}; wait until it is done."
            ) from None
        return self

    def __exit__(self, *error):
        self._journal.close()

    @property
    def exists(self):
        """Whether there is a state to go on from."""
        return self.path.is_file()

    def begin(self, sampler, facts):
        """Take a fitted sampler for a new session.

        Parameters
        ----------
        sampler : sampler
            Fitted, with nothing asked.
        facts : dict
            Plain data to keep: what the pool and the options were.
        """
        session = uuid.uuid4().hex
        self.facts = {**facts, "session": session, "answers": {}}
        self.facts |= self._journal.begin(session)
        self.sampler = sampler

    def resume(self):
        """Read the state, and the answers that came after it.

        Raises
        ------
        UserError
            Where either is not what was written; the message says how to go on.
        """
        name, content = self.path.name, self.path.read_bytes()
        try:
            state = json.loads(content)
            kind = get_sampler_classes()[state["class"]]
            self.facts = state[OURS]
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            text = f"{name!r} is no state of `skrobust sample`, or is damaged."
            raise UserError(text + self._cure()) from None
        try:
            if SEAL in state:
                open_seal(state, repr(name))
            self.sampler = kind.from_json(content)
        except DrawsDiffer:  # whole as written, under another numpy
            self.sampler = kind.from_json(content, frozen=True)
            self.frozen = True
        except ValueError as error:
            raise UserError(f"{error}{self._cure()}") from None
        for line, link in self._journal.read(self.facts, name):
            text = f"{self.journal_path.name!r} does not fit {name!r}"
            with as_user_error(text, ValueError):
                self.take(line["id"], line["kind"], line["answer"])
            self.facts |= {"n_journal": line["n"], "link": link}

    @property
    def note(self):
        """What a person should know of the journal, or None."""
        return self._journal.note

    def _cure(self):
        """Return how to go on where the state is lost."""
        n, _ = self._journal.counts
        if not n:
            return " Put a copy of it back, or begin a session with another --state."
        journal = self.journal_path.name
        return (
            f" {journal!r} has {n} answers that are whole: begin a session with "
            f"another --state, and read them with `skrobust sample --answers {journal}`"
            "."
        )

    def answer(self, i, kind, answer):
        """Take in one answer and write it down at once.

        Parameters
        ----------
        i : int
            Position in the pool; answered before or not.
        kind : {"y_true", "failed"}
            Kind of the answer.
        answer : object
            Plain; None skips the input.
        """
        self.take(i, kind, answer)
        self._journal.write(self.facts, i, kind, answer)

    def take(self, i, kind, answer):
        """Take in one answer without writing it down; ``save`` does."""
        known = str(i) in self.facts["answers"]
        verb = self.sampler.correct if known else self.sampler.tell
        verb([i], **{kind: [answer]})
        self.facts["answers"][str(i)] = [kind, answer]

    def ask_for(self, budget):
        """Draw as many inputs as have an expected cost of at most a budget."""
        self.sampler.ask(budget=budget)
        self.facts["budget"] = self.facts.get("budget", 0.0) + budget

    def spent(self):
        """Return what the labels of all inputs drawn cost, and the budgets so far."""
        total = float(self.sampler.costs_[self.sampler.ids_].sum())
        return total, self.facts.get("budget", 0.0)

    def decide_by_results(self, level):
        """Note that the results decide when labelling ends, from now on.

        Parameters
        ----------
        level : float
            Nominal coverage of the interval that decides.

        Raises
        ------
        ValueError
            Where the sampler has no interval that holds at every look.
        """
        if self.method == "default":
            self.sampler.result(confidence=level, method="stopping")
            self.facts["stopping"] = True
            if self.exists:  # else the first draw saves it
                self.save()

    @property
    def method(self):
        """Method of the interval that holds for the way in which labelling ends."""
        return "stopping" if self.facts.get("stopping") else "default"

    def answer_of(self, i):
        """Return ``[kind, answer]`` of an input, or None while it is open."""
        return self.facts["answers"].get(str(i))

    def save(self):
        """Replace the state on the disk, whole or not at all."""
        state = extended(json.loads(self.sampler.to_json()), {OURS: self.facts})
        write_text_whole(self.path, json.dumps(state))
