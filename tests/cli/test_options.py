"""Options that the commands share with Python, and what they write."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from problems import digit_rows
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_iris
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib").use("Agg")
pytest.importorskip("tqdm")
pandas = pytest.importorskip("pandas")
skops_io = pytest.importorskip("skops.io")
pytest.importorskip("click.testing")

from cli_runner import run  # noqa: E402

from skrobust.cli import command_group  # noqa: E402
from skrobust.cli.command_text import command_text  # noqa: E402
from skrobust.metrics import confidence_interval  # noqa: E402
from skrobust.metrics.stability.asi_interval import UNRESOLVED  # noqa: E402
from skrobust.perturbations import GaussianNoise, get_preset  # noqa: E402
from skrobust.report import build_markdown, build_report, collect_report  # noqa: E402
from skrobust.report.core.summary_cells import ends_text, interval_ends  # noqa: E402

HERE = Path(__file__).parents[2]


def refused(*args):
    code, _, stderr = run(*args)
    assert code == 2
    assert "Traceback" not in stderr
    return [line for line in stderr.splitlines() if not line.startswith("[")][-1]


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    X, y = load_iris(return_X_y=True)
    frame = pandas.DataFrame(X, columns=list("abcd"))
    for name, C in (("weak", 0.01), ("strong", 10)):
        model = LogisticRegression(C=C, max_iter=2000).fit(frame, y)
        skops_io.dump(model, folder / f"{name}.skops")
        skops_io.dump(
            LogisticRegression(C=C, max_iter=2000).fit(X, y),
            folder / f"bare-{name}.skops",
        )
    target = X @ [1.0, -2.0, 0.5, 3.0]
    skops_io.dump(LinearRegression().fit(frame, target), folder / "line.skops")
    skops_io.dump(Ridge(50.0).fit(frame, target), folder / "ridge.skops")
    table = frame.assign(kind=y, region=np.arange(150) % 2, month=np.arange(150) % 5)
    table.to_csv(folder / "all.csv", index=False)
    table[["a", "b", "c", "d", "kind"]].to_csv(folder / "train.csv", index=False)
    frame.assign(value=target).to_csv(folder / "value.csv", index=False)
    holes = frame.assign(kind=y)
    holes.loc[[1, 5], "a"] = np.nan
    holes.to_csv(folder / "holes.csv", index=False)
    return folder


# Report


@pytest.mark.slow
def test_report_has_the_arguments_of_python(folder, tmp_path):
    out = tmp_path / "r.html"
    code, text, err = run(
        *("report", folder / "bare-strong.skops", folder / "all.csv"),
        *("--target", "kind"),
        *("--eps", "0.1,0.3", "--attack", "FGSM", "--attack", "PGD"),
        *("--set", "n_steps=5", "--groups", "region"),
        *("--radii", "0.1,0.4", "--x-train", folder / "train.csv"),
        *("--times", "month", "--no-checks", "--markdown", tmp_path / "r.md"),
        *("--json", tmp_path / "r.json", "--out", out, "--n-labels", 20),
        *("--checkpoint", tmp_path / "parts", "--fail-under", "robust_accuracy=0.99"),
    )  # fmt: skip
    # The columns beside are no features, so the model of four takes the table.
    assert code == 1, err  # the threshold
    found = json.loads((tmp_path / "r.json").read_text())
    model = found["models"][0]
    names = ["FGSM, eps 0.1", "FGSM, eps 0.3", "PGD, eps 0.1", "PGD, eps 0.3"]
    assert list(model["attacks"]) == names
    assert "n_steps=5" in model["attacks"]["PGD, eps 0.1"]["attack"]
    assert model["curve"]["eps"] == [0.1, 0.4]
    assert list(model["groups"]) == ["region"]
    assert model["times"]["period"] == list("01234")
    assert model["doubts"] is None
    assert found["settings"]["eps"] == [0.1, 0.3]
    for name in names:
        assert f"Robust accuracy, {name}" in text
    assert (tmp_path / "r.md").read_text().startswith("#")
    assert list((tmp_path / "parts").glob("*.part"))
    assert "0.1, 0.3" in out.read_text(encoding="utf-8")


def test_errors_of_a_report_name_the_command(folder):
    args = ["report", folder / "bare-strong.skops", "iris", "--out", "r.html"]
    text = refused(*args, "--radii", "2,1")
    assert "The 'radii' parameter of skrobust report must be" in text


def test_a_column_beside_that_is_not_there(folder, tmp_path):
    args = ["report", folder / "bare-strong.skops", folder / "all.csv"]
    args += ["--target", "kind", "--out", tmp_path / "r.html"]
    assert "no column 'town'" in refused(*args, "--groups", "town")
    assert "must be two files" in refused(*args, "--markdown", tmp_path / "r.html")


def test_call_names_what_was_given():
    command = command_group.skrobust.get_command(None, "report")
    args = ["a b.skops", "digits", "--out", "r.html", "--eps", "0.1,8", "--no-checks"]
    args += ["--set", "n_steps=7", "--groups", "x", "--groups", "y", "--seed", "3"]
    args += ["--fail-under", "asi=0.25", "--checkpoint", "c", "--data-range", "0,1"]
    ctx = command.make_context("report", list(args))
    again = command_text(ctx)
    assert again.startswith("skrobust report 'a b.skops' digits")
    import shlex

    second = command.make_context("report", shlex.split(again)[2:])
    differ = {k for k in ctx.params if ctx.params[k] != second.params[k]}
    assert differ == {"checkpoint"}


# One form of the interval of the index


@pytest.fixture(scope="module")
def unresolved():
    X, y = digit_rows()
    model = LogisticRegression(max_iter=2000).fit(X[:900] / 16, y[:900])
    settings = {"image_shape": (8, 8), "data_range": (0, 1)}
    noises = [
        GaussianNoise(severity=1 + 0.2 * i, random_state=i, **settings)
        for i in range(4)
    ]
    rows = X[900:980] / 16, y[900:980]
    few = collect_report({"m": model}, *rows, conditions=noises, **settings)
    found = few["models"][0]["stability"]
    with pytest.warns(UserWarning, match="index is unresolved"):
        return few, confidence_interval("accuracy_stability_index", found["correct"])


def test_index_without_an_upper_end_says_so_everywhere():
    class Found:
        low, high, warnings = 0.25, 1.0, (UNRESOLVED,)

    assert interval_ends(Found) == ((0.25, None), "too few rows for an upper end")
    assert ends_text((0.25, None), str) == "at least 0.25"
    Found.warnings = ()
    assert interval_ends(Found) == ((0.25, 1.0), None)
    assert ends_text((0.25, 1.0), str) == "0.25 to 1.0"
    Found.low = float("nan")
    assert interval_ends(Found) == (None, "too few rows for an interval")
    assert interval_ends(None) == (None, None)


@pytest.mark.slow
def test_page_twins_and_terminal_agree_on_the_index(unresolved):
    from skrobust.cli.terminal_text import summary_text
    from skrobust.report.core._report_json import plain_report

    collected, interval = unresolved
    assert UNRESOLVED in interval.warnings
    twin = plain_report(collected)["models"][0]["stability"]
    assert twin["interval"] == [interval.low, None]
    assert twin["interval_note"] == "too few rows for an upper end"
    low = f"at least {interval.low:.3f}"
    assert low in summary_text(collected)
    assert low in build_markdown(collected)
    assert low.replace("-", "\N{MINUS SIGN}") in build_report(collected)


# Regressors


def test_attack_moves_regressors(folder):
    args = ["attack", folder / "line.skops", folder / "value.csv", "--target", "value"]
    args += ["--eps", "0.1", "--attack", "PGD", "--json", "-", "--tolerance"]
    code, out, _ = run(*args, "0.651")
    row = json.loads(out)["attacks"][0]
    assert code == 0
    # A linear model moves by eps times the sum of the sizes of its weights.
    assert np.isclose(row["prediction_shift"], 0.1 * 6.5, rtol=1e-6)
    assert (row["robust_ratio"], row["r2"]) == (pytest.approx(1), pytest.approx(1))
    assert row["robust_r2"] < 1
    assert json.loads(run(*args, "0.6")[1])["attacks"][0]["robust_ratio"] == 0
    assert run(*args[:-2], "out.json", "--fail-under", "robust_ratio=0.5")[0] == 1


@pytest.mark.slow
def test_regressors_are_compared_row_by_row(folder):
    args = ["compare", folder / "line.skops", folder / "ridge.skops"]
    args += [folder / "value.csv", "--target", "value", "--json", "-"]
    found = json.loads(run(*args)[1])
    assert (found["ranked_by"], found["ranking"][0]["model"]) == ("r2", "line")
    found = json.loads(run(*args, "--eps", "0.1", "--tolerance", "0.6")[1])
    assert (found["ranked_by"], found["ranking"][0]["model"]) == (
        "robust_ratio",
        "ridge",
    )
    assert found["differences"][0]["verdict"] == "real"
    assert "regressor" in refused(*args, "--preset", "tabular")
    assert "needs classifiers" in refused(*args, "--rank-by", "asi")


# Conditions


@pytest.mark.slow
def test_compare_takes_presets_of_tables(folder):
    args = ["compare", folder / "weak.skops", folder / "strong.skops"]
    args += [folder / "train.csv", "--target", "kind", "--preset", "tabular"]
    found = json.loads(run(*args, "--json", "-", "--x-train", folder / "train.csv")[1])
    assert found["ranked_by"] == "asi"
    first = found["ranking"][0]
    assert {"mean_accuracy", "asi", "accuracy"} <= set(first)
    assert first["asi"]["interval"] is None or first["asi"]["interval"][0] <= 1
    own = json.loads(run(*args, "--json", "-")[1])
    assert any("--x-train" in text for text in own["warnings"])
    assert own["ranking"][0]["asi"] == first["asi"]  # the same rows
    code, out, _ = run(*args, "--rank-by", "mean_accuracy")
    assert code == 0
    assert "mean accuracy" in out
    assert "one column" in refused(*args[:-1], "text")


# Copies


def test_equal_images_get_noise_of_their_own_as_in_one_batch(tmp_path):
    image = pytest.importorskip("PIL.Image")
    source, out = tmp_path / "in", tmp_path / "out"
    source.mkdir()
    values = np.random.default_rng(0).integers(60, 190, (9, 8), dtype=np.uint8)
    other = values[::-1].copy()
    batch = np.stack([values, other, values, values])
    for i, one in enumerate(batch):
        image.fromarray(one).save(source / f"{i}.png")
    args = ["perturb", source, "--perturbation", "GaussianNoise", "--severity", "3"]
    assert run(*args, "--out", out)[0] == 0
    copies = [np.asarray(image.open(out / f"{i}.png")) for i in range(4)]
    wanted = GaussianNoise(severity=3, random_state=0).perturb(None, batch, None)
    assert np.array_equal(copies, wanted)
    assert not np.array_equal(copies[0], copies[2])


def test_parquet_in_and_out(folder, tmp_path):
    pytest.importorskip("pyarrow")
    frame = pandas.read_csv(folder / "train.csv")
    frame.to_parquet(tmp_path / "rows.parquet")
    args = ["--target", "kind", "--perturbation", "FeatureNoise", "--severity", "2"]
    assert run("perturb", tmp_path / "rows.parquet", *args, "--out", "p")[0] == 0
    assert run("perturb", folder / "train.csv", *args, "--out", "c")[0] == 0
    new = pandas.read_parquet("p/rows.parquet")
    assert np.allclose(new, pandas.read_csv("c/train.csv"))
    code, _, err = run(
        *("report", folder / "weak.skops", tmp_path / "rows.parquet"),
        *("--target", "kind", "--out", "r.html"),
    )
    assert code == 0, err


def test_holes_stay_holes(folder):
    args = ["--target", "kind", "--perturbation", "FeatureNoise", "--severity", "2"]
    assert run("perturb", folder / "holes.csv", *args, "--out", "o")[0] == 0
    old, new = pandas.read_csv(folder / "holes.csv"), pandas.read_csv("o/holes.csv")
    assert np.array_equal(old.isna(), new.isna())
    assert "missing" in refused(
        *("compare", folder / "weak.skops", folder / "strong.skops"),
        *(folder / "holes.csv", "--target", "kind"),
    )


def test_places_that_may_not_be_written(folder, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    args = ["perturb", folder / "train.csv", "--preset", "tabular", "--out", "o"]
    assert "may not be written" in refused(*args)
    assert not Path("o").exists()


# Ctrl-C


def interrupted(command, seen, tmp_path):
    """Start a command, interrupt it when a file is seen, and return what it said."""
    env = {**os.environ, "PYTHONPATH": str(HERE)}
    command = [sys.executable, "-m", "skrobust", *map(str, command)]
    work = subprocess.Popen(
        command, cwd=tmp_path, env=env, text=True, stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    until = time.monotonic() + 90
    while not list(tmp_path.glob(seen)):
        assert time.monotonic() < until
        assert work.poll() is None
        time.sleep(0.01)
    work.send_signal(signal.SIGINT)
    _, stderr = work.communicate(timeout=60)
    assert work.returncode == 130, stderr
    assert "Traceback" not in stderr
    kept = {p: p.stat().st_mtime_ns for p in tmp_path.glob(seen)}
    done = subprocess.run(
        command, cwd=tmp_path, env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return stderr, kept


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="no SIGINT for one process")
@pytest.mark.parametrize("command", ["compare", "report"])
def test_measurements_go_on_after_ctrl_c(command, folder, tmp_path):
    models = [folder / "bare-weak.skops", folder / "bare-strong.skops"]
    sizes = ",".join(f"{0.01 * i:g}" for i in range(1, 16))
    args = ["--eps", sizes, "--set", "n_steps=60", "--checkpoint", "parts"]
    args += ["--attack", "PGD"]
    if command == "report":
        models, args = models[:1], [*args, "--out", "r.html", "--no-checks"]
    said, kept = interrupted(
        [command, *models, "iris", *args], "parts/*.part", tmp_path
    )
    assert f"Go on with: skrobust {command}" in said
    assert kept
    assert kept == {p: p.stat().st_mtime_ns for p in kept}  # read, not made again


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="no SIGINT for one process")
def test_copies_go_on_after_ctrl_c(folder, tmp_path):
    X = np.random.default_rng(0).random((6000, 40))
    np.savez(tmp_path / "rows.npz", X=X)
    args = ["perturb", "rows.npz", "--preset", "tabular", "--out", "o"]
    said, kept = interrupted(args, "o/*/rows.npz", tmp_path)
    assert "go on with: skrobust perturb" in said
    assert kept == {p: p.stat().st_mtime_ns for p in kept}
    acting = [c for c in get_preset("tabular") if c.finds_columns(X)]
    assert len(list(tmp_path.glob("o/*/rows.npz"))) == len(acting)
    assert not list(tmp_path.glob("o/**/.*.draft"))


def test_perturb_that_failed_at_once_can_be_said_again(folder):
    args = ["perturb", folder / "value.csv", "--target", "value", "--out"]
    args += [folder / "again", "--perturbation", "FeatureNoise"]
    assert run(*args, "--set", "sd=-1")[0] == 2
    assert run(*args, "--severity", "6")[0] == 2
    code, out, _ = run(*args, "--severity", "3")
    assert code == 0
    assert "1 file written" in out
    assert "1 condition\n" in out


# Tables with holes, and other alphabets


def test_missing_values_are_the_models_to_refuse(tmp_path):
    # The tags of a pipeline deny what its imputer takes.
    X, y = load_iris(return_X_y=True)
    frame = pandas.DataFrame(X, columns=list("abcd"))
    frame.loc[::10, "b"] = np.nan
    columns = make_column_transformer(
        (SimpleImputer(), ["b"]), ("passthrough", ["a", "c", "d"])
    )
    model = make_pipeline(columns, LogisticRegression(max_iter=2000)).fit(frame, y)
    skops_io.dump(model, tmp_path / "holes.skops")
    frame.assign(kind=y).to_csv(tmp_path / "b.csv", index=False)
    frame.loc[3, "c"] = np.nan
    frame.assign(kind=y).to_csv(tmp_path / "bc.csv", index=False)
    args = ["--target", "kind", "--out", "r.html"]
    code, _, err = run("report", "holes.skops", "b.csv", *args)
    assert code == 0, err
    assert "'b', 'c', which the model does not take" in refused(
        "report", "holes.skops", "bc.csv", *args
    )


def test_a_table_in_another_encoding_is_named_so(folder, tmp_path):
    (tmp_path / "latin.csv").write_bytes("größe,kind\n1,2\n".encode("latin-1"))
    args = ["attack", folder / "weak.skops", "latin.csv", "--eps", "0.1"]
    assert "not UTF-8" in refused(*args, "--target", "kind")


def test_compare_opens_every_model_before_it_measures_the_first(folder):
    args = ["compare", folder / "weak.skops", "absent.skops", folder / "train.csv"]
    args += ["--target", "kind", "--preset", "tabular"]
    code, _, err = run(*args)
    assert code == 2
    assert "no model file 'absent.skops'" in err
    assert "weak: tabular" not in err


@pytest.mark.parametrize(
    ("text", "n"), [("a,kind\n1,0,5\n3,2,1\n", None), ("a,kind\n1,0,\n3,2,\n", 2)]
)
def test_a_field_too_many_does_not_shift_the_columns(text, n, tmp_path):
    # pandas took the first column for an index, and the next one for "a".
    (tmp_path / "rows.csv").write_text(text)
    args = ["perturb", "rows.csv", "--target", "kind", "--preset", "tabular"]
    args += ["--out", "copies"]
    if n is None:
        assert "more fields than its header" in refused(*args)
        return
    assert run(*args)[0] == 0
    clean = pandas.read_csv(tmp_path / "copies" / "CLEAN" / "rows.csv")
    assert clean.to_numpy().tolist() == [[1, 0], [3, 2]]


def test_sizes_given_twice_are_two_sizes(folder):
    # The last one was taken, and the first forgotten without a word.
    args = ["attack", folder / "weak.skops", folder / "train.csv", "--target", "kind"]
    args += ["--no-checks", "--json", "-"]
    _, together, _ = run(*args, "--eps", "0.1,0.2")
    code, apart, err = run(*args, "--eps", "0.1", "--eps", "0.2")
    assert code == 0, err
    assert json.loads(apart) == json.loads(together)
    assert "positive numbers" in refused(*args, "--eps", "0.1", "--eps", "x")
