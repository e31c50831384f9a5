"""Scripts: what keyboards, recognition and doubles do to each of them."""

from skrobust.perturbations.texts.scripts.arabic import ARABIC
from skrobust.perturbations.texts.scripts.cyrillic import CYRILLIC
from skrobust.perturbations.texts.scripts.devanagari import DEVANAGARI
from skrobust.perturbations.texts.scripts.greek import GREEK
from skrobust.perturbations.texts.scripts.han import HAN
from skrobust.perturbations.texts.scripts.hangul import HANGUL
from skrobust.perturbations.texts.scripts.hebrew import HEBREW
from skrobust.perturbations.texts.scripts.kana import KANA
from skrobust.perturbations.texts.scripts.thai import THAI

# All but Latin, whose layouts and pairs of letters ``latin`` has.
SCRIPTS = (
    ARABIC,
    CYRILLIC,
    DEVANAGARI,
    GREEK,
    HAN,
    HANGUL,
    HEBREW,
    KANA,
    THAI,
)
