"""Answers of a net on devices of torch: in batches, and as in single precision."""

import queue
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

from skrobust._containers import to_array
from skrobust._differentiable.net_answers import (
    batch_rows,
    labels_of,
    lies_on,
    replica_on,
)
from skrobust._responses import predict_labels

_COMPARED = 8  # rows on which the proxy must answer as the estimator does
_NEAR = 1e-2  # of the spread of logits: labels as near as that may differ
_SURE = 2  # times the largest difference of precisions seen, beyond which labels stand


class DeviceAnswers:
    """Proxy of a classifier that is a net: its answers from batches on devices.

    Everything but ``predict`` and ``predict_proba`` is that of the estimator.

    In reduced precision or compiled, all rows pass through a replica of the net first.
    Then the net itself answers the least sure rows anew in single precision, until the
    next row is surer of its label than twice what the two were seen to differ by.

    Parameters
    ----------
    estimator : fitted classifier
        The net, or what has it at its end.
    view : NetView
        Of it.
    devices : list of str, torch device or None
        One replica of the net on each; None is where the net is.
    precision, compiled : str and bool
        Of the first passes.
    """

    _copies_rows = True  # batch by batch, so that a module may write into them

    def __init__(self, estimator, view, devices, precision, compiled):
        self.wrapped_estimator_ = estimator
        self._precision, self._compiled = precision, compiled
        self._is_fast = precision != "float32" or compiled
        self.place = devices[0]
        self._views, own = [], view
        for device in devices:  # the net itself serves one of them
            if own is not None and (device is None or lies_on(own, device)):
                self._views.append(own)
                own = None
            else:
                self._views.append(replica_on(view, device or view.device))
        self.has_tf32 = all(v.has_tf32 for v in self._views)

    def __getattr__(self, name):
        if name == "wrapped_estimator_":  # while it is copied
            raise AttributeError(name)
        return getattr(self.wrapped_estimator_, name)

    def predict(self, X):
        """Return the labels of rows, those of the net in single precision."""
        scores = self._scores(X, range(len(X)), self._is_fast)
        if self._is_fast and len(X):
            scores = self._corrected(X, scores)
        return labels_of(self._views[0], scores)

    def predict_proba(self, X):
        """Return probabilities, always in single precision."""
        logits = self._scores(X, range(len(X)), False, of_labels=False)
        return logits.softmax(1).cpu().numpy()

    def answers_alike(self, X):
        """Return whether some rows get the labels that the estimator gives them."""
        rows = _take(X, slice(0, _COMPARED))
        scores = self._scores(rows, range(len(rows)), False)
        sure, _ = _margins(scores)
        sure = sure > _NEAR * (scores.amax(1) - scores.amin(1))
        own = predict_labels(self.wrapped_estimator_, to_array(rows))
        differ = own != labels_of(self._views[0], scores)
        return not (differ & sure.cpu().numpy()).any()

    def _corrected(self, X, scores):
        """Replace the scores of doubtful rows by those of single precision."""
        sure, order = (found.cpu().numpy() for found in _margins(scores, in_order=True))
        step = sum(batch_rows(view) for view in self._views)
        apart = 0.0
        for start in range(0, len(order), step):
            if start and sure[start] > _SURE * apart:
                break
            rows = order[start : start + step]
            exact = self._scores(X, rows, False).to(scores.dtype)
            change = exact - _take(scores, rows)
            apart = max(apart, float((change.amax(1) - change.amin(1)).max()))
            scores[rows] = exact
        return scores

    def _scores(self, X, rows, is_fast, *, of_labels=True):
        """Return scores of some rows, in batches spread over the devices.

        The largest is the label, or, without ``of_labels``, probabilities are their
        softmax.
        """
        step = min(batch_rows(view) for view in self._views)
        parts = [rows[i : i + step] for i in range(0, max(len(rows), 1), step)]
        waiting, found = queue.SimpleQueue(), [None] * len(parts)
        for number in range(len(parts)):
            waiting.put(number)

        def work(view):
            while True:
                try:
                    number = waiting.get_nowait()
                except queue.Empty:
                    return
                logits = view.logits(view.tensor(_take(X, parts[number])))
                scores = view.decision_scores(logits) if of_labels else logits
                found[number] = scores

        with ExitStack() as stack:
            for view in self._views:
                stack.enter_context(view)
                if is_fast:
                    how = self._precision, self._compiled, step
                    stack.enter_context(view.reduced_precision(*how))
                elif self._is_fast:
                    stack.enter_context(view.full_precision())
            if len(self._views) == 1:
                work(self._views[0])
            else:
                with ThreadPoolExecutor(len(self._views)) as pool:
                    list(pool.map(work, self._views))  # raises what one of them raised
        first = found[0]
        out = first.new_empty((len(rows), *first.shape[1:]))
        for number, scores in enumerate(found):
            out[number * step : number * step + len(scores)] = scores
        return out


def _margins(scores, *, in_order=False):
    """Return how sure each row is of its label, and an order from the least sure on."""
    top = scores.topk(2, 1).values
    margin = top[:, 0] - top[:, 1]
    return margin.sort() if in_order else (margin, None)


def _take(X, rows):
    """Return some rows of a tensor where it is, or of anything else as an array."""
    if isinstance(rows, range):
        rows = slice(rows.start, rows.stop)
    if not hasattr(X, "permute"):
        return to_array(X[rows])
    return X[rows]
