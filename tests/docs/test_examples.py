"""Every example runs, and prints what it promises."""

import runpy
from pathlib import Path

import pytest

matplotlib = pytest.importorskip("matplotlib")
EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_example(path, capsys):
    matplotlib.use("Agg", force=True)
    import matplotlib.pyplot as plt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plt, "show", lambda: None)
        runpy.run_path(str(path))
    plt.close("all")
    assert len(capsys.readouterr().out.splitlines()) >= 2
    assert len(path.read_text().splitlines()) < 60


def test_there_are_examples():
    assert len(EXAMPLES) >= 4
