"""Model behind an HTTP address, with retries, a rate, a budget and a cache."""

import hashlib
import http.client
import json
import math
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from urllib.parse import urlsplit

import numpy as np

from skrobust._containers import to_array
from skrobust._one_line import one_line
from skrobust._validation import check_count, check_number, invalid
from skrobust.wrappers.answer_cache import AnswerCache

_AGAIN = {408, 425, 429, 500, 502, 503, 504}  # states that pass
_LONGEST_WAIT = 60.0  # seconds between two tries


class HTTPEndpoint:
    """Function of rows that asks a model over HTTP, in JSON.

    A call posts ``{request_key: rows}`` and reads one answer a row from
    ``answer_key`` of the response, or from the response itself where that is a list:
    the form of TensorFlow Serving, KServe and Vertex AI. An answer is a label, a list
    of probabilities, a number, or a dictionary of scores by label.

    Parameters
    ----------
    url : str
        Address with http or https.
    request_key : str or callable, default="instances"
        Key of the rows; a function returns the whole payload for a list of rows. Those
        of a data frame are lists in the order of its columns.
    answer_key : str or callable, default="predictions"
        Key of the answers; a function returns the list of answers of a response.
    headers : dict, default=None
        Further headers, such as one for authorisation. They are never shown.
    timeout : float, default=30.0
        Seconds after which a call counts as failed.
    retries : int, default=3
        Further tries of a call that failed in a way that passes: no connection, a
        timeout, or the states 408, 425, 429, 500, 502, 503 and 504.
    backoff : float, default=0.5
        Seconds before the first further try, doubled before each next one; a header
        ``Retry-After`` in seconds prolongs it. At most 60.
    rate_limit : float, default=None
        Most calls per second.
    budget : int, default=None
        Most calls, further tries included, over the life of the object. Each process
        counts for itself.
    cache : str or path, default=None
        SQLite file in which answers are kept by row. A run that was killed, or had
        used up its budget, continues from there without asking again.

    Attributes
    ----------
    calls_ : int
        Calls that were made.

    Examples
    --------
    >>> from skrobust.wrappers import HTTPEndpoint
    >>> HTTPEndpoint("http://localhost:8501/v1/models/iris:predict", budget=1000)
    HTTPEndpoint('http://localhost:8501/v1/models/iris:predict', budget=1000)
    """

    asking_costs = True  # nothing is asked only to see whether it answers alike

    def __init__(
        self,
        url,
        *,
        request_key="instances",
        answer_key="predictions",
        headers=None,
        timeout=30.0,
        retries=3,
        backoff=0.5,
        rate_limit=None,
        budget=None,
        cache=None,
    ):
        caller = type(self).__name__
        parts = urlsplit(url) if isinstance(url, str) else None
        if parts is None or parts.scheme not in ("http", "https") or not parts.netloc:
            raise invalid("url", caller, "an address with http:// or https://", url)
        for name, value in (("request_key", request_key), ("answer_key", answer_key)):
            if not isinstance(value, str) and not callable(value):
                raise invalid(name, caller, "a string or a function", value)
        self.url = url
        self.request_key = request_key
        self.answer_key = answer_key
        if headers is not None and not isinstance(headers, Mapping):
            raise invalid("headers", caller, "None or a dict of texts", headers)
        self.headers = dict(headers or {})
        self.timeout = check_number(timeout, "timeout", caller, low=0, low_open=True)
        self.retries = check_count(retries, "retries", caller, low=0)
        self.backoff = check_number(backoff, "backoff", caller, low=0)
        self.rate_limit, self.budget = rate_limit, budget
        if rate_limit is not None:
            rate_limit = check_number(
                rate_limit, "rate_limit", caller, low=0, low_open=True
            )
        if budget is not None:
            budget = check_count(budget, "budget", caller)
        self.cache = cache
        self._prepare()

    def _prepare(self):
        self.calls_ = 0
        self._lock = threading.RLock()
        self._last = -math.inf
        self._answers = None if self.cache is None else AnswerCache(self.cache)

    def __call__(self, rows):
        """Return one answer a row.

        Parameters
        ----------
        rows : array-like of shape (n_samples, ...) or list of str
            Rows, numbers or texts.

        Returns
        -------
        list of length n_samples
            Answers as JSON has them.
        """
        if not isinstance(rows, list):
            rows = to_array(rows, "rows", self._name())
            if not rows.ndim:
                rule = "an array, a list or a frame of rows"
                raise invalid("rows", self._name(), rule, rows[()])
        plain = (np.ndarray, np.generic)
        rows = [row.tolist() if isinstance(row, plain) else row for row in rows]
        if not rows:
            return []
        with self._lock:
            if self._answers is None:
                return self._ask(rows)
            keys = [self._key(row) for row in rows]
            known = self._answers.read(keys)
            new = {k: r for k, r in zip(keys, rows, strict=True) if k not in known}
            if new:
                answers = self._ask(list(new.values()))
                fresh = dict(zip(new, answers, strict=True))
                self._answers.write(fresh)
                known |= fresh
            return [known[key] for key in keys]

    def _key(self, row):
        form = "" if callable(self.request_key) else self.request_key
        text = json.dumps([self.url, form, row], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()

    def _ask(self, rows):
        make, read = self.request_key, self.answer_key
        payload = make(rows) if callable(make) else {make: rows}
        try:
            body = json.dumps(payload, allow_nan=False).encode()
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"{self._name()} cannot send these rows as JSON: {one_line(error)}. "
                "Impute or encode them first, or pass a function as request_key=."
            ) from None
        reply = self._post(body)
        if callable(read):
            answers = read(reply)
        elif isinstance(reply, list):
            answers = reply
        elif isinstance(reply, dict) and read in reply:
            answers = reply[read]
        else:
            found = sorted(reply)[:5] if isinstance(reply, dict) else reply
            raise ValueError(
                f"{self._name()} found no answers under {read!r} in the response, "
                f"which has {found!s:.80}. Pass answer_key=."
            )
        if not isinstance(answers, list) or len(answers) != len(rows):
            n = len(answers) if isinstance(answers, list) else "no list of"
            raise ValueError(
                f"{self._name()} sent {len(rows)} rows and got {n} answers; it needs "
                "one a row."
            )
        return answers

    def _post(self, body):
        for attempt in range(self.retries + 1):
            self._count_call()
            try:
                return self._send(body)
            except urllib.error.HTTPError as error:
                text = error.read(200).decode(errors="replace").strip()
                error.close()
                if error.code not in _AGAIN:
                    raise ValueError(
                        f"{self._name()} was refused with state {error.code}: "
                        f"{' '.join(text.split()) or error.reason}"
                    ) from None
                reason, wait = f"state {error.code}", _seconds(error.headers)
            except (OSError, http.client.HTTPException) as error:
                reason, wait = str(getattr(error, "reason", error)), 0.0
            except ValueError as error:
                raise ValueError(
                    f"{self._name()} got a response that is no JSON: {one_line(error)}."
                ) from None
            if attempt < self.retries:
                wait = max(wait, self.backoff * 2**attempt)
                time.sleep(min(wait, _LONGEST_WAIT))
        raise ConnectionError(
            f"{self._name()} failed {self.retries + 1} times, the last time with "
            f"{reason}. Run again later; with cache= nothing is asked twice."
        )

    def _send(self, body):
        headers = {"Content-Type": "application/json", **self.headers}
        request = urllib.request.Request(self.url, data=body, headers=headers)
        with urllib.request.urlopen(request, timeout=self.timeout) as response:
            return json.loads(response.read())

    def _count_call(self):
        if self.budget is not None and self.calls_ >= self.budget:
            cure = "run again to continue from the cache"
            if self.cache is None:
                cure = "pass cache= to keep answers between runs"
            raise RuntimeError(
                f"{self._name()} has used up its budget of {self.budget} calls. Raise "
                f"budget=, or {cure}."
            )
        if self.rate_limit is not None:
            wait = self._last + 1 / self.rate_limit - time.monotonic()
            if wait > 0:
                time.sleep(wait)
        self._last = time.monotonic()
        self.calls_ += 1

    def _name(self):
        parts = urlsplit(self.url)
        return f"HTTPEndpoint {parts.scheme}://{parts.netloc.rpartition('@')[2]}"

    def __repr__(self):
        limits = {"rate_limit": self.rate_limit, "budget": self.budget}
        shown = [f"{k}={v!r}" for k, v in limits.items() if v is not None]
        if self.cache is not None:
            shown.append(f"cache={str(self.cache)!r}")
        # What stands before the host, or behind "?", may be a secret.
        parts = urlsplit(self.url)
        url = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
        return f"HTTPEndpoint({', '.join([repr(url), *shown])})"

    def __getstate__(self):
        # A checkpoint knows a model by its pickle, which no count may change.
        inside = ("calls_", "_lock", "_last", "_answers")
        return {k: v for k, v in vars(self).items() if k not in inside}

    def __setstate__(self, state):
        vars(self).update(state)
        self._prepare()


def _seconds(headers):
    """Return the seconds of a header Retry-After, 0 where it has none."""
    try:
        return max(0.0, float(headers.get("Retry-After", 0)))
    except (TypeError, ValueError):
        return 0.0  # a date
