"""Command ``skrobust completion``: completion scripts for shells."""

import click
from click.shell_completion import get_completion_class

from skrobust.cli.options import command


@command(short_help="Print the completion script of a shell.")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx, shell):
    """Print the script that completes commands and options in a SHELL.

    \b
    Examples:
      eval "$(skrobust completion bash)"   # in ~/.bashrc; likewise in ~/.zshrc
      skrobust completion fish > ~/.config/fish/completions/skrobust.fish
    """  # noqa: D301
    kind = get_completion_class(shell)
    maker = kind(ctx.parent.command, {}, "skrobust", "_SKROBUST_COMPLETE")
    # Only the template: source() of bash calls the bash that is installed here.
    click.echo(maker.source_template % maker.source_vars())
