"""Skipped files, raised at once or listed with one warning."""

import warnings

from skrobust._validation import check_choice


class Skips:
    """Files that a loader leaves out, each with the reason.

    Parameters
    ----------
    on_error : {"raise", "skip"}
        Whether the first one ends the loading.
    caller : str
        Name of the public function or class, for error messages.
    """

    def __init__(self, on_error, caller):
        check_choice(on_error, "on_error", caller, ("raise", "skip"))
        self.on_error, self.caller = on_error, caller
        self.found = []

    def add(self, path, reason):
        """Note a file and why it is left out, or raise."""
        if self.on_error == "raise":
            raise ValueError(
                f"{self.caller} cannot use {str(path)!r}: {reason}. Pass "
                "on_error='skip' to leave such files out."
            ) from None
        self.found.append((str(path), reason))

    def warn(self, n_used, what):
        """Warn once of all skipped files."""
        if not self.found:
            return
        path, reason = self.found[0]
        warnings.warn(
            f"{self.caller} left out {len(self.found)} and kept {n_used} {what}; the "
            f"first left out is {path!r}: {reason}. All are listed in 'skipped'.",
            UserWarning,
            stacklevel=4,
        )
