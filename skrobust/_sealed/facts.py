"""Facts as JSON with a digest of each part and of the whole."""

import json

from skrobust._sealed.damage import Damaged
from skrobust._sealed.digests import bytes_digest

SEAL = "seal"
ALGORITHM = "SHA-256"


def seal(facts, default=None):
    """Return facts as plain data with their seal.

    Parameters
    ----------
    facts : dict of str to object
        Parts, which JSON can hold; none is named "seal".
    default : callable, default=None
        Makes plain data of what JSON does not know, as in ``json.dumps``.

    Returns
    -------
    dict
        The parts as JSON would return them, and ``"seal"``: the algorithm, a digest of
        each part, and one of all digests. The order of the parts does not count.
    """
    return json.loads(sealed_text(facts, default))


def sealed_text(facts, default=None):
    """Return facts with their seal as ``seal`` does, as text that JSON reads."""
    texts = {name: json.dumps(value, default=default) for name, value in facts.items()}
    known = _seal({name: bytes_digest(text.encode()) for name, text in texts.items()})
    texts[SEAL] = json.dumps(known)
    listed = ", ".join(f"{json.dumps(name)}: {text}" for name, text in texts.items())
    return f"{{{listed}}}"


def extended(sealed, more):
    """Return sealed facts with further parts, which are plain data, under one seal."""
    parts = {name: _digest(value) for name, value in more.items()}
    known = _seal({**sealed[SEAL]["parts"], **parts})
    return {**sealed, **more, SEAL: known}


def seal_of(plain):
    """Return the seal of parts that are plain data already."""
    return _seal({name: _digest(value) for name, value in plain.items()})


def damaged_parts(plain, given):
    """Return the names of the parts that are not those of a seal, as a list.

    Parameters
    ----------
    plain : dict
        Facts without their seal.
    given : object
        What stands in its place.
    """
    parts = given.get("parts") if isinstance(given, dict) else None
    parts = parts if isinstance(parts, dict) else {}
    found = seal_of(plain)["parts"]
    names = [*parts, *(name for name in plain if name not in parts)]
    return [name for name in names if parts.get(name) != found.get(name)]


def open_seal(facts, what):
    """Return facts without their seal, or raise where they are not what was sealed.

    Parameters
    ----------
    facts : object
        What ``json.loads`` returned.
    what : str
        Name of the text or the file, for the message.

    Returns
    -------
    dict
        The parts.

    Raises
    ------
    Damaged
        With the parts that are damaged, lost or added.
    """
    if not isinstance(facts, dict) or not isinstance(facts.get(SEAL), dict):
        raise Damaged(f"{what} is damaged: it has no seal.")
    plain = {name: value for name, value in facts.items() if name != SEAL}
    if seal_of(plain) == facts[SEAL]:
        return plain
    bad = damaged_parts(plain, facts[SEAL])
    listed = ", ".join(repr(name) for name in bad) or "the seal itself"
    raise Damaged(f"{what} is damaged: {listed} is not what was written.")


def _seal(parts):
    whole = _digest(sorted(parts.items()))
    return {"algorithm": ALGORITHM, "parts": parts, "whole": whole}


def _digest(value):
    return bytes_digest(json.dumps(value).encode())
