"""Journal of answers: one line each, on the disk before the next question.

Each line has its own digest and the link of all before it, from the session on (see
``skrobust._sealed``). The state knows how many lines it holds and the link after them.
"""

import contextlib
import os
from pathlib import Path

from skrobust._sealed import Damaged, chained, read_chain, whole_lines
from skrobust.cli.exit_codes import UserError

_NAMES = {"session", "pool", "n", "id", "kind", "answer"}


class AnswerJournal:
    """Journal of one session, open and locked for this process.

    Parameters
    ----------
    path : Path
        The file; it is made where it is missing.

    Attributes
    ----------
    note : str or None
        What :meth:`read` found that a person should know, and that is no damage.
    """

    def __init__(self, path):
        self.path, self.note = path, None
        while True:
            self._file = path.open("a+b")
            if not _locked(self._file):
                self._file.close()
                raise BlockingIOError(str(path))
            # The one before us may have removed it between our opening and locking.
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(self._file.fileno()), path.stat()):
                    return
            self._file.close()

    def close(self):
        """Close the file, and remove it where it holds nothing."""
        if os.fstat(self._file.fileno()).st_size == 0:
            with contextlib.suppress(OSError):  # Windows removes no open file
                self.path.unlink()
        self._file.close()

    @property
    def counts(self):
        """How many lines are whole, and how many are damaged."""
        entries, bad = whole_lines(self._content())
        return len(entries), len(bad)

    def begin(self, session):
        """Return what the state of a new session knows of its journal.

        Raises
        ------
        UserError
            Where the journal holds answers.
        """
        if any(self.counts):
            raise UserError(
                f"{str(self.path)!r} holds answers of a session whose state is gone; "
                "put the state back, or name another file and read them with "
                f"`skrobust sample --answers {self.path.name}`."
            )
        self._file.truncate(0)  # of a line that was never whole
        return {"n_journal": 0, "link": session, "journal_start": [0, session]}

    def read(self, facts, state_name):
        """Return the entries that a state does not hold yet, each with its link.

        Parameters
        ----------
        facts : dict
            Facts of the state; where the journal begins anew, they say so from now on.
        state_name : str
            For messages.

        Raises
        ------
        UserError
            For damaged, lost and replaced lines, also among those that the state holds.
        """
        content, (n, link) = self._content(), facts["journal_start"]
        held, name = facts["n_journal"] - n, self.path.name
        found, _ = whole_lines(content)
        if any(entry.get("session") != facts["session"] for entry in found):
            raise UserError(
                f"{name!r} holds answers of another session than {state_name!r}; name "
                "another file."
            )
        if held and (not content or (found and found[0]["n"] == n + held + 1)):
            self.note = (
                f"the first {held} lines of {name!r} are gone; going on with what "
                f"{state_name!r} holds"
            )
            n, link, held = facts["n_journal"], facts["link"], 0
            facts["journal_start"] = [n, link]
        try:
            entries, links, whole = read_chain(content, repr(name), link)
            if len(entries) < held:
                n_lost = held - len(entries)
                raise Damaged(f"The last {n_lost} lines of {name!r} are lost.")
            if held and links[held - 1] != facts["link"]:
                raise Damaged(f"{name!r} is not the one that {state_name!r} knows.")
        except Damaged as error:
            raise UserError(f"{error} {self._cure(state_name)}") from None
        if whole != content:
            if not content.startswith(whole):  # all but the end of the last line
                self._file.write(b"\n")
            else:
                self._file.truncate(len(whole))
                self.note = (
                    f"the last line of {name!r} was cut short while it was written, "
                    "and is left out"
                )
            self._file.flush()
        return list(zip(entries, links, strict=True))[held:]

    def write(self, facts, i, kind, answer):
        """Append an answer, force it to the disk, and count it in the facts."""
        entry = {"session": facts["session"], "pool": facts["pool"]["fingerprint"]}
        entry |= {"n": facts["n_journal"] + 1, "id": i, "kind": kind, "answer": answer}
        line, link = chained(facts["link"], entry)
        self._file.write(line)
        self._file.flush()
        os.fsync(self._file.fileno())
        facts["n_journal"], facts["link"] = entry["n"], link

    def _content(self):
        self._file.seek(0)
        return self._file.read()

    def _cure(self, state_name):
        n_whole, n_bad = self.counts
        return (
            f"{n_whole} of its {n_whole + n_bad} lines are whole, and {state_name!r} "
            "is as it was written: move the journal to another name, and read these "
            "lines with `skrobust sample --answers NAME`."
        )


def is_journal(path):
    """Return whether a file begins as a journal of answers does."""
    with Path(path).open("rb") as file:
        return file.read(12) == b'{"session": '


def journal_answers(path, fingerprint):
    """Return the last answer to each input in a journal of any session.

    Parameters
    ----------
    path : path-like
        The journal, which may be damaged: lines with a wrong digest are left out.
    fingerprint : str
        Of the pool that the answers must belong to.

    Returns
    -------
    answers : list of (int, str, object)
        Position, kind and answer.
    bad : list of int
        Numbers of the lines that are left out.
    """
    entries, bad = whole_lines(Path(path).read_bytes())
    name = Path(path).name
    if not all(set(entry) >= _NAMES for entry in entries):
        raise UserError(f"{name!r} is no journal of answers.")
    if any(entry["pool"] != fingerprint for entry in entries):
        raise UserError(f"{name!r} holds answers to the inputs of another pool.")
    last = {entry["id"]: (entry["kind"], entry["answer"]) for entry in entries}
    return [(i, *pair) for i, pair in last.items()], bad


def _locked(file):
    """Lock a file for this process, as long as it lives; True where that is unknown."""
    with contextlib.suppress(ImportError):  # Windows has no such locks
        import fcntl

        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True
