"""Inputs that were handed out: who has the list of which open input.

Handing out decides who answers, and nothing else: draws and their probabilities are
those of the session, and an input that nobody has answered is open, whoever has it.
"""

import itertools
import os
from collections import Counter

from skrobust.cli.exit_codes import UserError


class HandedOut:
    """Open inputs of a session by the person who has them.

    Parameters
    ----------
    session : Session
        Session that remembers it.
    """

    def __init__(self, session):
        self.session = session
        self._people = session.facts.setdefault("handed_out", {})

    @property
    def counts(self):
        """How many open inputs each person has, by name."""
        pending = self.session.sampler.pending_.tolist()
        having = (self._people.get(str(i)) for i in pending)
        return dict(sorted(Counter(name for name in having if name).items()))

    def of(self, *people):
        """Return the open inputs that one of these has, or nobody (None), in order."""
        pending = self.session.sampler.pending_.tolist()
        return [i for i in pending if self._people.get(str(i)) in people]

    def check_known(self, person):
        """Raise unless a person ever got a list; None is nobody in particular."""
        if person is not None and person not in self._people.values():
            known = ", ".join(sorted(set(self._people.values()))) or "nobody"
            raise UserError(f"--for: {person!r} never got a list; who did: {known}.")

    def hand_out(self, people):
        """Deal the open inputs that nobody has to people, each as many as the next.

        Parameters
        ----------
        people : sequence of str
            Names; with one, all are theirs, and with none nothing is done.
        """
        for i, person in zip(self.of(None), itertools.cycle(people), strict=False):
            self._people[str(i)] = person

    def take_back(self, person):
        """Let nobody have the open inputs of a person.

        Raises
        ------
        UserError
            Where the person has none.
        """
        ids = self.of(person)
        if not ids:
            others = ", ".join(self.counts) or "nobody"
            raise UserError(
                f"--take-back: {person!r} has no open inputs; who has some: {others}."
            )
        for i in ids:
            del self._people[str(i)]


def check_names(people):
    """Raise unless names of people are different and can be part of a file name."""
    for name in people:
        if (
            name != name.strip()
            or not name
            or not all(c.isalnum() or c in " ._-@" for c in name)
        ):
            raise UserError(
                f"--for: {name!r} is no name; letters, digits, ._-@ and spaces in "
                "between are allowed."
            )
    if len(set(people)) < len(people):
        raise UserError("--for names the same person twice.")


def paths_for(path, people):
    """Return the paths of lists by person, None for the list of nobody in particular.

    Parameters
    ----------
    path : str or None
        The path of one list; of several, the name of the person is added to it.
    people : sequence of str
        Who gets a list.
    """
    if path is None:
        return {}
    if len(people) < 2:
        return {(people or [None])[0]: path}
    start, end = os.path.splitext(path)
    return {name: f"{start}-{name}{end}" for name in people}
