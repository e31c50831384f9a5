"""The scripts of examples/users: their parts, for the tests that read and run them."""

import ast
from pathlib import Path

SCRIPTS = sorted((Path(__file__).parents[1] / "examples/users").glob("*.py"))
DECISION = "# From the model to a decision.\n"


def body(path):
    """Return a script without its docstring, as the README shows it."""
    text = path.read_text()
    first = ast.parse(text).body[0]
    return "".join(text.splitlines(keepends=True)[first.end_lineno :]).lstrip("\n")


def decision(path):
    """Return the lines from the model to the decision."""
    return path.read_text().split(DECISION)[1]
