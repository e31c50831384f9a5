"""Tables in which chosen columns are perturbed."""

import numpy as np

from skrobust._containers import is_frame, shape_of, to_array
from skrobust.base.changed_rows import same_cells
from skrobust.base.frame_columns import column_at, columns_from


class MixedTable:
    """Rows in which chosen columns are those of the perturbed rows.

    Parameters
    ----------
    clean, moved : 2-D array or data frame of equal shape
        Rows before and after a perturbation.
    most : int, default=None
        Number of changed columns that are kept, those with the most changed values.

    Attributes
    ----------
    names : list of str
        Names of all columns.
    changed : list of int
        Positions of the changed ones.
    n_changed : int
        Their number.
    """

    def __init__(self, clean, moved, most=None):
        self.clean, self.moved = clean, moved
        n_columns = shape_of(clean)[1]
        self.names = [f"column {j}" for j in range(n_columns)]
        if is_frame(clean):
            self.names = [str(name) for name in clean.columns]
        share = np.array([self._share(j) for j in range(n_columns)])
        order = np.argsort(-share, kind="stable")
        self.n_changed = int(np.count_nonzero(share))
        self.changed = [int(j) for j in order[: self.n_changed][:most]]

    def _column(self, values, j):
        if is_frame(values):
            return np.asarray(column_at(values, j), dtype=object)
        return np.asarray(to_array(values))[:, j].astype(object)

    def _share(self, j):
        """Return the share of values of a column that changed."""
        pairs = zip(
            self._column(self.clean, j), self._column(self.moved, j), strict=True
        )
        return float(np.mean([not same_cells(a, b) for a, b in pairs]))

    def mixed(self, columns):
        """Return the clean rows with the perturbed values of some columns."""
        return columns_from(self.clean, self.moved, columns)
