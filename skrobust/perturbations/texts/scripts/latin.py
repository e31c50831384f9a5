"""Latin: keyboards, confusions of recognition, and Cyrillic doubles."""

LAYOUTS = {
    "qwerty": ("qwertyuiop", "asdfghjkl", "zxcvbnm"),
    "qwertz": ("qwertzuiop\u00fc", "asdfghjkl\u00f6\u00e4", "yxcvbnm"),
    "azerty": ("azertyuiop", "qsdfghjklm", "wxcvbn"),
}
# Not symmetric: what a character is taken for, digits and marks included.
CONFUSED = {
    "0": ("O", "o"), "O": ("0", "Q"), "o": ("0", "c"), "1": ("l", "I"),
    "l": ("1", "I"), "I": ("l", "1"), "i": ("l", "j"), "5": ("S",), "S": ("5", "8"),
    "s": ("5",), "8": ("B", "3"), "B": ("8",), "3": ("8",), "6": ("b", "G"),
    "b": ("6", "h"), "G": ("6", "C"), "C": ("G",), "9": ("g", "q"), "g": ("9", "q"),
    "q": ("g", "9"), "2": ("Z",), "Z": ("2",), "z": ("2",), "e": ("c", "o"),
    "c": ("e", "o"), "a": ("o", "e"), "h": ("b", "n"), "n": ("h", "r"),
    "u": ("v", "n"), "v": ("u", "y"), "y": ("v",), "t": ("f", "l"), "f": ("t",),
    "D": ("O",), "E": ("F",), "F": ("E", "P"), "P": ("F",), "U": ("V",), "V": ("U",),
    "N": ("H",), "H": ("N",), "m": ("rn",), "w": ("vv",), "d": ("cl",),
    ".": (",",), ",": (".",), ";": (":",), ":": (";",),
}  # fmt: skip
CONFUSED_PAIRS = {
    "rn": "m", "vv": "w", "cl": "d", "ri": "n", "li": "h", "ii": "u",
}  # fmt: skip
_LETTERS = "aceopxyijshdqwvACEHKMOPTXBSIJ"
_CYRILLIC = (
    "\u0430\u0441\u0435\u043e\u0440\u0445\u0443\u0456\u0458\u0455\u04bb\u0501\u051b"
    "\u051d\u0475\u0410\u0421\u0415\u041d\u041a\u041c\u041e\u0420\u0422\u0425\u0412"
    "\u0405\u0406\u0408"
)
DOUBLES = dict(zip(_LETTERS, _CYRILLIC, strict=True))
