"""The Python blocks of the README and of the quick start run as they stand."""

import re
from pathlib import Path

import joblib
import pytest
from sklearn import datasets

for needed in ("matplotlib", "pandas", "PIL", "skorch", "jinja2"):
    pytest.importorskip(needed)

from doc_blocks import blocks, fix, names_in_use, write_faces  # noqa: E402

from skrobust.attacks import AutoPGD, Square  # noqa: E402

ROOT = Path(__file__).parents[2]


@pytest.mark.torch
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:normalized_accuracy_score was")  # of so few rows
@pytest.mark.filterwarnings("ignore:.* conditions changed no row")  # the same
@pytest.mark.parametrize("name", ["README.md", "doc/quick_start.rst"])
def test_blocks_run(name, tmp_path, monkeypatch):
    import matplotlib
    import matplotlib.pyplot as plt

    matplotlib.use("Agg", force=True)
    write_faces(tmp_path)
    monkeypatch.chdir(tmp_path)
    known = names_in_use()
    X, y = known["X"], known["y"]
    assert len(blocks(name)) >= 4
    # The whole data set, and processes, would only take time.
    monkeypatch.setattr(datasets, "load_digits", lambda **_: (16 * X[:90], y[:90]))
    quick = [AutoPGD(n_steps=10), Square(max_queries=50)]
    fix(monkeypatch, "skrobust.attacks.AutoAttack", attacks=quick)
    fix(monkeypatch, "skrobust.report.create_report", attacks=["FGSM"])
    with joblib.parallel_config("threading"):
        for block in blocks(name):
            exec(compile(block, name, "exec"), known)
    plt.close("all")
    if name == "README.md":
        assert round(known["accuracy_stability_index"]([0.9, 0.8, 0.7]), 4) == 0.7737
        assert known["batch"].shape == (4, 64, 64, 3)
        assert (tmp_path / "report.html").exists()


def test_the_readme_shows_files_that_are_there():
    text = (ROOT / "README.md").read_text()
    shown = re.findall(r"\]\((?!http)([^)#\s]+)\)", text)
    assert shown
    for path in shown:
        assert (ROOT / path).is_file(), path
    assert (ROOT / "doc/images/overview.png").stat().st_size < 150_000
