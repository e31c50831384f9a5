"""Pools of inputs without labels: a table, or a folder of images."""

from dataclasses import dataclass, field
from pathlib import Path

from skrobust._parquet import piece_files
from skrobust._sealed import bytes_digest, file_digest
from skrobust.cli import rows_file
from skrobust.cli.exit_codes import UserError
from skrobust.cli.image_input import has_images, list_images
from skrobust.cli.piece_table import PieceTable, RowNumbers


@dataclass
class Pool:
    """Inputs that may be labelled.

    Attributes
    ----------
    source : str
        As the user named it.
    items : sequence of str
        Name of each input: a path, the value of a column, or its row number.
    fingerprint : str
        Digest of the content; another pool has another one.
    folder : Path
        Folder to which paths among the items are relative.
    frame : DataFrame, PieceTable or None
        The rows of a table.
    columns : list of str
        Those of the table that describe an input, and so are shown.
    """

    source: str
    items: list
    fingerprint: str
    folder: Path
    frame: object = None
    columns: list = field(default_factory=list)

    def __len__(self):
        return len(self.items)

    def cell(self, name, i):
        """Return the value of a column of an input."""
        if isinstance(self.frame, PieceTable):
            return self.frame.cell(name, i)
        return self.frame[name].iloc[i]

    def path(self, i):
        """Return the file behind an input, or None."""
        path = self.folder / self.items[i]
        return path if self.items[i] and path.is_file() else None


def open_pool(source, *, item=None, predicted=None):
    """Open a table, a built-in data set or a folder of images.

    Parameters
    ----------
    source : str
        Path of a CSV or parquet file or of a folder, of images or of parquet files, or
        a built-in name.
    item : str, default=None
        Column that names each input; None: the number of its row, from 0 on.
    predicted : str, default=None
        Column of predicted labels, whose codes stay text.

    Returns
    -------
    Pool
        With nothing scored yet.
    """
    path = Path(source)
    pieces = pieces_of(path)
    if path.is_dir() and not pieces:
        return _open_folder(source, path, item)
    if pieces:
        frame = rows_file.check_rows(PieceTable(pieces, path.name), path.name)
        mark = file_digest(path) if path.is_file() else _digest_of_pieces(path, pieces)
    elif path.is_file():
        frame = rows_file.open_table(
            path, [item] if item else [], labels=[predicted] if predicted else []
        )
        mark = file_digest(path)
    elif source in rows_file.BUILT_IN:
        frame = rows_file.check_rows(rows_file.load_built_in(source).data, source)
        mark = f"built-in {source}"
    else:
        raise rows_file.no_such_data("table or folder", source)
    items = RowNumbers(len(frame))
    if item is not None:
        column = rows_file.column_of(frame, item, source, "--item")
        items = column.fillna("").astype(str).tolist()
    columns = [name for name in frame.columns if name != item]
    return Pool(source, items, mark, path.resolve().parent, frame, columns=columns)


def pieces_of(path):
    """Return the parquet files of a table: of a file, or of a folder without images."""
    pieces = piece_files(path)
    if pieces and path.is_dir() and has_images(path):
        return []
    return pieces


def _digest_of_pieces(folder, pieces):
    marks = [(p.relative_to(folder).as_posix(), file_digest(p)) for p in pieces]
    return bytes_digest(repr(marks).encode())


def _open_folder(source, folder, item):
    if item is not None:
        raise UserError("--item names a column of a table, and this is a folder.")
    names = [name.as_posix() for name in list_images(folder)]
    sizes = [(folder / name).stat().st_size for name in names]
    mark = bytes_digest(repr(list(zip(names, sizes, strict=True))).encode())
    return Pool(source, names, mark, folder.resolve())
