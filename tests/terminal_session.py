"""A command on a real pseudo-terminal, and text that tries to steer it."""

import os
import pty
import re
import subprocess
import sys
import termios
from pathlib import Path

ROOT = Path(__file__).parents[1]
# The clipboard, a link, a cleared screen, colour by a C1 control, text turned round,
# letters wiped out, and a line written over from its beginning.
EVIL = (
    "\x1b]52;c;ZXZpbA==\x07\x1b]8;;x:y\x1b\\\x1b[2J\x9b31m\u202e\u2066\u200f"
    "\x08\x08\rFORGED"
)
# What bars of tqdm send: to the line above, and to the beginning of the line.
_BARS = re.compile("\x1b\\[A|\r(?!FORGED)")
_STEERS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]"
)


def on_terminal(words, folder, typed="", python="-m"):
    """Run a command whose streams are a terminal; return exit code and screen text."""
    ours, theirs = pty.openpty()
    settings = termios.tcgetattr(theirs)
    settings[3] &= ~termios.ECHO  # what is typed is not on the screen
    termios.tcsetattr(theirs, termios.TCSANOW, settings)
    start = [python, "skrobust"] if python == "-m" else ["-c", python]
    process = subprocess.Popen(
        [sys.executable, *start, *map(str, words)],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "100"},
        start_new_session=True,
    )
    os.close(theirs)
    os.write(ours, typed.encode())
    seen = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        seen += part
    os.close(ours)
    return process.wait(), seen.decode("utf-8", "surrogateescape")


def steering(text):
    """Return what in the text of a screen steers a terminal, bars apart."""
    return _STEERS.findall(_BARS.sub("", text.replace("\r\n", "\n")))
