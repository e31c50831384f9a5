"""``python -m skrobust``: the command line."""

import sys

from skrobust.cli import main

if __name__ == "__main__":
    sys.exit(main())
