"""Sampling and labelling from a shell: nothing that was answered is ever lost."""

import contextlib
import csv
import io
import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from problems import digit_rows
from resealed_state import resealed
from sklearn.datasets import load_iris
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.svm import SVC

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib").use("Agg")
pytest.importorskip("tqdm")
pandas = pytest.importorskip("pandas")
skops_io = pytest.importorskip("skops.io")
testing = pytest.importorskip("click.testing")

from skrobust import sampling  # noqa: E402
from skrobust.cli import command_group, main  # noqa: E402
from skrobust.cli.exit_codes import UserError  # noqa: E402
from skrobust.cli.labelling import (  # noqa: E402
    answer_reader,
    label_loop,
    labelling_session,
)
from skrobust.cli.labelling.sampler_names import get_sampler_names  # noqa: E402
from skrobust.sampling import DeepESTSampler, SimpleRandomSampler  # noqa: E402

N = 150


def run(*args, typed=None):
    """Run a command in this process; return exit code, stdout and stderr."""
    words = [str(a) for a in args]
    result = testing.CliRunner().invoke(command_group.skrobust, words, input=typed)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


def refused(*args, typed=None):
    """Run a command that must fail; return its one sentence."""
    out, err, stdin = io.StringIO(), io.StringIO(), sys.stdin
    sys.stdin = io.StringIO(typed or "")
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main([str(a) for a in args])
    finally:
        sys.stdin = stdin
    lines = [x for x in err.getvalue().splitlines() if not x.startswith("[")]
    assert code == 2, err.getvalue()
    assert len(lines) == 1, err.getvalue()
    assert lines[0].startswith("skrobust: ")
    return lines[0]


def rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def fill(path, answers, out=None):
    """Fill in labels by id, and verdicts (with a colon here), as a person does."""
    table = rows(path)
    for row in table:
        word = str(answers.get(int(row["id"]), ""))
        is_verdict = word.startswith(":") or "answer" not in row
        row["verdict"] = word.removeprefix(":") if is_verdict else ""
        if "answer" in row:
            row["answer"] = "" if is_verdict else word
    with open(out or path, "w", newline="") as file:
        writer = csv.DictWriter(file, table[0])
        writer.writeheader()
        writer.writerows(table)
    return out or path


def asked(text):
    return [int(i) for i in re.findall(r"^\[\d+(?: of \d+)?\] id (\d+)", text, re.M)]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with a pool, its truth, and models."""
    folder = tmp_path_factory.mktemp("pool")
    bunch = load_iris(as_frame=True)
    frame, truth = bunch.data, bunch.target_names[bunch.target]
    frame.columns = list("abcd")
    model = LogisticRegression(C=0.02).fit(frame[::2], truth[::2])
    skops_io.dump(model, folder / "model.skops")
    skops_io.dump(SVC().fit(frame, truth), folder / "svc.skops")
    skops_io.dump(
        LinearRegression().fit(frame, bunch.target), folder / "regressor.skops"
    )
    bare = LogisticRegression(C=0.1).fit(frame.to_numpy(), truth)
    skops_io.dump(bare, folder / "bare.skops")
    frame.to_csv(folder / "pool.csv", index=False)
    table = frame.assign(
        name=[f"flower {i:03}" for i in range(N)],
        confidence=model.predict_proba(frame).max(axis=1),
        said=model.predict(frame),
    )
    table["doubt"] = 1 - table["confidence"]
    table["code"] = bunch.target
    table["gaps"] = table["doubt"].where(table["doubt"] > table["doubt"].median())
    table.to_csv(folder / "scored.csv", index=False)
    table.iloc[::-1].to_csv(folder / "turned.csv", index=False)
    table.iloc[:0].to_csv(folder / "empty.csv", index=False)
    return folder, truth, model, table


@pytest.fixture
def pool(made, tmp_path):
    folder, truth, *_ = made
    return folder / "pool.csv", folder / "model.skops", tmp_path / "s.json", truth


# Choosing, answering, telling


def test_two_calls_give_what_the_sampler_gives(pool, made, tmp_path):
    table, model, state, truth = pool
    first, second = tmp_path / "1.csv", tmp_path / "2.csv"
    code, out, err = run(
        *("sample", table, "--model", model, "--state", state, "-n", 30),
        *("--to-label", first, "--seed", 4, "--sampler", "deepest"),
    )
    assert code == 0, err
    assert "to label: 30" in out
    same = DeepESTSampler(made[2], random_state=4).fit(pandas.read_csv(table))
    ids = same.ask(30)
    assert [int(row["id"]) for row in rows(first)] == ids.tolist()
    assert list(rows(first)[0]) == [
        "id",
        "item",
        "predicted",
        *"abcd",
        "answer",
        "verdict",
    ]
    fill(first, dict(enumerate(truth)))
    code, out, err = run(
        *("sample", table, "--state", state, "--answers", first, "-n", 20),
        *("--to-label", second, "--half-width", 0.05, "--json", tmp_path / "r.json"),
    )
    assert code == 0, err
    result = same.tell(ids, truth[ids]).result()
    found = json.loads((tmp_path / "r.json").read_text())
    assert found["accuracy"] == result.accuracy
    assert tuple(found["interval"]) == result.interval
    assert tuple(found["anytime_interval"]) == same.result(method="anytime").interval
    assert [row["id"] for row in found["failures"]] == result.failures.tolist()
    assert found["labels_for_half_width"] == result.labels_for(0.05)
    assert (found["n_labels"], found["n_open"]) == (30, 20)
    assert [int(row["id"]) for row in rows(second)] == same.ask(20).tolist()
    assert f"best estimate {100 * result.accuracy:.1f} %" in " ".join(out.split())
    assert f"about {result.labels_for(0.05)} labels in all" in out
    assert f"Failures found: {result.n_failures}" in out


def test_state_is_that_of_the_sampler(pool, tmp_path):
    table, model, state, _ = pool
    run(
        "sample",
        table,
        "--model",
        model,
        "--state",
        state,
        "-n",
        12,
        "--sampler",
        "sim",
    )
    sampler = SimpleRandomSampler.from_json(state.read_text())
    assert len(sampler.pending_) == 12
    assert sampler.y_pred_.shape == (N,)


def test_every_public_sampler_can_be_named(pool, tmp_path):
    table, model, _, truth = pool
    names = get_sampler_names()
    public = {name for name in sampling.__all__ if name.endswith("Sampler")}
    public -= {"BaseSampler"}  # draws nothing itself
    assert sorted(kind.__name__ for kind in names.values()) == sorted(public)
    for name, kind in names.items():
        state, listed = tmp_path / f"{name}.json", tmp_path / f"{name}.csv"
        code, _, err = run(
            *("sample", table, "--model", model, "--state", state, "-n", 40),
            *("--sampler", name, "--to-label", listed, "--quiet"),
        )
        assert (code, err) == (0, "")
        fill(listed, dict(enumerate(truth)))
        again = ("sample", table, "--state", state, "--answers", listed, "--quiet")
        assert run(*again, "--json", tmp_path / "r.json") == (0, "", "")
        found = json.loads((tmp_path / "r.json").read_text())
        assert (found["sampler"], found["n_labels"]) == (kind.__name__, 40)
        assert 0 <= found["interval"][0] < found["interval"][1] <= 1


def test_settings_of_the_sampler(pool):
    table, model, state, _ = pool
    begin = ("sample", table, "--model", model, "--state", state, "-n", 5)
    options = ("--sampler", "deep", "--set", "rule=released", "--set", "threshold=0.2")
    assert run(*begin, *options)[0] == 0
    sampler = DeepESTSampler.from_json(state.read_text())
    assert (sampler.rule, sampler.threshold_) == ("released", 0.2)
    state.unlink()
    for setting in ("colour=red", "random_state=3"):
        assert "'rule'" in refused(*begin, "--sampler", "deep", "--set", setting)
    assert "'paper'" in refused(*begin, "--sampler", "deep", "--set", "rule=none")
    assert "name=value" in refused(*begin, "--set", "rule")
    assert not state.exists()


def test_scores_and_confidence_choose_alike(made, tmp_path):
    folder, truth, _, table = made
    lists = []
    for name, options in (
        ("a", ("--scores", "doubt")),
        ("b", ("--scores", "confidence", "--as-confidence")),
    ):
        path = tmp_path / f"{name}.csv"
        code, _, err = run(
            *("sample", folder / "scored.csv", "--state", tmp_path / f"{name}.json"),
            *("-n", 20, "--to-label", path, "--item", "name", "--show", "a,b"),
            *options,
        )
        assert code == 0, err
        lists.append(rows(path))
    assert [row["id"] for row in lists[0]] == [row["id"] for row in lists[1]]
    first = lists[0][0]
    assert list(first) == ["id", "item", "a", "b", "verdict"]
    assert first["item"] == table["name"][int(first["id"])]
    # Without predictions the answers are right and wrong.
    wrong = truth != table["said"].to_numpy()
    path = tmp_path / "a.csv"
    fill(path, {i: "wrong" if wrong[i] else "R" for i in range(N)})
    again = ("sample", folder / "scored.csv", "--state", tmp_path / "a.json")
    assert run(*again, "--answers", path, "--json", tmp_path / "r.json")[0] == 0
    found = json.loads((tmp_path / "r.json").read_text())
    ids = [int(row["id"]) for row in lists[0]]
    assert found["n_failures"] == wrong[ids].sum()
    fill(path, {ids[0]: "setosa"})
    assert "is not right, wrong or skip" in refused(*again, "--answers", path)


def test_columns_of_the_pool_called_like_those_of_a_list(tmp_path):
    source, path = tmp_path / "pool.csv", tmp_path / "a.csv"
    table = {"id": range(9, -1, -1), "answer": "old", "x": range(10)}
    pandas.DataFrame(table).to_csv(source, index=False)
    words = ("sample", source, "--state", tmp_path / "s.json")
    begin = ("--sampler", "simple", "-n", 10, "--to-label", path)
    assert run(*words, *begin)[0] == 0
    listed = rows(path)
    assert list(listed[0]) == ["id", "item", "pool id", "pool answer", "x", "verdict"]
    assert all(int(row["id"]) == 9 - int(row["pool id"]) for row in listed)
    read = pandas.read_csv(path).assign(verdict="right")
    read.to_csv(path, index=False)
    assert "10 of 10" in run(*words, "--answers", path)[1]


def test_predicted_column_makes_answers_labels(made, tmp_path):
    folder, _, _, table = made
    path, state = tmp_path / "a.csv", tmp_path / "s.json"
    source = folder / "scored.csv"
    begin = ("sample", source, "--state", state, "-n", 20, "--to-label", path)
    assert run(*begin, "--scores", "doubt", "--predicted", "code")[0] == 0
    codes = table["code"].to_numpy()
    ids = [int(row["id"]) for row in rows(path)]
    fill(path, {i: f"{codes[i]}.0" if i != ids[3] else 7 for i in ids})
    code, out, err = run("sample", source, "--state", state, "--answers", path)
    assert code == 0
    assert "the model has no label 7" in err
    assert f"Failures found: 1: {ids[3]}" in out
    fill(path, {ids[0]: "1.5"})
    again = ("sample", source, "--state", state, "--answers", path, "--correct")
    assert "'1.5' is no number" in refused(*again)


def test_a_pool_alone_is_enough_for_random_draws(pool):
    table, _, state, _ = pool
    begin = ("sample", table, "--state", state, "-n", 9)
    assert "simple-random" in refused(*begin, "--sampler", "deepest")
    assert run(*begin, "--sampler", "simple")[0] == 0


def test_parquet_and_built_in_pools(made, tmp_path):
    pytest.importorskip("pyarrow")
    folder, _, _, table = made
    table.to_parquet(tmp_path / "scored.parquet")
    lists = []
    for source in (folder / "scored.csv", tmp_path / "scored.parquet"):
        state, path = tmp_path / f"{source.suffix}.json", tmp_path / "list.csv"
        options = ("--scores", "doubt", "-n", 20, "--to-label", path)
        assert run("sample", source, "--state", state, *options)[0] == 0
        lists.append([row["id"] for row in rows(path)])
    assert lists[0] == lists[1]
    (tmp_path / "bad.parquet").write_bytes(b"no")
    begin = ("sample", tmp_path / "bad.parquet", "--state", tmp_path / "n.json", "-n")
    assert "as parquet" in refused(*begin, 3)
    bare = ("--model", folder / "bare.skops", "--state", tmp_path / "i.json", "-n", 9)
    assert run("sample", "iris", *bare)[0] == 0


def test_a_folder_of_parquet_files_is_one_table(made, tmp_path):
    pytest.importorskip("pyarrow")
    folder, _, _, table = made
    whole, pieces = tmp_path / "whole.parquet", tmp_path / "pieces"
    pieces.mkdir()
    table.to_parquet(whole)
    for name, part in (("b", table[60:]), ("a", table[:60])):
        part.to_parquet(pieces / f"{name}.parquet", row_group_size=17)
    ways = [
        ("--scores", "doubt", "--predicted", "said"),
        ("--model", folder / "model.skops"),
    ]
    for way in ways:
        lists = []
        for source in (folder / "scored.csv", whole, pieces):
            out = tmp_path / f"{source.stem}{source.suffix}"
            for name in (f"{out}.json", f"{out}.list.csv"):
                Path(name).unlink(missing_ok=True)
            begin = ("sample", source, "--state", f"{out}.json")
            more = ("-n", 20, "--to-label", f"{out}.list.csv")
            code, _, err = run(*begin, *way, *more)
            assert code == 0, err
            assert run(*begin)[0] == 0  # goes on with the same pool
            lists.append(rows(f"{out}.list.csv"))
        assert [r["id"] for r in lists[0]] == [r["id"] for r in lists[2]]
        assert lists[1] == lists[2]
    (pieces / "c.parquet").write_bytes((pieces / "a.parquet").read_bytes())
    assert "another pool" in refused(*begin)
    (pieces / "c.parquet").write_bytes(b"no")
    assert "as parquet" in refused("sample", pieces, "--state", tmp_path / "n", "-n", 3)


def test_model_without_probabilities_serves_random_draws(made, tmp_path):
    folder, *_ = made
    state = tmp_path / "s.json"
    begin = ("sample", folder / "pool.csv", "--state", state, "-n", 9)
    begin += ("--model", folder / "svc.skops")
    assert "predict_proba" in refused(*begin, "--sampler", "deepest")
    assert run(*begin, "--sampler", "simple")[0] == 0


# Lists of answers


@pytest.fixture
def begun(pool, tmp_path):
    """A session with ten open questions; the state, the list and the ids."""
    table, model, state, _ = pool
    path = tmp_path / "list.csv"
    begin = ("sample", table, "--model", model, "--state", state, "-n", 10)
    options = ("--sampler", "simple", "--to-label", path, "--seed", 4)
    assert run(*begin, *options)[0] == 0
    return table, state, path, [int(row["id"]) for row in rows(path)]


def told(state):
    return json.loads(state.read_text())["command_line"]["answers"]


def test_partial_late_repeated_and_corrected_answers(begun, pool, tmp_path):
    table, state, path, ids = begun
    truth = pool[3]
    tell = ("sample", table, "--state", state, "--answers", path)
    fill(path, {i: truth[i] for i in ids[5:]})
    code, out, _ = run(*tell)
    assert code == 0
    assert f"answers in {path.name}: 5 new\n" in out
    fill(path, {i: truth[i] for i in ids[2:]} | {ids[0]: ":skip"})
    code, out, _ = run(*tell)
    assert code == 0
    assert f"answers in {path.name}: 4 new, 5 known before\n" in out
    assert "8 of 150 labelled, 1 open, 1 skipped." in out
    assert len(told(state)) == 9
    before = state.read_bytes()
    fill(path, {ids[9]: ":wrong", ids[1]: ":right"})
    sentence = refused(*tell)
    assert f"another answer for id {ids[9]} than before: wrong, not " in sentence
    assert state.read_bytes() == before  # the good answer is not taken alone
    code, out, _ = run(*tell, "--correct")
    assert code == 0
    sampler = SimpleRandomSampler.from_json(state.read_text())
    wrong = [i for i in ids[2:9] if sampler.y_pred_[i] != truth[i]]
    assert sampler.result().failures.tolist() == [*wrong, ids[9]]
    fill(path, {ids[0]: truth[ids[0]]})  # skipped before, now known
    assert run(*tell, "--correct")[0] == 0
    assert len(told(state)) == 10


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"id": "999"}, "id 999 is outside the pool of 150"),
        ({"id": "x"}, "'x' is no integer"),
        ({"item": "7000"}, "another pool"),
        ({"id": "free", "item": ""}, "never asked"),
        ({"id": "first", "item": ""}, "is in line 2, too"),
    ],
)
def test_bad_lists_change_nothing(change, words, begun, tmp_path):
    table, state, path, ids = begun
    before = state.read_bytes()
    fill(path, dict.fromkeys(ids, ":right"))
    content = rows(path)
    free = next(i for i in range(N) if i not in ids)
    names = {"free": str(free), "first": str(ids[0])}
    content[4].update({k: names.get(v, v) for k, v in change.items()})
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, content[0])
        writer.writeheader()
        writer.writerows(content)
    assert words in refused("sample", table, "--state", state, "--answers", path)
    assert state.read_bytes() == before


def test_lists_of_spreadsheets_are_read(begun):
    table, state, path, ids = begun
    text = "\ufeffid;item;answer\n" + "".join(f"{i};{i};:right\n" for i in ids)
    path.write_text(text, encoding="utf-8")
    assert run("sample", table, "--state", state, "--answers", path)[0] == 0
    assert len(told(state)) == 10
    path.write_bytes(text.replace("answer", "antwort\xe4").encode("latin-1", "ignore"))
    assert f"'{path.name}' is not UTF-8; save it so" in refused(
        *("sample", table, "--state", state, "--answers", path)
    )
    path.write_text("id,reply\n3,right\n")
    assert "no column 'answer', 'verdict', 'loss' or 'score'" in refused(
        *("sample", table, "--state", state, "--answers", path)
    )


def test_a_filled_list_is_not_overwritten(begun, tmp_path):
    table, state, path, ids = begun
    fill(path, {ids[0]: ":right"})
    filled = path.read_bytes()
    more = ("sample", table, "--state", state, "-n", 5, "--to-label")
    assert "holds answers" in refused(*more, path)
    assert path.read_bytes() == filled
    assert len(DictState(state).ids) == 10
    # Its own answers are told first, so it may be written anew.
    assert run(*more, path, "--answers", path)[0] == 0
    assert list(told(state)) == [str(ids[0])]
    assert len(rows(path)) == 14
    assert "must be two files" in refused(*more, table)
    assert "must be two files" in refused(*more, state)


class DictState:
    def __init__(self, path):
        self.__dict__.update(json.loads(Path(path).read_text()))


# States


def test_state_of_another_pool_or_choice_is_refused(begun, made, tmp_path):
    table, state, _, _ = begun
    folder, *_ = made
    before = state.read_bytes()
    other = ("sample", folder / "scored.csv", "--state", state, "-n", 3)
    assert "another pool" in refused(*other)
    go_on = ("sample", table, "--state", state, "-n", 3)
    for option, words in [
        (("--sampler", "deepest"), "begun with 'simple-random'"),
        (("--seed", 3), "begun with 4"),
        (("--seed", 0), "begun with 4"),
        (("--scores", "a"), "begun without it"),
        (("--model", folder / "svc.skops"), "another model"),
    ]:
        assert words in refused(*go_on, *option)
    assert state.read_bytes() == before
    same = ("--sampler", "simple", "--model", folder / "model.skops", "--seed", 4)
    assert run(*go_on, *same)[0] == 0


def test_files_that_are_no_state(pool, tmp_path):
    table, _, state, _ = pool
    sampler = SimpleRandomSampler(random_state=0).fit(np.ones(N))
    for text in ("", "{}", "[1]", "no", sampler.to_json()):
        state.write_text(text)
        go_on = ("sample", table, "--state", state, "-n", 3)
        assert "is no state" in refused(*go_on)
        assert state.read_text() == text


def test_draws_that_cannot_be_made_again_lose_no_answer(begun):
    table, state, path, ids = begun
    fill(path, dict.fromkeys(ids[:4], ":right"))
    assert run("sample", table, "--state", state, "--answers", path)[0] == 0
    content = json.loads(state.read_text())
    content["pi"][0] /= 2
    state.write_text(json.dumps(content))
    damaged = refused("sample", table, "--state", state)
    assert "'s.json' is damaged: 'pi' is not what was written" in damaged
    state.write_text(resealed(content))  # as under another version of numpy
    fill(path, dict.fromkeys(ids, ":right"))
    code, out, err = run("sample", table, "--state", state, "--answers", path)
    assert code == 0
    assert "cannot be made again" in err
    assert "10 of 150" in out
    assert len(told(state)) == 10
    more = ("sample", table, "--state", state, "-n", 2)
    assert "cannot draw" in refused(*more)


def test_one_process_at_a_time(begun):
    pytest.importorskip("fcntl")
    table, state, *_ = begun
    with labelling_session.Session(state):
        for command in ("sample", "label"):
            assert "Another skrobust works" in refused(command, table, "--state", state)
    assert run("sample", table, "--state", state)[0] == 0


def test_a_full_disk_keeps_the_old_state(begun, monkeypatch):
    table, state, path, ids = begun
    before = state.read_bytes()
    fill(path, dict.fromkeys(ids, ":right"))

    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(labelling_session.os, "fsync", full)
    words = refused("sample", table, "--state", state, "--answers", path)
    assert "No space left" in words
    assert state.read_bytes() == before
    assert sorted(p.name for p in state.parent.iterdir()) == ["list.csv", "s.json"]


# Bad input


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["absent.csv"], "no table or folder"),
        (["empty.csv", "--scores", "doubt"], "has no rows"),
        (["scored.csv", "--sampler", "op"], "give --model, or --scores"),
        (["scored.csv", "--scores", "zzz"], "no column 'zzz'"),
        (["scored.csv", "--scores", "name"], "is no number"),
        (["scored.csv", "--scores", "gaps"], "missing values"),
        (["scored.csv", "--scores", "a", "--as-confidence"], "must lie in [0, 1]"),
        (["scored.csv", "--as-confidence"], "give --scores"),
        (["scored.csv", "--scores", "doubt", "--predicted", "no"], "--predicted"),
        (["scored.csv", "--scores", "doubt", "--item", "no"], "--item"),
        (["scored.csv", "--scores", "doubt", "--show", "a,no"], "--show"),
        (["scored.csv", "--scores", "doubt", "--model", "model.skops"], "makes both"),
        (["scored.csv", "--model", "absent.skops"], "no model file"),
        (["scored.csv", "--model", "bare.skops"], "takes 4 features"),
        (["scored.csv", "--model", "bare.skops", "--drop", "no"], "--drop"),
        (["pool.csv", "--model", "regressor.skops"], "is a regressor"),
        (["pool.csv", "--model", "model.skops", "--sampler", "best"], "is not one of"),
        (["pool.csv", "--model", "model.skops", "-n", "500"], "500"),
        (["pool.csv", "--model", "model.skops", "-n", "0"], "-n"),
        (["pool.csv", "--model", "model.skops", "--level", "1"], "--level"),
        (["pool.csv", "--model", "model.skops", "--seed", "-1"], "--seed"),
    ],
)
@pytest.mark.parametrize("command", ["sample", "label"])
def test_sample_and_label_refuse_wrong_calls_in_one_sentence(
    command, options, words, made, tmp_path, monkeypatch
):
    folder, *_ = made
    monkeypatch.chdir(tmp_path)
    source, *rest = options
    rest = [str(folder / x) if x.endswith(".skops") else x for x in rest]
    budget = [] if "-n" in rest else ["-n", "5"]
    sentence = refused(
        command, folder / source, "--state", "s.json", *budget, *rest, typed=""
    )
    assert words in sentence
    assert list(tmp_path.iterdir()) == []


def test_bare_model_takes_what_is_left_after_dropping(made, tmp_path):
    folder, *_ = made
    drop = ["name", "confidence", "said", "doubt", "code", "gaps"]
    words = [word for name in drop for word in ("--drop", name)]
    state = tmp_path / "s.json"
    begin = ("sample", folder / "scored.csv", "--state", state, "-n", 5, *words)
    assert run(*begin, "--model", folder / "bare.skops")[0] == 0


def test_options_of_the_loop(begun, pool, tmp_path):
    table, state, *_ = begun
    other = ("label", table, "--state", tmp_path / "o.json", "--sampler", "simple")
    assert "-n" in refused(*other)
    assert "--until" in refused(*other, "--until", 1.5)
    assert not (tmp_path / "o.json").exists()
    assert "begin it with -n" in refused("sample", *other[1:])
    code, out, _ = run("label", table, "--state", state, typed=":r\n" * 10)
    assert (code, out.count("answer: ")) == (0, 10)
    assert "Nothing is left" in refused("label", table, "--state", state)


# The labelling loop


def test_loop_gives_what_the_sampler_gives(pool, tmp_path, made):
    table, model, state, truth = pool
    same = DeepESTSampler(made[2], random_state=2).fit(pandas.read_csv(table))
    ids = same.ask(12)
    typed = "\n".join([*truth[ids[:6]], ":s", *truth[ids[7:]]]) + "\n"
    code, out, err = run(
        *("label", table, "--model", model, "--state", state, "-n", 12, "--seed", 2),
        *("--sampler", "deepest", "--json", tmp_path / "r.json"),
        typed=typed,
    )
    assert code == 0, err
    assert asked(out) == ids.tolist()
    labels = truth[ids].astype(object)
    labels[6] = None
    result = same.tell(ids, labels).result()
    found = json.loads((tmp_path / "r.json").read_text())
    assert found["accuracy"] == result.accuracy
    assert tuple(found["interval"]) == result.interval
    assert tuple(found["accuracy_bounds"]) == result.accuracy_bounds
    assert (found["n_labels"], found["n_skipped"], found["n_open"]) == (11, 1, 0)
    assert f"[12 of 12] id {ids[-1]}" in out
    assert f"predicted: {same.y_pred_[ids[-1]]}" in out
    assert "11 labelled" in out
    assert "go on with" not in out
    assert "\x1b" not in out + err


def test_undo_replaces_answers_as_if_told_at_first(begun, tmp_path):
    table, state, _, ids = begun
    # Right, wrong, back twice over both, first one wrong, the second kept, and so on.
    typed = [":u", ":r", ":w", ":u", ":u", ":w", ":r", ":u", "", ":s", ":q"]
    code, out, _ = run("label", table, "--state", state, typed="\n".join(typed) + "\n")
    assert code == 0
    assert "nothing to undo" in out
    assert "was: :right (Enter keeps it)" in out
    order = [ids[k] for k in (0, 1, 2, 1, 0, 2, 3, 2, 3, 4)]
    assert asked(out)[:1] + asked(out)[1:] == order
    kinds = [told(state)[str(i)][1] for i in ids[:4]]
    assert kinds == [True, True, False, None]
    assert "go on with: skrobust label" in out
    sampler = SimpleRandomSampler.from_json(state.read_text())
    assert sampler.result().failures.tolist() == ids[:2]
    assert sampler.skipped_.tolist() == [ids[3]]


def test_last_answer_can_be_undone(begun):
    table, state, _, ids = begun
    typed = ":r\n" * 10 + "u\n:w\n\n"
    code, out, _ = run("label", table, "--state", state, typed=typed)
    assert code == 0
    assert f"Failures found: 1: {ids[-1]}" in out


def test_unknown_label_must_be_typed_twice(begun):
    table, state, _, ids = begun
    typed = "setossa\nsetosa\nlily\nlily\nlily\n:q\n"
    code, out, _ = run("label", table, "--state", state, typed=typed)
    assert code == 0
    assert out.count("is not among the labels") == 2
    assert [told(state)[str(i)] for i in ids[:3]] == [
        ["y_true", "setosa"],
        ["y_true", "lily"],
        ["y_true", "lily"],
    ]


# Answers that are called like a control word

TRICKY = ["right", "wrong", "skip", "undo", "quit", "r", "e", "u", "q", "?", "NA"]
TRICKY += ["nan", "", "True", "02139", "1e5", " pad ", ":right", "::x", ":)", ":empty"]


def reader_of(y_pred, classes=()):
    sampler = SimpleRandomSampler(random_state=0).fit(
        np.ones(len(y_pred)), y_pred=y_pred
    )
    return answer_reader.AnswerReader(sampler, classes)


@pytest.mark.parametrize("label", TRICKY)
def test_every_text_can_be_a_label(label):
    reader = reader_of(np.array(["a", *TRICKY]))
    typed = reader.in_words("y_true", label)
    assert reader.control(typed) is None
    assert reader.read(typed) == ("y_true", label)
    if not label.startswith(":") and label:
        assert reader.read(label) == ("y_true", label)  # as it is


@pytest.mark.parametrize("label", TRICKY)
def test_no_label_takes_the_place_of_a_control_word(label):
    for reader in (reader_of(np.array([label, "b"])), reader_of(np.array([1, 2]))):
        assert reader.read(":right") == ("failed", False)
        assert reader.read(" :W ") == ("failed", True)
        assert reader.read(":skip") == ("failed", None)
        assert [reader.control(word) for word in (":u", ":quit")] == ["undo", "quit"]
        with pytest.raises(UserError, match=r"no control word .*:undo, :quit"):
            reader.read(":rihgt")


def test_answers_without_predictions_are_words():
    sampler = SimpleRandomSampler(random_state=0).fit(np.ones(3))
    reader = answer_reader.AnswerReader(sampler)
    for word in ("right", "R", ":right", " r "):
        assert reader.read(word) == ("failed", False)
    assert reader.in_words("failed", None) == "skip"
    assert reader.control("q") == "quit"


def test_numbers_as_answers_are_exact_and_finite():
    long = 9_007_199_254_740_993
    assert reader_of(np.array([1, 2])).read(str(long)) == ("y_true", long)
    for word in ("nan", "inf", "right", "1.5"):
        with pytest.raises(UserError, match="no number"):
            reader_of(np.array([1, 2])).read(word)
    with pytest.raises(UserError, match="no number"):
        reader_of(np.array([0.5, 2])).read("nan")  # would be a skipped input
    with pytest.raises(UserError, match="neither true nor false"):
        reader_of(np.array([True, False])).read("7")


@pytest.mark.parametrize("marked", [False, True])
def test_a_class_called_right_is_not_a_verdict(marked, tmp_path):
    """Predictions are left and straight; the truth, right, is a class besides."""
    table = pandas.DataFrame({"x": range(8), "said": ["left", "straight"] * 4})
    table.to_csv(tmp_path / "p.csv", index=False)
    words = ("sample", tmp_path / "p.csv", "--state", tmp_path / "s.json")
    begin = ("-n", 8, "--predicted", "said", "--sampler", "simple")
    assert run(*words, *begin, "--to-label", tmp_path / "a.csv")[0] == 0
    fill(tmp_path / "a.csv", dict.fromkeys(range(8), ":right" if marked else "right"))
    code, out, err = run(*words, "--answers", tmp_path / "a.csv")
    assert code == 0
    assert f"the accuracy is {100 * marked} %." in out
    assert f"Failures found: {0 if marked else 8}" in out
    assert ("if the verdict right was meant" in err) is not marked


def test_codes_stay_text(tmp_path):
    """As numbers, 02139 and 2139 are equal, and so are 1e5 and 100000."""
    codes = ["02139", "2139", "1e5", "100000"]
    table = pandas.DataFrame({"x": range(4), "said": codes})
    table.to_csv(tmp_path / "p.csv", index=False)
    words = ("sample", tmp_path / "p.csv", "--state", tmp_path / "s.json")
    begin = ("-n", 4, "--predicted", "said", "--sampler", "simple")
    assert run(*words, *begin, "--to-label", tmp_path / "a.csv")[0] == 0
    swapped = dict(enumerate(["2139", "02139", "100000", "1e5"]))
    fill(tmp_path / "a.csv", swapped)
    code, out, err = run(*words, "--answers", tmp_path / "a.csv")
    assert (code, err.count("warning")) == (0, 0)
    assert "Failures found: 4" in out


def test_labels_that_look_like_commands(tmp_path):
    table = pandas.DataFrame({"x": range(6), "said": list("rwuqsr")})
    table.to_csv(tmp_path / "p.csv", index=False)
    begin = ("label", tmp_path / "p.csv", "--state", tmp_path / "s.json", "-n", 6)
    begin += ("--predicted", "said", "--sampler", "simple")
    typed = "u\n:wrong\n:u\n:right\n:s\nq\nr\n:q\n"
    code, out, _ = run(*begin, typed=typed)
    assert code == 0
    answers = list(told(tmp_path / "s.json").values())
    assert answers == [
        ["y_true", "u"],
        ["failed", False],
        ["failed", None],
        ["y_true", "q"],
        ["y_true", "r"],
    ]
    assert "was: :wrong" in out


def test_an_unknown_label_called_like_a_control_word_is_asked_about(tmp_path):
    table = pandas.DataFrame({"x": range(3), "said": list("aba")})
    table.to_csv(tmp_path / "p.csv", index=False)
    begin = ("label", tmp_path / "p.csv", "--state", tmp_path / "s.json", "-n", 3)
    begin += ("--predicted", "said", "--sampler", "simple")
    code, out, _ = run(*begin, typed="q\n:r\nright\nright\n:q\n")
    assert code == 0
    assert "or :quit for the control" in out
    answers = list(told(tmp_path / "s.json").values())
    assert answers == [["failed", False], ["y_true", "right"]]


def test_numbers_are_compared_as_numbers(made, tmp_path):
    folder, _, _, table = made
    state = tmp_path / "s.json"
    begin = ("label", folder / "scored.csv", "--state", state, "-n", 2)
    begin += ("--predicted", "code", "--sampler", "simple")
    code, out, _ = run(*begin, typed="one\n1\n2.0\n")
    assert code == 0
    assert "'one' is no number" in out
    codes = table["code"]
    for (i, (kind, answer)), value in zip(told(state).items(), (1, 2), strict=True):
        assert (kind, answer) == ("y_true", value)
        assert isinstance(answer, int)
        assert ((int(i),) == tuple(asked(out)[:1])) == (value == 1)
    failed = sum(codes[int(i)] != a for i, (_, a) in told(state).items())
    assert f"Failures found: {failed}" in out


def test_until_stops_by_the_anytime_interval(pool, tmp_path):
    table, model, state, _ = pool
    predicted = skops_io.load(model).predict(pandas.read_csv(table))
    begin = ("label", table, "--model", model, "--state", state, "--until", 0.15)
    begin += ("--sampler", "simple", "--json", tmp_path / "r.json")
    code, out, _ = run(*begin, typed=":r\n" * N)
    assert code == 0
    found = json.loads((tmp_path / "r.json").read_text())
    assert found["reached"]
    assert (found["interval"][1] - found["interval"][0]) / 2 <= 0.15
    assert found["method"] in ("anytime", "census")
    sampler = SimpleRandomSampler(random_state=0).fit(np.ones(N), y_pred=predicted)
    n = found["n_labels"]
    ids = sampler.ask(n)
    sampler.tell(ids[:-1], failed=np.zeros(n - 1))
    assert not sampler.should_stop(0.15)  # not later than need be
    assert found["interval"] == list(
        sampler.tell(ids[-1:], failed=[0]).result(method="anytime").interval
    )
    # A wider one is reached already: no question.
    code, out, _ = run(
        "label", table, "--state", state, "--until", 0.5, "--quiet", typed=""
    )
    assert (code, asked(out)) == (0, [])


def test_budget_that_is_not_enough_for_the_width(pool):
    table, model, state, _ = pool
    begin = ("label", table, "--model", model, "--state", state, "-n", 25)
    options = ("--until", 0.01, "--batch", 7, "--sampler", "simple")
    code, out, _ = run(*begin, *options, typed=":r\n" * 30)
    assert code == 0
    assert len(asked(out)) == 25
    assert "not yet as narrow as wanted" in out


def test_blind_quiet_and_control_characters(tmp_path):
    table = pandas.DataFrame({"t": ["\x1b[31mred\x07\nline", "b"], "said": ["A", "B"]})
    table.to_csv(tmp_path / "p.csv", index=False)
    begin = ("label", tmp_path / "p.csv", "--state", tmp_path / "s.json", "-n", 2)
    begin += ("--predicted", "said", "--sampler", "simple", "--blind", "--quiet")
    code, out, err = run(*begin, typed=":r\n:r\n")
    assert (code, err) == (0, "")
    assert "\x1b" not in out
    assert r"\x1b[31mred\x07\nline" in out
    assert "predicted" not in out
    assert "accuracy" not in out


def test_ctrl_c_says_how_to_go_on(begun, monkeypatch, capsys):
    table, state, _, ids = begun
    lines = iter([":r", ":w"])

    def typed():
        try:
            return next(lines)
        except StopIteration:
            raise KeyboardInterrupt from None

    monkeypatch.setattr(label_loop, "_typed", typed)
    assert main(["label", str(table), "--state", str(state), "-n", "10"]) == 130
    monkeypatch.undo()
    err = capsys.readouterr().err.splitlines()[-1]
    assert "saved" in err
    assert f"skrobust label {table} --state {state} -n 10" in err
    _, out, _ = run("label", table, "--state", state, typed=":q\n")
    assert asked(out) == [ids[2]]
    assert [told(state)[str(i)][1] for i in ids[:2]] == [False, True]


# Killed


def start(table, state, *more):
    command = [
        sys.executable,
        "-m",
        "skrobust",
        "label",
        table,
        "--state",
        state,
        *more,
    ]
    return subprocess.Popen(
        [str(word) for word in command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


def close(process):
    process.stdout.close()
    with contextlib.suppress(BrokenPipeError):  # what it did not read
        process.stdin.close()


def until_question(process):
    """Read up to the next prompt; return the text."""
    text = ""
    while not text.endswith(("answer: ", "undoes: ")):
        char = process.stdout.read(1)
        assert char, text
        text += char
    return text


@pytest.mark.slow
def test_killed_at_any_moment_it_goes_on_with_the_same_inputs(pool, made):
    table, model, state, truth = pool
    n = 14
    same = DeepESTSampler(made[2], random_state=0).fit(pandas.read_csv(table))
    ids = same.ask(n).tolist()
    options = ("--model", model, "-n", n, "--sampler", "deepest")
    seen, safe = [], 0
    # Killed while a question is open (0), or right after an answer was sent, before or
    # while it is taken in (1).
    for n_answers, mid_answer in ((3, 0), (0, 0), (4, 1), (2, 1)):
        process = start(table, state, *options)
        first = asked(until_question(process))[0]
        assert ids.index(first) in (safe, safe + mid_answer)
        assert first == ids[safe] or seen[-1] == ids[safe]
        at = ids.index(first)
        for _ in range(n_answers):
            process.stdin.write(f"{truth[ids[at]]}\n")
            process.stdin.flush()
            at += 1
            assert asked(until_question(process)) == [ids[at]]  # so it was on the disk
        if mid_answer:
            process.stdin.write(f"{truth[ids[at]]}\n")
            process.stdin.flush()
            seen.append(ids[at])
        process.kill()
        assert process.wait() in (-signal.SIGKILL, 1)
        close(process)
        with labelling_session.Session(state) as session:
            session.resume()
            answers = session.facts["answers"]
            assert session.sampler.ids_.tolist() == ids
        assert [int(i) for i in answers] == ids[: len(answers)]
        assert at <= len(answers) <= at + mid_answer
        assert all(a == ["y_true", truth[int(i)]] for i, a in answers.items())
        safe = len(answers)
    typed = "".join(f"{truth[i]}\n" for i in ids[safe:])
    code, out, _ = run("label", table, "--state", state, *options, typed=typed)
    assert (code, asked(out)) == (0, ids[safe:])
    told = DeepESTSampler.from_json(state.read_text()).result()
    result = same.tell(ids, truth[ids]).result()
    assert (told.accuracy, told.interval) == (result.accuracy, result.interval)


@pytest.mark.slow
def test_sigint_in_the_middle(begun):
    table, state, _, ids = begun
    process = start(table, state)
    until_question(process)
    process.stdin.write(":w\n")
    process.stdin.flush()
    until_question(process)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=30) == 130
    close(process)
    _, out, _ = run("label", table, "--state", state, typed=":q\n")
    assert asked(out) == [ids[1]]


@pytest.mark.slow
def test_journal_cut_at_any_byte(begun):
    _, state, _, ids = begun
    at_first = state.read_bytes()
    with labelling_session.Session(state) as session:
        session.resume()
        for k in range(3):
            session.answer(ids[k], "failed", k == 1)
        session.answer(ids[0], "y_true", "lil\u00ff\u2028y")  # a correction
    journal = state.with_name("s.json.journal")
    whole = journal.read_bytes()
    assert whole.count(b"\n") == 4
    assert state.read_bytes() == at_first
    for cut in range(len(whole) + 1):
        journal.write_bytes(whole[:cut])
        ended = whole[:cut].count(b"\n") + (whole[cut : cut + 1] == b"\n")
        with labelling_session.Session(state) as session:
            session.resume()
            assert session.facts["n_journal"] == ended
            wrong = session.sampler.result().failures.tolist()
            expected = [[], [], [ids[1]], [ids[1]], [ids[0], ids[1]]]
            assert wrong == expected[ended]
            session.answer(ids[9], "failed", True)  # goes on behind the cut
        with labelling_session.Session(state) as session:
            session.resume()
            assert session.sampler.result().failures.tolist() == [*wrong, ids[9]]


def test_death_between_state_and_journal_counts_nothing_twice(begun):
    _, state, _, ids = begun
    with labelling_session.Session(state) as session:
        session.resume()
        session.answer(ids[0], "failed", True)
        session.save()  # and the journal still holds the answer, too
        session.answer(ids[1], "failed", True)
    with labelling_session.Session(state) as session:
        session.resume()
        assert session.sampler.result().n_failures == 2
        assert len(session.sampler.pending_) == 8


def test_journals_that_do_not_belong(begun, pool):
    table, state, _, ids = begun
    model = pool[1]
    with labelling_session.Session(state) as session:
        session.resume()
        session.answer(ids[0], "failed", True)
    journal = state.with_name("s.json.journal")
    whole, kept = journal.read_bytes(), state.read_bytes()
    state.unlink()  # whoever removes the state does not lose the answers unseen
    begin = ("sample", table, "--model", model, "--state", state, "-n", 10)
    assert "whose state is gone" in refused(*begin)
    assert journal.read_bytes() == whole
    state.write_bytes(kept)
    other = state.with_name("other.json")
    run("sample", table, "--model", model, "--state", other, "-n", 10)
    with labelling_session.Session(other) as session:
        session.resume()
        session.answer(session.sampler.ids_[0].item(), "failed", True)
    journal.write_bytes(other.with_name("other.json.journal").read_bytes())
    assert "another session" in refused("sample", table, "--state", state)
    changed = whole.replace(b'"id": %d' % ids[0], b'"id": %d' % ids[1])
    for content in (b"{}\n" + whole, changed, whole + b"\n", whole * 2):
        journal.write_bytes(content)
        message = refused("sample", table, "--state", state)
        assert re.search(r"Line [12] of 's\.json\.journal' is damaged\.", message)
        assert journal.read_bytes() == content
        assert state.read_bytes() == kept
    journal.write_bytes(whole)
    code, out, _ = run("sample", table, "--state", state)
    assert (code, "1 of 150" in out) == (0, True)


def test_lines_that_the_state_holds_are_missed(begun):
    table, state, _, ids = begun
    with labelling_session.Session(state) as session:
        session.resume()
        for i in ids[:3]:
            session.answer(i, "failed", i == ids[1])
        session.save()
        session.answer(ids[3], "failed", True)
    journal = state.with_name("s.json.journal")
    whole = journal.read_bytes()
    lines = whole.splitlines(keepends=True)
    go_on = ("sample", table, "--state", state)
    for cut, words in ((2, "The last 1 lines of"), (1, "The last 2 lines of")):
        journal.write_bytes(b"".join(lines[:cut]))
        message = refused(*go_on)
        assert words in message
        assert f"{cut} of its {cut} lines are whole" in message
    journal.write_bytes(b"".join([lines[0], *lines[2:]]))
    assert "Line 2 of 's.json.journal' is damaged" in refused(*go_on)
    journal.unlink()  # moved away: what the state holds is there
    code, out, err = run(*go_on)
    assert (code, "3 of 150" in out) == (0, True)
    assert "the first 3 lines of 's.json.journal' are gone" in err
    with labelling_session.Session(state) as session:  # and it begins anew
        session.resume()
        session.answer(ids[4], "failed", True)
    with labelling_session.Session(state) as session:
        session.resume()
        session.answer(ids[5], "failed", True)
        session.save()
    code, out, err = run(*go_on)
    assert (code, "5 of 150" in out, "gone" in err) == (0, True, False)
    moved = state.with_name("moved")  # what was only in the journal is taken from it
    moved.write_bytes(whole.replace(b'"failed"', b'"FAILED"', 1))
    code, out, err = run(*go_on, "--answers", moved)
    assert (code, "6 of 150" in out) == (0, True)
    assert "moved: left out as damaged: line 1." in err
    assert session.path == state.resolve()


def test_a_new_session_takes_the_answers_of_a_damaged_one(begun, pool):
    table, state, _, ids = begun
    with labelling_session.Session(state) as session:
        session.resume()
        for k, i in enumerate(ids[:4]):
            session.answer(i, "failed", k == 1)
        session.answer(ids[0], "y_true", "lily")
        expected = session.sampler.result()
    state.write_bytes(state.read_bytes().replace(b'"pi": [', b'"pi": [1,'))
    message = refused("sample", table, "--state", state)
    assert "'s.json' is damaged: 'pi' is not what was written. 's.json.jour" in message
    assert "has 5 answers that are whole: begin a session with another" in message
    journal, new = state.with_name("s.json.journal"), state.with_name("new.json")
    how = ("--sampler", "simple", "--seed", 4, "--model", pool[1], "-n")
    assert run("sample", table, "--state", new, *how, 2)[0] == 0
    go_on = ("sample", table, "--state", new, "--answers", journal)
    code, _, err = run(*go_on, "-n", 8)
    assert (code, "2 answers are to inputs that this session has not" in err) == (0, 1)
    code, out, err = run(*go_on)
    assert (code, "answers" in err) == (0, False)
    assert "4 of 150" in out
    assert len(told(new)) == 4
    assert told(new)[str(ids[0])] == ["y_true", "lily"]
    assert expected.n_labelled == 4
    other = state.with_name("other.csv")
    lines = table.read_text().splitlines(keepends=True)
    other.write_text("".join([*lines, lines[-1]]))
    third = state.with_name("third.json")
    assert run("sample", other, "--state", third, *how, 10)[0] == 0
    words = "'s.json.journal' holds answers to the inputs of another pool"
    assert words in refused("sample", other, "--state", third, "--answers", journal)


def test_state_may_be_read_by_others(begun):
    _, state, _, _ = begun
    plain = state.with_name("plain")
    plain.write_text("")
    assert state.stat().st_mode == plain.stat().st_mode


# Images


@pytest.fixture(scope="module")
def photos(tmp_path_factory):
    """Digits as PNG files, their labels, and a model of flat rows."""
    image = pytest.importorskip("PIL.Image")
    folder = tmp_path_factory.mktemp("photos")
    X, y = digit_rows()
    (folder / "in" / "b").mkdir(parents=True)
    for k in range(60):
        path = folder / "in" / ("b" if k % 2 else "") / f"{k:03}.png"
        pixels = (X[k].reshape(8, 8) * 15).astype(np.uint8)
        picture = image.fromarray(pixels)
        (picture if k % 3 else picture.convert("RGB")).save(path)
    (folder / "in" / "notes.txt").write_text("no image")
    (folder / "in" / ".hidden.png").write_bytes(b"")
    (folder / "none").mkdir()
    model = LogisticRegression(C=0.001, max_iter=2000).fit(X[600:], y[600:])
    skops_io.dump(model, folder / "model.skops")
    return folder, X, y, model


def test_images_reach_the_model_in_its_units(photos, tmp_path):
    folder, X, y, model = photos
    state, path = tmp_path / "s.json", tmp_path / "list.csv"
    begin = ("sample", folder / "in", "--model", folder / "model.skops")
    begin += ("--state", state, "-n", 30, "--to-label", path, "--sampler", "deepest")
    assert "--grey" in refused(*begin, "--data-range", "0,17")
    code, _, err = run(*begin, "--grey", "--data-range", "0,17")
    assert code == 0, err
    sampler = DeepESTSampler.from_json(state.read_text())
    names = [f"{k:03}.png" for k in range(0, 60, 2)]
    names += [f"b/{k:03}.png" for k in range(1, 60, 2)]
    order = [int(name[-7:-4]) for name in names]
    p = model.predict_proba(X[order])  # 255 / 17 is 15: the values before
    np.testing.assert_allclose(sampler.scores_, 1 - p.max(axis=1), atol=1e-5)
    np.testing.assert_array_equal(sampler.y_pred_, model.predict(X[order]))
    listed = rows(path)
    assert [row["item"] for row in listed] == [names[int(row["id"])] for row in listed]
    fill(path, {i: y[order[i]] for i in range(60)})
    code, out, _ = run("sample", folder / "in", "--state", state, "--answers", path)
    assert code == 0
    ids = [int(row["id"]) for row in listed]
    wrong = (model.predict(X[order]) != y[order])[ids]
    assert f"Failures found: {wrong.sum()}" in out


def test_labelling_images_prints_paths_and_opens_them(photos, tmp_path, monkeypatch):
    folder, *_ = photos
    opened = []
    monkeypatch.setattr(label_loop.click, "launch", opened.append)
    state = tmp_path / "s.json"
    begin = ("label", folder / "in", "--state", state, "-n", 6, "--view")
    code, out, _ = run(*begin, "--sampler", "simple", typed="r\nw\ns\nq\n")
    assert code == 0
    assert len(opened) == 4
    assert all(Path(path).is_file() for path in opened)
    assert all(path in out for path in opened)
    assert "2 of 60 labelled, 3 open, 1 skipped." in out


def test_a_column_of_paths_is_opened_too(photos, tmp_path, monkeypatch):
    folder, *_ = photos
    opened = []
    monkeypatch.setattr(label_loop.click, "launch", opened.append)
    table = pandas.DataFrame({"file": ["in/000.png", "gone.png"], "doubt": [0.1, 0.2]})
    table.to_csv(folder / "files.csv", index=False)
    begin = ("label", folder / "files.csv", "--state", tmp_path / "s.json", "-n", 2)
    options = ("--item", "file", "--scores", "doubt", "--view")
    assert run(*begin, *options, typed="r\nr\n")[0] == 0
    assert opened == [str(folder.resolve() / "in/000.png")]


def test_folders_that_are_refused(photos, tmp_path):
    image = pytest.importorskip("PIL.Image")
    folder, *_ = photos
    state = tmp_path / "s.json"
    model = ("--model", folder / "model.skops", "--state", state, "-n", 2)
    assert "holds no images" in refused("sample", folder / "none", *model)
    bad = tmp_path / "bad"
    bad.mkdir()
    (bad / "a.png").write_bytes(b"no")
    assert "a.png" in refused("sample", bad, *model)
    image.new("L", (8, 8)).save(bad / "a.png")
    image.new("L", (8, 9)).save(bad / "b.png")
    assert "'b.png' is 9 x 8" in refused("sample", bad, *model)
    frames = [image.new("L", (8, 8), k) for k in range(3)]
    frames[0].save(bad / "b.png", save_all=True, append_images=frames[1:])
    assert "it holds 3 pictures" in refused("sample", bad, *model)
    assert "--show" in refused(
        *("sample", bad, "--state", state, "-n", 1, "--sampler", "simple"),
        *("--show", "a"),
    )
    assert "--item" in refused("sample", bad, *model, "--item", "a")
    scores = ("--state", state, "-n", 2, "--scores", "a")
    assert "columns of a table" in refused("sample", bad, *scores)
    begin = ("sample", bad, "--state", state, "-n", 1, "--sampler", "simple")
    assert run(*begin)[0] == 0
    (bad / "b.png").unlink()
    assert "another pool" in refused("sample", bad, "--state", state)


def test_layouts_of_images(photos):
    from skrobust.cli.image_input import image_batches, list_images

    folder, _, *_ = photos
    names = [name for name in list_images(folder / "in") if int(name.stem) % 3 == 0]
    grey, colours = (
        next(image_batches(folder / "in", names, None, grey=g)) for g in (True, False)
    )
    assert (grey.shape, colours.shape) == ((20, 8, 8), (20, 8, 8, 3))
    assert grey.dtype == np.float32
    (chw,) = image_batches(folder / "in", names, None, layout="chw")
    np.testing.assert_array_equal(chw, colours.transpose(0, 3, 1, 2))
    (flat,) = image_batches(folder / "in", names, None, grey=True, layout="flat")
    np.testing.assert_array_equal(flat, grey.reshape(20, 64))
    (one,) = image_batches(folder / "in", names, None, grey=True, layout="chw")
    assert one.shape == (20, 1, 8, 8)


@pytest.mark.parametrize("command", ["sample", "label"])
def test_help_teaches_by_example(command, capsys):
    assert main([command, "--help"]) == 0
    text = capsys.readouterr().out
    assert f"  skrobust {command} pool.csv --model model.skops --state s.json" in text
    assert "Exit codes: 0" in " ".join(text.split())
    for name in get_sampler_names():
        assert name in "".join(text.split())  # lines end at hyphens, too


def test_an_empty_list_is_said_to_be_empty(begun):
    table, state, path, _ = begun
    code, out, _ = run("sample", table, "--state", state, "--answers", path)
    assert code == 0
    assert f"no answers in {path.name}\n" in out


def test_a_folder_has_no_columns_and_is_no_table(tmp_path):
    image = pytest.importorskip("PIL.Image")
    image.new("RGB", (8, 8)).save(tmp_path / "a.png")
    columns = ("--scores", "doubt", "--predicted", "said")
    new = tmp_path / "new.json"
    sentence = refused("sample", tmp_path, "--state", new, "-n", 1, *columns)
    assert "is a folder: make a table" in sentence
    assert "--item" in sentence
    table, state = tmp_path / "p.csv", tmp_path / "s.json"
    table.write_text("file,doubt,said\na.png,0.5,cat\nb.png,0.1,dog\n")
    begin = ("sample", table, "--state", state, *columns, "--item", "file")
    assert run(*begin, "-n", 1, "--to-label", tmp_path / "a.csv")[0] == 0
    sentence = refused("sample", tmp_path, "--state", state)
    assert "'s.json' belongs to the table" in sentence


def test_features_are_learned(tmp_path):
    rng = np.random.default_rng(0)
    site = rng.choice(["north", "east"], 600)
    failed = rng.random(600) < np.where(site == "east", 0.6, 0.02)
    pool, state, listed = tmp_path / "p.csv", tmp_path / "s.json", tmp_path / "l.csv"
    table = pandas.DataFrame({"doubt": rng.random(600) / 9, "site": site, "grade": 1.5})
    table.to_csv(pool)
    begin = ["--scores", "doubt", "--feature", "site", "--feature", "grade"]
    for options in (begin, []):
        code, *_ = run(
            "sample", pool, "--state", state, "-n", 60, "--to-label", listed, *options
        )
        assert code == 0
        ids = [int(row["id"]) for row in rows(listed)]
        fill(listed, {i: ":wrong" if failed[i] else ":right" for i in ids})
        assert run("sample", pool, "--state", state, "--answers", listed)[0] == 0
        listed = tmp_path / "later.csv"
    assert np.mean(site[ids] == "east") > 0.6
    stored = json.loads(state.read_text())
    assert stored["pool"]["features_"]["shape"] == [600, 3]
    other = ["sample", pool, "--state", tmp_path / "o.json", "-n", 9]
    assert "goes with --sampler operational" in refused(
        *other, *begin, "--sampler", "strat"
    )
    table.assign(name=[f"n{i}" for i in range(600)]).to_csv(pool)
    assert "600 different texts" in refused(*other, "--feature", "name")


def test_labels_that_cost_differently(tmp_path):
    rng = np.random.default_rng(0)
    costs, failed = np.exp(rng.normal(size=600)).round(3), rng.random(600) < 0.2
    pool, state, listed = tmp_path / "p.csv", tmp_path / "s.json", tmp_path / "l.csv"
    table = pandas.DataFrame({"doubt": rng.random(600) / 9, "minutes": costs})
    table.to_csv(pool)
    begin = ["sample", pool, "--state", state, "--scores", "doubt"]
    with_costs = [*begin, "--cost", "minutes", "--to-label", listed]
    assert (
        "operational: it draws inputs whose labels" in run(*with_costs, "--advise")[1]
    )
    code, out, _ = run(*with_costs, "--budget", 60)
    ids = [int(row["id"]) for row in rows(listed)]
    sampler = sampling.OperationalSampler(random_state=0).fit(
        table["doubt"], costs=costs
    )
    assert code == 0
    assert sorted(ids) == sorted(sampler.ask(budget=60.0).tolist())
    assert f"cost of all {len(ids)} inputs drawn: {costs[ids].sum():g}" in out
    fill(listed, {i: ":wrong" if failed[i] else ":right" for i in ids})
    assert run("sample", pool, "--state", state, "--answers", listed)[0] == 0
    code, out, _ = run(
        "sample",
        pool,
        "--state",
        state,
        "--budget",
        30,
        "--to-label",
        tmp_path / "m.csv",
    )
    assert code == 0
    assert "budgets so far: 90; each draw has an expected cost of at most its" in out
    code, out, _ = run("sample", pool, "--state", state, "-n", 2)
    assert code == 0
    assert "cost of all" in out
    other = ["sample", pool, "--state", tmp_path / "o.json", "--scores", "doubt"]
    assert "needs what each label costs" in refused(*other, "--budget", 9)
    assert "not both" in refused(*other, "--cost", "minutes", "-n", 3, "--budget", 9)
    sentence = refused(
        *other, "--cost", "minutes", "-n", 9, "--sampler", "simple-random"
    )
    assert "operational or stratified" in sentence
    assert "expected cost of one label" in refused(
        *other, "--cost", "minutes", "--budget", 0.01
    )
    table.assign(minutes=costs - 1).to_csv(pool)
    assert "finite numbers above 0" in refused(*other, "--cost", "minutes", "-n", 9)


@pytest.mark.parametrize("sampler", ["stratified", "operational"])
def test_labelling_for_a_budget_ends_with_it_and_goes_on_with_more(tmp_path, sampler):
    costs = np.tile([1.0, 5.0], 100)
    pool, state = tmp_path / "p.csv", tmp_path / "s.json"
    doubt = np.linspace(0.01, 0.4, 200)
    pandas.DataFrame({"doubt": doubt, "minutes": costs}).to_csv(pool)
    begin = ["--scores", "doubt", "--cost", "minutes", "--sampler", sampler]
    command = ["label", pool, "--state", state]
    _, out, _ = run(*command, *begin, "--budget", 60, typed="right\n" * 100)
    first = set(asked(out))
    assert 10 < len(first) < 40
    assert asked(run(*command, "--budget", 60, typed="right\n" * 100)[1]) == []
    _, out, _ = run(*command, "--budget", 100, typed="right\n" * 100)
    more = set(asked(out))
    assert 5 < len(more) < 40
    assert not more & first
    assert "give one of them" in refused(*command, "--budget", 99, "-n", 3)
    _, out, _ = run(*command, "--budget", 9999, typed="right\n" * 300)
    assert len(first | more | set(asked(out))) == 200


def test_empty_cells_are_shown_empty(tmp_path):
    pool, state, listed = tmp_path / "p.csv", tmp_path / "s.json", tmp_path / "l.csv"
    text = [None if i % 2 else f"t{i}" for i in range(20)]
    table = pandas.DataFrame({"text": text, "size": [np.nan, 1.5] * 10})
    for name, suffix in (("to_csv", ".csv"), ("to_parquet", ".parquet")):
        pool, state = tmp_path / f"p{suffix}", tmp_path / f"s{suffix}.json"
        if suffix == ".parquet":
            pytest.importorskip("pyarrow")
        getattr(table, name)(pool, index=False)
        begin = ["sample", pool, "--state", state, "-n", 20, "--to-label", listed]
        assert run(*begin, "--sampler", "simple-random")[0] == 0
        shown = {int(row["id"]): (row["text"], row["size"]) for row in rows(listed)}
        assert shown[1] == ("", "1.5")
        assert shown[2] == ("t2", "")
        listed.unlink()
