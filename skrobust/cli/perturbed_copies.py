"""Perturbed copies of tables and images on disk."""

import itertools
import warnings
from functools import partial
from pathlib import Path

import numpy as np

from skrobust._optional import require
from skrobust._sealed import bytes_digest
from skrobust._whole_file import write_whole
from skrobust.base.idle import idle_sentence
from skrobust.base.row_kind import suited
from skrobust.cli.exit_codes import UserError, as_user_error
from skrobust.cli.image_input import list_images, open_image
from skrobust.cli.labelling.spreadsheet_cells import to_cell
from skrobust.cli.rows_file import column_of, listed, open_table
from skrobust.cli.table_file import PARQUET
from skrobust.report.core.section_log import one_line

LOSSY = (".jpg", ".jpeg", ".webp")
MODES = ("L", "RGB")


def copy_table(path, conditions, target, x_train, out, done, say):
    """Write a copy of a table under each condition.

    Parameters
    ----------
    path : Path
        A csv, parquet, npz or npy file.
    conditions : list of (str, perturbation)
        Folder below ``out``, and the perturbation.
    target : sequence of str
        Columns to copy unchanged.
    x_train : str or None
        Table to learn scales from; None: the table itself.
    out : Path
        Folder.
    done : WrittenFiles
        Files that are kept; what is written is added.
    say : Progress
        Called with a line before each condition.

    Returns
    -------
    written : int
        Number of files.
    notes : list of str
        Notes for the user.
    """
    X, rebuild = _opened(path, target)
    X_ref = X if x_train is None else rows_to_learn_from(x_train, target)
    notes, written = [], 0
    conditions = acting_conditions(conditions, X if X_ref is None else X_ref, notes)
    for folder, one in say.bar(conditions, "conditions"):
        place = out / folder / path.name
        if done.has(place):
            continue
        say(folder or type(one).__name__)
        changed = _perturbed(one, X, X_ref, notes)
        write_whole(place, lambda file, new=changed: rebuild(new, file), is_named=False)
        done.add(place)
        written += 1
    if path.suffix.lower() == ".csv" and _has_formulas(X):
        notes.append(
            "text that a spreadsheet takes for formulas was kept, since models read "
            "these files; look at them in an editor of text"
        )
    if x_train is None:
        notes.append("scales were learned from the table itself; see --x-train")
    return written, list(dict.fromkeys(notes))


def acting_conditions(conditions, X, notes):
    """Return those that rows like these have columns for; a note counts the others."""
    acting = suited([one for _, one in conditions], X)
    n = len(conditions) - len(acting)
    if n:
        notes.append(f"{n} conditions left out, as the table has no column for them")
    return [(folder, one) for folder, one in conditions if one in acting]


def _has_formulas(X):
    """Return whether a name or a text of a frame begins like a formula."""
    texts = X.select_dtypes(exclude=["number", "bool", "datetime"])
    cells = (cell for name in texts for cell in texts[name])
    return any(to_cell(cell) is not cell for cell in itertools.chain(X.columns, cells))


def _perturbed(one, X, X_ref, notes):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if X_ref is not None:
            one = one.fit(X_ref)
        changed = one.perturb(None, X, None)
        idle = idle_sentence(one, X, changed)
    notes += [one_line(warning.message) for warning in caught]
    notes += [] if idle is None else [idle]
    return changed


def rows_to_learn_from(x_train, target):
    """Return the rows of ``--x-train``, in which the target may be absent."""
    return _opened(Path(x_train), target, True)[0]


def _opened(path, target, is_reference=False):
    """Return the part to perturb, and a function that writes the whole anew."""
    if path.suffix.lower() == ".npz" and path.is_file():
        return _opened_npz(path, () if is_reference else target)
    if path.suffix.lower() == ".npy" and path.is_file():
        rows = open_array(path, () if is_reference else target)
        return np.array(rows), lambda new, file: np.save(file, new)
    frame = open_table(path)
    kept = [name for name in target if name in frame.columns]
    check_columns_left(frame, kept if is_reference else target, path.name)
    X = frame.drop(columns=kept)

    def rebuild(changed, file):
        whole = changed.copy()
        for name in kept:
            whole[name] = frame[name].to_numpy()
        whole = whole[list(frame.columns)]
        if path.suffix.lower() in PARQUET:
            whole.to_parquet(file)
        else:
            whole.to_csv(file, index=False)

    return X, rebuild


def check_columns_left(frame, target, name):
    """Raise for a target that is no column, and where nothing else is."""
    for column in target:
        column_of(frame, column, name)
    if len(frame.columns) == len(set(target)):
        raise UserError(f"{name!r} has no column left to perturb.")


def open_array(path, target):
    """Return the rows of an npy file, mapped."""
    if target:
        raise UserError("--target is of tables with columns; an npy file has none.")
    with as_user_error(f"{path.name!r} could not be read as npy"):
        rows = np.load(path, mmap_mode="r", allow_pickle=False)
    if rows.ndim < 2 or not len(rows):
        raise UserError(
            f"{path.name!r} has the shape {rows.shape}; rows have two axes at least, "
            "and one row is needed."
        )
    return rows


def _opened_npz(path, target):
    if target:
        raise UserError("--target is of tables with columns; in npz X is perturbed.")
    text = f"{path.name!r} could not be read as npz"
    with as_user_error(text), np.load(path, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    if "X" not in arrays:
        raise UserError(
            f"{path.name!r} has no array 'X'; its arrays are {listed(arrays)}."
        )
    return arrays["X"], lambda new, file: np.savez(file, **{**arrays, "X": new})


def copy_folder(path, conditions, out, done, say):
    """Write a copy of a folder of images under each condition.

    Parameters
    ----------
    path : Path
        Folder with images; those below it count, too.
    conditions, out, done, say
        As in :func:`copy_table`.

    Returns
    -------
    written : int
        Number of files.
    notes : list of str
        Notes for the user.
    """
    pillow = require("PIL.Image", "A folder of images", extra="images")
    names, notes, written = list_images(path), [], 0
    places = _places_among_equals(path, names)
    todo = [(folder, one, name) for folder, one in conditions for name in names]
    for folder, one, name in say.bar(todo, "images"):
        place = out / folder / name
        if name == names[0]:
            say(folder or type(one).__name__)
        if done.has(place):
            continue
        values, kind, note = _image(path / name)
        if note:
            notes.append(note)
        # Noise is keyed by content and by the place among equals of one batch.
        batch = np.repeat(values[None], places[name] + 1, axis=0)
        changed = _perturbed(_sized(one, values), batch, None, notes)[-1]
        if note is None and np.array_equal(changed, values):  # not compressed again
            content = (path / name).read_bytes()
            write_whole(
                place, lambda file, content=content: file.write(content), is_named=False
            )
        else:
            settings = {"quality": 95} if place.suffix.lower() in LOSSY else {}
            image = pillow.fromarray(np.asarray(changed))
            save = partial(image.save, format=kind, **settings)
            write_whole(place, save, is_named=False)
        done.add(place)
        written += 1
    if any(name.suffix.lower() in LOSSY for name in names):
        notes.append("JPEG and WebP files were compressed again, at quality 95")
    return written, list(dict.fromkeys(notes))


def _image(path):
    """Return the pixels of an image, its format, and a note on its conversion."""
    with open_image(path) as image:
        kind, mode, note = image.format, image.mode, None
        if mode not in MODES:
            to = "L" if mode in ("1", "LA") else "RGB"
            note = f"{mode} images were turned into {to}"
            image = image.convert(to)
        return np.asarray(image), kind, note


def _places_among_equals(path, names):
    """Return for each image how many before it have the same pixels."""
    counts, places = {}, {}
    for name in names:
        values = _image(path / name)[0]
        key = values.shape, bytes_digest(np.ascontiguousarray(values))
        places[name] = counts[key] = counts.get(key, -1) + 1
    return places


def _sized(one, values):
    """Return the perturbation for one image, whose channels are the last axis."""
    free = [name for name, value in one.get_params().items() if value is None]
    axes = [name for name in free if name.rpartition("__")[2] == "channel_axis"]
    return one.set_params(**dict.fromkeys(axes, -1)) if values.ndim == 3 else one
