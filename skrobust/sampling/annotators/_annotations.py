"""Answers of several annotators to the questions of one sampler."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from skrobust._sealed import sealed_text
from skrobust._validation import (
    check_choice,
    check_confidence,
    check_count,
    invalid,
)
from skrobust.sampling.annotators._annotator_noise import noise_of_annotators
from skrobust.sampling.annotators._noise_rate import noise_of_table
from skrobust.sampling.annotators.agreement import agreement_table
from skrobust.sampling.annotators.annotator_correction import corrected_by_annotator
from skrobust.sampling.annotators.answer_table import (
    all_labels,
    pairs_that_differ,
    table_of_annotators,
    table_of_inputs,
)
from skrobust.sampling.annotators.first_answers import refuse_corrected
from skrobust.sampling.annotators.noise_correction import corrected
from skrobust.sampling.core.answer_checks import (
    FAILED,
    NOT_GIVEN,
    PASSED,
    UNASKED,
    answer_list,
    check_ids,
    one_kind,
    outcomes_of,
)
from skrobust.sampling.core.base import BaseSampler
from skrobust.sampling.core.packing import (
    facts_from_json,
    refuse_unwritable,
    restored_generator,
)
from skrobust.sampling.core.pool import own_generator, refuse_settings
from skrobust.sampling.core.state import digest_of_sampler

FORMAT = 2


class Annotations:
    """Collect answers of several annotators, and correct the accuracy for their errors.

    The first answer to an input goes to the sampler. Further ones are kept here; they
    tell how often answers are wrong (:func:`estimate_label_noise`), and ``result``
    corrects the accuracy for it. Where all were told as true labels, labels are
    compared, of as many classes as occur; otherwise outcomes.

    Parameters
    ----------
    sampler : fitted sampler
        Whose questions are answered. It is not copied.
    random_state : int, RandomState, Generator or None, default=None
        Of the choice of inputs to answer again.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.sampling import Annotations, SimpleRandomSampler
    >>> rng = np.random.default_rng(0)
    >>> failed = np.arange(2000) % 5 == 0                       # accuracy .8
    >>> annotator = lambda ids: failed[ids] ^ (rng.random(len(ids)) < 0.1)
    >>> sampler = SimpleRandomSampler(random_state=0).fit(np.ones(2000))
    >>> notes = Annotations(sampler, random_state=0)
    >>> ids = sampler.ask(400)
    >>> notes = notes.tell(ids, failed=annotator(ids), annotator="ann")
    >>> again = notes.to_repeat(150)
    >>> notes = notes.tell(again, failed=annotator(again), annotator="bob")
    >>> print(notes.result())
    accuracy 0.7786, 95 % interval 0.7249 to 0.8343, corrected from 0.7275
    9.2 % of the answers are wrong, 95 % interval 6.2 to 13.6
    16.7 % of the pairs of answers to 150 inputs differ
    """

    def __init__(self, sampler, *, random_state=None):
        caller = type(self).__name__
        if not isinstance(sampler, BaseSampler):
            raise invalid("sampler", caller, "a fitted sampler", sampler)
        check_is_fitted(sampler)
        self.sampler = sampler
        self.random_state = random_state
        self._rng = own_generator(random_state, caller)
        self._answers = []  # (id, annotator, label or None, failed), in order
        self._first = {}  # place in it of the answer that the sampler has of each id

    def tell(self, ids, y_true=NOT_GIVEN, *, failed=NOT_GIVEN, annotator):
        """Store the answers of an annotator.

        Parameters
        ----------
        ids : int or array-like of shape (n,)
            Positions that the sampler asked.
        y_true, failed : array-like of shape (n,)
            As for ``tell`` of the sampler: one of the two; None for no answer.
        annotator : str
            Who answers; once for each input.

        Returns
        -------
        self : object
            The annotations.

        Raises
        ------
        ValueError
            For ids that were never asked, or that this annotator has answered, and
            for impossible answers. Nothing is changed then.
        """
        caller = f"{type(self).__name__}.tell"
        if not isinstance(annotator, str) or not annotator:
            raise invalid("annotator", caller, "a name", annotator)
        self._refuse_losses(caller)
        kind, given = one_kind({"y_true": y_true, "failed": failed}, caller)
        status = self.sampler._answers.status
        ids = check_ids(ids, status, caller, again=True)
        done = {i for i, who, *_ in self._answers if who == annotator}
        for i in ids.tolist():
            if i in done:
                raise ValueError(
                    f"{caller}: {annotator!r} has answered id {i} before; leave it "
                    "out, or give the annotator who repeats it a name of its own."
                )
        answers = answer_list(given, kind, ids, caller)
        y_pred, loss = self.sampler.y_pred_, self.sampler._answers.loss
        outcomes = outcomes_of(kind, answers, y_pred, ids, loss, caller)
        first = ~np.isin(status[ids], (PASSED, FAILED))
        if first.any():
            new = [
                one for one, is_first in zip(answers, first, strict=True) if is_first
            ]
            self.sampler.tell(ids[first], **{kind: new})
        for i, answer, outcome, is_first in zip(
            ids.tolist(), answers, outcomes, first.tolist(), strict=True
        ):
            if answer is not None:
                label = answer if kind == "y_true" else None
                if is_first:
                    self._first[i] = len(self._answers)
                self._answers.append((i, annotator, label, bool(outcome > 0)))
        return self

    def to_repeat(self, n):
        """Return inputs to give to a second annotator.

        Parameters
        ----------
        n : int
            How many; :func:`plan_repeats` says how many are worth it.

        Returns
        -------
        ids : ndarray of shape (n,)
            A uniform draw from the inputs that have exactly one answer here, so that
            it depends on no answer. For several people, hand the same ids to each of
            them: once two have answered an input, it is not drawn again.

        Raises
        ------
        ValueError
            If there are fewer.
        """
        caller = f"{type(self).__name__}.to_repeat"
        n = check_count(n, "n", caller)
        told, counts = np.unique([i for i, *_ in self._answers], return_counts=True)
        single = told[counts == 1]
        if n > len(single):
            raise ValueError(
                f"{caller}: {len(single)} inputs have exactly one answer here, {n} "
                "asked; for third answers give several people the same ids, before the "
                "second ones are told."
            )
        return self._rng.choice(single, n, replace=False).astype(np.intp)

    def noise(self, *, confidence=0.95):
        """Estimate how often answers are wrong.

        Parameters
        ----------
        confidence : float in (0, 1), default=0.95
            Nominal coverage of the interval.

        Returns
        -------
        NoiseRate
            As of :func:`estimate_label_noise`.
        """
        caller = f"{type(self).__name__}.noise"
        confidence = check_confidence(confidence, caller)
        return noise_of_table(self._table(caller), self._n_classes, confidence, caller)

    def noise_by_annotator(self, *, confidence=0.95):
        """Estimate how often each annotator is wrong.

        Parameters
        ----------
        confidence : float in (0, 1), default=0.95
            Nominal coverage of each interval.

        Returns
        -------
        AnnotatorNoise
            As of :func:`estimate_annotator_noise`.

        Raises
        ------
        ValueError
            Where the rates cannot be told: three annotators must share inputs two by
            two (two annotators tell a common rate alone: ``noise()``).
        """
        caller = f"{type(self).__name__}.noise_by_annotator"
        confidence = check_confidence(confidence, caller)
        return self._by_annotator(confidence, caller)[0]

    def result(self, *, confidence=0.95, rates="common", **settings):
        """Estimate the accuracy, corrected for wrong answers.

        Parameters
        ----------
        confidence : float in (0, 1), default=0.95
            Nominal coverage of the interval.
        rates : {"common", "annotator"}, default="common"
            Whether all annotators err equally often, or each at a rate of its own. The
            latter needs three of them who share inputs two by two.
        **settings
            As for ``result`` of the sampler, with common rates.

        Returns
        -------
        NoisyAccuracy
            The result of the sampler, which rests on first answers, corrected by
            ``noise()`` or by ``noise_by_annotator()``.

        Raises
        ------
        ValueError
            Where rates cannot be told, where ``correct`` of the sampler has changed
            outcomes of first answers, for answers that are losses, and, with
            ``rates="annotator"``, for answers told to the sampler itself.
        """
        caller = f"{type(self).__name__}.result"
        refuse_settings(settings, self.sampler, type(self).__name__, "result")
        self._refuse_losses(caller)
        refuse_corrected(self.sampler, self._answers, self._first, caller)
        check_choice(rates, "rates", caller, ("common", "annotator"))
        if rates == "annotator":
            if settings:
                text = f"no other settings with rates='annotator'; got {[*settings]}"
                raise ValueError(f"{caller} takes {text}.")
            confidence = check_confidence(confidence, caller)
            noise, pairs, rows = self._by_annotator(confidence, caller)
            first = {
                i: noise.annotators.index(self._answers[at][1])
                for i, at in self._first.items()
            }
            return corrected_by_annotator(
                self.sampler, first, noise, pairs, rows, caller
            )
        noise = self.noise(confidence=confidence)
        found = self.sampler.result(confidence=confidence, **settings)
        return corrected(
            found.accuracy,
            found.std_error,
            found.interval,
            noise,
            n_used=max(found.n_used, 1),
            n_pool=found.n_pool,
            notes=found.warnings,
        )

    def agreement(self):
        """Return how often each two annotators agree.

        Returns
        -------
        Results
            One row for each two that share inputs: columns ``first``, ``second``,
            ``n`` (inputs that both answered), ``agreement`` (share of the same
            outcome) and ``kappa`` (Cohen's, nan where both always say the same).
        """
        return agreement_table(self._answers)

    def disagreements(self):
        """Return the inputs whose answers differ, for a second look.

        Returns
        -------
        ids : ndarray of shape (n,)
            In increasing order. Do not tell second looks at them alone here: rates
            need inputs that were chosen without regard to answers. After ``correct``
            of the sampler ``result`` refuses, as it would correct for errors that are
            no longer there.
        """
        ids = np.unique([i for i, *_ in self._answers]).astype(np.intp)
        if not len(ids):
            return ids
        differ = pairs_that_differ(self._table("Annotations.disagreements"))[1]
        return ids[differ > 0]

    def to_json(self):
        """Write the answers as text; the sampler has its own ``to_json``.

        Returns
        -------
        str
            JSON, for ``from_json``.

        Raises
        ------
        ValueError
            For true labels that JSON cannot hold.
        """
        for i, _, label, _ in self._answers:
            refuse_unwritable(label, i, f"{type(self).__name__}.to_json")
        facts = {
            "format": FORMAT,
            "sampler": digest_of_sampler(self.sampler),
            "answers": self._answers,
            "first": [*self._first.values()],
            "generator": self._rng.bit_generator.state,
        }
        return sealed_text(facts)

    @classmethod
    def from_json(cls, text, sampler):
        """Restore annotations beside their sampler.

        Parameters
        ----------
        text : str
            What ``to_json`` returned.
        sampler : fitted sampler
            Restored from its own text.

        Returns
        -------
        Annotations
            As they were.

        Raises
        ------
        ValueError
            For another text or one that was changed, and for answers to what the
            sampler never asked.
        """
        caller = f"{cls.__name__}.from_json"
        names = ("sampler", "answers", "first", "generator")
        known, answers, places, state = facts_from_json(text, names, FORMAT, caller)
        new, answers = cls(sampler), [tuple(one) for one in answers]
        status = sampler._answers.status
        if known != digest_of_sampler(sampler) or any(
            status[i] == UNASKED for i, *_ in answers
        ):
            raise ValueError(f"{caller}: these answers belong to another sampler.")
        new._answers, new._first = answers, {answers[at][0]: at for at in places}
        new._rng = restored_generator(state)
        return new

    def _refuse_losses(self, caller):
        """Raise where answers of the sampler are losses, of which none is wrong."""
        if self.sampler._answers.tells_losses:
            raise ValueError(
                f"{caller} corrects labels that are right or wrong, and the answers of "
                "the sampler are losses: use a sampler without loss=, and tell true "
                "labels or failed=."
            )

    @property
    def _n_classes(self):
        """Labels that an answer chooses among; 2 where only outcomes are known."""
        if not all_labels(self._answers):
            return 2
        labels = {label for _, _, label, _ in self._answers}
        return max(len(labels | set(np.unique(self.sampler.y_pred_).tolist())), 2)

    def _by_annotator(self, confidence, caller):
        """Return rates, what their errors need, and the row of each input in it."""
        names, rows, table = table_of_annotators(self._told(caller))
        found = noise_of_annotators(table, names, self._n_classes, confidence, caller)
        return (*found, rows)

    def _table(self, caller):
        """Return the answers as a table, one row for each input, by position."""
        return table_of_inputs(self._told(caller))

    def _told(self, caller):
        if not self._answers:
            raise ValueError(f"{caller} needs answers, and there are none yet.")
        return self._answers
