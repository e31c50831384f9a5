"""What a black-box attack asks, row by row: guides, verdicts, budgets, the best."""

import numpy as np
from scipy.special import logsumexp, softmax

from skrobust._norms import per_sample
from skrobust.attacks.core.targets import unknown_target

_TINY = np.finfo(np.float64).tiny


class Search:
    """One run over a block of rows: what was asked, and the best that was found.

    Under misclassification the guide of a candidate is its margin, the largest score of
    another class minus that of its own; a row that is fooled is settled. Otherwise the
    guide drives one probability down or up, and the candidate that moves the
    probability of the predicted class most is kept; nothing is settled. With a target
    the margin is the score of the target minus the largest other, the driven
    probability is that of the target, and what counts is its rise.

    Parameters
    ----------
    attack : BlackBoxAttack
        Whose search it is.
    call : Call
        Clean rows, labels, key and domain of the whole call.
    queries : Queries
        The model.
    rows : integer ndarray
        Places of the block in the call.
    """

    def __init__(self, attack, call, queries, rows):
        self.x, self.domain = call.values[rows], call.domain
        self.sentences, self.iterations = [], np.zeros(len(rows), dtype=int)
        self._rows, self._queries, self._key = rows, queries, call.key.take(rows)
        self._stops = attack.objective in (None, "misclassification")
        self.is_guided = queries.method != "predict"
        scores = queries.scores(self.x, rows)
        self.predicted = scores.argmax(axis=1)
        self._trusted = np.ones(len(rows), dtype=bool)
        if queries.method != "predict":
            labels = queries.labels(self.x, rows)
            self._trusted, self.predicted = labels == self.predicted, labels
        self.column = self.predicted
        self._targeted = call.target is not None
        if self._targeted:
            self.column = self._target_columns(attack, call.target[rows])
        elif call.y is not None:
            self.column = self._columns(call.y)[rows]
        self._clean = scores
        self._told = queries.tells_saturation(scores)
        self._watched = self.column if self._targeted else self.predicted
        self._probability = self._share(scores, self._watched)
        self.best, self.score = self.x.copy(), np.zeros(len(rows))
        self.settled = np.zeros(len(rows), dtype=bool)
        if self._stops:
            self.settled = (self.column < 0) | self.wants(self.predicted)
        self.runs = [(np.maximum(self.column, 0), -1 if self._targeted else 1)]
        if attack.objective == "probability_shift":
            self.runs = [(self.predicted, 1), (self.predicted, -1)]

    def _columns(self, y):
        columns = self._queries.columns(np.asarray(y))
        if (columns < 0).all():
            raise ValueError(
                f"{self._queries.caller} found none of the model's classes in y: they "
                f"are {list(self._queries.classes[:5])}, y begins with {list(y[:5])}."
            )
        return columns

    def _target_columns(self, attack, labels):
        columns = self._queries.columns(labels)
        if (columns < 0).any():
            raise unknown_target(attack.target, self._queries.caller)
        return columns

    def wants(self, labels, rows=slice(None)):
        """Say which predicted columns are what the attack wants."""
        same = labels == self.column[rows]
        return same if self._targeted else ~same

    def start(self, run):
        """Begin a run: back to the clean rows, with its share of the budget."""
        self._run = run
        self._goal, self._sign = self.runs[run]
        self.current = self.x.copy()
        everyone = np.arange(len(self.x))
        value = self._guide(self._clean, everyone)
        doubted = self._stops & ~self._trusted
        self.value = np.where(doubted, -np.inf, value)
        spare = self._queries.left(self._rows) - self._reserve()
        self._ceiling = spare // (len(self.runs) - run)
        self._asked = np.zeros(len(self.x), dtype=np.int64)

    def _reserve(self):
        """Return what the last check of a row that seems to be fooled will cost."""
        checks = self._stops and self._queries.method != "predict"
        return np.where(self._trusted, int(checks), 0)

    def left(self, rows):
        """Return how many more candidates each row may ask about in this run."""
        cost = np.where(self._trusted[rows] | (not self._stops), 1, 2)
        return np.maximum(self._ceiling[rows] - self._asked[rows], 0) // cost

    def live(self):
        """Return the rows that are not settled and may still ask."""
        rows = np.flatnonzero(~self.settled)
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
        if self._stops:
            found = won[self.value[won] > 0]
            self.best[found], self.score[found] = self.current[found], self.value[found]
            self.settled[found] = True
        else:
            self._keep_farthest(rows, candidates, asked, scores, guide)
        return candidates, guide

    def fooled(self, rows, candidates):
        """Return candidates as they were judged, and which of them fool the model."""
        candidates, _, _, guide = self._judge(rows, candidates)
        return candidates, guide > 0

    def keep(self, rows, found):
        """Write down adversarial rows that the attack chose itself."""
        self.best[rows], self.score[rows] = found, 1.0

    def _judge(self, rows, candidates):
        k, shape = candidates.shape[1], candidates.shape[2:]
        clean = np.repeat(self.x[rows], k, axis=0)
        flat = self.domain.put_back(candidates.reshape(-1, *shape), clean)
        asked = np.arange(k) < self.left(rows)[:, None]
        owners = np.repeat(rows, k)[asked.ravel()]
        guide = np.full(asked.shape, -np.inf)
        scores = None
        if len(owners):
            values = flat[asked.ravel()]
            scores = self._queries.scores(values, self._rows[owners])
            np.add.at(self._asked, owners, 1)
            guide[asked] = self._guide(scores, owners, values)
        return flat.reshape(candidates.shape), asked, scores, guide

    def _guide(self, scores, owners, values=None):
        """Return what the run drives up, for one score a class and candidate."""
        goal = self._goal[owners]
        if self._stops:
            return self._margin(scores, owners, goal, values)
        own = scores[np.arange(len(scores)), goal]
        if self._queries.method == "decision_function":
            others = scores.copy()
            others[np.arange(len(scores)), goal] = -np.inf
            return self._sign * (logsumexp(others, axis=1) - own)
        return -self._sign * own

    def _margin(self, scores, owners, goal, values):
        places = np.arange(len(scores))
        others = scores.copy()
        others[places, goal] = -np.inf
        margin = others.max(axis=1) - scores[places, goal]
        margin = -margin if self._targeted else margin
        fooled = self.wants(scores.argmax(axis=1), owners)
        doubted = np.flatnonzero(~self._trusted[owners])
        if len(doubted) and values is not None:
            # Here the label is not that of the largest score; it has the last word.
            asked_by = owners[doubted]
            np.add.at(self._asked, asked_by, 1)
            labels = self._queries.labels(values[doubted], self._rows[asked_by])
            fooled[doubted] = self.wants(labels, asked_by)
        return np.where(fooled, np.maximum(margin, _TINY), np.minimum(margin, 0.0))

    def _share(self, scores, column):
        """Return the probability of a class, or the softmax that stands in for it."""
        if self._queries.method == "decision_function":
            scores = softmax(scores, axis=1)
        return scores[np.arange(len(scores)), column]

    def _keep_farthest(self, rows, candidates, asked, scores, guide):
        if scores is None:
            return
        owners = np.repeat(rows, asked.shape[1])[asked.ravel()]
        rise = self._share(scores, self._watched[owners]) - self._probability[owners]
        shift = np.zeros(asked.shape)
        shift[asked] = rise if self._targeted else np.abs(rise)
        far = shift.argmax(axis=1)
        shift = shift[np.arange(len(rows)), far]
        better = shift > self.score[rows]
        self.score[rows[better]] = shift[better]
        self.best[rows[better]] = candidates[np.arange(len(rows)), far][better]

    def finish(self):
        """Return the best rows, those claimed as fooled confirmed by ``predict``."""
        if not self._stops:
            return self.best
        fooled = self.score > 0
        doubtful = np.flatnonzero(fooled & self._trusted)
        if self._queries.method != "predict" and len(doubtful):
            rows = self._rows[doubtful]
            labels = self._queries.labels(self.best[doubtful], rows)
            fooled[doubtful] = self.wants(labels, doubtful)
        n_flat = int((self._told & ~fooled & ~self.wants(self.predicted)).sum())
        if n_flat:
            self.sentences.append(
                f"{self._queries.caller} met {n_flat} rows whose probabilities are 0 "
                "and 1 to the last digit, which guide nowhere (a saturated model); the "
                "result is an upper bound of the robustness. Use an attack by gradient."
            )
        return np.where(per_sample(fooled, self.x), self.best, self.x)
