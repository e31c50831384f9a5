"""Word substitution attack on classifiers of texts."""

import time
from collections.abc import Collection

import numpy as np
from sklearn.base import BaseEstimator

from skrobust._array_checks import check_same_length, check_targets
from skrobust._containers import is_frame, to_array
from skrobust._parallel import StepBar
from skrobust._parameters import Choice, Count, Flag, check_parameters
from skrobust._responses import predict_labels
from skrobust._validation import invalid
from skrobust.attacks.texts.additive_texts import adds_up
from skrobust.attacks.texts.text_scores import TextScores
from skrobust.attacks.texts.text_search import TextSearch
from skrobust.attacks.texts.word_candidates import Words, reader_of_choices
from skrobust.base import AttackResult
from skrobust.base.frame_columns import column_at, level_series, rows_at, with_columns

OBJECTIVES = (None, "misclassification", "loss", "probability_shift")


class WordSubstitution(BaseEstimator):
    r"""Word substitutions within a budget of words, for pipelines with a vectorizer.

    At most ``n_words`` words of each text are replaced, each by one of a list. All
    single replacements are asked in one call. Where the scores of the model add up over
    words (a linear model or multinomial naive Bayes over counts of single words, with
    or without document frequencies, without normalisation), the best set of
    replacements follows from these,

    .. math:: \max_{k \ne y} \max_{|S| \le n} \sum_{i \in S} \max_w
              \Delta_{i, w} (f_k - f_y),

    exactly: a row that it does not fool is robust. For any other model single
    replacements are ranked by what they gain, and a beam puts them together.

    Parameters
    ----------
    n_words : int, default=3
        Most words of a text that may be replaced.
    substitutions : dict {str: list of str}, callable or None, default=None
        The words that may stand in the place of a word, such as synonyms. Keys in small
        letters stand for all spellings, and capitals are kept. A function gets the word
        and returns a list. An empty word leaves the word out.
    typos : bool, default=False
        Whether misspellings may stand in the place of a word of at least four letters:
        two inner neighbours swapped, or an inner letter left out.
    n_beams : int, default=5
        Texts that the beam keeps.
    n_expansions : int, default=20
        Single replacements tried on each text of the beam, those with the largest gains
        first.
    column : str or None, default=None
        Column of the texts in a data frame; the others never change. None: X holds
        texts alone.
    objective : {None, "misclassification", "loss", "probability_shift"}, default=None
        ``"misclassification"``, and None unless a scorer asks for more: as few words as
        fool; rows that nothing fools come back unchanged. ``"loss"``: the probability
        of the label is driven down by all the words; ``"probability_shift"``: that of
        the predicted class down and up, and the larger shift is kept.

    Attributes
    ----------
    proven_ : ndarray of bool of shape (n_samples,)
        After a call with the objective None or ``"misclassification"``: whether the
        answer for the row is final, that is fooled, or robust by the exact search.

    Notes
    -----
    The ranking by gains follows PWWS and TextFooler without their word saliency (a word
    left out, or unknown), which a replacement need not share. We know the ideas of
    both, and did not read the full texts; the beam is our own.

    References
    ----------
    .. [1] S. Ren, Y. Deng, K. He and W. Che, "Generating natural language adversarial
       examples through probability weighted word saliency", ACL 2019.
    .. [2] D. Jin, Z. Jin, J. T. Zhou and P. Szolovits, "Is BERT really robust?", AAAI
       2020 (TextFooler).

    Examples
    --------
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from skrobust.attacks import WordSubstitution
    >>> texts = ["a good film", "a fine film", "a bad film", "a decent bore"]
    >>> model = make_pipeline(CountVectorizer(), LogisticRegression())
    >>> model = model.fit(texts, [1, 1, 0, 0])
    >>> synonyms = {"good": ["decent", "fine"], "fine": ["decent"], "film": ["movie"]}
    >>> attack = WordSubstitution(1, substitutions=synonyms)
    >>> attack.perturb(model, ["A Fine film!", "a bad film"], [1, 0])
    ['A Decent film!', 'a bad film']
    >>> [bool(final) for final in attack.proven_]
    [True, True]
    """

    _parameter_rules = {
        "n_words": Count(low=0),
        "n_beams": Count(),
        "n_expansions": Count(),
        "typos": Flag(),
        "objective": Choice(*OBJECTIVES),
    }

    def __init__(
        self,
        n_words=3,
        *,
        substitutions=None,
        typos=False,
        n_beams=5,
        n_expansions=20,
        column=None,
        objective=None,
    ):
        self.n_words = n_words
        self.substitutions = substitutions
        self.typos = typos
        self.n_beams = n_beams
        self.n_expansions = n_expansions
        self.column = column
        self.objective = objective

    def perturb(self, estimator, X, y=None):
        """Return texts with replaced words.

        Parameters
        ----------
        estimator : fitted classifier
            Takes X; with ``decision_function`` or ``predict_proba``.
        X : list, array or series of str, or data frame
            Texts; never changed.
        y : array-like of shape (n_samples,), default=None
            True labels; None stands for the estimator's own predictions.

        Returns
        -------
        X_adv : container like X
            At most ``n_words`` words of each text differ.
        """
        return self.run(estimator, X, y).X_adv

    def run(self, estimator, X, y=None, *, verbose=0):
        """Return texts with replaced words, with success, distance and cost of each.

        Parameters
        ----------
        estimator : fitted classifier
            The model under attack, as in :meth:`perturb`.
        X : list, array or series of str, or data frame
            Texts.
        y : array-like of shape (n_samples,), default=None
            True labels; None stands for the estimator's own predictions.
        verbose : int, default=0
            From 1 on, a progress bar over the texts, with the time left.

        Returns
        -------
        result : AttackResult
            Its ``norm`` is the number of words that were replaced.
        """
        begun, caller = time.perf_counter(), type(self).__name__
        texts = self._check(X)
        choices = reader_of_choices(self.substitutions, self.typos)
        scores = TextScores(
            estimator,
            lambda new, rows: self._container(X, new, rows),
            caller,
            self.objective in ("loss", "probability_shift"),
            len(texts),
        )
        everyone = np.arange(len(texts))
        predicted = predict_labels(estimator, X)
        scores.counts += 1
        y = predicted if y is None else check_targets(y, caller)
        check_same_length(caller, X=texts, y=y)
        words = [Words(text, choices) for text in texts]
        search = TextSearch(self, scores, words, adds_up(estimator))
        clean = scores(texts, everyone)
        wrong = predicted != y
        swaps = [{} for _ in texts]
        with StepBar(len(texts), caller, verbose) as bar:
            for row in everyone:
                if self.n_words and not (self._stops and wrong[row]):
                    label = np.flatnonzero(scores.classes == y[row])
                    own = int(np.flatnonzero(scores.classes == predicted[row])[0])
                    if self.objective == "loss" and len(label):
                        own = int(label[0])
                    swaps[row] = search.row(row, clean[row], own)
                bar.done()
        moved = [w.changed(s) for w, s in zip(words, swaps, strict=True)]
        changed = np.array([a != b for a, b in zip(texts, moved, strict=True)])
        X_adv = self._container(X, moved, everyone)
        success = predict_labels(estimator, X_adv) != y
        if self._stops:  # what does not fool comes back as it was
            failed = np.flatnonzero(changed & ~success)
            for row in failed:
                moved[row], swaps[row], changed[row] = texts[row], {}, False
            X_adv = self._container(X, moved, everyone) if len(failed) else X_adv
            final = np.full(len(texts), search.is_exact)
            final[failed] = False  # a tie that rounding turned
            self.proven_ = success | final
        n_changed = np.array([float(len(s)) for s in swaps])
        norm = np.where(success, n_changed, np.nan) if self._stops else n_changed
        return AttackResult(
            X_adv,
            success,
            norm,
            queries=scores.counts,
            seconds=time.perf_counter() - begun,
            objective=self.objective or "misclassification",
            changed=changed,
        )

    @property
    def _stops(self):
        return self.objective in (None, "misclassification")

    def _check(self, X):
        """Check the parameters and return the texts."""
        caller, known = type(self).__name__, self.substitutions
        check_parameters(self)
        if known is None and not self.typos:
            rule = "a dict of words and what may replace them, or a function"
            cure = "Or set typos=True."
            raise invalid("substitutions", caller, rule, known, cure)
        if isinstance(known, dict):
            bad = [word for word, new in known.items() if not _are_words(new)]
            if bad:
                rule = "a dict whose values are lists of words"
                raise invalid("substitutions", caller, rule, {bad[0]: known[bad[0]]})
        elif known is not None and not callable(known):
            rule = "a dict of words and what may replace them, or a function"
            raise invalid("substitutions", caller, rule, known)
        texts = X
        if is_frame(X):
            if self.column not in list(X.columns):
                rule = f"a column of X, one of {list(X.columns)}"
                raise invalid("column", caller, rule, self.column)
            texts = column_at(X, list(X.columns).index(self.column))
        if hasattr(texts, "to_list"):
            texts = texts.to_list()
        elif not isinstance(texts, (list, tuple)):
            texts = to_array(texts, "X", caller)
            if not texts.ndim:
                raise invalid("X", caller, "a list, an array or a frame of texts", X)
        wrong = [i for i, text in enumerate(texts) if not isinstance(text, str)]
        if wrong or not len(texts):
            what = repr(texts[wrong[0]])[:60] if wrong else "nothing"
            at = f"row {wrong[0]} holds" if wrong else "X holds"
            raise ValueError(f"{caller} replaces words of texts; {at} {what}.")
        return list(texts)

    def _container(self, X, texts, rows):
        """Return texts in a container like X; of a frame with the other columns."""
        if is_frame(X):
            place = list(X.columns).index(self.column)
            frame = rows_at(X, np.asarray(rows))
            return with_columns(
                frame, {place: level_series(column_at(X, place), texts)}
            )
        if hasattr(X, "iloc"):
            return type(X)(texts, index=X.index[np.asarray(rows)], name=X.name)
        if isinstance(X, np.ndarray):
            return np.array(texts, dtype=object if X.dtype.kind == "O" else None)
        return list(texts)


def _are_words(values):
    """Return whether values are a list of words, or another collection of them."""
    if isinstance(values, str) or not isinstance(values, Collection):
        return False
    return all(isinstance(value, str) for value in values)
