"""Groups of clips from a table of metadata."""

import csv
from pathlib import Path

import numpy as np


def group_table(path, caller):
    """Return the rows of a table of groups as dictionaries, or raise."""
    try:
        with open(Path(path), newline="", encoding="utf-8-sig") as file:
            reader = csv.DictReader(file)
            names = set(reader.fieldnames or ())
            rows = [{k: (row[k] or "").strip() for k in names} for row in reader]
    except (OSError, TypeError, UnicodeDecodeError, csv.Error) as error:
        raise ValueError(f"{caller} cannot read groups={path!r}: {error}.") from error
    if "group" not in names or not names & {"clip", "origin"}:
        raise ValueError(
            f"{caller} needs the columns 'group' and 'clip' or 'origin' in "
            f"{str(path)!r}. Its columns are {', '.join(sorted(names)) or 'none'}."
        )
    return rows


def group_of_faces(faces, rows, path, caller):
    """Return the group of each image, "" where the table has none.

    A row for a clip goes before one for the video that the clip shows; rows with an
    empty group are skipped.

    Parameters
    ----------
    faces : Faces
        Images.
    rows : list of dict
        From :func:`group_table`.
    path : path
        Of the table, for error messages.
    caller : str
        Name of the public function, for error messages.
    """
    found = {}
    for line, row in enumerate(rows, 2):
        for column in ("clip", "origin"):
            name = row.get(column)
            if not name or not row["group"]:
                continue  # an empty group says nothing
            key = column, row.get("source") or "", name
            if found.setdefault(key, row["group"]) != row["group"]:
                raise ValueError(
                    f"{caller} finds two groups of {name!r} in {str(path)!r}, the "
                    f"second in line {line}."
                )
    group, sources = faces.group.astype(object), {}
    for column, values in (("origin", faces.origin), ("clip", faces.clip)):
        for i, value in enumerate(values.tolist()):
            source, _, name = value.partition("/")
            sources.setdefault((column, name), set()).add(source)
            for key in ((column, "", name), (column, source, name)):
                if key in found:
                    group[i] = found[key]
    used = {(column, name) for column, name in sources}
    named = {item for row in rows for item in row.items() if item[1]}
    if not used & named:
        raise ValueError(
            f"{caller} finds none of the clips and videos of {str(path)!r} in the "
            f"data; a clip is called {faces.clip[0].partition('/')[2]!r}."
        )
    for (column, name), where in sources.items():
        if len(where) > 1 and (column, "", name) in found:
            raise ValueError(
                f"{caller} needs the column 'source' in {str(path)!r}: {name!r} occurs "
                f"in {' and '.join(sorted(where))}."
            )
    return np.array([str(name) for name in group])
