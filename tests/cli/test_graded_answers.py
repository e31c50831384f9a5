"""Graded answers on the command line: losses and scores by keys, fields and lists."""

import csv
import io
import json
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

for needed in ("click", "pandas", "skops", "jinja2", "matplotlib", "tqdm"):
    pytest.importorskip(needed)
import pandas  # noqa: E402
from cli_runner import run, testing  # noqa: E402

from skrobust.cli import command_group  # noqa: E402
from skrobust.cli.exit_codes import UserError  # noqa: E402
from skrobust.cli.labelling.formats import FORMATS  # noqa: E402
from skrobust.cli.labelling.grade_reader import GradeReader  # noqa: E402
from skrobust.cli.labelling.grading import Grading  # noqa: E402
from skrobust.cli.labelling.sampler_names import get_sampler_names  # noqa: E402
from skrobust.sampling import OperationalSampler, SimpleRandomSampler  # noqa: E402

N = 60
TRUTH = np.tile([0, 0.25, 0.5, 0.75, 1], 12)
GRADES = ("--grades", "0,.25,.5,.75,1")
SIMPLE = ("--sampler", "simple-random")


@pytest.fixture
def session(tmp_path):
    """The words of a session on a pool with doubts and replies of a model."""
    table = {
        "prompt": [f"p{i}" for i in range(N)],
        "reply": [f"r{i}" for i in range(N)],
    }
    table["doubt"] = np.linspace(0.05, 0.9, N)
    pandas.DataFrame(table).to_csv(tmp_path / "p.csv", index=False)
    return tmp_path / "p.csv", "--state", tmp_path / "s.json"


def label(*words, typed):
    """Run `skrobust label` with what is typed."""
    words = ["label", *map(str, words)]
    result = testing.CliRunner().invoke(command_group.skrobust, words, input=typed)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


def told(session):
    return json.loads(session[2].read_text())["command_line"]["answers"]


def fill(path, numbers, name="loss"):
    """Fill in a CSV list by id; return its ids."""
    rows = list(csv.DictReader(io.StringIO(path.read_text())))
    for row in rows:
        row[name] = numbers.get(int(row["id"]), "")
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return [int(row["id"]) for row in rows]


# The result is that of the sampler


@pytest.mark.parametrize("higher_is_better", [False, True])
def test_a_list_gives_what_the_sampler_gives(higher_is_better, session, tmp_path):
    path, json_out = tmp_path / "a.csv", tmp_path / "r.json"
    more = ("--higher-is-better",) if higher_is_better else ()
    name = "score" if higher_is_better else "loss"
    begin = ("--scores", "doubt", "--loss-range", "0,4", *more, "-n", 30, "--seed", 3)
    code, out, err = run("sample", *session, *begin, "--to-label", path)
    assert code == 0, err
    assert f"Nothing is known about the mean {name} yet." in out
    numbers = dict(enumerate(4 * TRUTH))
    ids = fill(path, numbers, name)
    code, out, err = run("sample", *session, "--answers", path, "--json", json_out)
    assert code == 0, err
    assert f"We are 95 % sure that the mean {name} lies between" in out
    sampler = OperationalSampler(loss_range=(0, 4), random_state=3)
    sampler.fit(np.linspace(0.05, 0.9, N))
    assert sampler.ask(30).tolist() == ids
    losses = 4 - 4 * TRUTH[ids] if higher_is_better else 4 * TRUTH[ids]
    expected = sampler.tell(ids, loss=losses).result()
    found = json.loads(json_out.read_text())
    mean, ends = expected.mean_loss, expected.interval
    if higher_is_better:
        mean, ends = 4 - mean, (4 - ends[1], 4 - ends[0])
    assert found[f"mean_{name}"] == pytest.approx(mean)
    assert found["interval"] == pytest.approx(list(ends))
    assert (found["measure"], found["range"]) == (f"mean {name}", [0, 4])
    worst = {row["id"]: row[name] for row in found["failures"]}
    best = 4 if higher_is_better else 0
    assert worst == {i: numbers[i] for i in ids if numbers[i] != best}


@pytest.mark.parametrize(
    "name", [n for n in get_sampler_names() if n != "cross-entropy"]
)
def test_every_sampler_takes_grades(name, session, tmp_path):
    path = tmp_path / "a.csv"
    begin = ("--scores", "doubt", *GRADES, "--sampler", name, "-n", 20)
    assert run("sample", *session, *begin, "--to-label", path)[0] == 0
    fill(path, dict(enumerate(TRUTH)))
    code, out, err = run("sample", *session, "--answers", path)
    assert code == 0, err
    assert "mean loss lies between" in out


def test_terminal_page_and_list_continue_one_session(session, tmp_path):
    code, out, err = label(
        *session, *SIMPLE, *GRADES, "-n", 4, typed="0.25\n.3\n0,5\nu\n1\ns\nright\n"
    )
    assert code == 0, err
    assert "Answer with the loss (0, 0.25, 0.5, 0.75, 1), 0 (best) to 1 (worst)" in out
    assert "the answer '.3' is no loss: one of 0, 0.25, 0.5, 0.75, 1, or skip" in out
    assert "the answer 'right' is no loss" in out
    assert "was: 0.5 (Enter keeps it)" in out
    assert list(told(session).values()) == [
        ["loss", 0.25],
        ["loss", 1.0],
        ["loss", None],
    ]
    path = tmp_path / "a.csv"
    assert run("sample", *session, "--to-label", path)[0] == 0
    (last,) = fill(path, dict.fromkeys(range(N), "0.75"))
    code, out, _ = run("sample", *session, "--answers", path, "--details")
    assert code == 0
    assert "answers in a.csv: 1 new" in out
    assert f"3 of {N} labelled, 1 skipped." in out
    assert "Losses above 0, largest first: 3:" in out
    assert told(session)[str(last)] == ["loss", 0.75]


def test_a_half_width_is_in_the_units_of_the_answers(session):
    words = (*session, *SIMPLE, "--loss-range", "0,100", "--until", 30)
    code, out, err = label(*words, typed="40\n60\n" * N)
    assert code == 0, err
    assert "The interval is as narrow as wanted (+- 30)." in out
    assert "sure, whenever you stop, that the mean loss" in " ".join(out.split())
    code, _, err = run("sample", *session, "--half-width", 100)
    assert code == 2
    assert "the mean loss cannot vary by more than 100" in err


# What is refused


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--grades", "1"), "is not different numbers"),
        (("--grades", "1,1,2"), "is not different numbers"),
        (("--grades", "1,nan"), "is not different numbers"),
        (("--loss-range", "1,0"), "1 is not below 0"),
        (("--loss-range", "0,1", "--grades", "0,1"), "not both"),
        (("--higher-is-better",), "give --grades or --loss-range"),
        (("--grades", "0,1", "--set", "loss_range=[0,2]"), "no setting 'loss_range'"),
        (("--grades", "0,1", "--half-width", "1"), "cannot vary by more than 1"),
        (("--half-width", "2"), "the accuracy cannot vary by more than 1"),
    ],
)
def test_gradings_that_make_no_sense(words, sentence, session):
    code, _, err = run("sample", *session, *SIMPLE, "-n", 5, *words)
    assert code == 2
    assert sentence in err
    assert not session[2].exists()


def test_lists_of_another_kind_are_refused(session, tmp_path):
    path = tmp_path / "a.csv"
    assert run("sample", *session, *SIMPLE, *GRADES, "-n", N)[0] == 0
    for text, sentence in [
        ("id,score\n3,1\n", "takes a loss of each input in this session"),
        ("id,answer,verdict\n3,,right\n", "'right' is no loss"),
        ("id,answer\n3,cat\n", "'cat' is no loss"),
        ("id,loss\n3,2\n", "'2' is no loss: one of 0, 0.25, 0.5, 0.75, 1, or skip"),
        ("id,loss\n3,nan\n", "'nan' is no loss"),
    ]:
        path.write_text(text)
        code, _, err = run("sample", *session, "--answers", path)
        assert code == 2, text
        assert sentence in err
    assert told(session) == {}
    other = (session[0], "--state", tmp_path / "o.json")
    assert run("sample", *other, *SIMPLE, "-n", N)[0] == 0
    path.write_text("id,loss\n3,0.5\n")
    code, _, err = run("sample", *other, "--answers", path)
    assert code == 2
    assert "takes a label of each input in this session" in err


def test_a_session_keeps_its_scale(session):
    assert run("sample", *session, *SIMPLE, *GRADES, "-n", 5)[0] == 0
    assert run("sample", *session, *GRADES)[0] == 0
    for words in (
        ("--grades", "0,1"),
        ("--loss-range", "0,1"),
        ("--higher-is-better",),
    ):
        code, _, err = run("sample", *session, *words)
        assert code == 2
        assert "was begun with" in err


@pytest.mark.parametrize("higher_is_better", [False, True])
def test_every_number_that_is_written_can_be_read(higher_is_better):
    sampler = SimpleRandomSampler(random_state=0).fit(np.ones(3))
    reader = GradeReader(sampler, Grading(-1, 0.7, (), higher_is_better))
    for number in np.linspace(-1, 0.7, 173):
        kind, loss = reader.read(repr(float(number)))
        assert reader.read(repr(float(number))) == (kind, loss)  # no other answer
        again = reader.read(reader.in_words(kind, loss))
        assert again == ("loss", pytest.approx(loss, abs=1e-11))
        assert float(reader.as_read(kind, loss)) == pytest.approx(number, abs=1e-11)
    for text in ("", "inf", "-1.1", "0.71", "1,0,0", "r", "w"):
        with pytest.raises(UserError):
            reader.read(text)
    assert reader.read("-0,5") == reader.read("-.5")


# Lists for tools


def by_tool(name, text, answers):
    """Answer a list as a person does in a tool; return its export."""
    records = (
        [json.loads(line) for line in text.splitlines()]
        if FORMATS[name].lines
        else (json.loads(text))
    )
    for at, record in enumerate(records):
        place = record.get("data") or record.get("metadata") or record
        word = answers.get(place["pool_id"])
        if word is None:
            continue
        if name == "label-studio":
            value = {"number": word} if isinstance(word, float) else {"choices": [word]}
            result = {"from_name": "loss", "to_name": "input", "value": value}
            one = {"was_cancelled": word == "skip", "result": [result]}
            record["annotations"] = [one]
        elif name == "argilla":
            status = "discarded" if word == "skip" else "submitted"
            value = None if word == "skip" else str(word)
            record = record["metadata"] | {"_server_id": "x", "status": "pending"}
            record["loss.responses"] = [value]
            record |= {"loss.responses.users": ["u"], "loss.responses.status": [status]}
            records[at] = record
        elif name == "doccano":
            record |= {"Comments": ["skip"]} if word == "skip" else {"label": [word]}
        else:
            record["answer"] = "ignore" if word == "skip" else "accept"
            record["accept"] = [] if word == "skip" else [word]
    if FORMATS[name].lines:
        return "".join(f"{json.dumps(record)}\n" for record in records)
    return json.dumps(records)


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "csv"])
def test_grades_come_back_from_tools(name, session, tmp_path):
    """Predictions are shown, and no answers: a reply is no grade."""
    path = tmp_path / "list.json"
    begin = (*SIMPLE, *GRADES, "--predicted", "reply", "--show", "prompt", "-n", N)
    listed = ("--to-label", path, "--format", name)
    code, _, err = run("sample", *session, *begin, *listed)
    assert code == 0, err
    text = path.read_text()
    assert "predicted: r7" in text
    assert "p7" in text
    assert run("sample", *session, "--answers", path)[0] == 0
    assert told(session) == {}
    answers = {0: "0.25", 1: "1", 2: "skip"}
    path.write_text(by_tool(name, text, answers))
    code, _, err = run("sample", *session, "--answers", path)
    assert code == 0, err
    expected = {"0": ["loss", 0.25], "1": ["loss", 1.0], "2": ["loss", None]}
    assert told(session) == expected


@pytest.mark.parametrize("name", list(FORMATS))
def test_numbers_come_back_from_the_tools_that_take_them(name, session, tmp_path):
    path = tmp_path / "list.json"
    begin = (*SIMPLE, "--loss-range", "0,1", "-n", N)
    listed = ("--to-label", path, "--format", name)
    code, _, err = run("sample", *session, *begin, *listed)
    if name in ("doccano", "prodigy"):
        assert code == 2
        assert "begin with --grades" in err
        return
    assert code == 0, err
    if name == "csv":
        fill(path, {0: "0.3"})
    else:
        path.write_text(by_tool(name, path.read_text(), {0: 0.3}))
        settings = next(tmp_path.glob("list-settings.*")).read_text()
        assert '"loss"' in settings
        assert "right" not in settings
        if name == "label-studio":
            number = ElementTree.fromstring(settings).find("Number")
            ends = [float(number.get(end)) for end in ("min", "max", "step")]
            assert ends == [0, 1, 0.001]
    assert run("sample", *session, "--answers", path)[0] == 0
    assert told(session) == {"0": ["loss", 0.3]}


def test_a_session_that_was_killed_goes_on(session):
    """The journal keeps losses as it keeps labels."""
    words = [sys.executable, "-m", "skrobust", "label", *map(str, session), *SIMPLE]
    words += ["--grades", "1,2,3,4,5", "--higher-is-better", "-n", "5"]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        process.stdin.write("4\n2\n")
        process.stdin.flush()
        text = ""
        while text.count("labelled") < 2:
            text += process.stdout.readline()
        process.kill()
    assert told(session) == {}  # they are in the journal alone
    assert run("sample", *session)[0] == 0
    assert list(told(session).values()) == [["loss", 1.0], ["loss", 3.0]]


def test_a_comma_before_three_digits_may_be_thousands():
    from skrobust.cli.labelling.grade_reader import GradeReader
    from skrobust.cli.labelling.grading import Grading, grading_from
    from skrobust.sampling import SimpleRandomSampler

    sampler = SimpleRandomSampler(loss_range=(0, 10_000)).fit([[0.0]] * 3)
    reader = GradeReader(sampler, Grading(0.0, 10_000.0))
    assert reader._number("12,5") == 12.5
    with pytest.raises(UserError, match="fraction or thousands"):
        reader._number("1,250")
    with pytest.raises(UserError, match="a grade twice"):
        grading_from({"grades": [0, 1, 1, 2]})


def test_a_choice_of_none_is_no_answer():
    from skrobust.cli.labelling.formats import label_studio_tasks

    assert label_studio_tasks._value({"choices": []}) is None
    assert label_studio_tasks._value({"number": 0}) == 0


@pytest.mark.parametrize("sampler", get_sampler_names())
def test_scores_are_never_called_losses(sampler, session, tmp_path):
    path, json_out = tmp_path / "a.csv", tmp_path / "r.json"
    begin = ("--scores", "doubt", "--loss-range", "0,4", "--higher-is-better", "-n", 20)
    begin += ("--sampler", sampler, "--to-label", path)
    is_biased = sampler == "cross-entropy"
    width = () if is_biased else ("--half-width", 0.5)
    texts = [*run("sample", *session, *begin, *width, "--details")[1:]]
    numbers = iter([str(k % 5) for k in range(18)] + ["s", "s"])
    lines = path.read_text().splitlines()
    rows = {int(row["id"]): next(numbers) for row in csv.DictReader(lines)}
    fill(path, rows, "score")
    code, *out = run(
        "sample", *session, "--answers", path, "--details", "--json", json_out, *width
    )
    assert code == 0, out
    words = " ".join([*texts, *out, json_out.read_text()]).lower()
    assert not [line for line in words.splitlines() if "loss" in line]
    assert "mispredict" not in words
    facts = json.loads(json_out.read_text())
    low, high = facts["mean_score_bounds"]
    if facts["estimate"] is not None and low < high:
        (note,) = [one for one in facts["warnings"] if "skipped" in one]
        assert f"the largest score: the estimate lies between {low:.4f} and" in note
