"""Search for repairs: candidates fitted, scored where they are chosen, and reported."""

import numpy as np
from sklearn.exceptions import NotFittedError

from skrobust._parallel import run_tasks
from skrobust._responses import predict_labels
from skrobust.evaluation.core.condition_table import (
    condition_table,
    fit_conditions,
    perturb_rows,
)
from skrobust.evaluation.repairs.fragile_columns import (
    column_names,
    fragile_columns,
    number_columns,
)
from skrobust.evaluation.repairs.repair_candidates import (
    KINDS,
    MOST_PREDICTIONS,
    make_candidates,
)
from skrobust.evaluation.repairs.repair_case import Candidate, Case
from skrobust.evaluation.repairs.repair_parts import (
    answers_under,
    caught,
    correct_under_attack,
    fit_candidate,
    make_scores,
    missing_rows,
    one_sentence,
)
from skrobust.evaluation.repairs.repair_table import ORIGINAL
from skrobust.metrics.scorers.attack_objective import aimed_at_labels

_N_WEAK = 3  # conditions that proposals are made for
_REFUSALS = (ValueError, NotFittedError, TypeError)  # an attack on another model


class Search:
    """Candidates of one model, fitted on some rows and scored on others.

    Parameters
    ----------
    model : classifier
        The original.
    conditions, attacks : list of objects with ``perturb``
        What the model shall withstand; conditions are fitted by :meth:`start`.
    criterion : {"mean", "attack"}
        What candidates are chosen by.
    store : Checkpoint
        Keeps finished parts.
    jobs : dict
        ``n_jobs`` and ``verbose``.
    seed : int
        Seed of what repairs draw.
    caller : str
        Name of the public function, for error messages.
    """

    def __init__(
        self, model, conditions, attacks, criterion, store, jobs, seed, caller
    ):
        self.model, self.conditions, self.criterion = model, conditions, criterion
        self.attacks = attacks
        self.store, self.jobs, self.seed, self.caller = store, jobs, seed, caller
        self.table = condition_table(conditions) if conditions else None
        self.estimators, self.fitted, self.kinds = {}, {}, {ORIGINAL: ORIGINAL}
        self.skipped, self.warnings, self.fragile = {}, [], []
        self._gaps = None  # whether values are missing, once it was looked for
        self._moved = {}  # examples for the original, by rows and attack

    def start(self, fit, choose):
        """Fit the original and find its weaknesses on the rows that choose.

        Conditions learn from the rows that fit alone, also those that are fitted.
        """
        self.fit, self.choose = fit, choose
        if self.conditions:
            self.conditions = fit_conditions(self.conditions, fit.X)
        self._fit({ORIGINAL: self.model})
        if ORIGINAL not in self.fitted:
            raise ValueError(
                f"{self.caller} could not fit the model: {self.skipped[ORIGINAL]}"
            )
        predict_labels(self.original, choose.X)  # raises where it refuses clean rows
        self.chosen = self.scores([ORIGINAL], choose)

    @property
    def original(self):
        """The fitted copy of the original."""
        return self.fitted[ORIGINAL].model

    def weak_places(self, name=ORIGINAL, most=_N_WEAK):
        """Return the places of the conditions that cost a model most accuracy.

        The worst come first; ``most`` of None returns all that cost any.
        """
        if not self.conditions:
            return []
        scores = self.chosen[name]
        values = scores.correct.mean(axis=0)
        order = np.argsort(values, kind="stable")
        clean = scores.clean.mean()
        return [int(i) for i in order if values[i] < clean][:most]

    def propose(self, candidates, n_report):
        """Make the candidates, fit them, and score them on the rows that choose."""
        if isinstance(candidates, dict):
            made = [Candidate(name, name, one) for name, one in candidates.items()]
        else:
            kinds = KINDS if candidates is None else candidates
            case = self._case(ORIGINAL, candidates is not None, n_report)
            self.fragile = case.fragile
            made, self.skipped = make_candidates(case, kinds)
        self._try(made)

    def combine(self, candidates, n_report, max_clean_loss):
        """Try the other kinds in front of the best repair so far, if there is one."""
        best = self.winner(self.chosen, max_clean_loss)
        if best is None:
            return
        kinds = KINDS if candidates is None else candidates
        used = self.kinds[best].split(" + ")
        kinds = [kind for kind in kinds if kind not in used]
        case = self._case(best, candidates is not None, n_report)
        made, _ = make_candidates(case, kinds)
        head = self.kinds[best]
        self._try(
            Candidate(f"{head} + {one.kind}", f"{one.name}; {best}", one.estimator)
            for one in made
        )

    def _try(self, made):
        made = list(made)
        names = _distinct([one.name for one in made])
        self.kinds |= {n: one.kind for n, one in zip(names, made, strict=True)}
        made = dict(zip(names, (one.estimator for one in made), strict=True))
        self._fit(made)
        there = [name for name in names if name in self.fitted]
        self.chosen |= self.scores(there, self.choose)

    def best_of_kinds(self, max_clean_loss):
        """Return the best name of each kind on the rows that choose.

        One that costs more clean accuracy than it may is taken only where all of its
        kind do.
        """
        best = {}
        for name, scores in self.chosen.items():
            kind, value = self.kinds[name], scores.value(self.criterion)
            if name == ORIGINAL or np.isnan(value):
                continue
            rank = self._keeps_clean(name, max_clean_loss), value
            if kind not in best or rank > best[kind][0]:
                best[kind] = rank, name
        return [name for _, name in best.values()]

    def winner(self, names, max_clean_loss):
        """Return the best of these names that keeps the clean accuracy, or None."""
        best, winner = self.chosen[ORIGINAL].value(self.criterion), None
        for name in names:
            value = self.chosen[name].value(self.criterion)
            if value > best and self._keeps_clean(name, max_clean_loss):
                best, winner = value, name
        return winner

    def _keeps_clean(self, name, max_clean_loss):
        clean = self.chosen[name].clean.mean()
        floor = self.chosen[ORIGINAL].clean.mean() - max_clean_loss
        return bool(clean >= floor - 1e-12)

    def scores(self, names, part):
        """Return the scores of fitted candidates on the rows of a part."""
        conditions = [None, *self.conditions]
        tasks, prefixes = [], {}
        for name in names:
            model = self.fitted[name].model
            with_chances = self.kinds[name] in (ORIGINAL, "calibration")
            prefix = self.store.prefix(model, part.X, part.y, "repair", with_chances)
            prefixes[name] = prefix
            tail = part.X, part.y, with_chances, self.caller
            for i, one in enumerate(conditions):
                key = self.store.key(prefix, i, one)
                tasks.append((key, answers_under, model, one, *tail))
        found = self.store.run_all(tasks, label="conditions", **self.jobs)
        found = [answers for answers, _ in found]
        attacked = self._attacked(names, part, prefixes)
        k = len(conditions)
        return {
            name: make_scores(found[i * k : (i + 1) * k], attacked.get(name))
            for i, name in enumerate(names)
        }

    def _attacked(self, names, part, prefixes):
        """Return which rows of each model stay right under every attack."""
        right, others = {}, [name for name in names if name != ORIGINAL]
        known = self.store.prefix(self.original, part.X, part.y)
        for number, attack in enumerate(map(aimed_at_labels, self.attacks)):
            moved = self._examples(part, number, attack)
            tail = part.X, part.y, moved, self.caller
            tasks = []
            for name in others:
                model = self.fitted[name].model
                key = self.store.key(prefixes[name], "attack", attack, known)
                tasks.append((key, _attacked_part, model, attack, *tail))
            how = {"catch": _REFUSALS, "words": one_sentence, **self.jobs}
            found = self.store.run_all(tasks, label="attacks", **how)
            if ORIGINAL in names:
                rows = correct_under_attack(self.original, None, *tail)
                right[ORIGINAL] = right.get(ORIGINAL, rows) & rows
            for name, (record, error) in zip(others, found, strict=True):
                rows = None
                if error is None:
                    rows = record["right"]
                    self._warn(name, filter(None, str(record["warnings"]).split("\n")))
                else:
                    place = f"{type(attack).__name__} on {name}"
                    self.skipped[place] = error
                before = right.get(name, rows)
                right[name] = None if rows is None or before is None else before & rows
        return right

    def _examples(self, part, number, attack):
        """Return the examples of an attack on the original, made once."""
        place = id(part), number
        if place not in self._moved:
            data = self.original, part.X, part.y
            self._moved[place], texts = caught(attack.perturb, *data)
            self._warn(ORIGINAL, texts)
        return self._moved[place]

    def _warn(self, name, texts):
        self.warnings += [f"{name}: {text}" for text in texts]

    def _fit(self, estimators):
        self.estimators |= estimators
        tasks = [(one, self.fit.X, self.fit.y) for one in estimators.values()]
        found = run_tasks(fit_candidate, tasks, label="fits", **self.jobs)
        for name, one in zip(estimators, found, strict=True):
            self._warn(name, one.warnings)
            if one.error is None:
                self.fitted[name] = one
            else:
                self.skipped[name] = one.error

    def _case(self, name, are_named, n_report):
        choose, places = self.choose, self.weak_places(name)
        conditions, fragile = [self.conditions[i] for i in places], []
        if conditions:
            data = choose.X, choose.y, self.caller
            fragile = fragile_columns(self.fitted[name].model, conditions, *data)
        n_rows = (len(choose.y) + n_report) * (1 + len(self.conditions))
        return Case(
            model=self.estimators[name],
            X=self.fit.X,
            y=self.fit.y,
            weak=self._named(places),
            milder=self._named(_spread(self.weak_places(name, None))),
            attacks=self.attacks,
            fragile=fragile,
            numbers=number_columns(self.fit.X) or [],
            has_gaps=self._has_gaps(),
            n_predictions=n_rows,
            most_predictions=np.inf if are_named else MOST_PREDICTIONS,
            seed=self.seed,
        )

    def _named(self, places):
        names = self.table["name"] if self.conditions else []
        return [(str(names[i]), self.conditions[i]) for i in places]

    def _has_gaps(self):
        """Say whether values are missing, in the rows or under a condition."""
        if self._gaps is None and column_names(self.fit.X) is None:
            self._gaps = False
        if self._gaps is None:
            data = self.original, self.choose.X, self.choose.y, self.caller
            moved = (perturb_rows(one, *data) for one in self.conditions)
            self._gaps = any(missing_rows(X).any() for X in (self.fit.X, *moved))
        return self._gaps


def _attacked_part(*arguments):
    """Return which rows stay right and what was warned of, as one record."""
    right, texts = caught(correct_under_attack, *arguments)
    part = np.zeros((), [("right", bool, right.shape), ("warnings", "U1000")])
    part["right"], part["warnings"] = right, "\n".join(texts)
    return part


def _spread(places):
    """Return three places between the first and the last, none where there are few."""
    n = len(places)
    return [places[(k * n) // 4] for k in (1, 2, 3)] if n > 2 * _N_WEAK else []


def _distinct(names):
    """Return names with a number after those that occurred before."""
    seen, found = set(), []
    for name in names:
        n, one = 1, name
        while one in seen or one == ORIGINAL:
            n += 1
            one = f"{name} {n}"
        seen.add(one)
        found.append(one)
    return found
