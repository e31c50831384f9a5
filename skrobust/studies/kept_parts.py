"""Parts of a study on disk, which know whether they were computed or kept."""

from skrobust.evaluation.core.checkpoint import Checkpoint


class KeptParts(Checkpoint):
    """Checkpoint that says which steps it has computed in this process."""

    _n_made = _n_said = 0

    def run(self, key, function, *arguments):
        """Return the array of a part: read it, or compute and keep it."""

        def made(*arguments):
            self._n_made += 1
            return function(*arguments)

        return super().run(key, made, *arguments)

    def ending(self):
        """Return ", kept" where no part was computed since the last call."""
        is_kept, self._n_said = self._n_made == self._n_said, self._n_made
        return ", kept" if is_kept else ""
