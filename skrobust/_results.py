"""Results as plain arrays that turn into a table."""

import numpy as np
from sklearn.utils import Bunch

from skrobust._optional import require


class Results(Bunch):
    """A dictionary of arrays and numbers, also readable as attributes.

    Arrays named in ``columns`` have one entry per row of the table that ``to_frame``
    makes; everything else is about the whole.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.evaluation import Results
    >>> results = Results(columns=("score",), score=np.array([0.9, 0.8]), mean=0.85)
    >>> results["mean"] == results.mean
    True
    """

    def to_frame(self):
        """Return the columns as a data frame of pandas.

        Returns
        -------
        DataFrame
            One row per condition or tolerance.
        """
        pandas = require("pandas", "to_frame", extra="report")
        return pandas.DataFrame({name: self[name] for name in self["columns"]})

    def frame(self):
        """Return the columns as a data frame of pandas, as displays do.

        Returns
        -------
        DataFrame
            That of :meth:`to_frame`.
        """
        return self.to_frame()

    def __repr__(self):
        parts = []
        for name, value in self.items():
            if name == "columns":
                continue
            if isinstance(value, np.ndarray):
                value = f"array of shape {value.shape}"
            elif isinstance(value, float):
                value = f"{value:.4f}"
            parts.append(f"  {name}: {value}")
        return f"{type(self).__name__}(\n" + "\n".join(parts) + "\n)"
