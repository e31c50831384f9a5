"""Spreadsheets: CSV lists with a column for labels and one for verdicts."""

import csv
import io

from skrobust.cli.exit_codes import UserError
from skrobust.cli.labelling.formats.list_format import FilledInput, ListFormat
from skrobust.cli.labelling.spreadsheet_cells import from_cell, to_cell

COLUMNS = ("id", "item", "predicted", "answer", "verdict")
GRADES = ("loss", "score")


class SpreadsheetList(ListFormat):
    """CSV list; text that a spreadsheet would take for a formula is marked."""

    name, lines, takes_numbers = "csv", True, True

    def write(self, shown, form):
        """Return the text of a list."""
        buffer = io.StringIO()
        writer = csv.writer(buffer, lineterminator="\n")
        predicted = any(one.predicted is not None for one in shown)
        given = ["id", "item", "predicted"] if predicted else ["id", "item"]
        blank = ["answer", "verdict"] if form.labels else ["verdict"]
        if form.is_graded:
            blank = [form.name]
        more, ours = shown[0].columns if shown else {}, (*COLUMNS, *blank)
        names = [f"pool {name}" if name in ours else name for name in more]
        writer.writerow([*given, *map(to_cell, names), *blank])
        for one in shown:
            cells = [*(getattr(one, name) for name in given), *one.columns.values()]
            writer.writerow([*map(to_cell, cells), *("" for _ in blank)])
        return buffer.getvalue()

    def read(self, text):
        """Yield the filled inputs of a list."""
        head = text.partition("\n")[0]
        # Spreadsheets of many countries write semicolons.
        mark = ";" if head.count(";") > head.count(",") else ","
        table = csv.DictReader(
            io.StringIO(text, newline=""), delimiter=mark, strict=True
        )
        names = table.fieldnames or []
        is_old = "verdict" not in names  # labels and verdicts in one column
        graded = None
        if is_old and "answer" not in names:
            graded = next((name for name in GRADES if name in names), None)
        if "id" not in names or (is_old and "answer" not in names and not graded):
            missing = "'answer', 'verdict', 'loss' or 'score'"
            missing = missing if "id" in names else "'id'"
            raise UserError(
                f"there is no column {missing}; fill in a list that --to-label wrote"
            )
        seen = {}
        for row in table:
            cells = {name: from_cell(row.get(name)) for name in COLUMNS}
            at = (f"line {table.line_num}", cells["id"], cells["item"] or None)
            if graded:
                one = FilledInput(*at, from_cell(row.get(graded)), name=graded)
            else:
                answer = cells["answer"]
                label, word = (None, answer) if is_old else (answer, None)
                one = FilledInput(*at, label, cells["verdict"], word)
            if not one.is_open and seen.setdefault(one.id, one.where) != one.where:
                raise UserError(f"{one.where}: id {one.id} is in {seen[one.id]}, too")
            yield one
