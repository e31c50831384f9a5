"""Thai: the Kedmanee keyboard without and with Shift, and sequences that look alike."""

from skrobust.perturbations.texts.scripts.script import Script

THAI = Script(
    keyboards=(
        (
            "\u0e45  ภถ\u0e38\u0e36คตจขช",
            "ๆไ\u0e33พะ\u0e31\u0e35รนยบล",
            "ฟหกดเ\u0e49\u0e48าสวง",
            "ผปแอ\u0e34\u0e37ทมใฝ",
        ),
        (
            "     \u0e39      ",
            "  ฎฑธ\u0e4d\u0e4aณฯญฐ ",
            "ฤฆฏโฌ\u0e47\u0e4bษศซ ",
            "  ฉฮ\u0e3a\u0e4c ฒฬฦ",
        ),
    ),
    confused=(
        "ดตค", "คศ", "ถกภ", "บปษ", "ผฝพ", "พฟฬ", "ขช", "ซช", "ฎฏ", "มนฆ", "ลส", "อฮ",
        "รธ", "วง", "จฉ", "ไใโ", "\u0e34\u0e35\u0e36\u0e37",
        "\u0e48\u0e49\u0e4a\u0e4b", "\u0e38\u0e39", "\u0e31\u0e47", "ทห", "ยบ",
    ),
    # Two SARA E for SARA AE, and NIKHAHIT with SARA AA for SARA AM.
    doubles={"แ": "เเ", "\u0e33": "\u0e4d\u0e32"},
)  # fmt: skip
