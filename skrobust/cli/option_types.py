"""Types of option values: numbers, names and settings."""

import difflib
import json
import math
import os
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from skrobust.cli.exit_codes import UserError


class LateChoice(click.Choice):
    """A choice whose values are looked up when they are needed.

    So packages that take long to import are not, where the arguments are wrong.

    Parameters
    ----------
    find : callable
        Returns the values.
    """

    def __init__(self, find):
        self.find, self.case_sensitive = find, True

    @property
    def choices(self):
        """The values."""
        return tuple(self.find())


class LateHelp(click.Option):
    """An option whose help is written when it is asked for.

    Parameters
    ----------
    *names : list of str
        As in click.
    find_help : callable
        Returns the help.
    **settings : object
        As in click.
    """

    def __init__(self, *names, find_help, **settings):
        super().__init__(*names, **settings)
        self._find_help = find_help

    def get_help_record(self, ctx):
        """Return names and help."""
        self.help = self._find_help()
        return super().get_help_record(ctx)


class Numbers(click.ParamType):
    """A fixed count of numbers separated by commas, such as ``8,8`` or ``0,16``.

    Parameters
    ----------
    kind : type
        int or float.
    counts : tuple of int
        Counts that are allowed.
    """

    name = "a,b"

    def __init__(self, kind, counts):
        self.kind, self.counts = kind, counts

    def convert(self, value, param, ctx):
        """Return a tuple of numbers."""
        numbers = _split(value, self.kind)
        if len(numbers) not in self.counts:
            wanted = " or ".join(str(count) for count in self.counts)
            what = "integers" if self.kind is int else "numbers"
            self.fail(f"{value!r} is not {wanted} {what} separated by commas.")
        return numbers


class Sizes(click.ParamType):
    """One or several positive numbers separated by commas."""

    name = "a,b,..."

    def convert(self, value, param, ctx):
        """Return a tuple of floats."""
        sizes = _split(value, float)
        if not sizes or not all(0 < size < math.inf for size in sizes):
            self.fail(f"{value!r} is not positive numbers separated by commas.")
        return sizes


class Grades(click.ParamType):
    """Two or more different numbers separated by commas, such as ``0,0.5,1``."""

    name = "a,b,..."

    def convert(self, value, param, ctx):
        """Return a tuple of floats, in their order."""
        grades = _split(value, float)
        is_finite = all(math.isfinite(grade) for grade in grades)
        if len(set(grades)) < 2 or len(set(grades)) < len(grades) or not is_finite:
            self.fail(f"{value!r} is not different numbers separated by commas.")
        return grades


class Radii(click.ParamType):
    """One or several radii separated by commas: numbers, or such as ``0.1 std``."""

    name = "a,b,..."

    def convert(self, value, param, ctx):
        """Return a tuple of floats and texts."""
        if isinstance(value, tuple):
            return value
        return tuple(self._radius(part.strip(), value) for part in value.split(","))

    def _radius(self, part, value):
        from skrobust._parameters import parse_radius  # loads scikit-learn

        number, unit = part, ""
        try:
            number = float(part)
        except ValueError:
            try:
                number, unit = parse_radius(part)
            except ValueError:
                number = math.nan
        if not 0 < number < math.inf:
            self.fail(
                f"{value!r} is not positive numbers separated by commas, each alone or "
                "with its unit, such as '0.1 std'."
            )
        return f"{number:g} {unit}" if unit else number


def _split(value, kind):
    if isinstance(value, tuple):
        return value
    try:
        return tuple(kind(part) for part in value.split(","))
    except ValueError:
        return ()


def all_sizes(ctx, param, value):
    """Return the sizes of an option that was given once or several times, or None."""
    return sum(value, ()) or None


class Name(click.ParamType):
    """Name out of those that a function lists, in any case, hyphens or not.

    Parameters
    ----------
    find : callable
        Returns the names.
    may_be_short : bool, default=False
        Whether an unambiguous beginning is enough.
    """

    name = "name"

    def __init__(self, find, may_be_short=False):
        self.find, self.may_be_short = find, may_be_short

    def convert(self, value, param, ctx):
        """Return the full name."""
        names = {_bare(name): name for name in self.find()}
        wanted = _bare(value)
        begins = [bare for bare in names if bare.startswith(wanted)]
        if wanted in names:
            return names[wanted]
        if self.may_be_short and len(begins) == 1:
            return names[begins[0]]
        near = did_you_mean(wanted, names)
        listed = ", ".join(names.values())
        return self.fail(f"{value!r} is not one of {listed}.{near}")

    def shell_complete(self, ctx, param, incomplete):
        """Return the names that begin like this."""
        start = incomplete.lower()
        return [CompletionItem(n) for n in self.find() if n.lower().startswith(start)]


def did_you_mean(wanted, names):
    """Return the question whether a name like the wanted one was meant, or nothing.

    Parameters
    ----------
    wanted : str
        What was written.
    names : dict of str to str
        Names as written, to names as shown.
    """
    near = difflib.get_close_matches(wanted, names, n=1, cutoff=0.6)
    return f" Did you mean {names[near[0]]}?" if near else ""


def _bare(name):
    return name.lower().replace("_", "").replace("-", "")


class Setting(click.ParamType):
    """A setting such as ``rule=released``, or ``threshold=0.3``."""

    name = "name=value"

    def convert(self, value, param, ctx):
        """Return name and value; a value that is no JSON is text."""
        if isinstance(value, tuple):
            return value
        name, equals, text = value.partition("=")
        if not equals or not name:
            self.fail(f"{value!r} is not name=value.")
        try:
            return name.strip(), json.loads(text)
        except ValueError:
            return name.strip(), text


def check_settings(owner, settings, known):
    """Raise where a setting of ``--set`` is not known."""
    for name in dict(settings):
        if name not in known:
            names = ", ".join(map(repr, known))
            raise UserError(f"--set: {owner} no setting {name!r}; there are {names}.")


def output_file(ctx, param, value):
    """Return the path of a file that may be written, or say why it may not.

    The option ``--json`` also takes - for stdout.
    """
    if value is None or (value == "-" and param.name == "json_out"):
        return value
    path = Path(value)
    if path.is_dir():
        raise UserError(f"{value!r} is a folder; name a file.")
    if not path.resolve().parent.is_dir():
        raise UserError(f"There is no folder {str(path.parent)!r} to write to.")
    if not os.access(path if path.exists() else path.resolve().parent, os.W_OK):
        raise UserError(f"{value!r} may not be written.")
    return value


def check_different(files):
    """Raise where two options name one file; None names no file."""
    seen = {}
    for option, path in files.items():
        if path in (None, "-"):
            continue
        other = seen.setdefault(Path(path).resolve(), option)
        if other != option:
            raise UserError(f"{other} and {option} must be two files.")
