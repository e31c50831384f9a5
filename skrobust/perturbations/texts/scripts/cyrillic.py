"""Cyrillic: the keyboards of Russian and Ukrainian, and Latin doubles."""

from skrobust.perturbations.texts.scripts.latin import DOUBLES
from skrobust.perturbations.texts.scripts.script import Script

CYRILLIC = Script(
    keyboards=(
        ("йцукенгшщзхъ", "фывапролджэ", "ячсмитьбю"),
        ("йцукенгшщзхї", "фівапролджє", "ячсмитьбю"),
    ),
    confused=(
        "инп", "лпд", "шщ", "ьъы", "еёэс", "оcю", "бв6", "гт", "цч", "зэ3", "ая",
        "ИНП", "ЛПД", "ШЩ", "ЬЪЫБ", "ЕЁЭ", "ОСЮ0", "БВ6", "ГТ", "ЦЧ", "ЗЭ3", "ий", "ИЙ",
        "мк", "ру", "жх", "іїj", "ІЇ",
    ),
    doubles={cyrillic: latin for latin, cyrillic in DOUBLES.items()},
)  # fmt: skip
