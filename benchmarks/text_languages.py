"""Text perturbations in twelve languages: shares of changes.

Six short sentences in each language, every kind of the preset ``text`` at severities
1 to 5, over a number of seeds. A document is changed if it differs at all; the share
of its characters (with their marks) is the edit distance over their number. A kind
that changes nothing must name itself as not applying, or the script stops.

    python benchmarks/text_languages.py --write doc
"""

import argparse
import csv
import sys
from pathlib import Path

import numpy as np
from sklearn.base import clone

from skrobust._text_units import clusters
from skrobust.base.idle import idle_reason
from skrobust.perturbations import text

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from language_texts import LACKS, TEXTS

SEVERITIES = (1, 2, 3, 4, 5)


def edit_distance(a, b):
    """Return the number of insertions, deletions and replacements from a to b."""
    names = {piece: i for i, piece in enumerate(dict.fromkeys([*a, *b]))}
    target = np.array([names[piece] for piece in b], dtype=int)
    steps = np.arange(len(b) + 1)
    row = steps.copy()
    for piece in a:
        new = row + 1
        new[1:] = np.minimum(new[1:], row[:-1] + (target != names[piece]))
        row = np.minimum.accumulate(new - steps) + steps
    return int(row[-1])


def measure(kind, documents, n_seeds):
    """Return the shares of documents and of characters changed, at each severity."""
    pieces = [clusters(document) for document in documents]
    shares = np.zeros((len(SEVERITIES), 2))
    for at, severity in enumerate(SEVERITIES):
        for seed in range(n_seeds):
            one = clone(kind).set_params(severity=severity, random_state=seed)
            moved = one.perturb(None, documents)
            changed = [a != b for a, b in zip(documents, moved, strict=True)]
            sizes = [
                edit_distance(a, clusters(b)) / len(a) if c else 0.0
                for a, b, c in zip(pieces, moved, changed, strict=True)
            ]
            shares[at] += np.mean(changed), np.mean(sizes)
    return shares / n_seeds


def main():
    """Print the table, or write it to two files."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--write", type=Path, help="folder for languages*.csv")
    arguments = parser.parse_args()
    kinds = [condition.steps[0] for condition in text([5])[1:]]
    rows, grid = [], []
    for language, documents in TEXTS.items():
        cells = []
        for kind in kinds:
            name = type(kind).__name__
            shares = 100 * measure(kind, documents, arguments.seeds)
            note = LACKS.get(name, {}).get(language, "")
            if not shares[-1, 0] and not (note and idle_reason(kind, documents)):
                sys.exit(f"{name} changes nothing in {language} and does not say why")
            documents_changed, characters = shares.round(1).T.tolist()
            rows.append([language, name, *documents_changed, *characters, note])
            cells.append(
                "none" if note else f"{shares[-1, 0]:.0f} / {shares[-1, 1]:.0f}"
            )
        grid.append([language, *cells])
        print(*grid[-1], sep="\t", flush=True)
    heads = [f"{what} {s}" for what in ("documents", "characters") for s in SEVERITIES]
    write = {
        "languages.csv": [["language", "kind", *heads, "note"], *rows],
        "languages_at_5.csv": [["", *(type(kind).__name__ for kind in kinds)], *grid],
    }
    for name, lines in write.items() if arguments.write else ():
        with (arguments.write / name).open("w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows(lines)


if __name__ == "__main__":
    main()
