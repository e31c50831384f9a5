"""Questions of a labelling session, for the terminal and for the page."""

import math

from skrobust.cli.labelling.estimate_facts import estimate_facts
from skrobust.cli.labelling.grading import grading_from
from skrobust.cli.labelling.handed_out import HandedOut

AT_ONCE = 10  # draws between two looks at the answers, where these decide the end


class QuestionQueue:
    """Queue of the inputs to label, until their number, cost or interval is reached.

    Parameters
    ----------
    session : Session
        Session whose files get every answer at once.
    reader : AnswerReader
        Knows the labels.
    options : dict
        Options of the command: ``n`` (inputs to go through in all; None with ``until``
        or for those open only), ``until`` (half-width of the interval at which to
        stop), ``budget`` (their expected cost in all), ``batch`` (draws at a time;
        None: all of ``n``, a part of it where the sampler learns from batches, or ten
        with ``until``), ``level``, and ``person`` (whose list is gone through, too).

    Attributes
    ----------
    turn : int
        Number of steps so far; an answer to another turn comes too late.
    """

    def __init__(self, session, reader, options):
        self.session, self.reader, self.sampler = session, reader, session.sampler
        self.n, self.until, self.level = (options[k] for k in ("n", "until", "level"))
        self.budget = options.get("budget")
        self._batch = options["batch"] or self._default_batch()
        self._handed_out, self._person = HandedOut(session), options.get("person")
        self._again = None  # place among the draws of an answer that is looked at again
        self._result = None  # of the answers so far, once it was asked for
        self.turn = 0
        if self.until:
            session.decide_by_results(self.level)

    def _default_batch(self):
        if self.until or self.n is None:
            return AT_ONCE
        n_batches = getattr(self.sampler, "n_batches", 1)
        return math.ceil(self.n / n_batches)

    def current(self):
        """Return the input in question, drawing where none is open; None at the end."""
        if self._again is not None:
            return int(self.sampler.ids_[self._again])
        if self.until and self._half_width() <= self.until:
            return None
        mine = self._mine()
        if not mine:
            if self.until and len(self.sampler.pending_):
                return None  # answers to later draws would wait for those handed out
            if not (self._draw_cost() if self.budget else self._draw_number()):
                return None
            self.session.save()  # a draw without answers changes no estimate
            mine = self._mine()
        return mine[0]

    def _draw_number(self):
        """Draw up to the number in all; return whether any was left to draw."""
        most = self.sampler.n_pool_ if self.until else 0
        most = most if self.n is None else min(self.sampler.n_pool_, self.n)
        left = most - len(self.sampler.ids_)
        if left > 0:
            self.sampler.ask(min(left, self._batch))
        return left > 0

    def _draw_cost(self):
        """Draw up to the expected cost in all; return whether any was left to draw."""
        spent = self.session.spent()[1]
        rest = self.budget - spent
        is_over = len(self.sampler.ids_) == self.sampler.n_pool_
        if is_over or rest <= 1e-9 * self.budget:
            return False
        # A sampler that learns gets the budget in parts, the last of which may be too
        # small for a label.
        part = self.budget / getattr(self.sampler, "n_batches", 1)
        for amount in (min(part, rest), rest):
            try:
                self.session.ask_for(amount)
                return True
            except ValueError:
                if amount == rest and not spent:
                    raise
        return False

    def _mine(self):
        """Return the open inputs that nobody else has."""
        return self._handed_out.of(None, self._person)

    def place(self, i):
        """Return the place of an input among the draws."""
        return self.sampler.ids_.tolist().index(i)

    def given(self, i):
        """Return kind and answer that were given before, or None."""
        return self.session.answer_of(i)

    def answer(self, kind, answer):
        """Take in the answer to the input in question; it is on the disk at return."""
        self.session.answer(self.current(), kind, answer)
        self._result = None
        if self.is_unknown(kind, answer):
            self.reader.known.append(answer)
        self.keep()

    def is_unknown(self, kind, answer):
        """Return whether an answer is a label that the model does not know."""
        return kind == "y_true" and answer not in self.reader.known

    def keep(self):
        """Leave the answer that is looked at again as it is."""
        self._again = None
        self.turn += 1

    def undo(self):
        """Go back to the last draw before this one that was answered.

        Returns
        -------
        bool
            False where there is none.
        """
        i = self.current()
        at = len(self.sampler.ids_) if i is None else self.place(i)
        for place in range(at - 1, -1, -1):
            if self.given(int(self.sampler.ids_[place])) is not None:
                self._again = place
                self.turn += 1
                return True
        return False

    def result(self):
        """Return the result so far; the interval suits the way of stopping."""
        if self._result is None:
            method = self.session.method
            self._result = self.sampler.result(confidence=self.level, method=method)
        return self._result

    def facts(self):
        """Return the result so far as plain data, in the units of the answers."""
        grading = grading_from(self.session.facts.get("settings", {}))
        stopping = self.session.method == "stopping"
        return estimate_facts(self.result(), grading, stopping=stopping)

    def _half_width(self):
        low, high = self.result().interval
        return (high - low) / 2
