"""Greek: its keyboard and its Latin doubles."""

from skrobust.perturbations.texts.scripts.script import Script

_GREEK = "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧανορυγιάίόύ"
_LATIN = "ABEZHIKMNOPTYX\u0251vopuy\u0131áíóú"

GREEK = Script(
    keyboards=((" ςερτυθιοπ", "ασδφγηξκλ", "ζχψωβνμ"),),
    confused=(
        "νυγ", "οσθ", "ηπ", "ακ", "κχ", "ζξ", "εξ", "ρβ", "τι", "μυ", "ωο", "λχ", "φψ",
        "ςζ", "άό", "έε", "ίι", "όο", "ύυ", "ήη", "ώω", "ΟΘΦ", "ΛΑΔ", "ΕΣΞ", "ΠΗΝ",
        "ΤΓΙ", "ΒΡ", "ΚΧ", "ΥΨ",
    ),
    doubles=dict(zip(_GREEK, _LATIN, strict=True)),
)  # fmt: skip
