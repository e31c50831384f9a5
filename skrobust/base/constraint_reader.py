"""Reader of constraints: from masks and names to positions of features."""

import numbers

import numpy as np

from skrobust._validation import invalid


class Reader:
    """Reader of constraints: positions of features, with checks of what was given.

    Parameters
    ----------
    values : ndarray of shape (n_samples, ...), float
        Clean rows, which must keep the constraints themselves.
    attack : str
        Name of the class, for error messages.
    """

    caller = "Constraints"

    def __init__(self, values, attack):
        self._flat = values.reshape(len(values), -1)
        self._shape, self._attack = values.shape[1:], attack

    def places(self, spec, parameter):
        """Return positions in C order from a mask, positions or names."""
        if spec is None:
            return np.array([], dtype=int)
        array = np.asarray(spec)
        if array.dtype == bool:
            if array.ndim == 0:  # all features, or none
                array = np.broadcast_to(array, self._shape)
            if array.shape != self._shape:
                rule = f"a mask of the shape {self._shape} of one row"
                raise invalid(parameter, self.caller, rule, array.shape)
            return np.flatnonzero(array)
        if isinstance(spec, (str, numbers.Integral)) or array.ndim != 1:
            rule = "a mask, or a sequence of positions or names"
            raise invalid(parameter, self.caller, rule, spec)
        return np.array([self.place(one, parameter) for one in spec], dtype=int)

    def place(self, feature, parameter):
        """Return the position of one feature."""
        n = self._flat.shape[1]
        if isinstance(feature, str):
            rule = f"of column names of the X that {self._attack} got"
            raise invalid(parameter, self.caller, rule, feature)
        whole = isinstance(feature, numbers.Integral) and not isinstance(feature, bool)
        if not whole or not -n <= feature < n:
            rule = f"of positions below {n}, the number of features"
            raise invalid(parameter, self.caller, rule, feature)
        return int(feature) % n

    def unit(self, scale, frozen, costs=None):
        """Return one unit a feature, 0 where it is frozen, or None: all are 1."""
        priced = list(self._costs(costs))
        if scale is None and not len(frozen) and not priced:
            return None
        if scale is None:
            unit = np.ones(self._shape)
        else:
            try:
                unit = np.array(scale, dtype=np.float64)
            except (TypeError, ValueError):
                unit = np.array(np.nan)
            fine = unit.shape == self._shape and np.isfinite(unit).all()
            if not fine or (unit < 0).any():
                rule = f"non-negative, finite and of the shape {self._shape} of one row"
                cure = "For standard deviations give scale=X_train.std(axis=0)."
                raise invalid("scale", self.caller, rule, scale, cure)
        for place, cost in priced:
            unit.reshape(-1)[place] /= cost
        unit.reshape(-1)[frozen] = 0.0
        return unit

    def _costs(self, costs):
        """Return pairs of a place and what a change of it by one unit costs."""
        rule = "a dict of features and positive numbers"
        if costs is not None and not isinstance(costs, dict):
            raise invalid("costs", self.caller, rule, costs)
        for feature, cost in (costs or {}).items():
            number = isinstance(cost, numbers.Real) and not isinstance(cost, bool)
            if not number or not 0 < cost < np.inf:
                raise invalid("costs", self.caller, rule, cost)
            yield self.place(feature, "costs"), float(cost)

    def integers(self, spec):
        """Return the positions of integer features, whose clean values must be so."""
        places = self.places(spec, "integer")
        for place in places:
            column = self._flat[:, place]
            self._refuse_rows(place, column != np.round(column), "whole numbers")
        return places

    def levels(self, valid_values):
        """Return sorted levels by position; clean values must be among them."""
        if valid_values is None:
            return {}
        if not isinstance(valid_values, dict):
            rule = "a dict of features and their levels"
            raise invalid("valid_values", self.caller, rule, valid_values)
        found = {}
        for feature, values in valid_values.items():
            try:
                levels = np.unique(np.asarray(list(values), dtype=np.float64))
            except (TypeError, ValueError):
                levels = np.array([])
            if not len(levels) or not np.isfinite(levels).all():
                rule = "a dict of finite numbers for each feature"
                raise invalid("valid_values", self.caller, rule, values)
            place = self.place(feature, "valid_values")
            # The levels as the rows hold them, so that float32 rows compare equal.
            levels = np.unique(levels.astype(self._flat.dtype)).astype(np.float64)
            wrong = ~np.isin(self._flat[:, place], levels)
            self._refuse_rows(place, wrong, "the valid_values given for it")
            found[place] = levels
        return found

    def groups(self, one_hot):
        """Return the positions of each group; its clean values must be one-hot."""
        groups = self.group_places(one_hot)
        for group in groups:
            block = self._flat[:, group]
            wrong = ((block != 0) & (block != 1)).any(axis=1) | (block.sum(axis=1) != 1)
            self._refuse_rows(group.tolist(), wrong, "one 1 among zeros")
        return groups

    def group_places(self, one_hot):
        """Return the positions of each group, whatever the rows hold."""
        if one_hot is None:
            return []
        if not np.iterable(one_hot):
            rule = "a sequence of groups of positions or names"
            raise invalid("one_hot", self.caller, rule, one_hot)
        return [self.places(group, "one_hot") for group in one_hot]

    def _refuse_rows(self, place, wrong, what):
        if wrong.any():
            raise ValueError(
                f"{self._attack} needs clean rows that keep its constraints: feature "
                f"{place} must hold {what}, and row {int(wrong.argmax())} does not."
            )
