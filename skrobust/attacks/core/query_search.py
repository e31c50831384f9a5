"""Search by queries over a block of rows: guides, budgets, the best candidates."""

import numpy as np
from scipy.special import logsumexp, softmax

from skrobust._norms import per_sample
from skrobust.attacks.core.goal import BestSoFar
from skrobust.attacks.core.targets import unknown_target

_TINY = np.finfo(np.float64).tiny


class QuerySearch:
    """Search over the rows of a block: the queries made and the best candidates.

    Where the goal stops, the guide of a candidate is its margin, the largest score of
    another class minus that of its label; a row that is fooled is done. Otherwise the
    guide drives one probability down or up, and the candidate that moves the
    probability of the predicted class most is kept; no row is ever done. With a target
    the margin is the score of the target minus the largest other, the driven
    probability is that of the target, and its rise counts. Of a regressor the
    prediction is driven, up and down.

    Parameters
    ----------
    goal : Goal
        Goal of the attack.
    domain : Domain
        Where candidates may lie.
    queries : Queries
        The model.
    X : ndarray of shape (n_samples, ...)
        Clean rows of the whole call.
    rows : integer ndarray
        Places of the block in the call.
    key : NoiseKey
        Of the rows of the call.
    """

    def __init__(self, goal, domain, queries, X, rows, key):
        self.x, self.domain, self._goal = X[rows], domain, goal
        self.messages, self.iterations = [], np.zeros(len(rows), dtype=int)
        self._rows, self._queries, self._key = rows, queries, key.take(rows)
        self.is_guided = queries.method != "predict" or goal.moves_prediction
        self._clean = scores = queries.scores(self.x, rows)
        self.predicted = scores.argmax(axis=1)
        # Whether the label is that of the largest score.
        self._trusted = np.ones(len(rows), dtype=bool)
        if self.is_guided and not goal.moves_prediction:
            labels = queries.labels(self.x, rows)
            self._trusted, self.predicted = labels == self.predicted, labels
        self._saturated = queries.is_saturated(scores)
        self.best = BestSoFar(self.x.copy(), np.zeros(len(rows)))

    def set_labels(self, y, target, given):
        """Set what each row is driven from, or to with a target, and the runs."""
        goal, queries = self._goal, self._queries
        self.label = self.predicted
        self.done = np.zeros(len(self.x), dtype=bool)
        if goal.moves_prediction:
            clean = self._clean[:, 0]
            self._anchor = clean
            if goal.objective == "prediction_error":
                self._anchor = np.asarray(y, dtype=np.float64)[self._rows]
            self.best.score = np.abs(clean - self._anchor)
            self.runs = [(self.predicted, 1), (self.predicted, -1)]
            return
        if goal.targeted:
            self.label = queries.label_index(target[self._rows])
            if (self.label < 0).any():
                raise unknown_target(given, queries.caller)
        elif y is not None:
            label = queries.label_index(np.asarray(y))
            if (label < 0).all():
                raise ValueError(
                    f"{queries.caller} found none of the model's classes in y: they "
                    f"are {list(queries.classes[:5])}, y begins with {list(y[:5])}."
                )
            self.label = label[self._rows]
        self._shifted_class = self.label if goal.targeted else self.predicted
        self._probability = self._share(self._clean, self._shifted_class)
        if goal.stops:
            self.done = (self.label < 0) | self.wants(self.predicted)
        self.runs = [(np.maximum(self.label, 0), -1 if goal.targeted else 1)]
        if goal.objective == "probability_shift":
            self.runs = [(self.predicted, 1), (self.predicted, -1)]

    def wants(self, labels, rows=slice(None)):
        """Say which predicted labels (by index) are a success."""
        return self._goal.is_reached(labels, self.label[rows])

    def start(self, run, first=None):
        """Begin a run: back to the clean rows, with its share of the budget.

        ``first`` are candidates, one for each row, that are asked about at once.
        """
        self._run = run
        self._driven, self._sign = self.runs[run]
        self.current = self.x.copy()
        everyone = np.arange(len(self.x))
        value = self._guide(self._clean, everyone)
        doubted = self._goal.stops & ~self._trusted
        self.value = np.where(doubted, -np.inf, value)
        spare = self._queries.left(self._rows) - self._reserve()
        self._ceiling = spare // (len(self.runs) - run)
        self._asked = np.zeros(len(self.x), dtype=np.int64)
        if first is not None:
            live = self.live()
            self.ask(live, first[live][:, None])

    def _reserve(self):
        """Return what the last check of a row that seems to be fooled will cost."""
        checks = self._goal.stops and self.is_guided
        return np.where(self._trusted, int(checks), 0)

    def left(self, rows):
        """Return how many more candidates each row may ask about in this run."""
        cost = np.where(self._trusted[rows] | (not self._goal.stops), 1, 2)
        return np.maximum(self._ceiling[rows] - self._asked[rows], 0) // cost

    def live(self):
        """Return the rows that are not done and may still ask."""
        rows = np.flatnonzero(~self.done)
        return rows[self.left(rows) > 0]

    def rng(self, step, rows):
        """Return the generator of the draws of some rows at one step."""
        key = self._key.derive("run", self._run, "step", step)
        return key.take(rows).generator()

    def ask(self, rows, candidates):
        """Judge candidates and keep what is better.

        Parameters
        ----------
        rows : integer ndarray of shape (m,)
            Rows of the block.
        candidates : ndarray of shape (m, k, ...)
            For each row k candidates, wherever they lie. Those beyond the budget of a
            row are not asked.

        Returns
        -------
        candidates : ndarray of shape (m, k, ...)
            As they were judged: in the ball, the box and the constraints.
        guide : ndarray of shape (m, k)
            What the run drives up; -inf where not asked. Under misclassification
            above 0 means fooled.
        """
        candidates, asked, scores, guide = self._judge(rows, candidates)
        best = guide.argmax(axis=1)
        places = np.arange(len(rows))
        better = guide[places, best] > self.value[rows]
        won = rows[better]
        self.current[won] = candidates[places, best][better]
        self.value[won] = guide[places, best][better]
        self.iterations[rows] += 1
        if self._goal.stops:
            found = won[self.value[won] > 0]
            self.keep(found, self.current[found], self.value[found])
            self.done[found] = True
        else:
            self._keep_farthest(rows, candidates, asked, scores)
        return candidates, guide

    def fooled(self, rows, candidates):
        """Return candidates as they were judged, and which of them fool the model."""
        candidates, _, _, guide = self._judge(rows, candidates)
        return candidates, guide > 0

    def keep(self, rows, found, score=1.0):
        """Write down adversarial rows, such as those that the attack chose itself."""
        score = np.broadcast_to(score, len(rows))
        self.best.update(found, score, rows, better=True)

    def _judge(self, rows, candidates):
        k, shape = candidates.shape[1], candidates.shape[2:]
        clean = np.repeat(self.x[rows], k, axis=0)
        flat = self.domain.put_back(candidates.reshape(-1, *shape), clean)
        asked = np.arange(k) < self.left(rows)[:, None]
        places = np.repeat(rows, k)[asked.ravel()]
        guide = np.full(asked.shape, -np.inf)
        scores = None
        if len(places):
            values = flat[asked.ravel()]
            scores = self._queries.scores(values, self._rows[places])
            np.add.at(self._asked, places, 1)
            guide[asked] = self._guide(scores, places, values)
        return flat.reshape(candidates.shape), asked, scores, guide

    def _guide(self, scores, rows, values=None):
        """Return what the run drives up, for one score a class and candidate."""
        if self._goal.moves_prediction:
            return self._sign * scores[:, 0]
        places, label = np.arange(len(scores)), self._driven[rows]
        own, others = scores[places, label], scores.copy()
        others[places, label] = -np.inf
        if not self._goal.stops:
            if self._queries.needs_softmax:
                return self._sign * (logsumexp(others, axis=1) - own)
            return -self._sign * own
        margin = others.max(axis=1) - own
        margin = -margin if self._goal.targeted else margin
        fooled = self.wants(scores.argmax(axis=1), rows)
        doubted = np.flatnonzero(~self._trusted[rows])
        if len(doubted) and values is not None:
            # Here the label is not that of the largest score; it has the last word.
            asked_by = rows[doubted]
            np.add.at(self._asked, asked_by, 1)
            labels = self._queries.labels(values[doubted], self._rows[asked_by])
            fooled[doubted] = self.wants(labels, asked_by)
        return np.where(fooled, np.maximum(margin, _TINY), np.minimum(margin, 0.0))

    def _share(self, scores, label):
        """Return the probability of a class, or the softmax that stands in for it."""
        if self._queries.needs_softmax:
            scores = softmax(scores, axis=1)
        return scores[np.arange(len(scores)), label]

    def _keep_farthest(self, rows, candidates, asked, scores):
        if scores is None:
            return
        places = np.repeat(rows, asked.shape[1])[asked.ravel()]
        if self._goal.moves_prediction:
            rise = scores[:, 0] - self._anchor[places]
        else:
            reached = self._share(scores, self._shifted_class[places])
            rise = reached - self._probability[places]
        shift = np.zeros(asked.shape)
        shift[asked] = self._goal.move(rise)
        far = shift.argmax(axis=1)
        shift = shift[np.arange(len(rows)), far]
        better = shift > self.best.score[rows]
        found = candidates[np.arange(len(rows)), far][better]
        self.keep(rows[better], found, shift[better])

    def finish(self):
        """Return the best rows, those claimed as fooled confirmed by ``predict``."""
        best, fooled = self.best.iterate, self.best.score > 0
        if not self._goal.stops:
            return best
        doubtful = np.flatnonzero(fooled & self._trusted)
        if self.is_guided and len(doubtful):
            labels = self._queries.labels(best[doubtful], self._rows[doubtful])
            fooled[doubtful] = self.wants(labels, doubtful)
        failed = self._saturated & ~fooled & ~self.wants(self.predicted)
        if failed.any():
            self.messages.append(
                f"{self._queries.caller} met {int(failed.sum())} rows whose "
                "probabilities are 0 and 1 to the last digit, which guide nowhere (a "
                "saturated model); the result is an upper bound of the robustness. Use "
                "an attack by gradient."
            )
        return np.where(per_sample(fooled, self.x), best, self.x)
