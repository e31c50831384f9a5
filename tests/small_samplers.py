"""Small pools and samplers whose draws can be enumerated."""

from itertools import permutations

import numpy as np

from skrobust.sampling import BaseSampler, DeepESTSampler, SimpleRandomSampler
from skrobust.sampling.core.rounds import Rounds

P4, TAU, R = [0.1, 0.4, 0.6, 0.8], 0.3, 0.8
P5 = [0.05, 0.5, 0.0, 0.9, 0.31]  # one unit has no weight
P6 = [0.2, 0.0, 0.7, 0.45, 0.29, 0.9]
P7 = [0.1, 0.35, 0.0, 0.6, 0.25, 0.8, 0.05]


class Floored(BaseSampler):
    """What a newcomer writes: draws in proportion to a floored score."""

    def __init__(self, estimator=None, *, auxiliary="confidence", random_state=None):
        self.estimator = estimator
        self.auxiliary = auxiliary
        self.random_state = random_state

    def _probabilities(self, taken):
        weights = np.where(taken, 0, self.scores_ + 0.1)
        return weights / weights.sum()


def slow_q(design, scores, drawn):
    """Draw probabilities by position, after the positions in ``drawn``."""
    free = [i for i in range(len(scores)) if i not in drawn]
    uniform = dict.fromkeys(free, 1 / len(free))
    if design == "floored":
        total = sum(scores[i] + 0.1 for i in free)
        return {i: (scores[i] + 0.1) / total for i in free}
    if design == "uniform" or not drawn:
        return uniform
    if design == "released":
        weight = {i: scores[i] if scores[i] > TAU else 0 for i in free}
    else:
        n_active = sum(scores[i] > TAU for i in drawn)
        weight = {i: n_active * scores[i] for i in free}
    total = sum(weight.values())
    if total == 0:
        return uniform
    return {i: R * weight[i] / total + (1 - R) / len(free) for i in free}


def sequences(design, scores, n):
    """Yield each sequence of n draws with the probability of each of its draws."""
    for sequence in permutations(range(len(scores)), n):
        steps = [
            slow_q(design, scores, sequence[:k])[i] for k, i in enumerate(sequence)
        ]
        yield np.array(sequence), np.array(steps)


def make(design, scores, seed=0):
    if design == "uniform":
        sampler = SimpleRandomSampler(random_state=seed)
    elif design == "floored":
        sampler = Floored(random_state=seed)
    else:
        sampler = DeepESTSampler(
            rule=design, threshold=TAU, mixing=R, random_state=seed
        )
    return sampler.fit(np.array(scores))


def answered(failed, ids, steps):
    """Rounds of one draw each, all answered."""
    rounds = Rounds()
    rounds.add(ids, steps, sequential=True)
    rounds.add_predictor(None, None)
    return rounds.answered(np.ones(len(ids), dtype=bool), failed[ids], len(failed))


DESIGNS = ["paper", "released", "uniform", "floored"]


class InBatches(BaseSampler):
    """Simple random batches, with a predictor that learns from what was told."""

    _sequential = False

    def __init__(self, estimator=None, *, auxiliary="confidence", random_state=None):
        self.estimator = estimator
        self.auxiliary = auxiliary
        self.random_state = random_state

    def _draw(self, n):
        free = np.flatnonzero(self._status == 0)
        ids = self._rng.choice(free, n, replace=False)
        return ids, np.full(n, n / len(free)), {"free": len(free)}

    def _snapshot(self):
        status = self._status[self.ids_]
        return {"slope": float(0.5 + (status == 3).sum() / (2 + 2 * len(status)))}

    def _predict(self, snapshot):
        return np.clip(self.scores_ * snapshot["slope"], 0, 1)

    def _floor(self, n):
        return np.array(self._rounds.pi)[:n] / self._n_asked  # a lower bound


SCORES = np.random.default_rng(5).random(60)
FAILED = np.random.default_rng(6).random(60) < SCORES


def facts(result):
    """Everything that a result says, comparable."""
    values = dict(vars(result), failures=result.failures.tolist())
    return {k: "nan" if v != v else v for k, v in values.items()}
