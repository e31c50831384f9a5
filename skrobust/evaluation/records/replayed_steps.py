"""Steps of a record, run again and compared."""

import math

import numpy as np

from skrobust._sealed import Damaged
from skrobust.evaluation.records.plain_settings import PlainReader
from skrobust.evaluation.records.record_content import same_bits
from skrobust.evaluation.records.result_parts import parts_of

EQUAL, CLOSE, DIFFERS = "equal", "within tolerance", "differs"
ABSENT, SKIPPED = "not replayed", "not replayable"
NUMBER, NO_NUMBER = (int, float), math.nan


def settings_of(content, step, classes):
    """Return the arguments of a step, or raise ``Damaged``."""
    stored = content.arrays_of(f"settings of {step}")
    arrays = [stored[str(place)] for place in range(len(stored))]
    reader = PlainReader(arrays, classes)
    arguments = content.facts["settings"][step]["arguments"]
    try:
        return {name: reader.read(value) for name, value in arguments.items()}
    except RecursionError:
        raise Damaged("A setting of the record is nested too deeply.") from None


def compare_step(content, step, results, tolerance):
    """Return rows on a step: quantity, both numbers, differing samples, and state.

    Parameters
    ----------
    content : RecordContent
        The record.
    step : str
        Name of the step.
    results : Results
        Of the step when it was run again.
    tolerance : float
        Largest relative difference of floats that counts as none.

    Returns
    -------
    rows : list of tuple
        Conditions and numbers; arrays that differ.
    largest : float
        Largest relative difference of a float.
    """
    numbers, arrays = parts_of(results)
    comparison = Comparison(tolerance)
    recorded = content.arrays_of(step)
    rows = comparison.conditions(recorded, arrays)
    done = {"score"} if rows else set()
    samples = recorded.get("correct"), arrays.get("correct")
    if rows and all(one is not None for one in samples):
        done.add("correct")  # each condition has its number of samples that differ
    before = {k: v for k, v in content.facts["numbers"][step].items() if k != "columns"}
    rows += comparison.numbers(before, numbers)
    for name in dict.fromkeys([*recorded, *arrays]):
        if name not in done:
            rows += comparison.array(name, recorded.get(name), arrays.get(name))
    return rows, comparison.largest


class Comparison:
    """Comparison of numbers and arrays within a tolerance."""

    def __init__(self, tolerance):
        self.tolerance, self.largest = tolerance, 0.0

    def conditions(self, recorded, replayed):
        """Return a row for each condition, by its score and its samples."""
        old, new = recorded.get("score"), replayed.get("score")
        if old is None or new is None or len(old) != len(new):
            return []
        rows = []
        names = recorded.get("name", np.arange(1, len(old) + 1).astype(str))
        samples = [one.get("correct") for one in (recorded, replayed)]
        has_samples = all(one is not None for one in samples)
        has_samples = has_samples and samples[0].shape == samples[1].shape
        for i in range(len(old)):
            pair = old[i : i + 1], new[i : i + 1]
            n, state = 0, self.state(*pair)
            if has_samples:
                n = self.n_differing(*(one[:, i] for one in samples))
                state = DIFFERS if n else state
            rows.append((str(names[i]), float(old[i]), float(new[i]), n, state))
        return rows

    def numbers(self, recorded, replayed, where=""):
        """Return rows for the numbers: those at the top, and others that differ."""
        rows = []
        for name in dict.fromkeys([*recorded, *replayed]):
            old, new = recorded.get(name), replayed.get(name)
            full, both = f"{where}{name}", (as_number(old), as_number(new))
            if isinstance(old, dict) and isinstance(new, dict) and None in both:
                rows += self.numbers(old, new, f"{full}.")
            elif None not in both:
                state = self.state(*(np.array([one]) for one in both))
                if not where or state == DIFFERS:
                    rows.append((full, *both, int(state == DIFFERS), state))
            elif not self._same(old, new):
                state = ABSENT if name not in replayed else DIFFERS
                rows.append((full, NO_NUMBER, NO_NUMBER, 1, state))
        return rows

    def _same(self, old, new):
        if isinstance(old, list) and isinstance(new, list):
            pairs = zip(old, new, strict=False)
            return len(old) == len(new) and all(self._same(*pair) for pair in pairs)
        both = as_number(old), as_number(new)
        if None not in both:
            return self.state(*(np.array([one]) for one in both)) != DIFFERS
        if isinstance(old, dict) and isinstance(new, dict):
            return old.keys() == new.keys() and all(
                self._same(old[name], new[name]) for name in old
            )
        return type(old) is type(new) and old == new

    def array(self, name, old, new):
        """Return a row for an array that differs, or that one side lacks."""
        if old is None or new is None:
            return [(name, NO_NUMBER, NO_NUMBER, 0, ABSENT if new is None else DIFFERS)]
        state = self.state(old, new)
        is_per_sample = name.startswith("per_sample.")
        if state == EQUAL and not is_per_sample:
            return []
        n = self.n_differing(old, new)
        means = [_mean(one) for one in (old, new)]
        return [(name, *means, n, state)]

    def state(self, old, new):
        """Return whether two arrays are equal, close, or differ."""
        if same_bits(old, new):
            return EQUAL
        is_float = old.dtype.kind == new.dtype.kind == "f"
        if not is_float or old.shape != new.shape:
            return DIFFERS
        self.largest = max(self.largest, float(np.nanmax(_differences(old, new))))
        return DIFFERS if self.n_differing(old, new) else CLOSE

    def n_differing(self, old, new):
        """Return how many entries differ by more than the tolerance."""
        if old.shape != new.shape:
            return max(len(old), len(new))
        if old.dtype.kind == new.dtype.kind == "f":
            return int((_differences(old, new) > self.tolerance).sum())
        return int((old != new).sum())


def _differences(old, new):
    """Return relative differences; infinite where one alone is undefined."""
    with np.errstate(invalid="ignore"):
        found = np.abs(old - new) / np.maximum(1.0, np.abs(old))
    same = (old == new) | (np.isnan(old) & np.isnan(new))
    return np.where(same, 0.0, np.nan_to_num(found, nan=np.inf, posinf=np.inf))


def as_number(value):
    """Return a number, or None for other plain data."""
    if isinstance(value, dict) and set(value) == {"float"}:
        return float(value["float"])
    if type(value) in NUMBER:
        return float(value)
    return None


def _mean(values):
    return (
        float(values.mean())
        if values.dtype.kind in "biuf" and values.size
        else NO_NUMBER
    )
