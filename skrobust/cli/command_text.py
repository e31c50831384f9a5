"""The running command as text that reproduces it."""

import json
import shlex

import click

# Options without influence on the results.
_ASIDE = ("checkpoint", "quiet", "verbose")


def command_text(ctx, only=None):
    """Return the running command with all that was given, ready to paste.

    Parameters
    ----------
    ctx : click.Context
        Context of the command.
    only : sequence of str, default=None
        Options to include; None: all that influence the results.

    Returns
    -------
    str
        Arguments, and the options that are not at their defaults.
    """
    words = ["skrobust", ctx.command.name]
    for param in ctx.command.params:
        value, name = ctx.params.get(param.name), param.name
        is_default = value in (None, (), param.get_default(ctx))
        is_wanted = name not in _ASIDE if only is None else name in only
        if isinstance(param, click.Argument):
            words.extend(map(str, value if param.nargs == -1 else [value]))
        elif is_wanted and not is_default:
            words.extend(_option(param, value))
    return shlex.join(words)


def _option(param, value):
    if param.is_flag:
        return [param.opts[0] if value else param.secondary_opts[0]]
    values = value if param.multiple else [value]
    return [word for one in values for word in (param.opts[0], _text(one))]


def _text(value):
    if not isinstance(value, tuple):
        return f"{value:.15g}" if isinstance(value, float) else str(value)
    if isinstance(value[0], str):  # a name and its value
        name, inner = value
        return f"{name}={inner if isinstance(inner, str) else json.dumps(inner)}"
    return ",".join(f"{number:.15g}" for number in value)
