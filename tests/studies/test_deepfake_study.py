"""The deepfake study on small trees in the published layouts."""

import json

import numpy as np
import pytest

for package in ("torch", "skorch", "PIL", "jinja2", "av"):
    pytest.importorskip(package)


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    return tmp_path_factory.mktemp("study")


@pytest.fixture
def whole(study, trees, out):
    """Return the results of all three sets with all parts, run once."""
    file = out / "results.json"
    if not file.exists():
        study(out, **trees, clips=True, chains=True, n_test_frames=3)
    return json.loads(file.read_text())


def test_all_three_sets_in_one_study(whole, out):
    found = {row["source"] for row in whole["data"]["sources"]}
    assert found == {"ffpp", "celeb_df", "uadfv"}
    assert all(row["n_clips"] for row in whole["data"]["sources"])
    assert [row["detector"] for row in whole["detectors"]] == ["Meso4", "ResNet34"]
    assert all("trained here" in row["weights"] for row in whole["detectors"])
    cells = {(c["detector"], c["attack"], c["norm"]) for c in whole["cells"]}
    attacks = {
        ("FGSM", "inf"), ("FGSM", "2"), ("PGD", "inf"), ("ProbabilityShift", "inf"),
        ("CarliniWagner", "2"),
    }  # fmt: skip
    assert cells == {(d, *a) for d in ("Meso4", "ResNet34") for a in attacks}
    assert len(whole["comparisons"]) == 5
    assert len(whole["clip_attacks"]) == 2 * 4
    assert len(whole["chains"]) == 2 * 9
    assert [c["attack"] for c in whole["chain_comparisons"]][:2] == [
        "H.264 crf 23", "H.264 crf 28",
    ]  # fmt: skip
    assert len(whole["findings"]) == 5
    assert whole["groups"] == []


def test_the_numbers_keep_their_laws(whole):
    for cell in whole["cells"]:
        clean = next(d for d in whole["detectors"] if d["detector"] == cell["detector"])
        assert cell["accuracy"]["value"] <= clean["accuracy"]["value"]
        for unit in ("images", "clips"):
            ratio = np.array(cell[unit]["ratio"])
            assert ratio.shape == (21,)
            assert (np.diff(ratio) >= 0).all()
            assert (np.array(cell[unit]["low"]) <= ratio + 1e-9).all()
            assert (np.array(cell[unit]["high"]) >= ratio - 1e-9).all()
    for found in whole["findings"]:
        assert found["n_for"] + found["n_against"] <= found["n"]


def test_the_page_shows_the_numbers(whole, out):
    page = (out / "report.html").read_text()
    for cell in whole["cells"]:
        assert f"{cell['accuracy']['value']:.3f}" in page
    for anchor in ("findings", "regions", "clips", "chains", "data"):
        assert f'<section id="{anchor}">' in page
    assert '<section id="groups">' not in page
    assert "http" not in page.replace("http-equiv", "")


class Stopped(Exception):
    """Stands for the end of the process."""


def test_a_stopped_study_goes_on(study, trees, tmp_path, monkeypatch):
    """The part that was running is lost, those before it are read from disk."""
    from skrobust.attacks import FGSM

    wanted = study(tmp_path / "whole", uadfv=trees["uadfv"])

    def stop(line):
        if "ResNet34, PGD" in line:
            raise Stopped

    with pytest.raises(Stopped):
        study(tmp_path / "parts", uadfv=trees["uadfv"], progress=stop)
    assert not (tmp_path / "parts" / "results.json").exists()

    def fail(*arguments, **settings):
        raise AssertionError("this was done before")

    monkeypatch.setattr(FGSM, "perturb", fail)
    said = []
    found = study(tmp_path / "parts", uadfv=trees["uadfv"], progress=said.append)
    assert found == wanted
    assert any("probability shift" in line for line in said)
    # What is read from disk is not said to be done again.
    steps = [line for line in said if ", L" in line or "trained here" in line]
    kept = [line.endswith(", kept") for line in steps]
    assert kept == sorted(kept, reverse=True)
    assert not kept[-1]
    assert sum(kept) == next(i for i, s in enumerate(steps) if "ResNet34, PGD" in s) + 1
    said.clear()
    study(tmp_path / "parts", uadfv=trees["uadfv"], progress=said.append)
    steps = [line for line in said if ", L" in line or "trained here" in line]
    assert all(line.endswith(", kept") for line in steps)


def test_another_seed_trains_anew(study, trees, tmp_path):
    study(tmp_path, uadfv=trees["uadfv"])
    files = set((tmp_path / "weights").iterdir())
    assert len(files) == 2
    study(tmp_path, uadfv=trees["uadfv"], random_state=1)
    assert len(set((tmp_path / "weights").iterdir()) - files) == 2


def test_given_weights_are_used_and_all_videos_tested(study, small, trees, tmp_path):
    import torch

    trained = study(tmp_path / "a", celeb_df=trees["celeb_df"])
    n_clips = trained["data"]["n_clips"]
    given = {}
    for name in ("Meso4", "ResNet34"):
        file = next((tmp_path / "a" / "weights").glob(f"{name}_*.pt"))
        state = torch.load(file, weights_only=True)
        state = {k.removeprefix("net."): v for k, v in state.items() if "net." in k}
        torch.save(state, tmp_path / f"{name}.pt")
        given[name] = tmp_path / f"{name}.pt"
    found = study(tmp_path / "b", celeb_df=trees["celeb_df"], weights=given)
    assert all("given" in row["weights"] for row in found["detectors"])
    assert found["data"]["n_train_images"] == 0
    assert found["data"]["n_clips"] == 12 > n_clips
    # Outputs in the other order turn every answer round.
    turned = study(
        tmp_path / "b",
        celeb_df=trees["celeb_df"],
        weights=given,
        orders={"ResNet34": ("real", "fake")},
    )
    auc = [r["detectors"][1]["auc"] for r in (found, turned)]
    assert auc[0] + auc[1] == pytest.approx(1)
    page = (tmp_path / "b" / "report.html").read_text()
    n_turned = sum(row["auc"] < 0.5 for row in turned["detectors"])
    assert page.count("ranks fakes above") == n_turned


def test_groups_of_real_and_fake_clips(study, trees, tmp_path):
    table = tmp_path / "groups.csv"
    rows = [f"{k:04d},{'ab'[k % 2]}" for k in range(4)]
    table.write_text("origin,group\n" + "\n".join(rows) + "\n")
    found = study(tmp_path / "out", uadfv=trees["uadfv"], groups=table)
    assert len(found["groups"]) == len(found["cells"])
    for group in found["groups"]:
        assert not group["one_label"]
        assert [row["group"] for row in group["rows"]] == ["a", "b"]
        assert sum(row["n_clips"] for row in group["rows"]) == 4
        assert all(row["n_fake"] == row["n_real"] == 2 for row in group["rows"])
    assert '<section id="groups">' in (tmp_path / "out" / "report.html").read_text()


def test_further_real_faces_by_group(study, trees, tmp_path):
    from PIL import Image

    rng = np.random.default_rng(0)
    for group in "ab":
        (tmp_path / "faces" / group).mkdir(parents=True)
        for k in range(3):
            pixels = rng.integers(0, 256, (32, 32, 3)).astype(np.uint8)
            Image.fromarray(pixels).save(tmp_path / "faces" / group / f"{k}x.png")
    faces = tmp_path / "faces"
    found = study(tmp_path / "out", uadfv=trees["uadfv"], group_faces=faces)
    assert [g["detector"] for g in found["groups"]] == ["Meso4", "ResNet34"]
    assert all(g["one_label"] for g in found["groups"])


def test_one_detector_has_no_comparisons(study, trees, tmp_path):
    found = study(tmp_path, uadfv=trees["uadfv"], detectors="Meso4")
    assert found["comparisons"] == []
    (finding,) = found["findings"]
    assert "linear" in finding["claim"]
    # One for each attack that is not weaker than FGSM.
    weak = {(w["attack"], w["norm"]) for w in found["weak_attacks"]}
    assert finding["n"] <= 5 - len(weak)
