"""Exact attack on decision trees and on their ensembles."""

import numpy as np

from skrobust._parameters import Count
from skrobust._responses import predict_probabilities
from skrobust._results import Results
from skrobust.attacks.core.goal import Goal
from skrobust.attacks.trees.row_gaps import (
    DomainWithGaps,
    gaps_of,
    with_gaps,
    without_gaps,
)
from skrobust.attacks.trees.row_questions import (
    any_change,
    ask_each_row,
    ends_of_answer,
    nearest_change,
    range_of_probability,
)
from skrobust.attacks.trees.tree_moves import (
    to_farthest_answers,
    to_farthest_probabilities,
    to_other_labels,
)
from skrobust.attacks.trees.tree_reader import read_trees
from skrobust.attacks.trees.tree_rows import TreeRows
from skrobust.base import BaseAttack
from skrobust.base.model_in_container import ModelInContainer


class ExactTree(BaseAttack):
    r"""Exact attack on decision trees and on their ensembles.

    A tree is constant on boxes, its leaves. A point lies in one leaf of each tree, so
    that the worst case of a sum of trees is the best choice of leaves that have a point
    in common (a clique of boxes, [1]_, [2]_). It is found by branch and bound: leaves
    that cannot be part of a worse sum are dropped, trees are merged pair by pair into
    trees of the intersections of their leaves, and what is left is cut in two where the
    best leaves of the trees disagree, the more promising part first. The result is
    exact. Where ``node_budget`` parts do not suffice, the best point met so far is used
    and :attr:`proven_` says so; the bound of what is left is still true.

    Parameters
    ----------
    eps : float, default=0.1
        Radius of the ball, in the units of the raw input of the whole pipeline.
    norm : {inf, 2, 1}, default=inf
        Norm of the ball.
    data_range : None or (low, high), default=None
        Bounds of the raw input, scalars or one per feature.
    objective : str or None, default=None
        ``"misclassification"`` (None for a classifier): the shortest move that changes
        the label, where it is within ``eps``; other rows come back unchanged.
        ``"probability_shift"`` or ``"loss"``: the point within ``eps`` where the
        probability of the predicted class differs most from that of the row, or where
        that of the true class is least. For regressors ``"prediction_shift"`` (None)
        or ``"prediction_error"``: the point that takes the answer farthest.
    node_budget : int, default=200
        Parts of the ball that may be opened for a row. One costs some milliseconds for
        hundreds of trees.
    constraints : Constraints or None, default=None
        Frozen, integer and categorical features, and units of their own. Categories
        that a model reads by their codes stay as they are, unless ``valid_values``
        lists the codes they may take.
    n_jobs : int, default=None
        Rows are shared among this many workers, as everywhere in scikit-learn.
    random_state : int, RandomState, Generator or None, default=None
        Nothing is drawn; the parameter is there so that all are seeded alike.

    Attributes
    ----------
    proven_ : ndarray of shape (n_samples,), dtype bool
        After ``perturb`` or ``minimal_norms``: whether the answer for a row is exact.
        Of probabilities of three and more classes of boosting it is, where a bound is
        reached.
    lower_bounds_ : ndarray of shape (n_samples,), dtype float64
        After ``minimal_norms`` or an attack on the label: no shorter move changes it.

    See Also
    --------
    ExactLinear : The same for linear models.

    Notes
    -----
    Understood are, bare or behind scalers,

    - scikit-learn: DecisionTree, ExtraTree, RandomForest, ExtraTrees, GradientBoosting
      and HistGradientBoosting, classifiers and regressors of one target, and
      AdaBoostClassifier over DecisionTree;
    - XGBoost: ``XGBClassifier``, ``XGBRFClassifier``, ``XGBRegressor`` and their kin,
      with the boosters gbtree and dart;
    - LightGBM: ``LGBMClassifier`` and ``LGBMRegressor`` without linear leaves;
    - CatBoost: ``CatBoostClassifier`` and ``CatBoostRegressor`` of numeric features.

    Missing values stay missing. Most libraries see rows in single precision; boxes are
    built in it, so that a point on the border is on the side that the tree says.
    Lengths are exact up to that rounding. XGBoost adds up in single precision, too; a
    row whose worst sum is within that rounding of another label counts as changed only
    where ``predict`` says so.

    The merging follows the cliques of [2]_ and the best-first search the idea of [3]_;
    dropping leaves, the order of merging and the cuts are our own. Of the three papers
    we know the ideas, and did not read the full texts.

    References
    ----------
    .. [1] A. Kantchelian, J. D. Tygar and A. Joseph, "Evasion and Hardening of Tree
       Ensemble Classifiers", ICML 2016.
    .. [2] H. Chen, H. Zhang, S. Si, Y. Li, D. Boning and C.-J. Hsieh, "Robustness
       Verification of Tree-based Models", NeurIPS 2019.
    .. [3] L. Devos, W. Meert and J. Davis, "Versatile Verification of Tree Ensembles",
       ICML 2021.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from skrobust.attacks import ExactTree
    >>> X, y = load_iris(return_X_y=True)
    >>> model = RandomForestClassifier(10, max_depth=3, random_state=0).fit(X, y)
    >>> attack = ExactTree(eps=0.3)
    >>> norms = attack.minimal_norms(model, X, y)
    >>> robust = model.score(attack.perturb(model, X, y), y)
    >>> bool(robust == (norms > 0.3).mean())
    True
    """

    _added_before = "random_state"
    _asks_in_container = True
    _parameter_rules = {"node_budget": Count()}

    def __init__(
        self, eps=0.1, *, node_budget=200, constraints=None, n_jobs=None, **shared
    ):
        super().__init__(eps, **shared)
        self.node_budget = node_budget
        self.constraints = constraints
        self.n_jobs = n_jobs

    def minimal_norms(self, estimator, X, y=None):
        """Return the length of the shortest move that changes each label.

        Parameters
        ----------
        estimator : fitted tree or ensemble of trees
            A classifier, bare or behind scalers.
        X : array-like or data frame of shape (n_samples, n_features)
            Raw input of the whole pipeline.
        y : array-like of shape (n_samples,), default=None
            True labels; None stands for the estimator's own predictions.

        Returns
        -------
        ndarray of shape (n_samples,), dtype float64
            In ``norm``; ``eps`` plays no part. 0 for rows that are wrong already, inf
            where no move changes the label. Exact where ``proven_``; elsewhere an upper
            bound, and ``lower_bounds_`` a lower one.
        """
        model, rows, label = self._labelled(estimator, X, y, "minimal_norms")
        _, norms, proof = self._nearest(model, rows, label, np.inf)
        self._remember(proof)
        return norms

    def label_bounds(self, estimator, X, y=None):
        """Say which labels hold in the whole ball, and which do not.

        Faster than :meth:`perturb`: the search for a row ends with the first point that
        changes its label, near or not.

        Parameters
        ----------
        estimator : fitted tree or ensemble of trees
            A classifier, bare or behind scalers.
        X : array-like or data frame of shape (n_samples, n_features)
            Raw input of the whole pipeline.
        y : array-like of shape (n_samples,), default=None
            True labels; None stands for the estimator's own predictions.

        Returns
        -------
        results : Results
            Columns ``certified`` (no point of the ball has another label, rounding
            included) and ``attacked`` (``predict`` gave another label within it); where
            neither holds, the budget ended. Also ``X_adv``, an array of the rows that
            were found. The robust accuracy lies between ``certified.mean()`` and
            ``1 - attacked.mean()``.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklearn.ensemble import HistGradientBoostingClassifier
        >>> from skrobust.attacks import ExactTree
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> model = HistGradientBoostingClassifier(max_iter=10).fit(X, y)
        >>> bounds = ExactTree(0.1).label_bounds(model, X[:50], y[:50])
        >>> bool((bounds.certified ^ bounds.attacked).all())
        True
        """
        model, rows, label = self._labelled(estimator, X, y, "label_bounds")
        found = self._ask(rows, any_change, label, self.eps)
        X_adv = np.array([rows.row(i, one.box) for i, one in enumerate(found)])
        X_adv = X_adv.astype(rows.given)
        wrong = model.labels(X_adv) != rows.model.trees.classes[label]
        within = rows.length(X_adv - rows.values) <= self.eps * (1 + 1e-9)
        none = np.array([one.is_done and one.box is None for one in found])
        columns = {"certified": none & ~wrong, "attacked": wrong & within}
        return Results(columns=tuple(columns), **columns, X_adv=X_adv, eps=self.eps)

    def _search(self, estimator, X, y, start=None):
        self._missing = missing = gaps_of(X)
        if missing is None:
            out, details, domain = super()._search(estimator, X, y, start)
        else:
            filled = without_gaps(X, missing)
            out, details, domain = super()._search(estimator, filled, y, start)
            out, domain = with_gaps(out, missing), DomainWithGaps(domain, missing)
        del self._missing
        self._remember(details.pop("proof", None))
        return out, details, domain

    def _attack(self, estimator, X, y, key):
        gaps = self._missing
        rows = self._rows(estimator.model, X if gaps is None else with_gaps(X, gaps))
        if rows.model.trees.classes is None:
            goal = Goal.of_regressor(self, y)
            anchor = y if goal.objective == "prediction_error" else None
            found = self._ask(rows, ends_of_answer, self.eps)
            out, proof = to_farthest_answers(rows, found, anchor)
        elif Goal.of(self).stops:
            label = self._label_index(rows, y)
            out, _, proof = self._nearest(estimator, rows, label, self.eps)
        else:
            out, proof = self._move_probability(estimator, rows, y)
        out = out if gaps is None else np.where(gaps, X, out)
        return out, {"warnings": self._messages(proof["proven_"]), "proof": proof}

    def _messages(self, proven):
        n_open = int((~proven).sum())
        if not n_open:
            return []
        return [
            f"{type(self).__name__} opened node_budget={self.node_budget} parts "
            f"without a proven answer for {n_open} of {len(proven)} rows; the result "
            "is an upper bound of the robustness."
        ]

    def _remember(self, proof):
        for name, values in (proof or {}).items():
            setattr(self, name, values)

    def _rows(self, estimator, values):
        caller = type(self).__name__
        return TreeRows(
            read_trees(estimator, caller),
            values,
            norm=self.norm,
            data_range=self.data_range,
            constraints=self.constraints,
            caller=caller,
        )

    def _labelled(self, estimator, X, y, method):
        attack = self._by_position(X)
        gaps = gaps_of(X)
        values, y = attack._check_input(X if gaps is None else without_gaps(X, gaps), y)
        values = values if gaps is None else with_gaps(values, gaps)
        rows = attack._rows(estimator, values)
        if rows.model.trees.classes is None:
            raise ValueError(
                f"{type(self).__name__}.{method} needs labels, and thus a classifier."
            )
        return ModelInContainer(estimator, X), rows, attack._label_index(rows, y)

    def _label_index(self, rows, y):
        """Return the place of labels, -1 for those that the model does not know."""
        trees = rows.model.trees
        if y is None:
            return rows.scores.argmax(axis=1)
        found = np.full(len(y), -1)
        for index, label in enumerate(trees.classes):
            found[y == label] = index
        if (found < 0).all():
            raise ValueError(
                f"{type(self).__name__} found none of the model's classes in y: they "
                f"are {list(trees.classes[:5])}, y begins with {list(y[:5])}."
            )
        return found

    def _ask(self, rows, question, *columns):
        columns = (*columns, self.node_budget)
        return ask_each_row(rows, question, *columns, n_jobs=self.n_jobs)

    def _nearest(self, model, rows, label, limit):
        found = self._ask(rows, nearest_change, label, limit)
        return to_other_labels(rows, found, label, model.labels)

    def _move_probability(self, model, rows, y):
        falls = self.objective == "loss"
        column = self._label_index(rows, y if falls else None)
        column = np.where(column >= 0, column, rows.scores.argmax(axis=1))
        found = self._ask(rows, range_of_probability, column, self.eps)

        def probability(values, columns):
            X = model.container(values)
            p = predict_probabilities(model.model, X, type(self).__name__)
            return p[np.arange(len(p)), columns].astype(np.float64)

        return to_farthest_probabilities(rows, found, column, probability, falls=falls)
