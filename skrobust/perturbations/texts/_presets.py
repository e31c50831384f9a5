"""Preset of text: each perturbation at several severities."""

from skrobust.perturbations.presets import register_preset
from skrobust.perturbations.severity_grid import severity_grid
from skrobust.perturbations.texts._form import (
    AccentRemoval,
    CaseChange,
    DigitChange,
    PunctuationRemoval,
)
from skrobust.perturbations.texts._letters import Homoglyphs, OCRErrors, Typos
from skrobust.perturbations.texts._words import (
    Truncation,
    WhitespaceErrors,
    WordDrop,
    WordSwap,
)


@register_preset("text")
def text(severities=(1, 2, 3, 4, 5), *, random_state=None):
    """Return the conditions of the text perturbations at some severities.

    These are typos, recognition errors, white space, dropped words, swapped words,
    homoglyphs, truncation, lower case, punctuation, accents and digits, each with its
    other parameters as they are by default. Kinds that a script does not have (case in
    Chinese) change nothing, which evaluations say.

    Parameters
    ----------
    severities : sequence of float in [0, 5], default=(1, 2, 3, 4, 5)
        Severities of each perturbation.
    random_state : int, RandomState, Generator or None, default=None
        Seed of all conditions.

    Returns
    -------
    conditions : list of PerturbationSequence
        The clean one first; each with a ``name`` such as ``"typos-3"`` and its
        ``number``.

    Examples
    --------
    >>> from skrobust.perturbations import text
    >>> grid = text([1, 3])
    >>> len(grid), grid[0].name, grid[2].name
    (23, 'CLEAN', 'typos-3')
    """
    kinds = {
        "typos": Typos(),
        "ocr": OCRErrors(),
        "whitespace": WhitespaceErrors(),
        "word-drop": WordDrop(),
        "word-swap": WordSwap(),
        "homoglyphs": Homoglyphs(),
        "truncation": Truncation(),
        "case": CaseChange(),
        "punctuation": PunctuationRemoval(),
        "accents": AccentRemoval(),
        "digits": DigitChange(),
    }
    return severity_grid(kinds, severities, "text", random_state)
