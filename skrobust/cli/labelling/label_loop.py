"""Loop of questions and answers in the terminal."""

import sys

import click

from skrobust._safe_terminal import printable
from skrobust.cli.exit_codes import UserError
from skrobust.cli.labelling.result_sentences import progress_sentence
from skrobust.cli.labelling.shown_input import show_input


class LabelLoop:
    """Loop that asks for labels in the terminal.

    Parameters
    ----------
    queue : QuestionQueue
        Inputs to label.
    pool : Pool
        Inputs to show.
    show : sequence of str
        Columns to show.
    options : dict
        Options of the command: the flags ``view``, ``blind`` and ``quiet``.
    """

    def __init__(self, queue, pool, show, options):
        self.queue, self.reader, self.pool = queue, queue.reader, pool
        self.show, self.options = show, options
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
        while True:
            i = self.queue.current()
            if i is None:
                if not self._last_chance():
                    return True
                continue
            word = self._question(i, shown=i == shown)
            shown = i
            control = "quit" if word is None else self.reader.control(word)
            if control == "quit":
                return False
            if control == "undo":
                if not self.queue.undo():
                    self._say("  nothing to undo")
            elif not word:  # the answer that is there stays
                self.queue.keep()
            else:
                self._answer(i, word)

    def _last_chance(self):
        """Return whether the last answer was a slip, and is looked at again."""
        if not len(self.queue.sampler.ids_):
            return False
        click.echo("\ndone; Enter ends, u undoes: ", nl=False)
        word = (_typed() or "").strip().lower()  # no label is asked for here
        return word.removeprefix(":") in ("u", "undo") and self.queue.undo()

    def _question(self, i, *, shown):
        """Show an input and return what was typed, None at the end of the input."""
        given = self.queue.given(i)
        if not shown:
            self._describe(i, given)
        while True:
            click.echo("  answer: ", nl=False)
            word = _typed()
            if word is None or word.strip() or (word and word in self.reader.known):
                return word
            if given is not None:
                return ""

    def _describe(self, i, given):
        at, n = self.queue.place(i), self.queue.n
        out_of = f" of {n}" if n and at < n else ""
        name = printable(self.pool.items[i])
        known = name == str(i)
        path = self.pool.path(i)
        shown = printable(path) if path is not None else name
        click.echo(f"\n[{at + 1}{out_of}] id {i}" + ("" if known else f"  {shown}"))
        blind = self.options["blind"]
        one = show_input(i, self.pool, self.reader, self.show, blind=blind)
        for column, value in one.columns.items():
            click.echo(f"  {printable(column)}: {printable(value)}")
        if one.predicted is not None:
            click.echo(f"  predicted: {printable(one.predicted)}")
        if self.options["view"] and path is not None:
            click.launch(str(path))
        if given is not None:
            words = printable(self.reader.in_words(*given))
            click.echo(f"  was: {words} (Enter keeps it)")

    def _answer(self, i, word):
        """Take in a word, or say why it must be typed again."""
        try:
            kind, answer = self.reader.read(word)
        except UserError as error:
            self._unsure = None
            click.echo(f"  {printable(error.message)}")
            return
        unknown = self.queue.is_unknown(kind, answer)
        if unknown and self._unsure != (i, answer):
            self._unsure = (i, answer)
            known = ", ".join(str(label) for label in self.reader.known[:10])
            click.echo(
                f"  {printable(word)!r} is not among the labels ({printable(known)}"
                f"{', ...' if len(self.reader.known) > 10 else ''}); type it again to "
                f"keep it{self._or_control(answer)}"
            )
            return
        self._unsure = None
        self.queue.answer(kind, answer)
        self._say(f"  {progress_sentence(self.queue.facts())}")

    def _or_control(self, answer):
        hint = self.reader.hint(answer)
        return "" if hint is None else f", or {hint} for the control"

    def _help(self):
        return f"Answer with {self.reader.help}. Every answer is saved at once."

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
