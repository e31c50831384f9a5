"""Every study runs in its quick form, and its page includes what it writes."""

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
STUDIES = sorted((ROOT / "studies").glob("[0-9]*.py"))
DATA = ROOT.parent / "shared" / "data"


@pytest.fixture(scope="session")
def parts(tmp_path_factory):
    return tmp_path_factory.mktemp("parts")


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parametrize("script", STUDIES, ids=lambda path: path.stem)
def test_the_quick_form_runs(script, parts, tmp_path):
    if not DATA.is_dir():
        pytest.skip("needs the folder of shared data")
    pytest.importorskip("torch")
    command = [sys.executable, str(script), "--quick", "--data", str(DATA)]
    command += ["--parts", str(parts), "--write", str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    found = subprocess.run(
        command, capture_output=True, text=True, env=environment, check=False
    )
    assert found.returncode == 0, found.stderr[-2000:]
    facts = json.loads((tmp_path / f"{script.stem}.json").read_text())
    assert facts["form"] == "quick"
    assert facts["answer"]
    assert "nan" not in facts["answer"]


@pytest.mark.parametrize("script", STUDIES, ids=lambda path: path.stem)
def test_each_study_has_its_page_with_the_full_form(script):
    page = (ROOT / "doc" / "studies" / f"{script.stem}.rst").read_text()
    for part in ("**Question.**", "**Method**", f"{script.stem}.inc", "**Limits.**"):
        assert part in page
    facts = json.loads((ROOT / "doc" / "studies" / f"{script.stem}.json").read_text())
    assert facts["form"] == "full"


def test_nets_of_torchvision_have_its_parameters(tmp_path, monkeypatch):
    torch = pytest.importorskip("torch")
    monkeypatch.syspath_prepend(str(ROOT / "studies"))
    nets = importlib.import_module("torchvision_nets")
    with torch.device("meta"):  # nothing is allocated
        made = {"alexnet": nets.alexnet(), "vgg19": nets.vgg19()}
    counts = {k: sum(p.numel() for p in net.parameters()) for k, net in made.items()}
    assert counts == {"alexnet": 61_100_840, "vgg19": 143_667_240}
    names = {"features.10.weight", "classifier.1.weight", "classifier.6.bias"}
    assert names <= set(made["alexnet"].state_dict())
    names = {"features.34.weight", "classifier.0.weight", "classifier.6.bias"}
    assert names <= set(made["vgg19"].state_dict())
    assert nets.given(None) == nets.given(tmp_path) == []
    (tmp_path / "alexnet-owt-7be5be79.pth").touch()
    assert nets.given(tmp_path) == ["AlexNet"]
