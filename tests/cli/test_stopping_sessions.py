"""Sessions in which results decide when labelling ends: the interval holds for that."""

import json

import numpy as np
import pytest

for needed in ("click", "pandas", "skops", "jinja2", "matplotlib", "tqdm"):
    pytest.importorskip(needed)
import pandas  # noqa: E402
from cli_runner import run, testing  # noqa: E402

from skrobust.cli import command_group  # noqa: E402
from skrobust.cli.labelling.labelling_session import Session  # noqa: E402

N = 200


@pytest.fixture
def session(tmp_path):
    table = {"text": [f"t{i}" for i in range(N)], "doubt": np.linspace(0.1, 0.9, N)}
    pandas.DataFrame(table).to_csv(tmp_path / "p.csv", index=False)
    return tmp_path / "p.csv", "--state", tmp_path / "s.json"


def label(session, *words, typed):
    words = ["label", *map(str, session), *map(str, words)]
    return testing.CliRunner().invoke(command_group.skrobust, words, input=typed)


def intervals(path):
    """Return the intervals of a fixed budget and of every look."""
    with Session(path) as session:
        session.resume()
    results = (session.sampler.result(method=m) for m in ("default", "stopping"))
    return [list(result.interval) for result in results]


@pytest.mark.parametrize("sampler", ["simple-random", "operational"])
def test_sample_prints_the_interval_that_label_stopped_by(sampler, session, tmp_path):
    begin = ("--scores", "doubt", "--sampler", sampler, "--until", 0.2)
    result = label(session, *begin, typed="r\nr\nr\nw\n" * N)
    assert result.exit_code == 0, result.stderr
    code, out, _ = run("sample", *session, "--json", tmp_path / "r.json")
    assert code == 0
    assert "We are 95 % sure, whenever you stop, that the accuracy lies" in " ".join(
        out.split()
    )
    found = json.loads((tmp_path / "r.json").read_text())
    fixed, every = intervals(session[2])
    assert found["interval"] == every != fixed
    assert found["stopping"]
    # Nor does a budget that follows make it a fixed one.
    more = found["n_labels"] + 2
    result = label(session, "-n", more, "--json", tmp_path / "r.json", typed="r\nr\n")
    assert "whenever you stop" in " ".join(result.stdout.split())
    found = json.loads((tmp_path / "r.json").read_text())
    assert found["interval"] == intervals(session[2])[1]


def test_a_fixed_budget_stays_one(session, tmp_path):
    begin = ("--scores", "doubt", "--sampler", "simple-random", "-n", 30)
    result = label(session, *begin, typed="r\nr\nw\n" * 10)
    assert "whenever you stop" not in result.stdout
    out = run("sample", *session, "--json", tmp_path / "r.json")[1]
    assert "whenever you stop" not in out
    found = json.loads((tmp_path / "r.json").read_text())
    assert found["interval"] == intervals(session[2])[0]
    assert not found["stopping"]


def test_it_is_remembered_from_the_first_look_on(session, monkeypatch):
    """Also where the session is killed before its end."""
    begin = ("--scores", "doubt", "--sampler", "simple-random", "-n", 5)
    assert label(session, *begin, typed="r\n" * 5).exit_code == 0
    words = ["label", *map(str, session), "--until", "0.2"]

    class Killed(BaseException):
        pass

    def die(self):
        raise Killed

    monkeypatch.setattr("skrobust.cli.labelling.label_loop.LabelLoop.run", die)
    with pytest.raises(Killed):
        command_group.skrobust.main(words, standalone_mode=False)
    assert json.loads(session[2].read_text())["command_line"]["stopping"]


def test_skipped_answers_leave_the_sentence_as_it_is(session):
    begin = ("--scores", "doubt", "--sampler", "operational", "--until", 0.3)
    result = label(session, *begin, typed="r\ns\nr\nw\n" * N)
    text = " ".join(result.stdout.split())
    assert "We are 95 % sure, whenever you stop, that" in text


def test_a_sampler_without_such_an_interval_is_left_alone(session):
    """What is refused is not remembered."""
    options = ("--sampler", "cross-entropy", "--scores", "doubt")
    result = label(session, *options, "--until", 0.2, typed="r\n")
    assert result.exit_code != 0
    assert not session[2].exists()
