"""Loop of questions and answers in the terminal."""

import sys

import click

from skrobust.cli.exit_codes import UserError
from skrobust.cli.labelling.result_text import plain_text, short

AT_ONCE = 10  # draws between two looks at the answers, where these decide the end


class LabelLoop:
    """Loop that asks for labels until a budget is used or an interval is narrow.

    Parameters
    ----------
    session : Session
        Session whose files get every answer at once.
    pool : Pool
        Inputs to show.
    reader : AnswerReader
        Turns words into answers.
    show : sequence of str
        Columns to show.
    options : dict
        Options of the command: ``n`` (inputs to go through in all; None with ``until``
        or for those open only), ``until`` (half-width of the anytime interval at which
        to stop), ``batch`` (draws at a time; None: all of the budget, or ten with
        ``until``), ``level``, and the flags ``view``, ``blind`` and ``quiet``.
    """

    def __init__(self, session, pool, reader, show, options):
        self.session, self.pool, self.reader, self.show = session, pool, reader, show
        self.sampler, self.options = session.sampler, options
        self.n, self.until, self.level = (options[k] for k in ("n", "until", "level"))
        self.batch = options["batch"] or (AT_ONCE if self.until else None)
        self._unsure = None  # an unknown label that was typed once

    def run(self):
        """Ask until done.

        Returns
        -------
        bool
            True when done, False when the person wants to stop.
        """
        self._say(self._help())
        shown = None  # the input whose description is on the screen
        again = None  # place among the draws of an answer that is looked at again
        while True:
            i = self._next() if again is None else int(self.sampler.ids_[again])
            if i is None:
                again = self._last_chance()
                if again is None:
                    return True
                continue
            at = again if again is not None else self.sampler.ids_.tolist().index(i)
            word = self._question(i, at, shown=i == shown)
            shown = i
            control = "quit" if word is None else self.reader.control(word)
            if control == "quit":
                return False
            if control == "undo":
                before = self._before(at)
                if before is None:
                    self._say("  nothing to undo")
                else:
                    again = before
            elif not word or self._answer(i, word):  # the answer that is there stays
                again = None

    def _last_chance(self):
        """Return the place of the last answer if it was a slip, or None."""
        before = self._before(len(self.sampler.ids_))
        if before is None:
            return None
        click.echo("\ndone; Enter ends, u undoes: ", nl=False)
        word = (_typed() or "").strip().lower()  # no label is asked for here
        return before if word.removeprefix(":") in ("u", "undo") else None

    def _next(self):
        """Return the next open input, drawing where none is left; None at the end."""
        if self.until and self.sampler.should_stop(self.until, confidence=self.level):
            return None
        if not len(self.sampler.pending_):
            most = self.sampler.n_pool_ if self.until else 0
            most = most if self.n is None else min(self.sampler.n_pool_, self.n)
            left = most - len(self.sampler.ids_)
            if left <= 0:
                return None
            self.sampler.ask(min(left, self.batch or left))
            self.session.save()
        return int(self.sampler.pending_[0])

    def _before(self, at):
        """Return the last draw before one that was answered."""
        for place in range(at - 1, -1, -1):
            if self.session.answer_of(int(self.sampler.ids_[place])) is not None:
                return place
        return None

    def _question(self, i, at, *, shown):
        """Show an input and return what was typed, None at the end of the input."""
        if not shown:
            self._describe(i, at)
        given = self.session.answer_of(i)
        while True:
            click.echo("  answer: ", nl=False)
            word = _typed()
            if word is None or word.strip() or (word and word in self.reader.known):
                return word
            if given is not None:
                return ""

    def _describe(self, i, at):
        out_of = f" of {self.n}" if self.n and at < self.n else ""
        name = plain_text(self.pool.items[i])
        known = name == str(i)
        path = self.pool.path(i)
        shown = plain_text(path) if path is not None else name
        click.echo(f"\n[{at + 1}{out_of}] id {i}" + ("" if known else f"  {shown}"))
        for column in self.show:
            value = plain_text(self.pool.frame[column].iloc[i])
            click.echo(f"  {plain_text(column)}: {value}")
        if self.reader.takes_labels and not self.options["blind"]:
            click.echo(f"  predicted: {plain_text(self.reader.predicted(i))}")
        if self.options["view"] and path is not None:
            click.launch(str(path))
        given = self.session.answer_of(i)
        if given is not None:
            words = plain_text(self.reader.in_words(*given))
            click.echo(f"  was: {words} (Enter keeps it)")

    def _answer(self, i, word):
        """Take in a word; False where it must be typed again."""
        try:
            kind, answer = self.reader.read(word)
        except UserError as error:
            self._unsure = None
            click.echo(f"  {error.message}")
            return False
        unknown = kind == "y_true" and answer not in self.reader.known
        if unknown and self._unsure != (i, answer):
            self._unsure = (i, answer)
            known = ", ".join(str(label) for label in self.reader.known[:10])
            click.echo(
                f"  {plain_text(word)!r} is not among the labels ({plain_text(known)}"
                f"{', ...' if len(self.reader.known) > 10 else ''}); type it again to "
                f"keep it{self._or_control(answer)}"
            )
            return False
        self._unsure = None
        self.session.answer(i, kind, answer)
        if unknown:
            self.reader.known.append(answer)
        if not self.options["quiet"]:
            method = "anytime" if self.until else "default"
            result = self.sampler.result(confidence=self.level, method=method)
            click.echo(f"  {short(result)}")
        return True

    def _or_control(self, answer):
        hint = self.reader.hint(answer)
        return "" if hint is None else f", or {hint} for the control"

    def _help(self):
        words = "r right, w wrong, s skip, u undo, q quit"
        if self.reader.takes_labels:
            words = (
                "the true label, or :r if the prediction is right, :w wrong, :s skip, "
                ":u undo, :q quit"
            )
        return f"Answer with {words}. Every answer is saved at once."

    def _say(self, line):
        if not self.options["quiet"]:
            click.echo(line)


def _typed():
    """Return a line without its end, or None at the end of the input."""
    sys.stdout.flush()
    line = sys.stdin.readline()
    if not line:
        click.echo()
    return line.rstrip("\r\n") if line else None
