"""One batch under attack: gradients, the best iterate, and who may leave.

With z the logits and c a class,

    L_c(z) = logsumexp of z_k over k != c, minus z_c = -logit P(c | x).

It rises in the direction of cross entropy exactly (the gradient of cross entropy is
that of L_c times 1 - P(c)), but it does not vanish for confident models, so that an
attack with normalised steps follows the published loss without its blind spot. Other
losses are in ``_losses``.
"""

import numpy as np

from skrobust._norms import length, namespace, per_sample
from skrobust.attacks.core.ball import Ball
from skrobust.attacks.core.best_so_far import probability, values_of
from skrobust.attacks.core.losses import log_odds_against, margin_against


class Oracle(Ball):
    """What an attack asks while it runs over the live rows of one batch.

    Parameters
    ----------
    record : Record
        Shared by the restarts and directions of one batch.
    column : array or tensor of shape (n,)
        Class whose loss is driven.
    sign : {1, -1}
        1 drives the evidence of that class down, -1 up.
    eps, norm, box : float, {inf, 2, 1}, (low, high)
        The budget in raw units; ``box`` holds None or bounds that broadcast.
    loss : str, default="log_odds"
        What is driven.
    aim : array or tensor of shape (n,), default=None
        Class to move to, for "targeted_dlr".
    start : array or tensor of shape (n, ...), default=None
        Rows of the ball to start from instead of the clean ones.
    unit : array or tensor of shape (1, ...), default=None
        Units of the features, in which ``eps`` is meant; 0 freezes.
    allowed : callable, default=None
        From iterates and their rows to the nearest rows that may be returned; these are
        judged and kept in place of the iterates, which go on from where they are.
    """

    def __init__(
        self, record, column, sign, *, eps, norm, box, loss="log_odds", aim=None,
        start=None, unit=None, allowed=None,
    ):  # fmt: skip
        self.record, self.sign, self.loss = record, sign, loss
        self.eps, self.norm, self.box, self.unit = eps, norm, box, unit
        self._allowed = allowed
        self.value = self._judged = None
        self._n_forward = self._n_backward = self._n_calls = 0
        rows = namespace(record.x).where(~record.settled)[0]
        self._watches_column = record.stops or column is record.watched
        # Where looking is cheap, the fooled leave at once: no best ones to keep.
        self._lean = record.stops and record.view.settles_cheaply(3)
        parts = {"x": record.x, "start": start, "column": column, "aim": aim}
        if column is not record.column:
            parts["own"] = record.column
        if not self._lean:
            parts |= {"best": record.best, "score": record.score}
        if not record.stops:
            parts |= {"watched": record.watched, "probability": record.probability}
        parts = {name: part for name, part in parts.items() if part is not None}
        if len(rows) < len(record.x):
            parts = {name: part[rows] for name, part in parts.items()}
        self._live = parts
        self._live["rows"] = rows

    @property
    def x(self):
        """The clean rows that are still live."""
        return self._live["x"]

    @property
    def start(self):
        """The given starting points of the rows that are still live, or x."""
        return self._live.get("start", self._live["x"])

    @property
    def has_start(self):
        """Whether starting points were given."""
        return "start" in self._live

    @property
    def rounds(self):
        """Whether iterates are judged and kept rounded to allowed values."""
        return self._allowed is not None

    @property
    def rows(self):
        """Places of the live rows in the batch."""
        return self._live["rows"]

    def __len__(self):
        return len(self._live["rows"])

    def gradient(self, z, *state):
        """Judge the iterates z and return what goes on.

        The values of the loss, rising with success, are in ``value`` afterwards.

        Parameters
        ----------
        z : array or tensor
            Iterates of the live rows.
        *state : arrays or tensors
            Whatever else the attack keeps per live row.

        Returns
        -------
        z, gradient, *state
            Of the rows that are still live: settled ones have left.
        """
        record, live, seen = self.record, self._live, z
        if z is live["x"]:
            logits, pullback, n_passes = record.forward_clean(live["rows"])
        else:
            record.forget_clean_pass()  # two graphs would take twice the memory
            seen = self._seen(z)
            (logits, pullback), n_passes = record.view.forward(seen), 1
        value, slope, fell_back, margin, scores = self._judge(seen, values_of(logits))
        score = self._scores(scores, margin, value)
        if not self._lean:
            self._keep_better(seen, score)
        gradient = pullback(slope if self.sign == 1 else -slope)
        gradient = self._finite(gradient)
        if not self._n_calls and fell_back is not None:
            record.n_faint += int(fell_back.sum())
        self._n_forward += n_passes
        self._n_backward += 1
        self._n_calls += 1
        self.value = value if self.sign == 1 else -value
        if record.stops and record.view.settles_cheaply(self._n_calls):
            judged = score if self._lean else live["score"]
            stay = judged <= 0
            n_stay = int(stay.sum())
            if n_stay < len(z) and record.view.worth_leaving(n_stay, len(z)):
                xp = namespace(z)
                gone, stay = xp.where(~stay)[0], xp.where(stay)[0]
                self._leave(gone, stay, seen, judged)
                score, self.value = score[stay], self.value[stay]
                z, seen, gradient = z[stay], seen[stay], gradient[stay]
                state = tuple(part[stay] for part in state)
        self._judged, self._shown, self._score = z, seen, score
        return z, gradient, *state

    def _finite(self, gradient):
        """Return gradients with 0 for what is not finite; count flat first ones."""
        if self._n_calls:
            return _without_nan(gradient)
        size = length(gradient, np.inf)
        if not float(size.sum()) < np.inf:
            gradient = _without_nan(gradient)
            size = length(gradient, np.inf)
        self.record.n_flat += int((size == 0).sum())
        return gradient

    def finish(self, z, *, trust=False, own=False):
        """Judge the last iterates and write the best ones down.

        With ``trust`` the last iterates are taken as they are where samples may leave,
        which saves a pass: whether they fool is for the caller to ask. With ``own`` the
        iterates may be kept without a copy.
        """
        live, record = self._live, self.record
        trust = trust and record.stops
        if len(z) and z is not live["x"]:
            if trust:
                score = record.score[live["rows"]]
            elif z is self._judged:
                z, score = self._shown, self._score
            else:
                self._n_forward += 1
                z = self._seen(z)
                plain = record.view.logits(z)
                value, _, _, margin, scores = self._judge(z, plain)
                score = self._scores(scores, margin, value)
            if "best" in live and not trust:
                self._keep_better(z, score)
            else:
                live["best"], live["score"] = z if own else z + 0, score
            record.keep(live["rows"], live["best"], live["score"])
        elif "best" in live:
            record.keep(live["rows"], live["best"], live["score"])
        record.count(live["rows"], self._n_forward, self._n_backward)
        self._n_forward = self._n_backward = 0

    def _seen(self, z):
        """Return what the model is shown for iterates."""
        return z if self._allowed is None else self._allowed(z, self._live["rows"])

    def _judge(self, z, logits):
        live = self._live
        return self.record.judge(z, logits, live["column"], self.loss, live.get("aim"))

    def _scores(self, scores, margin, value):
        """Return by how much each sample succeeds; see Record."""
        live, xp, record = self._live, namespace(scores), self.record
        if record.stops:
            if margin is None or "own" in live:
                margin = margin_against(scores, live.get("own", live["column"]))
            return -margin if record.targeted else margin
        if not self._watches_column or self.loss != "log_odds":
            value, _, _ = log_odds_against(scores, live["watched"])
        shift = probability(value) - live["probability"]
        return shift if record.targeted else xp.abs(shift)

    def _keep_better(self, z, score):
        live, xp = self._live, namespace(z)
        better = score > live["score"]
        if self.record.stops:
            # Fooled rows that have not left yet keep what fooled them first.
            better = better & (live["score"] <= 0)
        live["best"] = xp.where(per_sample(better, z), z, live["best"])
        live["score"] = xp.where(better, score, live["score"])

    def _leave(self, gone, stay, z, score):
        live = self._live
        best = z if self._lean else live["best"]
        self.record.keep(live["rows"][gone], best[gone], score[gone])
        self.record.count(live["rows"][gone], self._n_forward, self._n_backward)
        self._live = {name: part[stay] for name, part in live.items()}


def _without_nan(gradient):
    return namespace(gradient).nan_to_num(gradient, nan=0.0, posinf=0.0, neginf=0.0)
