"""Lists of inputs to label: written in a format, and read with their answers."""

import contextlib
import csv
from dataclasses import replace
from pathlib import Path

from skrobust._whole_file import write_text_whole
from skrobust.cli.exit_codes import UserError, as_user_error
from skrobust.cli.labelling.formats import FORMATS
from skrobust.cli.labelling.formats.list_format import parse_records


def write_questions(path, shown, reader, name=None):
    """Write a list of inputs to label.

    Parameters
    ----------
    path : path-like
        The file.
    shown : list of ShownInput
        Inputs to label.
    reader : AnswerReader
        Knows the labels.
    name : str, default=None
        Name of the format; None: CSV.

    Returns
    -------
    Path or None
        File with the settings of the tool, beside the list, where it has one.
    """
    kind, path = FORMATS[name or "csv"], Path(path)
    form = reader.form
    if form.numbers and not kind.takes_numbers:
        able = ", ".join(name for name, one in FORMATS.items() if one.takes_numbers)
        raise UserError(
            f"--format {kind.name} takes answers to choose from, and no numbers; begin "
            f"with --grades, or take one of {able}."
        )
    if form.is_graded and kind.name != "csv":
        shown = [_as_columns(one) for one in shown]  # a prediction is no grade
    write_text_whole(path, kind.write(shown, form))
    settings = kind.settings(form, any(one.picture for one in shown))
    if settings is None:
        return None
    beside = path.with_name(f"{path.stem}-settings{settings[0]}")
    write_text_whole(beside, settings[1], is_named=False)
    return beside


def read_answers(path, pool, reader, name=None):
    """Read a filled list; what is open is left out.

    Several answers to an input, as by several people, must agree; one that skips yields
    to the others.

    Parameters
    ----------
    path : path-like
        The list, or the export of a tool.
    pool : Pool
        Pool of the list.
    reader : AnswerReader
        Turns words into answers.
    name : str, default=None
        Name of the format; None: that which the content shows.

    Returns
    -------
    list of (int, str, object)
        Position, kind and answer.
    unknown : dict
        Labels that are not known, and the place where each is first.
    """
    found, unknown = {}, {}
    for one in _read(path, name):
        if not _is_answered(one, reader):
            continue
        with _beginning(f"{Path(path).name!r}, {one.where}: "):
            i = _position(one, pool)
            pair = _answer(one, i, reader)
            before, there = found.get(i, (None, None))
            if None not in (before, pair) and before != pair and _is_told(before, pair):
                raise UserError(f"id {i} has another answer in {there}")
        if pair is None or (before and pair[1] is None):
            continue
        if pair[0] == "y_true" and pair[1] not in reader.known:
            unknown.setdefault(pair[1], one.where)
        found[i] = pair, one.where
    return [(i, *pair) for i, (pair, _) in found.items()], unknown


def has_answers(path):
    """Return whether a list has answers that writing it anew would lose."""
    return any(not one.is_open for one in _read(path, None))


def _as_columns(one):
    if one.predicted is None:
        return one
    columns = {"predicted": one.predicted, **(one.columns or {"item": one.item})}
    return replace(one, predicted=None, columns=columns)


def _is_answered(one, reader):
    text = one.word or one.label or ""
    return not one.is_open or (
        text != "" and text in reader.known
    )  # a space may be one


def _is_told(*pairs):
    return all(answer is not None for _, answer in pairs)


def _answer(one, i, reader):
    if one.name is not None and one.name != reader.form.name:
        wanted = f"--answers takes a {reader.form.name} of each input in this session"
        raise UserError(f"{wanted}, and the list has a column {one.name!r}")
    if one.word is not None:
        return reader.read_old(one.word)
    label = one.label or ""
    control = reader.hint(label) if label.strip().startswith(":") else None
    if control and label not in reader.known:
        raise UserError(f"{label!r} is no label; write {control[1:]!r} as the verdict")
    return reader.read_pair(i, label, one.verdict)


def _read(path, name):
    path = Path(path)
    if not path.is_file():
        raise UserError(f"There is no list of answers {str(path)!r}.")
    try:
        text = path.read_bytes().decode("utf-8-sig")  # line ends as they are
    except UnicodeDecodeError as error:
        raise UserError(f"{path.name!r} is not UTF-8; save it so.") from error
    # Beside csv.Error these are of records of another make.
    kinds = (csv.Error, KeyError, TypeError, IndexError, AttributeError)
    with _beginning(f"{path.name!r}: "), as_user_error("it could not be read", kinds):
        kind = FORMATS[name] if name else _guessed(text)
        return list(kind.read(text))


def _guessed(text):
    if text.lstrip()[:1] not in ("[", "{"):
        return FORMATS["csv"]
    records = parse_records(text)
    for kind in FORMATS.values():
        if records and kind.recognises(records[0]):
            return kind
    raise UserError(
        f"it is no list of {', '.join(FORMATS)}; export all of the JSON, and say which "
        "with --format"
    )


def _position(one, pool):
    if one.id is None:  # doccano keeps the name of a picture alone
        return _named(one.item, pool)
    try:
        i = int(one.id)
        if i != float(one.id):
            raise ValueError
    except (TypeError, ValueError):
        raise UserError(f"the id {one.id!r} is no integer") from None
    if not 0 <= i < len(pool):
        raise UserError(f"id {i} is outside the pool of {len(pool)}")
    if one.item not in (None, "", pool.items[i]):
        raise UserError(
            f"id {i} is {pool.items[i]!r} in this pool, and {one.item!r} in the list; "
            "the list is of another pool"
        )
    return i


def _named(item, pool):
    """Return the place of a name, or of the only path that ends with it."""
    exact = [i for i, name in enumerate(pool.items) if name == item]
    found = exact or [i for i, n in enumerate(pool.items) if Path(n).name == item]
    if len(found) != 1:
        raise UserError(f"{item!r} names {len(found)} inputs of the pool, not one")
    return found[0]


@contextlib.contextmanager
def _beginning(text):
    """Put a text before the sentence of an error."""
    try:
        yield
    except UserError as error:
        raise UserError(f"{text}{error.message.removesuffix('.')}.") from None
