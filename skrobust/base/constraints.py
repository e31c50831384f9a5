"""Constraints on the features that an attack may change."""

import numpy as np
from sklearn.base import BaseEstimator

from skrobust._containers import is_frame, to_array
from skrobust._validation import invalid
from skrobust.base.linear_relation import read_relations


class Constraints(BaseEstimator):
    r"""Constraints on the features that an attack may change, and their units.

    Given to an attack as ``constraints=``, it is enforced on whatever the attack
    returns, and attacks search inside it: the model is shown rows that keep the
    constraints alone, the best of these is returned, and where the objective is
    misclassification and none of them fools, the row comes back as it was. Gradients
    are taken at the rounded row and move the point behind it (straight through).

    Parameters
    ----------
    frozen : None, bool array, or sequence of int or str, default=None
        Features that never move: a mask of the shape of one row, or positions (in C
        order), or column names of a data frame.
    integer : None, bool, bool array, or sequence of int or str, default=None
        Features that stay whole numbers; True is all of them, as in 8-bit images. They
        are rounded to the nearest one, or, where the row would then leave the ball or
        the box, towards their clean value.
    valid_values : dict {int or str: sequence}, default=None
        The levels that a feature may take, such as the codes of a category. Rounded in
        the same way. A column of a data frame that holds text or categories changes
        only with its values listed here; a switch counts as a change by 1.
    one_hot : sequence of sequences of int or str, default=None
        Groups of features of which exactly one is 1 and the others 0. The largest one
        wins; a group that would leave the ball or the box stays as it was. A switch
        moves two features by 1.
    costs : dict {int or str: float}, default=None
        What a change of a feature by 1 (in its scale) costs of ``eps``: its unit is
        ``scale / cost``. A switch of a category that is text costs the whole of it.
    relations : list of str, (int or str, callable) or callable, default=None
        Relations between the features of a row. Text is a linear one of names of
        columns (of arrays ``x0``, ``x1``, ...), such as ``"low <= high"`` or
        ``"total == food + rent"``; a name alone on a side of an equation follows the
        others. A pair ``("bmi", function)`` is a feature that follows from the others
        by ``function(rows)``. A function alone returns which rows are allowed. Rows
        come to functions in the container of X.
    scale : array-like of the shape of one row, dict, Series or frame, default=None
        Non-negative units, one a feature: the ball becomes
        :math:`\|(x' - x) / \mathrm{scale}\| \le \mathrm{eps}`. With
        ``scale=X_train.std(axis=0)``, ``eps`` is in standard deviations; with norm
        infinity, ``eps * scale`` is the radius of each feature. Zero freezes. Under a
        data frame, a dict or Series is read by column name, whatever its order, and so
        is a frame of one row (what ``std()`` of polars gives).

    Notes
    -----
    A clean row that breaks the constraints itself (a half in an integer feature, a
    level that is not listed, a relation) is refused.

    Rows that break linear relations are put back by alternating projections; what still
    breaks a relation moves back towards the clean row, in several steps, and at last
    stays clean.

    There is no ``scale="std"``: the deviations of the rows under attack make the result
    of a row depend on the other rows of the call. Those of the training rows are a
    fixed unit; ``eps="0.1 std"`` of an attack takes those of all rows of the call.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from skrobust.attacks import FGSM, Constraints
    >>> X = np.array([[20.0, 1, 0], [50.0, 2, 1], [30.0, 3, 0], [60.0, 4, 1]])
    >>> model = LogisticRegression().fit(X, [0, 1, 0, 1])
    >>> rules = Constraints(integer=[1], frozen=[2], scale=X.std(axis=0))
    >>> X_adv = FGSM(1.0, constraints=rules, objective="loss").perturb(model, X)
    >>> np.abs((X_adv - X) / X.std(axis=0)).max(axis=0).round(2)
    array([1.  , 0.89, 0.  ])

    With a data frame, half a standard deviation of each column of the training rows:

    >>> import pandas as pd
    >>> train = pd.DataFrame(X, columns=["age", "rooms", "owner"])
    >>> rules = Constraints(frozen=["owner"], scale=train.std())
    >>> model = LogisticRegression().fit(train, [0, 1, 0, 1])
    >>> attack = FGSM(0.5, constraints=rules, objective="loss")
    >>> moved = (attack.perturb(model, train) - train) / train.std()
    >>> print(moved.abs().max().round(2).to_dict())
    {'age': 0.5, 'rooms': 0.5, 'owner': 0.0}

    Two columns in order, and a third that is their sum:

    >>> bills = pd.DataFrame({"food": [3.0, 5.0], "rent": [4.0, 9.0]})
    >>> bills["total"] = bills["food"] + bills["rent"]
    >>> rules = Constraints(relations=["food <= rent", "total == food + rent"])
    >>> model = LogisticRegression().fit(bills, [0, 1])
    >>> attack = FGSM(2.0, constraints=rules, objective="loss")
    >>> print(attack.perturb(model, bills).round(2).to_dict("list"))
    {'food': [4.0, 4.0], 'rent': [5.0, 8.0], 'total': [9.0, 12.0]}
    """

    def __init__(
        self,
        *,
        frozen=None,
        integer=None,
        valid_values=None,
        one_hot=None,
        costs=None,
        relations=None,
        scale=None,
    ):
        self.frozen = frozen
        self.integer = integer
        self.valid_values = valid_values
        self.one_hot = one_hot
        self.costs = costs
        self.relations = relations
        self.scale = scale

    def by_position(self, columns):
        """Return the same constraints with positions in place of column names.

        Parameters
        ----------
        columns : sequence of str
            Column names, in order; other names stay as they are.

        Returns
        -------
        constraints : Constraints
            A copy.

        Examples
        --------
        >>> from skrobust.attacks import Constraints
        >>> Constraints(frozen=["b", 0]).by_position(["a", "b"])
        Constraints(frozen=[1, 0])
        """
        places = {str(name): place for place, name in enumerate(columns)}

        def found(spec):
            if isinstance(spec, str) or not np.iterable(spec):
                return spec
            if np.asarray(spec).dtype == bool:
                return spec
            return [places.get(f, f) if isinstance(f, str) else f for f in spec]

        def renamed(by_name):
            if not isinstance(by_name, dict):
                return by_name
            return dict(zip(found(by_name), by_name.values(), strict=True))

        groups = self.one_hot
        if groups is not None and np.iterable(groups):
            groups = [found(group) for group in groups]
        return Constraints(
            frozen=found(self.frozen),
            integer=found(self.integer),
            valid_values=renamed(self.valid_values),
            one_hot=groups,
            costs=renamed(self.costs),
            relations=read_relations(self.relations, places),
            scale=_by_name(self.scale, list(columns)),
        )


def _by_name(scale, columns):
    """Return units in the order of columns; what has no names is left as it is."""
    if is_frame(scale) and len(scale) == 1:
        row = to_array(scale)[0]
        scale = dict(zip(scale.columns, row, strict=True))
    if not hasattr(scale, "items"):
        return scale
    units = dict(scale.items())
    if list(units) == list(range(len(columns))):
        return list(units.values())  # numbered, not named
    missing = [name for name in columns if name not in units]
    extra = [name for name in units if name not in columns]
    if missing or extra:
        rule = "named like the columns of X"
        raise invalid("scale", "Constraints", rule, (missing or extra)[0])
    return [units[name] for name in columns]
