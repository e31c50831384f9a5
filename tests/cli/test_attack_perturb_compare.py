"""attack, compare, perturb, doctor, completion and the thresholds of --fail-under."""

import hashlib
import io
import json
import os
import signal
import subprocess
import sys
import tarfile
import time
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib").use("Agg")
pytest.importorskip("tqdm")
pandas = pytest.importorskip("pandas")
skops_io = pytest.importorskip("skops.io")
pytest.importorskip("click.testing")

from cli_runner import run  # noqa: E402

from skrobust.attacks import FGSM  # noqa: E402
from skrobust.cli import main, perturbed_copies  # noqa: E402
from skrobust.cli.batched_source import batched_source  # noqa: E402
from skrobust.cli.thresholds import judge, write_junit  # noqa: E402
from skrobust.evaluation import evaluate_attack  # noqa: E402

HERE = Path(__file__).parents[2]


def arrays(path):
    with np.load(path) as file:
        return dict(file)


def refused(*args):
    code, _, stderr = run(*args)
    lines = [line for line in stderr.splitlines() if not line.startswith("[")]
    assert code == 2
    assert "Traceback" not in stderr
    return lines[-1]


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with models and tables, with a space and an umlaut in its name."""
    folder = tmp_path_factory.mktemp("two wörds")
    X, y = load_iris(return_X_y=True)
    for name, C in (("strong", 1.0), ("weak", 0.001)):
        model = LogisticRegression(C=C, max_iter=500).fit(X, y)
        skops_io.dump(model, folder / f"{name}.skops")
    skops_io.dump(LinearRegression().fit(X, y), folder / "line.skops")
    frame = pandas.DataFrame(X, columns=["a", "b", "c", "d"]).assign(kind=y)
    frame.to_csv(folder / "rows ü.csv", index=False)
    np.savez(folder / "rows.npz", X=X, y=y)
    return folder


def test_attack_tells_what_the_library_tells(folder, tmp_path):
    code, out, _ = run(
        "attack", folder / "strong.skops", "iris", "--eps", "0.2,0.5", "--attack",
        "fgsm", "--json", "-", "--save", tmp_path / "a b.npz", "--no-checks",
    )  # fmt: skip
    assert code == 0
    found = json.loads(out)["attacks"]
    X, y = load_iris(return_X_y=True)
    model = skops_io.load(folder / "strong.skops")
    saved = arrays(tmp_path / "a b.npz")
    for row, eps in zip(found, (0.2, 0.5), strict=True):
        expected = evaluate_attack(model, X, y, FGSM(eps, random_state=0))
        assert row["robust_accuracy"] == expected.robust_accuracy
        adversarial = saved[f"adv_FGSM_{eps:g}"]
        assert np.abs(adversarial - saved["X"]).max() <= eps * (1 + 1e-6)
        assert (model.predict(adversarial) == y).mean() == row["robust_accuracy"]
    assert [p.name for p in tmp_path.iterdir()] == ["a b.npz"]  # no parts are left


def test_thresholds_decide_the_exit_code_and_are_test_cases(folder, tmp_path):
    command = ["attack", folder / "strong.skops", "iris", "--eps", "0.5", "--attack"]
    command += ["FGSM", "--no-checks", "--junit", tmp_path / "j.xml"]
    assert run(*command, "--fail-under", "accuracy=0.9")[0] == 0
    code, _, stderr = run(
        *command, "--fail-under", "accuracy=0.9", "--fail-under", "robust_accuracy=0.99"
    )
    assert code == 1
    assert "robust_accuracy of strong is" in stderr
    suite = ET.parse(tmp_path / "j.xml").getroot()[0]
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    assert [len(case) for case in suite] == [0, 1]
    assert "must name one of" in refused(*command, "--fail-under", "nonsense=1")
    assert "number" in refused(*command, "--fail-under", "accuracy=nan")


def test_the_lower_limit_may_decide(folder, tmp_path):
    command = ["attack", folder / "strong.skops", "iris", "--eps", "0.5,0.7"]
    command += ["--attack", "FGSM", "--no-checks", "--json", tmp_path / "r.json"]
    command += ["--junit", tmp_path / "j.xml"]
    assert run(*command)[0] == 0
    rows = json.loads((tmp_path / "r.json").read_text())["attacks"]
    low = min(row["robust_accuracy_interval"][0] for row in rows)
    bar = (low + min(row["robust_accuracy"] for row in rows)) / 2
    assert run(*command, "--fail-under", f"robust_accuracy={bar}")[0] == 0
    passes = f"robust_accuracy={low - 1e-6}"
    assert run(*command, "--fail-under-limit", passes)[0] == 0
    code, _, stderr = run(*command, "--fail-under-limit", f"robust_accuracy={bar}")
    assert code == 1
    text = "threshold FAILED: the lower 95 % limit of robust_accuracy of strong is"
    assert stderr.strip().endswith(f"{text} {low:.4g}, must be at least {bar:g}")
    case = ET.parse(tmp_path / "j.xml").getroot()[0][0]
    assert case.get("name") == f"lower limit of robust_accuracy >= {bar:g}"
    assert "must name one of" in refused(*command, "--fail-under-limit", "nonsense=1")
    # R2 has no interval, which does not pass.
    code, _, stderr = run(
        "attack", folder / "line.skops", "iris", "--eps", "0.1", "--attack", "FGSM",
        "--fail-under-limit", "r2=-100",
    )  # fmt: skip
    assert code == 1
    assert "limit of r2 of line is not measured" in stderr
    args = ["report", folder / "strong.skops", "iris", "--out", tmp_path / "r.html"]
    args += ["--fail-under-limit", "accuracy=0.5", "--fail-under-limit", "asi=0.1"]
    code, _, stderr = run(*args)
    assert code == 1
    assert "passed: the lower 95 % limit of accuracy of strong" in stderr
    assert "limit of asi of strong is not measured" in stderr
    args = ["compare", folder / "weak.skops", folder / "strong.skops", "iris"]
    assert run(*args, "--fail-under-limit", "accuracy=0.9")[0] == 1


def test_what_was_not_measured_does_not_pass(folder, tmp_path):
    decisions = judge([("asi", 0.0)], {"\x00m<": {"asi": None}, "n": {"asi": np.nan}})
    assert [v["passed"] for v in decisions] == [False, False]
    write_junit(tmp_path / "j.xml", decisions, "report", 0.0)
    assert ET.parse(tmp_path / "j.xml").getroot()[0].get("errors") == "2"
    code, _, stderr = run(
        "report", folder / "strong.skops", "iris", "--out", tmp_path / "r.html",
        "--fail-under", "asi=0.1",
    )  # fmt: skip
    assert code == 1
    assert "asi of strong is not measured" in stderr


def test_compare_ranks_each_model_and_applies_thresholds(folder):
    args = ["compare", folder / "weak.skops", folder / "strong.skops", "iris"]
    code, out, _ = run(*args, "--json", "-", "--quiet", "--fail-under", "accuracy=0.9")
    found = json.loads(out)
    assert code == 1  # the weak one
    assert found["format"] == "skrobust compare 3"
    assert "ranking_kept" not in found
    assert [row["model"] for row in found["ranking"]] == ["strong", "weak"]
    assert all(r["rank_low"] <= r["rank"] <= r["rank_high"] for r in found["ranking"])
    assert {row["by"] for row in found["thresholds"]} == {"estimate"}
    decisions = {row["model"]: row for row in found["thresholds"]}
    assert decisions["weak"]["threshold"] == 0.9
    assert not decisions["weak"]["passed"]
    values = {r["model"]: r["accuracy"]["value"] for r in found["ranking"]}
    row = found["differences"][0]
    assert (row["better"], row["worse"]) == ("strong", "weak")
    assert np.isclose(row["difference"], values["strong"] - values["weak"])
    assert row["low"] <= row["difference"] <= row["high"]
    code, out, _ = run(*args, "--eps", "0.3", "--attack", "FGSM")
    assert code == 0
    assert "difference in robust accuracy" in out
    assert "Holm over 1 pairs" in out
    assert "has the highest robust accuracy" in out
    assert "and --eps" in refused(*args, "--rank-by", "robust_accuracy")
    assert "two or more" in refused("compare", folder / "weak.skops", "iris")
    assert "others are not" in refused(*args[:2], folder / "line.skops", "iris")
    assert "features" in refused(*args[:3], "digits")
    assert not list(Path().glob(".skrobust-*"))  # no empty folders are left


def test_perturb_table_keeps_names_labels_and_files(folder, tmp_path):
    source, out = folder / "rows ü.csv", tmp_path / "new ü"
    args = ["perturb", source, "--target", "kind", "--out", out, "--perturbation"]
    args += ["feature-noise", "--severity", "2", "--seed", "3"]
    assert run(*args)[0] == 0
    old, new = pandas.read_csv(source), pandas.read_csv(out / source.name)
    assert list(old) == list(new)
    assert (old["kind"] == new["kind"]).all()
    assert not (old["a"] == new["a"]).any()
    before = (out / source.name).read_bytes()
    assert "--force" in refused(*args)
    assert run(*args, "--force")[0] == 0
    assert (out / source.name).read_bytes() == before  # the same seed


def test_perturb_names_a_kind_that_does_not_apply(tmp_path):
    source, out = tmp_path / "texts.csv", tmp_path / "o"
    pandas.DataFrame({"text": ["\u4f60\u597d", "\u518d\u89c1"]}).to_csv(
        source, index=False
    )
    args = ["perturb", source, "--severity", 3, "--out", out, "--perturbation"]
    code, text, _ = run(*args, "CaseChange")
    assert code == 0
    assert "note: CaseChange does not apply to these rows, which stay unchanged" in text
    code, text, _ = run(*args, "WordSwap", "--force")
    assert "does not apply" not in text


def test_perturb_goes_on_where_it_was(folder, tmp_path, monkeypatch):
    whole, out = tmp_path / "whole", tmp_path / "out"
    args = ["perturb", folder / "rows.npz", "--preset", "tabular", "--out"]
    assert run(*args, whole)[0] == 0
    names = sorted(p.relative_to(whole) for p in whole.rglob("*.npz"))
    manifest = json.loads((whole / "skrobust-perturb.json").read_text())
    assert sorted(manifest["files"]) == [name.as_posix() for name in names]
    for name in names:
        content = (whole / name).read_bytes()
        digest = hashlib.sha256(content).hexdigest()
        assert manifest["files"][name.as_posix()] == digest
    written, write = [], perturbed_copies.write_whole

    def killed(place, content):
        if len(written) == 5:
            raise KeyboardInterrupt
        written.append(place)
        write(place, content)

    with monkeypatch.context() as patch:
        patch.setattr(perturbed_copies, "write_whole", killed)
        assert run(*args, out)[0] == 130
    journal = out / "skrobust-perturb.journal"
    assert journal.read_bytes().count(b"\n") == 5
    assert "not empty" in refused(*args, out, "--seed", "1")  # other work
    content = bytearray(written[2].read_bytes())
    content[-30] ^= 1
    written[2].write_bytes(content)  # damaged, and so is the line of another one
    journal.write_bytes(journal.read_bytes().replace(b'"file"', b'"File"', 1))
    kept = [written[k].stat().st_mtime_ns for k in (1, 3, 4)]
    code, text, _ = run(*args, out)
    assert code == 0
    assert f"{len(names) - 3} files written" in text
    assert [written[k].stat().st_mtime_ns for k in (1, 3, 4)] == kept
    for name in names:
        assert (out / name).read_bytes() == (whole / name).read_bytes()
    assert not journal.exists()
    place = out / "skrobust-perturb.json"
    place.write_text(place.read_text().replace('"seed": 0', '"seed": 1'))
    assert "is damaged: 'seed' is not what was written" in refused(*args, out)


def test_perturb_images(tmp_path):
    image = pytest.importorskip("PIL.Image")
    source, out = tmp_path / "bilder ü", tmp_path / "out"
    (source / "a").mkdir(parents=True)
    values = np.random.default_rng(0).integers(0, 256, (12, 9, 3), dtype=np.uint8)
    image.fromarray(values).save(source / "a" / "x 1.png")
    image.fromarray(values[:8, :8, 0]).save(source / "b.jpg")
    args = ["perturb", source, "--perturbation", "GaussianNoise", "--severity"]
    assert run(*args, "3", "--out", out)[0] == 0
    with image.open(out / "a" / "x 1.png") as file:
        new = np.asarray(file)
    assert new.shape == values.shape
    assert (new != values).mean() > 0.5
    assert run(*args, "0", "--out", out, "--force")[0] == 0
    for name in ("a/x 1.png", "b.jpg"):  # nothing is compressed twice
        assert (out / name).read_bytes() == (source / name).read_bytes()
    assert "apart from the source" in refused(*args, "3", "--out", source / "in")


@pytest.mark.parametrize(
    ("args", "text"),
    [
        (["attack", "no.skops", "iris", "--eps", "1"], "no model file"),
        (["attack", "M", "no.csv", "--eps", "1"], "no data file"),
        (["attack", "M", "iris", "--eps", "-1"], "positive numbers"),
        (["attack", "M", "iris", "--eps", "1", "--attack", "X"], "is not one of"),
        (["attack", "M", "iris", "--eps", "1", "--set", "x=1"], "no setting 'x'"),
        (["attack", "M", "iris", "--eps", "1", "--save", "no/x.npz"], "no folder"),
        (["attack", "L", "iris", "--eps", "1", "--attack", "HopSkipJump"],
         "is a regressor"),
        (["perturb", "no.csv", "--preset", "tabular", "--out", "o"], "no table"),
        (["perturb", "T", "--out", "o"], "one of --preset"),
        (["perturb", "T", "--perturbation", "X", "--out", "o"], "is not one of"),
        (["perturb", "T", "--preset", "tabular", "--target", "z", "--out", "o"],
         "no column 'z'"),
    ],
)  # fmt: skip
def test_errors_are_one_sentence(folder, args, text):
    names = {"M": "strong.skops", "L": "line.skops", "T": "rows ü.csv"}
    args = [folder / names[a] if a in names else a for a in args]
    assert text in refused(*args)


def test_doctor_and_completion(capsys):
    code, out, _ = run("doctor", "--json")
    facts = json.loads(out)
    assert code == (0 if facts["ok"] else 1)
    assert {"numpy", "torch"} <= {row["name"] for row in facts["packages"]}
    for shell in ("bash", "zsh", "fish"):
        code, out, _ = run("completion", shell)
        assert code == 0
        assert "_SKROBUST_COMPLETE" in out


def test_doctor_without_what_the_commands_need(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "click", None)
    monkeypatch.setattr("skrobust.cli._is_installed", lambda name: name != "click")
    assert main(["doctor"]) == 1
    assert "pip install 'skrobust[report]'" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="no SIGINT for one process")
def test_ctrl_c_leaves_what_the_same_command_goes_on_from(folder, tmp_path):
    sizes = ",".join(f"{0.01 * i:g}" for i in range(1, 16))
    command = [sys.executable, "-m", "skrobust", "attack", folder / "strong.skops"]
    command += ["iris", "--eps", sizes, "--no-checks", "--json", tmp_path / "r.json"]
    command = [str(word) for word in command]
    env = {**os.environ, "PYTHONPATH": str(HERE)}
    work = subprocess.Popen(
        command, cwd=tmp_path, env=env, text=True, stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    until = time.monotonic() + 60
    while not list(tmp_path.glob(".skrobust-attack-*/*.part")):
        assert time.monotonic() < until
        assert work.poll() is None
        time.sleep(0.01)
    work.send_signal(signal.SIGINT)
    _, stderr = work.communicate(timeout=60)
    assert work.returncode == 130, stderr
    assert "Go on with: skrobust attack" in stderr
    assert "Traceback" not in stderr
    assert not (tmp_path / "r.json").exists()
    kept = {p: p.stat().st_mtime_ns for p in tmp_path.glob(".skrobust-attack-*/*.part")}
    again = [*command, "--checkpoint", str(next(iter(kept)).parent)]
    done = subprocess.run(again, cwd=tmp_path, env=env, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert kept == {p: p.stat().st_mtime_ns for p in kept}  # read, not made again
    assert len(json.loads((tmp_path / "r.json").read_text())["attacks"]) == 15


def test_rows_in_batches_give_the_same(folder, tmp_path):
    X, y = load_iris(return_X_y=True)
    frame = pandas.DataFrame(X, columns=list("abcd")).assign(kind=y)
    frame.to_parquet(tmp_path / "rows.parquet", row_group_size=31)
    np.save(tmp_path / "rows.npy", X)
    np.save(tmp_path / "kinds.npy", y)
    model = str(folder / "strong.skops")
    attack = ("attack", model, "--eps", "0.5", "--attack", "FGSM", "--json", "-")
    wanted = json.loads(run(attack[0], model, "iris", *attack[2:], "--no-checks")[1])
    for data, target in (("rows.parquet", "kind"), ("rows.npy", "kinds.npy")):
        more = ("--target", target, "--batch-size", "40", "--no-checks")
        code, stdout, stderr = run("attack", model, data, *attack[2:], *more)
        assert code == 0, stderr
        found = json.loads(stdout)
        assert found["n_samples"] == 150
        row, other = found["attacks"][0], wanted["attacks"][0]
        for name in ("accuracy", "robust_accuracy", "robust_ratio"):
            assert row[name] == pytest.approx(other[name])
    parts = ("rows.npy", *attack[2:], "--batch-size", "9")
    assert "with --target" in refused("attack", model, *parts)
    assert "needs all rows" in refused("attack", model, *parts, "--save", "a.npz")
    line = str(folder / "line.skops")
    parts = ("rows.npy", "--eps", "0.1", "--target", "kinds.npy", "--batch-size", "9")
    assert "is for classifiers" in refused("attack", line, *parts)
    parts = ("nothing.tar", "--eps", "0.1", "--batch-size", "9")
    assert "no folder with parquet or tar files" in refused("attack", model, *parts)


@pytest.mark.parametrize("classes", [["1", "02"], [1, 2]])
def test_labels_in_tar_files_are_of_the_kind_of_the_model(tmp_path, classes):
    X = np.arange(8.0).reshape(4, 2)
    model = DummyClassifier().fit(X[:2], classes)
    with tarfile.open(tmp_path / "rows.tar", "w") as tar:
        for i, label in enumerate((b"1", b"02", b"1", b"02")):
            row = io.BytesIO()
            np.save(row, X[i])
            for ending, content in (("npy", row.getvalue()), ("cls", label)):
                member = tarfile.TarInfo(f"{i}.{ending}")
                member.size = len(content)
                tar.addfile(member, io.BytesIO(content))
    (_, y), *_ = batched_source("rows.tar", None, 4, model)
    assert y.tolist() == [*classes, *classes]
    (_, y), *_ = batched_source("rows.tar", None, 4, model, label_as="text")
    assert y.tolist() == ["1", "02", "1", "02"]


def test_options_say_what_a_sample_in_tar_files_is(folder, tmp_path):
    X, y = load_iris(return_X_y=True)
    np.save(tmp_path / "rows.npy", X)
    np.save(tmp_path / "kinds.npy", y)
    with tarfile.open(tmp_path / "rows.tar", "w") as tar:
        for i, (row, kind) in enumerate(zip(X, y, strict=True)):
            parts = {"extra.npy": row * 0, "npy": row}
            for ending, values in parts.items():
                file = io.BytesIO()
                np.save(file, values)
                parts[ending] = file.getvalue()
            parts["json"] = json.dumps({"kind": int(kind)}).encode()
            for ending, content in parts.items():
                member = tarfile.TarInfo(f"{i}.{ending}")
                member.size = len(content)
                tar.addfile(member, io.BytesIO(content))
    model = str(folder / "strong.skops")
    attack = ("--eps", "0.5", "--attack", "FGSM", "--json", "-", "--batch-size", "40")
    npy = run("attack", model, "rows.npy", *attack, "--target", "kinds.npy")
    of_json = ("rows.tar", *attack, "--target", "json:kind")
    found = run("attack", model, *of_json, "--row", "npy")
    assert found[0] == 0, found[2]
    wanted = json.loads(npy[1])["attacks"]
    assert json.loads(found[1])["attacks"] == wanted
    assert wanted[0]["accuracy"] > 0.9
    other = run("attack", model, *of_json, "--row", "extra.npy")[1]
    assert json.loads(other)["attacks"][0]["accuracy"] < 0.5
    assert "row='npy'" in refused("attack", model, *of_json)
    assert "roman" in refused("attack", model, *of_json, "--label-as", "roman")
    parts = ("rows.npy", *attack, "--target", "kinds.npy", "--row", "npy")
    said = refused("attack", model, *parts)
    assert "--row is an option of tar files, and 'rows.npy' is an npy file" in said
    said = refused("attack", model, "iris", *attack[:2], "--convert")
    assert "--convert is an option of tar files, and --batch-size is needed" in said


def test_what_rows_in_batches_do_not_have_is_refused(folder, tmp_path):
    X, y = load_iris(return_X_y=True)
    np.save(tmp_path / "rows.npy", X)
    np.save(tmp_path / "flat.npy", X[:, 0])
    np.save(tmp_path / "kinds.npy", y)
    (tmp_path / "rows.csv").write_text("a,b\n1,2\n")
    model = str(folder / "strong.skops")

    def said(*parts, data="rows.npy", target="kinds.npy", eps="0.5"):
        more = ("--target", target, "--eps", eps, *parts)
        return refused("attack", model, data, *more)

    batched = ("--batch-size", "9")
    assert "--eps as a number: '0.1 std'" in said(*batched, eps="0.1 std")
    assert "and 'rows.csv' is none of these" in said(*batched, data="rows.csv")
    assert "There is no npy file 'y'; beside" in said(*batched, target="y")
    assert "need one label each" in said(*batched, target="rows.npy")
    assert "rows have two axes at least" in said(*batched, data="flat.npy")
    assert "'rows.npy' is no table; skrobust attack reads" in said()
