"""What the tests of the command line share."""

import pytest

testing = pytest.importorskip("click.testing")
pytest.importorskip("matplotlib")

from skrobust.cli import command_group  # noqa: E402


def run(*args):
    """Run a command in this process; return exit code, stdout and stderr."""
    result = testing.CliRunner().invoke(command_group.skrobust, [str(a) for a in args])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr
