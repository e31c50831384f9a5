"""Arabic: the Arabic (101) keyboard, letters that differ by dots, Persian doubles."""

from skrobust.perturbations.texts.scripts.script import Script

_ARABIC = "\u0643\u064a\u0649\u0647\u0660\u0661\u0662\u0663\u0667\u0668\u0669"
_PERSIAN = "\u06a9\u06cc\u06cc\u06c1\u06f0\u06f1\u06f2\u06f3\u06f7\u06f8\u06f9"

ARABIC = Script(
    keyboards=(
        (
            "\u0636\u0635\u062b\u0642\u0641\u063a\u0639\u0647\u062e\u062d\u062c\u062f",
            "\u0634\u0633\u064a\u0628\u0644\u0627\u062a\u0646\u0645\u0643\u0637",
            "\u0626\u0621\u0624\u0631 \u0649\u0629\u0648\u0632\u0638",
        ),
    ),
    confused=(
        "\u0628\u062a\u062b\u0646\u064a",  # beh, teh, theh, noon, yeh
        "\u062c\u062d\u062e",  # jeem, hah, khah
        "\u062f\u0630",  # dal, thal
        "\u0631\u0632",  # reh, zain
        "\u0633\u0634",  # seen, sheen
        "\u0635\u0636",  # sad, dad
        "\u0637\u0638",  # tah, zah
        "\u0639\u063a",  # ain, ghain
        "\u0641\u0642",  # feh, qaf
        "\u0647\u0629",  # heh, teh marbuta
        "\u0649\u064a",  # alef maksura, yeh
        "\u0627\u0623\u0625\u0622",  # alef, with hamza above and below, with madda
        "\u0648\u0624",  # waw, with hamza
    ),
    doubles=dict(zip(_ARABIC, _PERSIAN, strict=True)),
)
