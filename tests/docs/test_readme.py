"""The Python blocks of the README and of the quick start run as they stand."""

import re
from pathlib import Path

import joblib
import pytest
from sklearn import datasets

for needed in ("matplotlib", "pandas", "PIL", "skorch", "jinja2"):
    pytest.importorskip(needed)

from doc_blocks import blocks, fix, names_in_use  # noqa: E402
from user_scripts import SCRIPTS, body  # noqa: E402

from skrobust.attacks import AutoPGD, Square  # noqa: E402

ROOT = Path(__file__).parents[2]


@pytest.fixture
def quick(tmp_path, monkeypatch):
    """Run in a folder of its own, on fewer digits, with fewer steps and threads."""
    import matplotlib
    import matplotlib.pyplot as plt

    matplotlib.use("Agg", force=True)
    monkeypatch.chdir(tmp_path)
    X, y = datasets.load_digits(n_class=3, return_X_y=True)
    # The whole data set, and processes, would only take time.
    monkeypatch.setattr(datasets, "load_digits", lambda **_: (X[:200], y[:200]))
    attacks = [AutoPGD(n_steps=10), Square(max_queries=50)]
    fix(monkeypatch, "skrobust.attacks.AutoAttack", attacks=attacks)
    fix(monkeypatch, "skrobust.report.create_report", attacks=["FGSM"])
    with joblib.parallel_config("threading"):
        yield tmp_path
    plt.close("all")


@pytest.mark.torch
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:normalized_accuracy_score was")  # of so few rows
@pytest.mark.filterwarnings("ignore:.* conditions changed no row")  # the same
def test_the_blocks_of_the_readme_run_and_make_every_name_that_they_use(quick):
    # The scripts run in a test of their own; of these, only the folder is used later.
    (folder,) = [body(path) for path in SCRIPTS if path.stem == "image_folder"]
    others = [body(path).strip() for path in SCRIPTS if path.stem != "image_folder"]
    left = [block for block in blocks("README.md") if block.strip() not in others]
    assert len(left) >= 9
    assert folder.strip() in [block.strip() for block in left]
    known = {}
    for block in left:
        exec(compile(block, "README.md", "exec"), known)
    assert round(known["accuracy_stability_index"]([0.9, 0.8, 0.7]), 4) == 0.7737
    assert known["batch"].shape == (32, 64, 64, 3)
    assert (quick / "report.html").exists()


@pytest.mark.torch
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.* conditions changed no row")  # of so few rows
def test_the_blocks_of_the_quick_start_run(quick):
    known = names_in_use()
    name = "doc/quick_start.rst"
    assert len(blocks(name)) >= 4
    for block in blocks(name):
        exec(compile(block, name, "exec"), known)


def test_the_readme_shows_files_that_are_there():
    text = (ROOT / "README.md").read_text()
    shown = re.findall(r"\]\((?!http)([^)#\s]+)\)", text)
    assert shown
    for path in shown:
        assert (ROOT / path).is_file(), path
    assert (ROOT / "doc/images/overview.png").stat().st_size < 150_000
