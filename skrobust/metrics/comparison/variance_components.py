"""Variance components of a balanced table, by the method of moments."""

import itertools

import numpy as np

from skrobust._results import Results


class Components:
    """Mean squares and variance components of a table with one axis per factor.

    Every set of factors is an effect; that of a nested factor contains the factor that
    it lies in. The mean square of effect A has the expectation

        sum over the effects B that contain A of var(B) * cells per level of B,

    which is solved for the variances. They are unbiased and may be negative.
    """

    def __init__(self, values, factors, nested):
        self.factors, self.nested = factors, nested
        self.shape = dict(zip(factors, values.shape, strict=True))
        subsets = [
            frozenset(names)
            for size in range(1, len(factors) + 1)
            for names in itertools.combinations(factors, size)
        ]
        self.effects = [one for one in subsets if one == self._closed(one)]
        squares = dict.fromkeys(self.effects, 0.0)
        for names in subsets:
            squares[self._closed(names)] += _sum_of_squares(values, factors, names)
        self.value = float(values.mean())
        counts = self.degrees(self.shape)
        self.mean_squares = np.array([squares[one] for one in self.effects]) / counts
        self.variances = np.linalg.solve(self._cells(self.shape), self.mean_squares)

    def _closed(self, names):
        """Return an effect with the factors that its nested ones lie in."""
        return names | {self.nested[name] for name in names if name in self.nested}

    def degrees(self, shape):
        """Return the degrees of freedom of each effect in a table of some shape."""
        found = []
        for names in self.effects:
            inside = {self.nested[name] for name in names if name in self.nested}
            parts = [shape[name] - (name not in inside) for name in names]
            found.append(float(np.prod(parts)))
        return np.array(found)

    def _cells(self, shape):
        return np.array(
            [
                [
                    np.prod([float(shape[f]) for f in self.factors if f not in other])
                    if names <= other
                    else 0.0
                    for other in self.effects
                ]
                for names in self.effects
            ]
        )

    def error(self, shape, fixed, *, planned=True):
        """Return standard error and degrees of freedom of the mean of a table.

        Parameters
        ----------
        shape : dict of str to int
            Number of levels of each factor (of a nested one: in each of the others).
        fixed : collection of str
            Factors all of whose levels are in the table.
        planned : bool, default=True
            Whether to take the expected mean squares of another table, where negative
            variances count as 0, or the mean squares seen.
        """
        random = [not names <= set(fixed) for names in self.effects]
        sizes = [np.prod([float(shape[f]) for f in one]) for one in self.effects]
        cells = self._cells(shape)
        weights = np.linalg.solve(cells.T, np.array(random) / np.array(sizes))
        squares = self.mean_squares
        if planned:
            squares = cells @ np.maximum(self.variances, 0.0)
        parts = weights * squares
        variance = max(float(parts.sum()), 0.0)
        counts = self.degrees(shape)
        spread = float(np.sum((parts**2 / np.maximum(counts, 1e-9))[weights != 0]))
        df = variance**2 / spread if spread > 0 else counts.max()
        return float(np.sqrt(variance)), max(1.0, float(df))

    def table(self, fixed):
        """Return the variance of each effect and its share in that of the mean."""
        parts = [
            max(variance, 0.0) / np.prod([float(self.shape[f]) for f in names])
            if not names <= set(fixed)
            else 0.0
            for names, variance in zip(self.effects, self.variances, strict=True)
        ]
        names = [
            " x ".join(factor for factor in self.factors if factor in one)
            for one in self.effects
        ]
        table = {
            "component": np.array(names),
            "variance": self.variances,
            "share": np.array(parts) / (sum(parts) or 1.0),
        }
        return Results(columns=tuple(table), **table)


def _sum_of_squares(values, factors, names):
    """Return the sum of squares of one set of factors in a full crossed table."""
    effect = values
    for axis, factor in enumerate(factors):
        mean = effect.mean(axis=axis, keepdims=True)
        effect = effect - mean if factor in names else mean
    return float((effect**2).sum()) * values.size / effect.size
