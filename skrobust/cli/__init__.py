"""Command line ``skrobust``."""

import importlib.util
import json
import sys

from skrobust._safe_terminal import safe_terminal
from skrobust.cli.installed_packages import NEEDED, doctor_facts, doctor_text


def main(args=None):
    """Run the command line and return its exit code.

    Parameters
    ----------
    args : list of str, default=None
        Arguments; None: those of the process.

    Returns
    -------
    int
        0, 1 for a threshold of ``--fail-under`` that was missed, 2 for an error that
        the user can mend, 130 after Ctrl-C.
    """
    with safe_terminal():
        return _run(args)


def _run(args):
    needed = (module for _, module, extra, _ in NEEDED if extra == "report")
    missing = [module for module in needed if not _is_installed(module)]
    words = sys.argv[1:] if args is None else list(args)
    if missing and words[:1] == ["doctor"]:  # it needs none of them
        facts = doctor_facts()
        as_json = "--json" in words
        text = json.dumps(facts, indent=1) if as_json else doctor_text(facts)
        sys.stdout.write(f"{text}\n")
        return 0 if facts["ok"] else 1
    if missing:
        sys.stderr.write(
            f"skrobust: the command line needs {', '.join(missing)}; install with "
            "`pip install 'skrobust[report]'`.\n"
        )
        return 2
    try:
        from skrobust.cli.command_group import skrobust
        from skrobust.cli.exit_codes import run

        return run(skrobust, args)
    except KeyboardInterrupt:  # while the packages load
        sys.stderr.write("skrobust: interrupted.\n")
        return 130


def _is_installed(name):
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):  # blocked, or half imported
        return False
