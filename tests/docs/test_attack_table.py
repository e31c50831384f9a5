"""The table of attacks and certificates in the guide: complete, and found by trying."""

from pathlib import Path

import pytest
from sklearn.utils import all_estimators

DOC = Path(__file__).parents[2] / "doc"
KNOWN = {
    "LogisticRegression": ["yes", "ExactLinear", "exact", "bound", "yes"],
    "SGDClassifier": ["yes", "ExactLinear", "exact", "-", "yes"],
    "DecisionTreeClassifier": ["no", "ExactTree", "exact", "exact", "yes"],
    "GaussianNB": ["yes", "no", "exact", "bound", "yes"],
    "KNeighborsClassifier": ["no", "no", "exact", "exact", "yes"],
    "SVC": ["yes", "no", "bound", "-", "yes"],
    "LinearRegression": ["yes", "ExactLinear", "-", "-"],
    "DecisionTreeRegressor": ["no", "ExactTree", "-", "-"],
    "CCA": ["no: several targets a row"],
}


@pytest.fixture(scope="module")
def table():
    import sys

    sys.path.insert(0, str(DOC))
    try:
        import attack_table

        return attack_table
    finally:
        sys.path.remove(str(DOC))


@pytest.mark.parametrize("name", KNOWN)
def test_rows_of_known_models(table, name):
    kind = "classifier" if name in dict(all_estimators("classifier")) else "regressor"
    found = table.rows(kind, [name])[name]
    assert found[: len(KNOWN[name])] == KNOWN[name]


def test_every_estimator_has_a_row(table, monkeypatch):
    monkeypatch.setattr(table, "row_of", lambda name, kind: ["cell"] * 5)
    text = table.attack_table()
    for kind in ("classifier", "regressor"):
        for name, _ in all_estimators(kind):
            assert f"   * - {name}\n     - cell\n" in text
    names = {name for kind in ("classifier", "regressor") for name, _ in
             all_estimators(kind)}  # fmt: skip
    listed = set(table.NEEDED) | set(table.LEFT_OUT) | table.TWO_CLASSES
    assert listed <= names  # nothing is named that is gone


@pytest.mark.slow
def test_the_whole_table(table):
    for kind, least in (("classifier", 25), ("regressor", 20)):
        found = table.rows(kind)
        assert ["not tried"] * 5 not in found.values()
        assert sum(cells[0] == "yes" for cells in found.values()) >= 15
        assert sum(cells[2] in ("exact", "bound", "-") for cells in found.values()) >= (
            least
        )


def test_outside_libraries_have_a_row():
    page = (DOC / "guide" / "which_attack.rst").read_text(encoding="utf-8")
    for name in ("XGBoost", "LightGBM", "CatBoost", "skorch nets", "torch.nn.Module"):
        assert f"   * - {name}" in page or f"   * - ``{name}``" in page
