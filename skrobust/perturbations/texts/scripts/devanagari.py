"""Devanagari: the InScript keyboard (without, with Shift) and its look-alikes."""

from skrobust.perturbations.texts.scripts.script import Script

DEVANAGARI = Script(
    keyboards=(
        (
            "\u094c\u0948\u093e\u0940\u0942बहगदजड",
            "\u094b\u0947\u094d\u093f\u0941परकतचट",
            " \u0902मनवलस  य",
        ),
        ("औऐआईऊभङघधझढ", "ओएअइउफऱखथछठ", " \u0901णऩऴळशष "),
    ),
    confused=(
        "घध", "भम", "वबक", "पष", "यथ", "डङइ", "टठढ", "रस", "नत", "गम", "खश", "जच", "हद",
        "अआ", "ओऔ", "एऐ", "उऊ", "\u093f\u0940", "\u0947\u0948", "\u094b\u094c",
        "\u0941\u0942", "\u0902\u0901", "\u093e\u0940",
    ),
    # Sequences that the Unicode Standard names as not to be used for these vowels.
    doubles={
        "आ": "अ\u093e", "ओ": "अ\u094b", "औ": "अ\u094c", "ऐ": "ए\u0947", "ई": "र\u094dइ",
        "\u0903": ":", "\u0964": "|", "०": "o",
    },
)  # fmt: skip
