"""Every example runs, and prints what it promises."""

import runpy
from pathlib import Path

import pytest
from doc_blocks import fix

matplotlib = pytest.importorskip("matplotlib")
EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))
# The gallery of the documentation runs each example in full; here, less of the same.
LESS = {
    "plot_adversarial_training": {
        "sklearn.datasets.load_digits": {"n_class": 3},
        "skrobust.nets.small_cnn_classifier": {"epochs": 3},
    },
    "plot_deepfake_ra_vs_rr": {"skrobust.nets.small_cnn_classifier": {"epochs": 3}},
    "plot_label_budget": {"skrobust.sampling.simulate": {"n_repeats": 8}},
    "plot_severity_curves": {
        "skrobust.evaluation.cross_validate_perturbations": {"n_repeats": 1}
    },
    "plot_stability_surface": {"sklearn.datasets.load_digits": {"n_class": 3}},
}


@pytest.mark.slow
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_example(path, capsys):
    matplotlib.use("Agg", force=True)
    import matplotlib.pyplot as plt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plt, "show", lambda: None)
        for name, fixed in LESS.get(path.stem, {}).items():
            fix(patch, name, **fixed)
        runpy.run_path(str(path))
    plt.close("all")
    assert len(capsys.readouterr().out.splitlines()) >= 2
    assert len(path.read_text().splitlines()) < 60


def test_there_are_examples():
    assert {path.stem for path in EXAMPLES} >= set(LESS)
    assert len(EXAMPLES) >= 4
