"""Exit codes of the command line, and errors as one-sentence messages."""

import contextlib

import click

from skrobust._one_line import one_line

CODES = (
    "Exit codes: 0 when all went well, 1 when a threshold was missed or a record does "
    "not hold, "
    "2 for an error in the input (one sentence on stderr says which), 130 after "
    "Ctrl-C."
)


class UserError(click.ClickException):
    """Error in the input of the user: one sentence, exit code 2."""

    exit_code = 2

    def show(self, file=None):
        """Write the sentence to stderr."""
        click.echo(f"skrobust: {self.format_message()}", err=True)


class ThresholdMissed(UserError):
    """A model is below a threshold: exit code 1."""

    exit_code = 1


class NotHeld(UserError):
    """A record that does not hold, or another result than the recorded one."""

    exit_code = 1


class Interrupted(UserError):
    """Ctrl-C: one line, exit code 130."""

    exit_code = 130


@contextlib.contextmanager
def as_user_error(text, kinds=Exception):
    """Turn errors of these kinds into ``text`` followed by their own text."""
    try:
        yield
    except kinds as error:
        raise UserError(f"{text}: {one_line(error)}") from error


class CommandGroup(click.Group):
    """A group whose commands turn expected errors into one-sentence messages."""

    def invoke(self, ctx):
        """Run the command."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            text = ctx.meta.get("skrobust.resume", "interrupted; nothing was written.")
            raise Interrupted(text) from None
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except Exception as error:  # raised by a model or a table of the user
            raise UserError(one_line(error)) from error


def run(command, args=None):
    """Run a command of click and return its exit code.

    Parameters
    ----------
    command : click.Command
        The command.
    args : list of str, default=None
        Arguments; None: those of the process.

    Returns
    -------
    int
        The exit code.
    """
    try:
        code = command.main(args, prog_name="skrobust", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except (click.exceptions.NoArgsIsHelpError, UserError) as error:
        error.show()
        return error.exit_code
    except click.ClickException as error:
        UserError(one_line(error.format_message())).show()
        return 2
    except click.Abort:
        Interrupted("interrupted.").show()
        return 130
