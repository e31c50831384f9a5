"""What could not be read: raised at once, or counted, listed and warned of."""

import warnings

from skrobust._validation import check_choice


class Skips:
    """The files that a loader leaves out, each with the reason.

    Parameters
    ----------
    on_error : {"raise", "skip"}
        Whether the first one ends the loading.
    owner : str
        The loader, for the sentences.
    """

    def __init__(self, on_error, owner):
        check_choice(on_error, "on_error", owner, ("raise", "skip"))
        self.on_error, self.owner = on_error, owner
        self.found = []

    def add(self, path, reason):
        """Note a file and why it is left out, or raise."""
        if self.on_error == "raise":
            raise ValueError(
                f"{self.owner} cannot use {str(path)!r}: {reason}. Pass "
                "on_error='skip' to leave such files out."
            )
        self.found.append((str(path), reason))

    def warn(self, n_used, what):
        """Warn once of all that was left out."""
        if not self.found:
            return
        path, reason = self.found[0]
        warnings.warn(
            f"{self.owner} left out {len(self.found)} and kept {n_used} {what}; the "
            f"first left out is {path!r}: {reason}. All are listed in 'skipped'.",
            UserWarning,
            stacklevel=4,
        )
