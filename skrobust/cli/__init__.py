"""The command line: ``skrobust report``, ``demo``, ``sample`` and ``label``."""

import importlib.util
import sys

_NEEDED = ("click", "jinja2", "matplotlib", "pandas", "skops", "tqdm")


def main(args=None):
    """Run the command line and return its exit code.

    Parameters
    ----------
    args : list of str, default=None
        Arguments; None: those of the process.

    Returns
    -------
    int
        0, 2 for what the user can mend, 130 after Ctrl-C.
    """
    missing = [name for name in _NEEDED if not _is_there(name)]
    if missing:
        sys.stderr.write(
            f"skrobust: the command line needs {', '.join(missing)}; install with "
            "`pip install 'skrobust[report]'`.\n"
        )
        return 2
    try:
        from skrobust.cli._commands import skrobust
        from skrobust.cli._errors import run

        return run(skrobust, args)
    except KeyboardInterrupt:  # while the packages load
        sys.stderr.write("skrobust: interrupted.\n")
        return 130


def _is_there(name):
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):  # blocked, or half imported
        return False
