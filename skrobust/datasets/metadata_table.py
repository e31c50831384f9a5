"""Records from a table of metadata."""

import csv
from pathlib import Path

from skrobust.datasets.clips_on_disk import clip_name
from skrobust.datasets.frame_names import LONGEST


def table_records(folder, images, metadata, skips, caller):
    """Return one record per row of the table that names an image."""
    records, seen = [], set()
    rest = {file.resolve(): file for file in images}
    for line, row in enumerate(_read_table(metadata, caller), 2):
        name, label = row["path"], row["label"]
        where = f"{metadata}, line {line}"
        if not name or not label:
            skips.add(where, f"its {'label' if name else 'path'} is empty")
            rest.pop((folder / name).resolve() if name else None, None)
            continue
        file = (folder / name).resolve()
        if file in seen:
            skips.add(where, f"{name!r} is named twice")
            continue
        seen.add(file)
        if file not in rest:
            skips.add(where, f"there is no image {name!r}")
            continue
        path = rest.pop(file)
        frame = row.get("frame", "")
        if frame and not (frame.isdecimal() and len(frame) <= LONGEST):
            skips.add(where, f"its frame {frame!r} is no number")
            continue
        clip = row.get("clip") or clip_name(folder, path)
        records.append(
            {
                "path": str(path),
                "number": None,
                "label": label,
                "group": row.get("group", ""),
                "clip": clip,
                "origin": row.get("origin") or clip,
                "frame": int(frame) if frame else -1,
            }
        )
    for path in rest.values():
        skips.add(path, "it has no row in the metadata")
    return records


def _read_table(path, caller):
    """Return the rows of a CSV file as dictionaries, or raise."""
    try:
        with open(Path(path), newline="", encoding="utf-8-sig") as file:
            reader = csv.DictReader(file)
            names = reader.fieldnames or []
            rows = [{k: (row[k] or "").strip() for k in names} for row in reader]
    except (OSError, TypeError, UnicodeDecodeError, csv.Error) as error:
        raise ValueError(f"{caller} cannot read metadata={path!r}: {error}.") from error
    for name in ("path", "label"):
        if name not in names:
            raise ValueError(
                f"{caller} needs a column {name!r} in {str(path)!r}. Its columns are "
                f"{', '.join(names) or 'none'}."
            )
    return rows
