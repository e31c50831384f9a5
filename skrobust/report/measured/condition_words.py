"""Conditions in words: what is done to the rows, and how strongly."""

import inspect

from skrobust.base.perturbation import MAX_SEVERITY
from skrobust.base.sequence_steps import steps_of

# Of perturbations whose strength has a unit that a reader knows.
_PHRASES = {
    "FeatureNoise": "Gaussian noise of {:g} training standard deviations",
    "MultiplicativeNoise": "multiplicative noise of {:.0%}",
    "QuantileNoise": "noise of {:.0%} of the training ranks",
    "Outliers": "outliers in {:.1%} of the values",
    "UnitError": "a wrong unit in {:.0%} of the values",
    "SignFlip": "a wrong sign in {:.0%} of the values",
    "MeanDrift": "a shift of each column by {:g} training standard deviations",
    "ScaleDrift": "distances from the training mean times {:g}",
    "Rounding": "rounding to {:g} levels of the training range",
    "QuantileClipping": "clipping at the training quantile {:g}",
    "CategoryFlip": "wrong categories in {:.0%} of the cells",
    "MissingValues": "missing values in {:.0%} of the cells",
    "SaltAndPepper": "white or black pixels in {:.0%}",
    "Rotation": "rotation by {:g} degrees",
    "Typos": "typing errors in {:.0%} of the letters",
    "OCRErrors": "recognition errors in {:.0%} of the characters",
    "WordDrop": "deletion of {:.0%} of the words",
    "WordSwap": "swaps of {:.0%} of the words with a neighbour",
    "Truncation": "truncation to {:.0%} of the text",
}
_NAMES = ("Gaussian", "Poisson", "Unicode")


def condition_words(condition):
    """Return what a condition does, in words with units.

    Parameters
    ----------
    condition : object with ``perturb``
        A perturbation, a sequence of them, or an object of your own.

    Returns
    -------
    str
        For example ``"outliers in 10.0% of the values (severity 5 of 5)"``; empty where
        nothing is known beyond its name.

    Examples
    --------
    >>> from skrobust.perturbations import MeanDrift
    >>> condition_words(MeanDrift(severity=4))
    'a shift of each column by 1 training standard deviation (severity 4 of 5)'
    """
    steps = steps_of(condition)
    steps = [condition] if steps is None else steps
    if not steps:
        return "rows as they are"
    words = [text for text in map(_step_words, steps) if text]
    if len(words) < len(steps):
        return ""
    severity = _severity(steps[0]) if len(steps) == 1 else None
    level = f" (severity {severity:g} of {MAX_SEVERITY:g})" if severity else ""
    return ", then ".join(words) + level


def _severity(step):
    function = getattr(step, "_severity", None)
    return function() if callable(function) else getattr(step, "severity", None)


def _step_words(step):
    kind = type(step)
    declared = getattr(step, "_strengths", None) or {}
    first = next(iter(declared), None)
    if kind.__name__ in _PHRASES and first is not None:
        given = getattr(step, first, None)
        if given is not None or declared[first].levels:
            side = (32, 32) if declared[first].large else None
            value = declared[first].in_force(given, _severity(step), side)
            text = _PHRASES[kind.__name__].format(value)
            return (
                text.removesuffix("s") if value == 1 and "deviations" in text else text
            )
    if not declared:
        return ""
    line = (inspect.getdoc(kind) or "").split("\n")[0].rstrip(".")
    is_word = line[1:2].islower() and not line.startswith(_NAMES)
    return f"{line[:1].lower()}{line[1:]}" if is_word else line
