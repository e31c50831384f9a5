"""Strongest attack: the members that suit a model, one after the other."""

import contextlib

from skrobust._containers import is_text
from skrobust._parameters import Count
from skrobust._responses import predicts_numbers
from skrobust.attacks._auto_pgd import AutoPGD
from skrobust.attacks._exact_linear import ExactLinear
from skrobust.attacks._exact_tree import ExactTree
from skrobust.attacks._fab import FAB
from skrobust.attacks._fgsm import FGSM
from skrobust.attacks._hop_skip_jump import HopSkipJump
from skrobust.attacks._random_search import RandomSearch
from skrobust.attacks._square import Square
from skrobust.attacks._word_substitution import WordSubstitution
from skrobust.attacks.core.attack_ensemble import AttackEnsemble
from skrobust.attacks.trees.row_gaps import gaps_of


class StrongestAttack(AttackEnsemble):
    r"""Strongest attack: exact where it can be, else gradients and queries in turn.

    What is run follows from the model, each member on the rows that still stand:

    - linear models behind affine steps: :class:`ExactLinear` alone, which is the truth;
    - trees and their ensembles: :class:`ExactTree`, within its budget; rows that it
      decides are done;
    - models with gradients: :class:`FGSM`, :class:`AutoPGD` on the soft margin and on
      the targeted DLR loss, :class:`FAB`;
    - every model: :class:`RandomSearch`, then :class:`HopSkipJump`, whose labels also
      guide where scores are flat, and with scores :class:`Square`;
    - rows with missing values: :class:`ExactTree` alone, for trees that take them;
    - text: :class:`WordSubstitution` alone, whose budget is ``n_words``.

    Where probabilities or predictions are to be moved, each member (the exact ones,
    FGSM, AutoPGD, RandomSearch) attacks all rows that none has decided, and the example
    that moves them most is kept. The string
    ``"auto"`` stands for this attack in scorers, evaluation, report and command line.

    Parameters
    ----------
    eps : float or str, default=0.1
        Radius of the ball, in the units of the raw input of the whole pipeline, or of
        the spread of each feature: ``"0.1 std"``. Texts do not use it.
    norm : {inf, 2, 1}, default=inf
        Norm of the ball.
    data_range : None or (low, high), default=None
        Bounds of the raw input, scalars or one per feature.
    max_queries : int, default=500
        Most queries of a row in each search.
    node_budget : int, default=50
        Parts of the ball that :class:`ExactTree` may open for a row.
    n_words : int, default=3
        Most words of a text that may be replaced.
    substitutions : dict {str: list of str}, callable or None, default=None
        The words that may stand in the place of a word, as in
        :class:`WordSubstitution`; None: misspellings.
    batch_size : int or None, default=None
        Samples attacked at a time, for members that have it. The result does not
        depend on it.
    target : None, label or array-like of shape (n_samples,), default=None
        Label, or one label per sample, that the model is driven to predict, by the
        members that can aim (not the exact ones, nor FAB). Only for misclassification.
    constraints : Constraints or None, default=None
        What features may do.
    objective : str or None, default=None
        ``"misclassification"`` (None for a classifier), ``"loss"`` or
        ``"probability_shift"``; ``"prediction_shift"`` (None for a regressor) or
        ``"prediction_error"``.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the members.

    Notes
    -----
    The results of :meth:`run` say in ``found_by`` which member fooled each sample:
    "clean" where it was wrong from the start, "" where none did. Passes and queries are
    those of all members together. A member that does not take the model is left out.
    This list is our choice; sources are those of the members.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from skrobust.attacks import StrongestAttack
    >>> X, y = load_wine(return_X_y=True)
    >>> model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
    >>> result = StrongestAttack("0.5 std", random_state=0).run(model, X, y)
    >>> sorted(str(name) for name in set(result.found_by))
    ['', 'linear']
    """

    _parameter_rules = {
        "max_queries": Count(low=3),
        "node_budget": Count(),
        "n_words": Count(low=0),
        "batch_size": Count(optional=True),
    }

    def __init__(
        self,
        eps=0.1,
        *,
        max_queries=500,
        node_budget=50,
        n_words=3,
        substitutions=None,
        batch_size=None,
        target=None,
        constraints=None,
        **shared,
    ):
        super().__init__(eps, **shared)
        self.max_queries = max_queries
        self.node_budget = node_budget
        self.n_words = n_words
        self.substitutions = substitutions
        self.batch_size = batch_size
        self.target = target
        self.constraints = constraints

    @classmethod
    def _get_test_params(cls):
        return [{"max_queries": 20}]

    def perturb(self, estimator, X, y=None):
        """Return adversarial rows or texts.

        Parameters
        ----------
        estimator : fitted classifier or regressor
            The model under attack; it is used as it is and left as it was.
        X : array-like, data frame or tensor of shape (n_samples, ...), or texts
            Raw input of the whole pipeline; never changed.
        y : array-like of shape (n_samples,), default=None
            True labels; None stands for the estimator's own predictions.

        Returns
        -------
        X_adv : container like X
            Within ``eps`` of X in ``norm``, and within ``data_range``; of texts at most
            ``n_words`` words differ.
        """
        if is_text(X):
            return self._on_texts().perturb(estimator, X, y)
        if gaps_of(X) is not None:
            with contextlib.suppress(ValueError):  # other models: needs finite X
                return self._on_trees().perturb(estimator, X, y)
        return super().perturb(estimator, X, y)

    def run(self, estimator, X, y=None, *, start=None, verbose=0):
        """Return adversarial rows or texts with the success and cost of each sample.

        Parameters
        ----------
        estimator, X, y, start, verbose : object
            As in :meth:`BaseAttack.run`; this attack takes no ``start``.

        Returns
        -------
        result : AttackResult
            With ``found_by``.
        """
        if is_text(X):
            return self._on_texts().run(estimator, X, y)
        if gaps_of(X) is not None:
            with contextlib.suppress(ValueError):  # other models: needs finite X
                return self._on_trees().run(estimator, X, y, verbose=verbose)
        return super().run(estimator, X, y, start=start, verbose=verbose)

    def _on_trees(self):
        """Return the attack on rows with missing values, which trees alone take."""
        [(_, attack)] = self._set_up(
            [("trees", ExactTree(node_budget=self.node_budget))]
        )
        return attack

    def _on_texts(self):
        return WordSubstitution(
            self.n_words,
            substitutions=self.substitutions,
            typos=self.substitutions is None,
            objective=self.objective,
        )

    def _members(self, model):
        aims, targeted = self._aims_at_labels(), self.target is not None
        by_label = aims and not predicts_numbers(model)
        members = [("fgsm", FGSM()), ("apgd", AutoPGD(finish=None))]
        if not targeted:
            trees = ExactTree(node_budget=self.node_budget)
            members = [("linear", ExactLinear()), ("trees", trees), *members]
        if by_label:
            loss = "dlr" if targeted else "targeted_dlr"
            members += [("apgd-dlr", AutoPGD(loss=loss, finish=None))]
        if by_label and not targeted:
            members += [("fab", FAB())]
        budget = {"max_queries": self.max_queries}
        members += [("random", RandomSearch(**budget))]
        if by_label:
            members += [("hopskipjump", HopSkipJump(**budget))]
            names = ("predict_proba", "decision_function")
            if any(hasattr(model, name) for name in names):
                members += [("square", Square(**budget))]
        return self._set_up(members)

    def _common(self):
        return {} if self.batch_size is None else {"batch_size": self.batch_size}

    def _run(self, member, estimator, X, y, tally, rows):
        try:
            moved = super()._run(member, estimator, X, y, tally, rows)
        except ValueError:  # another kind of model, or of constraints
            if isinstance(member, RandomSearch):  # takes every model
                raise
            return X.copy()
        finally:
            tally.messages.clear()  # of one member; others do what it cannot
        if isinstance(member, ExactLinear):
            tally.decided[rows] = True
        elif isinstance(member, ExactTree):
            tally.decided[rows] = getattr(member, "proven_", False)
        return moved
