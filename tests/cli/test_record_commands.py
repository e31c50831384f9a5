"""Commands verify and replay, and the options that write records."""

import json

import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib").use("Agg")
pandas = pytest.importorskip("pandas")
skops = pytest.importorskip("skops.io")
pytest.importorskip("click.testing")

from cli_runner import run  # noqa: E402
from forged_records import change_facts  # noqa: E402

DATA = ("--data", "t.csv", "--target", "kind", "--x-train", "train.csv")
DATA += ("--aside", "site", "--quiet")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("commands")
    frame, y = load_iris(as_frame=True).data, load_iris().target
    for name, c in (("m", 1.0), ("other", 0.5)):
        model = LogisticRegression(max_iter=500, C=c).fit(frame.to_numpy()[::2], y[::2])
        skops.dump(model, folder / f"{name}.skops")
    test = frame[1::3].assign(kind=y[1::3], site=["a", "b"] * 25)
    test.to_csv(folder / "t.csv", index=False)
    frame[::2].to_csv(folder / "train.csv", index=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        code, _, stderr = run(
            "report", "m.skops", "t.csv", "--target", "kind", "--groups", "site",
            "--x-train", "train.csv", "--eps", "0.1 std", "--out", "r.html", "--json",
            "r.json", "--record", "record.skr", "--n-labels", "5", "--no-checks",
            "--quiet",
        )  # fmt: skip
    assert code == 0, stderr
    return folder


@pytest.fixture(autouse=True)
def inside(folder, monkeypatch):
    monkeypatch.chdir(folder)


def test_verify(folder):
    code, stdout, stderr = run("verify", "record.skr")
    assert [code, stderr] == [0, ""]
    assert "model 'm'                        not given" in stdout
    code, stdout, _ = run(
        "verify", "record.skr", "--model", "m.skops", *DATA, "--report", "r.json",
        "--json", "-",
    )  # fmt: skip
    facts = json.loads(stdout)
    assert [code, facts["ok"]] == [0, True]
    assert {row[1] for row in facts["rows"]} == {"holds"}
    digest = facts["sha256"]
    assert run("verify", "record.skr", "--sha256", digest.upper())[0] == 0


def test_verify_names_what_does_not_hold(folder):
    code, _, stderr = run(
        "verify", "record.skr", "--model", "other.skops", *DATA, "--sha256", "abc"
    )
    assert code == 1
    assert stderr == (
        "skrobust: 'record.skr' does not hold: model 'm' (differs), published digest "
        "(differs).\n"
    )
    (folder / "bad.skr").write_bytes((folder / "record.skr").read_bytes())
    change_facts(folder / "bad.skr", lambda f: f["settings"].popitem())
    code, _, stderr = run("verify", "bad.skr", "--quiet")
    assert code == 1
    assert "does not hold: settings (damaged)" in stderr
    code, _, stderr = run("verify", "t.csv")
    assert code == 2
    assert stderr.count("\n") == 1
    assert "'t.csv' is no record of skrobust" in stderr


def test_replay(folder):
    code, stdout, stderr = run("replay", "record.skr", "--model", "m.skops", *DATA)
    assert [code, stdout, stderr] == [0, "", ""]
    loud = [word for word in DATA if word != "--quiet"]
    code, stdout, _ = run("replay", "record.skr", "--model", "m.skops", *loud)
    assert code == 0
    assert stdout.split("\n")[0].split()[:4] == [
        "step", "quantity", "recorded", "replayed"
    ]  # fmt: skip
    assert "compared quantities are equal." in stdout
    assert "m: auto" in stdout
    code, stdout, _ = run(
        "replay", "record.skr", "--model", "m.skops", *DATA, "--json", "-"
    )
    facts = json.loads(stdout)
    assert facts["ok"]
    assert [facts["largest_difference"], facts["reasons"]] == [0.0, []]


def test_replay_names_other_inputs_before_computing():
    code, _, stderr = run("replay", "record.skr", "--model", "other.skops", *DATA)
    assert code == 2
    assert "nothing was computed: model 'm' (differs" in stderr
    code, _, stderr = run("replay", "record.skr", "--model", "m.skops", "--quiet")
    assert code == 2
    assert "rows scored (not given); labels (not given)" in stderr
    code, _, stderr = run("replay", "record.skr", *DATA)
    assert code == 2
    assert "--data needs --model" in stderr
    assert run("replay", "none.skr")[0] == 2
    assert run("verify", "none.skr")[0] == 2


def test_record_and_page_are_in_one_folder():
    code, _, stderr = run(
        "report", "m.skops", "iris", "--out", "r.html", "--record", "/tmp/r.skr"
    )
    assert code == 2
    assert "--record and --out must be in one folder" in stderr
    code, _, stderr = run(
        "report", "m.skops", "iris", "--out", "r.html", "--record", "r.html"
    )
    assert code == 2
    assert "--out and --record must be two files." in stderr


def test_an_operational_test_is_recorded(folder):
    frame = pandas.read_csv("t.csv").drop(columns=["kind", "site"])
    frame.to_csv("pool.csv", index=False)
    state = ["--state", "s.json", "--quiet"]
    code, _, stderr = run(
        "sample", "pool.csv", "--model", "m.skops", *state, "-n", "6", "--to-label",
        "a.csv",
    )  # fmt: skip
    assert code == 0, stderr
    answers = pandas.read_csv("a.csv")
    answers["verdict"] = ["right"] * 5 + ["wrong"]
    answers.to_csv("a.csv", index=False)
    code, _, stderr = run(
        "sample", "pool.csv", *state, "--answers", "a.csv", "--record", "s.skr"
    )
    assert code == 0, stderr
    code, stdout, _ = run("verify", "s.skr")
    assert code == 0
    assert "draws                   holds" in stdout
    assert run("replay", "s.skr", "--quiet")[0] == 0
    change_facts(folder / "s.skr", lambda f: f["numbers"].clear())
    assert run("verify", "s.skr", "--quiet")[0] == 1
    code, _, stderr = run("sample", "pool.csv", *state, "--record", "s.json")
    assert code == 2
    assert "--state and --record must be two files." in stderr
