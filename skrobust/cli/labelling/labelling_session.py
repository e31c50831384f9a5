"""Labelling sessions on disk: a state, and a journal of the answers since.

The state is the JSON of the sampler, with one entry of our own (``command_line``); it
is replaced as a whole. An answer is appended to the journal and forced to the disk
before the next question, which costs the same however large the pool is. Each line of
the journal has a number, and the state knows how many of them it holds, so a death
between any two steps loses nothing and counts nothing twice.
"""

import contextlib
import json
import os
import uuid
from pathlib import Path

from skrobust._whole_file import write_text_whole
from skrobust.cli.exit_codes import UserError, as_user_error
from skrobust.cli.labelling.sampler_names import get_sampler_classes

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
        while True:
            self._journal = self.journal_path.open("a+b")
            if not _locked(self._journal):
                self._journal.close()
                raise UserError(
                    f"Another skrobust works on {str(self.path)!r}; wait until it is "
                    "done."
                )
            # The one before us may have removed it between our opening and locking.
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(
                    os.fstat(self._journal.fileno()), self.journal_path.stat()
                ):
                    return self
            self._journal.close()

    def __exit__(self, *error):
        if os.fstat(self._journal.fileno()).st_size == 0:
            with contextlib.suppress(OSError):  # Windows removes no open file
                self.journal_path.unlink()
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
        if self._lines():
            raise UserError(
                f"{str(self.journal_path)!r} holds answers of a session whose state is "
                "gone; put the state back, or name another file."
            )
        self.sampler = sampler
        session = uuid.uuid4().hex
        self.facts = {**facts, "session": session, "n_journal": 0, "answers": {}}

    def resume(self):
        """Read the state, and the answers that came after it."""
        name = self.path.name
        try:
            state = json.loads(self.path.read_text(encoding="utf-8"))
            self.facts = state.pop(OURS)
            kind = get_sampler_classes()[state["class"]]
        except (ValueError, TypeError, KeyError, AttributeError):
            raise UserError(f"{name!r} is no state of `skrobust sample`.") from None
        text = json.dumps(state)
        try:
            self.sampler = kind.from_json(text)
        except ValueError:
            # Raises the same for what is no state; goes on where draws differ here.
            self.sampler = kind.from_json(text, frozen=True)
            self.frozen = True
        for line in self._lines():
            if line["session"] != self.facts["session"]:
                raise UserError(
                    f"{self.journal_path.name!r} holds answers of another session than "
                    f"{name!r}; name another file."
                )
            if line["n"] > self.facts["n_journal"]:
                text = f"{self.journal_path.name!r} does not fit {name!r}"
                with as_user_error(text, ValueError):
                    self.take(line["id"], line["kind"], line["answer"])
                self.facts["n_journal"] = line["n"]

    def _lines(self):
        self._journal.seek(0)
        content = self._journal.read()
        whole = content.rfind(b"\n") + 1
        lines = content[:whole].splitlines()
        if whole < len(content):  # died while writing; a part of a line is no JSON
            try:
                json.loads(content[whole:])
                lines.append(content[whole:])
                self._journal.write(b"\n")
            except ValueError:
                self._journal.truncate(whole)
            self._journal.flush()
        found = []
        for number, line in enumerate(lines, 1):
            try:
                entry = json.loads(line)
                names = ("session", "n", "id", "kind", "answer")
                found.append({name: entry[name] for name in names})
            except (ValueError, TypeError, KeyError):
                raise UserError(
                    f"Line {number} of {str(self.journal_path)!r} is damaged; repair "
                    "or remove it."
                ) from None
        return found

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
        self.facts["n_journal"] += 1
        entry = {"session": self.facts["session"], "n": self.facts["n_journal"]}
        entry |= {"id": i, "kind": kind, "answer": answer}
        self._journal.write(json.dumps(entry).encode() + b"\n")
        self._journal.flush()
        os.fsync(self._journal.fileno())

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
        state = json.loads(self.sampler.to_json())
        write_text_whole(self.path, json.dumps({**state, OURS: self.facts}))


def _locked(file):
    """Lock a file for this process, as long as it lives; True where that is unknown."""
    with contextlib.suppress(ImportError):  # Windows has no such locks
        import fcntl

        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True
