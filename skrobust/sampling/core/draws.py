"""Draws of a sampler in rounds, with their inclusion probabilities."""

from array import array
from dataclasses import dataclass, replace

import numpy as np


class Draws:
    """Draws in rounds, as flat arrays of about fifty bytes per draw.

    A round is what is drawn at once, given the past.

    Attributes
    ----------
    ids, pi : array
        Position of each draw, and its probability of being in its round.
    ends : array
        How many draws were made up to the end of each round.
    m, m_free : array
        Predictions at draw time: of each unit drawn, and their sum over the units that
        were free before each round.
    which, snapshots, spans : array, list, list
        Index of the predictor of each round (-1 for none); the predictors as plain
        data; least and largest prediction of each over the pool.
    designs : dict
        Plain data that the design stored for a round, by the number of the round.
    floors : array
        Of each draw, a probability that no free input falls below.
    """

    def __init__(self):
        self.ids, self.pi = array("q"), array("d")
        self.ends, self.which = array("q"), array("q")
        self.snapshots, self.spans = [], []
        self.m, self.m_free = array("d"), array("d")
        self.designs, self.floors = {}, array("d")

    def __len__(self):
        return len(self.ids)

    def add(self, ids, pi, *, sequential, design=None):
        """Append a round, or one round for each draw."""
        n, before = len(ids), len(self.ids)
        if design is not None:
            self.designs[len(self.ends)] = design
        ends = range(before + 1, before + n + 1) if sequential else [before + n]
        self.ids.extend(np.asarray(ids, dtype=np.int64).tolist())
        self.pi.extend(np.asarray(pi, dtype=np.float64).tolist())
        self.ends.extend(ends)

    def plan(self, size):
        """Note how many draws the last round was to have, before any was known.

        Of a round that was asked for by its cost: how many draws it has depends on the
        rounds before it, and so would its weight.
        """
        self.designs.setdefault(len(self.ends) - 1, {})["planned"] = float(size)

    def add_predictor(self, snapshot, values):
        """Store the predictions for the rounds added since the last call.

        Parameters
        ----------
        snapshot : plain data or None
            Remembered once; None where there is no predictor.
        values : ndarray of shape (n_pool,) or None
            What the snapshot predicts for each unit.
        """
        at, first = len(self.m), len(self.which)
        n_new, n_rounds = len(self.ids) - at, len(self.ends) - first
        if snapshot is None:
            self.which.extend([-1] * n_rounds)
            self.m.extend([0.0] * n_new)
            self.m_free.extend([0.0] * n_rounds)
            return
        if not self.snapshots or self.snapshots[-1] != snapshot:
            self.snapshots.append(snapshot)
            self.spans.append((float(values.min()), float(values.max())))
        drawn = values[np.array(self.ids)]
        starts = np.r_[0, np.array(self.ends)[:-1]][first:]
        self.which.extend([len(self.snapshots) - 1] * n_rounds)
        self.m.extend(drawn[at:].tolist())
        self.m_free.extend((values.sum() - running_sum(drawn)[starts]).tolist())

    def to_plain(self):
        """Return the draws as plain data for JSON."""
        draws = {
            name: value.tolist() if isinstance(value, array) else value
            for name, value in vars(self).items()
        }
        if not self.snapshots:
            draws["m"] = draws["m_free"] = None
        draws["designs"] = list(self.designs.items())
        draws["least"] = draws.pop("floors")
        return draws

    @classmethod
    def from_plain(cls, plain):
        """Return the draws that ``to_plain`` wrote."""
        new = cls()
        zeros = {"m": [0.0] * len(plain["ids"]), "m_free": [0.0] * len(plain["ends"])}
        for name, value in {**plain, "floors": plain["least"]}.items():
            if isinstance(getattr(new, name, None), array):
                getattr(new, name).extend(value or zeros.get(name, []))
        new.snapshots = plain["snapshots"]
        new.spans = [tuple(span) for span in plain["spans"]]
        new.designs = {int(t): design for t, design in plain["designs"]}
        return new

    def answered(self, known, outcomes, n_pool):
        """Return the longest run of answered rounds, from the first one on.

        Parameters
        ----------
        known, outcomes : ndarray of shape (n_draws,)
            In draw order: which draws are no longer open, and the outcomes in [0, 1].
        n_pool : int
            Size of the pool.
        """
        run = len(known) if known.all() else int(known.argmin())
        ends = np.array(self.ends)
        ends = ends[: np.searchsorted(ends, run, side="right")]
        n, n_rounds = int(ends[-1]) if len(ends) else 0, len(ends)
        which = np.array(self.which)[:n_rounds]
        spans = np.array([*self.spans, (0.0, 0.0)])[which]  # -1 is the last: no m
        return Answered(
            ids=np.array(self.ids)[:n],
            y=outcomes[:n].astype(np.float64),
            pi=np.array(self.pi)[:n],
            ends=ends,
            n_pool=n_pool,
            m=np.array(self.m)[:n],
            m_free=np.array(self.m_free)[:n_rounds],
            m_span=spans,
            which=which,
            designs=self.designs,
        )


@dataclass(frozen=True, eq=False)
class Answered:
    """Answered rounds that an estimate uses.

    Attributes
    ----------
    ids, y, pi, m : ndarray of shape (n,)
        Positions in draw order, outcomes (1 = mispredicted, or the largest loss),
        probabilities of being in their round given the past, and predictions: those at
        draw time, 0 where there were none.
    ends : ndarray of shape (n_rounds,)
        How many draws were made up to the end of each round.
    n_pool : int
        Size of the pool.
    m_free : ndarray of shape (n_rounds,)
        Sum of m over the units that were free before each round.
    m_span : ndarray of shape (n_rounds, 2)
        Least and largest m of the pool in each round.
    which : ndarray of shape (n_rounds,)
        Index of the predictor's snapshot, -1 where there was none.
    designs : dict
        Of the rounds that have one: what the sampler stored, by round.
    graded : bool
        Whether outcomes are losses, which may lie between 0 and 1.
    """

    ids: np.ndarray
    y: np.ndarray
    pi: np.ndarray
    ends: np.ndarray
    n_pool: int
    m: np.ndarray
    m_free: np.ndarray
    m_span: np.ndarray
    which: np.ndarray
    designs: dict
    graded: bool = False

    @property
    def n(self):
        """Number of draws."""
        return len(self.ids)

    @property
    def residuals(self):
        """Outcomes minus predictions."""
        return self.y - self.m

    @property
    def starts(self):
        """Number of draws before each round."""
        return np.r_[0, self.ends[:-1]].astype(np.intp)

    @property
    def sizes(self):
        """Number of draws in each round."""
        return self.ends - self.starts

    @property
    def planned(self):
        """Number of draws that each round was to have, which depends on no draw."""
        sizes = self.sizes.astype(np.float64)
        for t, design in self.designs.items():
            if t < len(sizes) and "planned" in design:
                sizes[t] = design["planned"]
        return sizes

    def with_scaled_m(self, factor):
        """Return the rounds with predictions times a factor; 0 for none."""
        m, m_free, span = (factor * v for v in (self.m, self.m_free, self.m_span))
        return replace(self, m=m, m_free=m_free, m_span=span)


def running_sum(values):
    """Return sums of the first 0, 1, ..., n values, shape (n + 1,)."""
    return np.r_[0.0, np.cumsum(values, dtype=np.float64)]


def pick(chance, uniform):
    """Return a position drawn with the given chances (any scale) by a uniform."""
    reachable = np.flatnonzero(chance)
    edges = np.cumsum(chance[reachable])
    place = np.searchsorted(edges, uniform * edges[-1], side="right")
    return reachable[min(place, len(reachable) - 1)]


def bisect(holds, low, high, halvings):
    """Return a low end for which it holds, close to a high end for which it does not.

    It counts as holding at ``low``, and not at ``high``.
    """
    for _ in range(halvings):
        middle = (low + high) / 2
        if holds(middle):
            low = middle
        else:
            high = middle
    return low


def first_where(holds, low, high):
    """Return the first integer from low on for which it holds; high if none before."""
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low
