"""The deepfake study runs as a whole on a generated folder, and says what it did."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

for package in ("torch", "skorch", "PIL", "matplotlib"):
    pytest.importorskip(package)
pytestmark = pytest.mark.slow
BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def small_net():
    """A net of few layers and one logit in the place of a MesoNet."""
    from torch import nn

    return nn.Sequential(
        nn.Conv2d(3, 4, 5, stride=4),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(2),
        nn.Flatten(),
        nn.Linear(16, 1),
    )


@pytest.fixture(scope="module")
def study():
    """Return the study with small images and nets, of which no number is judged."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(BENCHMARKS))
        import deepfake_detectors
        import deepfake_study

        small = {
            name: (small_net, file)
            for name, (_, file) in deepfake_detectors.MESO.items()
        }
        patch.setattr(deepfake_detectors, "MESO", small)
        patch.setattr(deepfake_detectors, "SIDE", 64)
        patch.setitem(deepfake_study.PLANS["quick"], "side", 32)
        yield deepfake_study
    for name in ("study", "runs", "tables", "detectors"):
        sys.modules.pop(f"deepfake_{name}", None)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Fakes with stripes, real ones without, and groups of real ones."""
    from PIL import Image

    root, rng = tmp_path_factory.mktemp("faces"), np.random.default_rng(0)

    def write(path, stripes):
        pixels = rng.integers(60, 200, size=(32, 32, 3))
        pixels[::2] += 40 * stripes
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(pixels.astype(np.uint8)).save(path)

    for label in ("DeepFake", "Real"):
        for clip in range(4):
            for frame in (0, 30):
                name = f"{clip}_{frame}.jpg"
                write(root / "faces" / label / name, label == "DeepFake")
    for group in ("a", "b"):
        for number in range(2):
            write(root / "utk_groups" / group / f"{number}x.jpg", False)
    return root


@pytest.fixture(scope="module")
def results(study, folder, tmp_path_factory):
    out, said = tmp_path_factory.mktemp("out"), []
    study.main([str(out), "--data", str(folder), "--quick"], log=said.append)
    return json.loads((out / "results.json").read_text()), out, said


def test_what_is_written(results):
    found, out, said = results
    assert (out / "results.md").read_text().startswith("# Deepfake")
    assert len(list(out.glob("*.png"))) == 4
    assert said
    names = [row["detector"] for row in found["detectors"]]
    assert names == ["Meso4", "MesoInception4", "ResNet34"]
    assert all("trained here" in row["weights"] for row in found["detectors"])
    assert (found["n_images"], found["n_clips"]) == (8, 4)
    assert found["constant_model_accuracy"] == 0.5


def test_the_cells(results):
    found = results[0]
    cells = {(c["detector"], c["attack"]): c for c in found["cells"]}
    assert len(cells) == len(found["cells"]) == 12
    for (_, attack), cell in cells.items():
        wanted = {"FGSM": 2, "PGD": 2, "ProbabilityShift": 1, "CarliniWagner": 1}
        assert len(cell["modes"]) == wanted[attack]
        assert "misclassification" not in cell["modes"]
        assert 0 <= cell["robust_accuracy"] <= cell["clean_accuracy"]
        for mode in cell["modes"].values():
            ratio = np.array(mode["ratio"])
            assert ratio.shape == (21,)
            assert (np.diff(ratio) >= 0).all()
            assert (np.array(mode["band_low"]) <= ratio + 1e-9).all()
            assert len(mode["tempered"]) == len(mode["clips"]["ratio"]) == 21


def test_split_by_clip_and_same_images_for_all(study, folder):
    train, test = study.load_faces(folder, 1)
    assert not set(train.clip) & set(test.clip)
    assert (len(train), len(test)) == (8, 4)
    assert sorted(np.bincount(test.y)) == [2, 2]


def test_groups_have_no_robust_accuracy(results):
    for group in results[0]["groups"]:
        assert "real" in group["measure"] or "1" in group["measure"]
        assert all(row["small"] for row in group["rows"])
        assert [row["n"] for row in group["rows"]] == [2, 2]


def test_it_goes_on_from_disk(results, study, folder):
    before, out, _ = results
    kept = {p: p.stat().st_mtime_ns for p in (out / "parts").iterdir()}
    assert len(kept) > 12
    again = study.load_faces(folder, 2)[1]
    assert len(again) == before["n_images"]


def test_equals_evaluate_attack(study, folder, tmp_path):
    from deepfake_runs import Detector, cells_of

    from skrobust.attacks import FGSM
    from skrobust.evaluation import evaluate_attack
    from skrobust.evaluation.checkpoint import Checkpoint

    train, test = study.load_faces(folder, 2)
    plan = study.PLANS["quick"] | {"linf_steps": [], "cw_norms": []}
    settings = {"epochs": 1, "side": 32, "batch_size": 4, "device": "cpu"}
    models, _ = study.make_detectors(folder, train, keep=tmp_path, **settings)
    model = models["ResNet34"]
    detector = Detector("ResNet34", model, test, Checkpoint(None, "test"))
    (cell,) = cells_of(detector, plan, 4)
    attack = FGSM(0.3 / 255, data_range=(0, 1), batch_size=4)
    wanted = evaluate_attack(model, test.X, test.y, attack)
    assert cell["robust"].mean() == wanted.robust_accuracy
    from skrobust.metrics import robust_ratio_curve

    for mode, q in cell["modes"].items():
        ratio = robust_ratio_curve(detector.p, q)[1]
        assert np.allclose(ratio, wanted[f"robust_ratio_{mode}"])


def test_ranges(study):
    from deepfake_tables import ranges

    holds = [False, True, True, False, True]
    assert ranges([0, 1, 2, 3, 4], holds) == [[1, 2], [4, 4]]


def test_no_faces_no_study(study, tmp_path, capsys):
    with pytest.raises(SystemExit):
        study.main([str(tmp_path / "out"), "--data", str(tmp_path)])
    assert "no folder with faces/" in capsys.readouterr().err
