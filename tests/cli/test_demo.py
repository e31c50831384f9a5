"""The demo: a table of mixed columns by default, and its verdict on stated needs."""

import json

import pytest

for needed in ("click", "jinja2", "matplotlib", "pandas", "skops"):
    pytest.importorskip(needed)

from cli_runner import run  # noqa: E402

from skrobust.cli.demo_table import patients  # noqa: E402


def test_the_table_of_the_demo_has_mixed_columns():
    X, y = patients()
    assert X.shape == (442, 10)
    assert sorted(set(X["sex"])) == ["female", "male"]
    assert {kind.kind for kind in X.drop(columns="sex").dtypes} == {"i", "f"}
    assert sorted(set(y)) == ["fast", "slow"]


@pytest.mark.slow
def test_the_demo_ends_with_the_report_to_open_and_its_verdicts(tmp_path):
    out, twin = tmp_path / "demo.html", tmp_path / "demo.json"
    code, text, err = run("demo", "--quick", "--out", out, "--json", twin)
    assert code == 0, err
    found = json.loads(twin.read_text())
    models = [model["name"] for model in found["models"]]
    assert models == ["boosted trees", "logistic regression"]
    assert found["settings"]["eps"] == "0.1 std"
    for model in found["models"]:
        assert model["clean"]["value"] > 0.65
        worst = model["stability"]["worst_score"]
        assert worst < 0.6  # a drift takes the need of the worst condition
        assert model["attacks"]["auto"]["robust_accuracy"] > worst
    assert f"report: {out}" in text
    assert out.read_text(encoding="utf-8").count("fails") >= 2
