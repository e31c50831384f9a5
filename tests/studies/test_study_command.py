"""Command ``skrobust study deepfake``."""

import json
import sys

import pytest

for package in ("torch", "skorch", "PIL", "jinja2", "av", "click"):
    pytest.importorskip(package)

from cli_runner import run  # noqa: E402
from report_page import Page, browse, find_browser  # noqa: E402

QUICK = ("--quick", "--cropped", "--device", "cpu", "--n-epochs", 2)


@pytest.fixture
def two(small):
    return ("--detector", "meso4", "--detector", "resnet34", *QUICK)


def test_a_study_from_the_command_line(two, trees, tmp_path):
    out = tmp_path / "out"
    words = ("--uadfv", trees["uadfv"], *two, "--no-clips", "--out", out)
    code, shown, said = run("study", "deepfake", *words)
    assert code == 0
    assert "Carlini-Wagner" in shown
    assert "is alike for all detectors" in shown
    assert f"report written to {out}/report.html" in shown
    assert "images to train on" in said
    results = json.loads((out / "results.json").read_text())
    assert results["settings"]["size"] == "quick"
    assert results["clip_attacks"] == []
    assert len(results["chains"]) == 18
    page = Page((out / "report.html").read_text())
    anchors = [a["attrs"]["href"].removeprefix("#") for a in page.all("a")]
    ids = {e["attrs"].get("id") for e in page.all("section")}
    assert set(anchors) <= ids
    code, shown, said = run("study", "deepfake", *words, "--quiet")
    assert (code, shown, said) == (0, "", "")


@pytest.mark.slow
@pytest.mark.skipif(find_browser() is None, reason="no browser")
def test_the_page_in_a_browser(two, trees, tmp_path):
    out = tmp_path / "out"
    run("study", "deepfake", "--uadfv", trees["uadfv"], *two, "--out", out)
    dom, said = browse(out / "report.html")
    assert said == []  # its policy allows all that it has
    assert dom.count("<svg") >= 10


def test_errors_are_one_sentence(small, trees, tmp_path, monkeypatch):
    out, uadfv = ("--out", tmp_path / "out"), ("--uadfv", trees["uadfv"])
    for words, sentence in (
        ((), "at least one of ffpp"),
        ((*uadfv, "--quick", "--full"), "one of --quick and --full"),
        ((*uadfv, "--weights", "Meso4"), "is not NAME=VALUE"),
        ((*uadfv, "--weights", "Mesa=a.h5"), "Did you mean Meso4"),
        ((*uadfv, "--cropped", "--weights", "Meso4=none.h5"), "a file for Meso4"),
        (("--uadfv", "none", "--cropped", "--detector", "Meso4"), "path of a folder"),
    ):
        code, _, said = run("study", "deepfake", *words, *out)
        assert code == 2
        assert sentence in said
    monkeypatch.setitem(sys.modules, "cv2", None)
    code, _, said = run("study", "deepfake", *uadfv, *out)
    assert code == 2
    assert "--cropped" in said


def test_the_options_are_the_arguments_of_python():
    import inspect

    from skrobust.cli.commands.study_command import deepfake
    from skrobust.studies import deepfake_study

    names = set(inspect.signature(deepfake_study).parameters)
    options = {param.name for param in deepfake.params}
    assert options - {"seed", "quiet", "quick", "full"} == names - {
        "random_state", "progress", "size", "verbose",
    }  # fmt: skip
