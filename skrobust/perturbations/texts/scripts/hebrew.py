"""Hebrew: the standard keyboard, similar letters, and their wide forms."""

from skrobust.perturbations.texts.scripts.script import Script

_HEBREW = "\u05e2\u05d0\u05d3\u05d4\u05db\u05dc\u05dd\u05e8\u05ea"

HEBREW = Script(
    keyboards=(
        (
            "  \u05e7\u05e8\u05d0\u05d8\u05d5\u05df\u05dd\u05e4",
            "\u05e9\u05d3\u05d2\u05db\u05e2\u05d9\u05d7\u05dc\u05da\u05e3",
            "\u05d6\u05e1\u05d1\u05d4\u05e0\u05de\u05e6\u05ea\u05e5",
        ),
    ),
    confused=(
        "\u05d1\u05db",  # bet, kaf
        "\u05d3\u05e8\u05da",  # dalet, resh, final kaf
        "\u05d4\u05d7\u05ea",  # he, het, tav
        "\u05d5\u05d6\u05df\u05d9",  # vav, zayin, final nun, yod
        "\u05e1\u05dd",  # samekh, final mem
        "\u05d2\u05e0",  # gimel, nun
        "\u05d8\u05de",  # tet, mem
        "\u05e2\u05e6",  # ayin, tsadi
    ),
    # The alternative ayin and the wide letters of the presentation forms.
    doubles={c: chr(0xFB20 + i) for i, c in enumerate(_HEBREW)},
)
