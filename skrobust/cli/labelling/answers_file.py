"""Lists of inputs to fill in with answers."""

import csv
import io
from pathlib import Path

from skrobust._whole_file import write_text_whole
from skrobust.cli.exit_codes import UserError, as_user_error
from skrobust.cli.labelling.spreadsheet_cells import from_cell, to_cell

COLUMNS = ("id", "item", "predicted", "answer")
_READ = ("id", "item", "answer")


def write_questions(path, ids, pool, reader, *, show=()):
    """Write the list of inputs to label, with an empty column ``answer``.

    Text that a spreadsheet would take for a formula begins with an apostrophe.

    Parameters
    ----------
    path : path-like
        The CSV file.
    ids : sequence of int
        Positions in the pool.
    pool : Pool
        Names the inputs.
    reader : AnswerReader
        Knows the predictions.
    show : sequence of str, default=()
        Columns of the table to copy; those that are called like a column of the list
        are written as ``pool id`` and the like.
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    given = [name for name in COLUMNS[:3] if name != "predicted" or reader.takes_labels]
    shown = [f"pool {name}" if name in COLUMNS else name for name in show]
    writer.writerow([*given, *map(to_cell, shown), "answer"])
    for i in ids:
        facts = {"id": i, "item": pool.items[i], "predicted": reader.predicted(i)}
        more = [pool.frame[name].iloc[i] for name in show]
        cells = [*(facts[name] for name in given), *more]
        writer.writerow([*map(to_cell, cells), ""])
    write_text_whole(path, buffer.getvalue())


def read_answers(path, pool, reader):
    """Read a filled list; empty answers are left out.

    Parameters
    ----------
    path : path-like
        A CSV file with the columns ``id`` and ``answer``.
    pool : Pool
        Pool of the list.
    reader : AnswerReader
        Turns words into answers.

    Returns
    -------
    list of (int, str, object)
        Position, kind and answer.
    unknown : dict
        Labels that are not known, and the line where each is first.
    """
    name, found, unknown, seen = Path(path).name, [], {}, {}
    for line, row in _rows(path):
        where = f"{name!r}, line {line}"
        word = row["answer"] or ""
        if not word.strip() and (not word or word not in reader.known):
            continue
        i = _position(row["id"], len(pool), where)
        if row.get("item") not in (None, "", pool.items[i]):
            raise UserError(
                f"{where}: id {i} is {pool.items[i]!r} in this pool, and "
                f"{row['item']!r} in the list; the list is of another pool."
            )
        if i in seen:
            raise UserError(f"{where}: id {i} is in line {seen[i]}, too.")
        seen[i] = line
        try:
            kind, answer = reader.read(word)
        except UserError as error:
            raise UserError(f"{where}: {error.message}.") from None
        if kind == "y_true" and answer not in reader.known:
            unknown.setdefault(answer, line)
        found.append((i, kind, answer))
    return found, unknown


def has_answers(path):
    """Return whether a list has answers that writing it anew would lose."""
    return any((row["answer"] or "").strip() for _, row in _rows(path))


def _rows(path):
    path = Path(path)
    if not path.is_file():
        raise UserError(f"There is no list of answers {str(path)!r}.")
    failed = as_user_error(
        f"{path.name!r} could not be read", (csv.Error, UnicodeDecodeError)
    )
    with failed, path.open(encoding="utf-8-sig", newline="") as file:
        head = file.readline()
        file.seek(0)
        # Spreadsheets of many countries write semicolons.
        mark = ";" if head.count(";") > head.count(",") else ","
        table = csv.DictReader(file, delimiter=mark, strict=True)
        for name in ("id", "answer"):
            if name not in (table.fieldnames or []):
                raise UserError(
                    f"{path.name!r} has no column {name!r}; fill in a list that "
                    "--to-label wrote."
                )
        return [
            (table.line_num, {**row, **{k: from_cell(row.get(k)) for k in _READ}})
            for row in table
        ]


def _position(text, n_pool, where):
    try:
        i = int(text)
    except (TypeError, ValueError):
        raise UserError(f"{where}: the id {text!r} is no integer.") from None
    if not 0 <= i < n_pool:
        raise UserError(f"{where}: id {i} is outside the pool of {n_pool}.")
    return i
