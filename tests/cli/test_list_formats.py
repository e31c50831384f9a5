"""Lists for labelling tools: written, answered as each tool does, and read back."""

import csv
import io
import json
import xml.etree.ElementTree as ElementTree

import pytest

for needed in ("click", "pandas", "skops", "jinja2", "matplotlib"):
    pytest.importorskip(needed)
import pandas  # noqa: E402
from cli_runner import run  # noqa: E402

from skrobust.cli.labelling.answer_reader import AnswerReader  # noqa: E402
from skrobust.cli.labelling.answers_file import (  # noqa: E402
    read_answers,
    write_questions,
)
from skrobust.cli.labelling.formats import FORMATS  # noqa: E402
from skrobust.cli.labelling.formats.list_format import ListFormat  # noqa: E402
from skrobust.cli.labelling.pool_source import Pool  # noqa: E402
from skrobust.cli.labelling.shown_input import show_input  # noqa: E402
from skrobust.sampling import SimpleRandomSampler  # noqa: E402

TOOLS = [name for name in FORMATS if name != "csv"]
CLASSES = ["right", "wrong", "skip", ":right", "None", "nan", "a b", "2"]
N = 2 * len(CLASSES)
# What is answered: a label, or a verdict in angle brackets.
SKIP, RIGHT, WRONG = "<skip>", "<right>", "<wrong>"


def lines(text):
    return [json.loads(line) for line in text.split("\n") if line]


def write(records, as_lines):
    if as_lines:
        return "".join(f"{json.dumps(record)}\n" for record in records)
    return json.dumps(records)


# Each tool, as a person uses it: takes a list and answers by id, returns an export.


def by_csv(text, answers):
    rows = list(csv.DictReader(io.StringIO(text)))
    for row in rows:
        word = answers.get(int(row["id"]))
        if word is not None and word[0] == "<":
            row["verdict"] = word[1:-1]
        elif word is not None:
            row["answer"] = word
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return buffer.getvalue()


def by_label_studio(text, answers):
    tasks = json.loads(text)
    for number, task in enumerate(tasks):
        task |= {"id": 1000 + number, "annotations": [], "project": 1}
        word = answers.get(task["data"]["pool_id"])
        if word is None:
            continue
        name = "verdict" if word[0] == "<" else "label"
        value = {"choices": [word.strip("<>") if word[0] == "<" else word]}
        result = {"from_name": name, "to_name": "input", "type": "choices"}
        results = [] if word == SKIP else [{**result, "value": value, "id": "x"}]
        one = {"was_cancelled": word == SKIP, "result": results, "id": number}
        task["annotations"] = [one]
    return json.dumps(tasks)


def by_argilla(text, answers):
    records = json.loads(text)
    for record in records:
        word = answers.get(record["metadata"]["pool_id"])
        record |= {"status": "pending", "_server_id": "x"}
        if word is None:
            continue
        record["status"] = "completed"
        name = "verdict" if word[0] == "<" else "label"
        value = word.strip("<>") if word[0] == "<" else word
        record["responses"] = {name: [{"value": value, "user_id": "1"}]}
        if word == WRONG:  # the label is required, whatever it is
            suggested = record["suggestions"]
            other = suggested["label"]["value"] if suggested else "x"
            record["responses"]["label"] = [{"value": other, "user_id": "1"}]
    return json.dumps(records)


def by_doccano(text, answers):
    found = []
    for number, example in enumerate(lines(text)):
        word = answers.get(example["pool_id"])
        if word is not None and word[0] == "<":
            example["Comments"] = ["as discussed", word[1:-1]]
        elif word is not None:
            example["label"] = [word]
        # pandas makes numbers floats where some are missing
        found.append(
            example | {"id": 500 + number, "pool_id": float(example["pool_id"])}
        )
    return write(found, True)


def by_prodigy(text, answers):
    found = []
    for task in lines(text):
        word = answers.get(task["pool_id"])
        if word is None:
            continue  # db-out has what was answered
        task |= {"_input_hash": 1, "_task_hash": 2, "_view_id": "choice"}
        task["answer"] = {SKIP: "ignore", WRONG: "reject"}.get(word, "accept")
        if word[0] != "<" and "options" in task:
            task["accept"] = [word]
        found.append(task)
    return write(found, True)


ANSWER = {
    "csv": by_csv,
    "label-studio": by_label_studio,
    "argilla": by_argilla,
    "doccano": by_doccano,
    "prodigy": by_prodigy,
}


def test_each_format_has_a_person():
    assert set(ANSWER) == set(FORMATS)


@pytest.fixture
def begun(tmp_path):
    """A session on a pool whose classes are called like control words."""
    table = {"text": [f"text {i}\u2028<b>" for i in range(N)], "said": CLASSES * 2}
    pandas.DataFrame(table).to_csv(tmp_path / "p.csv", index=False)
    words = ("sample", tmp_path / "p.csv", "--state", tmp_path / "s.json")

    def start(name, *more, predicted=True):
        begin = ("-n", N, "--sampler", "simple-random", "--show", "text", *more)
        begin += ("--predicted", "said") if predicted else ()
        path = tmp_path / "list.txt"
        listed = ("--to-label", path, "--format", name)
        code, out, err = run(*words, *begin, *listed)
        assert code == 0, err
        return words, path, out

    return start


def told(tmp_path):
    return json.loads((tmp_path / "s.json").read_text())["command_line"]["answers"]


@pytest.mark.parametrize("name", FORMATS)
def test_labels_come_back_as_they_are(name, begun, tmp_path):
    """Every input is said to be of one class; those predicted so are right."""
    words, path, _ = begun(name)
    for label in CLASSES:
        answers = dict.fromkeys(range(N), label)
        path.with_name("out.txt").write_text(ANSWER[name](path.read_text(), answers))
        read = (*words, "--answers", path.with_name("out.txt"), "--correct")
        code, _, err = run(*read, "--json", tmp_path / "r.json")
        assert (code, err.count("warning")) == (0, 0), err
        found = json.loads((tmp_path / "r.json").read_text())
        assert found["accuracy"] == 2 / N
        assert found["n_failures"] == N - 2
        assert set(map(tuple, told(tmp_path).values())) == {("y_true", label)}


@pytest.mark.parametrize("name", FORMATS)
def test_verdicts_and_what_is_open(name, begun, tmp_path):
    words, path, _ = begun(name)
    verdicts = {0: RIGHT, 1: WRONG, 2: SKIP, 3: WRONG, 4: SKIP}
    if name == "prodigy":  # right is the accepted prediction
        verdicts[0] = CLASSES[0]
    path.with_name("out.txt").write_text(ANSWER[name](path.read_text(), verdicts))
    code, out, err = run(*words, "--answers", path.with_name("out.txt"))
    assert code == 0, err
    assert f"3 of {N} labelled, {N - 5} open, 2 skipped." in " ".join(out.split())
    failed = {i: answer for i, (_, answer) in told(tmp_path).items()}
    first = CLASSES[0] if name == "prodigy" else False
    assert failed == {"0": first, "1": True, "2": None, "3": True, "4": None}
    # The rest later, from an export that has all.
    verdicts |= {i: CLASSES[i % len(CLASSES)] for i in range(5, N)}
    path.with_name("out.txt").write_text(ANSWER[name](path.read_text(), verdicts))
    code, out, err = run(*words, "--answers", path.with_name("out.txt"))
    assert code == 0, err
    assert f"{N - 2} of {N} labelled, 2 skipped." in out
    assert "Failures found: 2:" in out


@pytest.mark.parametrize("name", FORMATS)
def test_without_predictions_answers_are_verdicts(name, begun, tmp_path):
    words, path, _ = begun(name, predicted=False)
    verdicts = {0: RIGHT, 1: WRONG, 2: SKIP}
    text = path.read_text()
    if name == "doccano":  # the labels of the project, there
        examples = [{**e, "label": [RIGHT[1:-1]]} for e in lines(text)[:1]]
        text = write([*examples, *lines(text)[1:]], True)
    path.with_name("out.txt").write_text(ANSWER[name](text, verdicts))
    code, _, err = run(*words, "--answers", path.with_name("out.txt"))
    assert code == 0, err
    expected = {"0": ["failed", False], "1": ["failed", True], "2": ["failed", None]}
    assert told(tmp_path) == expected


@pytest.mark.parametrize("name", TOOLS)
def test_predictions_are_no_answers(name, begun, tmp_path):
    """A list that nobody has touched answers nothing."""
    words, path, _ = begun(name)
    assert run(*words, "--answers", path)[0] == 0
    assert told(tmp_path) == {}
    if name != "doccano":  # there, they would be taken for answers
        assert json.dumps(CLASSES[3]) in path.read_text()
    # So it may be written anew; an export with answers may not.
    assert run(*words, "--to-label", path, "--format", name)[0] == 0
    filled = ANSWER[name](path.read_text(), {0: CLASSES[0]})
    path.write_text(filled)
    code, _, err = run(*words, "--to-label", path, "--format", name)
    assert (code, path.read_text()) == (2, filled)
    assert "holds answers" in err


@pytest.mark.parametrize("name", FORMATS)
def test_blind_lists_have_no_predictions(name, begun):
    _, path, _ = begun(name, "--blind")
    records = path.read_text()
    if name == "csv":
        assert "predicted" not in records
    else:
        for record in lines(records) if FORMATS[name].lines else json.loads(records):
            assert not record.get("predictions")
            assert not record.get("suggestions")
            assert not record.get("accept")
            assert "predicted" not in record


@pytest.mark.parametrize("name", FORMATS)
def test_several_exports_must_agree(name, begun, tmp_path):
    words, path, _ = begun(name)
    text = path.read_text()
    for k, answers in enumerate(({0: "nan"}, {1: "nan", 0: "nan"}, {1: "None"})):
        path.with_name(f"{k}.txt").write_text(ANSWER[name](text, answers))
    both = ("--answers", path.with_name("0.txt"), "--answers", path.with_name("1.txt"))
    assert run(*words, *both)[0] == 0
    assert told(tmp_path) == {"0": ["y_true", "nan"], "1": ["y_true", "nan"]}
    code, _, err = run(*words, "--answers", path.with_name("2.txt"))
    assert code == 2
    assert "another answer for id 1" in err


@pytest.mark.parametrize("name", TOOLS)
def test_exports_of_another_make_are_refused(name, begun):
    words, path, _ = begun(name)
    for text in ('[{"a": 1}]', "[1]", "{", "", '{"data": 3, "fields": 3, "label": 3}'):
        path.write_text(text)
        code, _, err = run(*words, "--answers", path, "--format", name)
        assert code == 2, text
        assert err.splitlines()[-1].startswith("skrobust: 'list.txt'"), err


def test_people_of_a_tool_who_disagree(begun, tmp_path):
    words, path, _ = begun("label-studio")
    tasks = json.loads(by_label_studio(path.read_text(), {0: "nan", 1: "nan"}))
    tasks.sort(key=lambda task: task["data"]["pool_id"])
    skipped = {"was_cancelled": True, "result": []}
    tasks[0]["annotations"].append(skipped)
    tasks[1]["annotations"].insert(0, skipped)
    path.write_text(json.dumps(tasks))
    assert run(*words, "--answers", path)[0] == 0  # who skips yields
    assert told(tmp_path) == {"0": ["y_true", "nan"], "1": ["y_true", "nan"]}
    other = json.loads(by_label_studio(path.read_text(), {2: "nan"}))[2]["annotations"]
    result = other[0]["result"][0] | {"value": {"choices": ["None"]}}
    tasks[2]["annotations"] = [*other, {"was_cancelled": False, "result": [result]}]
    path.write_text(json.dumps(tasks))
    code, _, err = run(*words, "--answers", path)
    assert code == 2
    assert "has another answer in record 3" in err


def test_drafts_and_discarded_records_of_argilla(begun, tmp_path):
    words, path, _ = begun("argilla")
    answers = {0: "nan", 1: "nan", 2: "nan"}
    records = json.loads(by_argilla(path.read_text(), answers))
    records.sort(key=lambda record: record["metadata"]["pool_id"])
    records[0]["responses"]["label"][0]["status"] = "discarded"
    records[1]["responses"]["label"][0]["status"] = "draft"
    records[2]["status"] = "pending"
    path.write_text(json.dumps(records))
    assert run(*words, "--answers", path)[0] == 0
    assert told(tmp_path) == {"0": ["failed", None]}


def flattened(i, *responses, status="pending", question="label"):
    """Return a record as ``records.to_list(flatten=True)`` of argilla 2.8 has it."""
    record = {"id": str(i), "status": status, "_server_id": "x", "text": f"text {i}"}
    record |= {"pool_id": i, "item": str(i), "label.suggestion": "nan"}
    names = ("", ".users", ".status")
    for at, name in enumerate(names):
        column = [one[at] for one in responses] or None
        record[f"{question}.responses{name}"] = column
    return record


def test_argilla_tells_submitted_drafts_and_discarded_apart(begun, tmp_path):
    words, path, _ = begun("argilla")
    submitted, draft = ("nan", "u", "submitted"), ("None", "v", "draft")
    discarded = ("None", "v", "discarded")
    records = [
        flattened(0, submitted),
        flattened(1, draft),
        flattened(2, discarded),
        flattened(3, discarded, submitted, status="completed"),  # who skips yields
        flattened(4, draft, submitted, status="completed"),
        flattened(5, draft, status="completed"),
        flattened(6),
        flattened(7, status="discarded"),  # without an answer
        flattened(8, ("wrong", "u", "submitted"), question="verdict"),
    ]
    path.write_text(json.dumps(records))
    code, _, err = run(*words, "--answers", path)
    assert code == 0, err
    label, skip = ["y_true", "nan"], ["failed", None]
    expected = {"0": label, "2": skip, "3": label, "4": label, "7": skip}
    assert told(tmp_path) == expected | {"8": ["failed", True]}
    # Two who submitted must agree, in an export with statuses, too.
    path.write_text(json.dumps([flattened(9, submitted, ("None", "v", "submitted"))]))
    code, _, err = run(*words, "--answers", path)
    assert code == 2
    assert "id 9 has another answer" in err


def test_discarded_without_an_answer_in_the_nested_export(begun, tmp_path):
    words, path, _ = begun("argilla")
    records = json.loads(by_argilla(path.read_text(), {}))
    records[0]["status"] = "discarded"
    path.write_text(json.dumps(records))
    assert run(*words, "--answers", path)[0] == 0
    i = records[0]["metadata"]["pool_id"]
    assert told(tmp_path) == {str(i): ["failed", None]}


def test_drafts_and_left_out_skips_of_label_studio(begun, tmp_path):
    words, path, _ = begun("label-studio")
    tasks = json.loads(by_label_studio(path.read_text(), {0: "nan"}))
    tasks.sort(key=lambda task: task["data"]["pool_id"])
    tasks[1]["drafts"] = tasks[0]["annotations"]
    tasks[2]["cancelled_annotations"] = 1  # the export leaves cancelled ones out
    tasks[0]["cancelled_annotations"] = 1  # and another person has labelled
    path.write_text(json.dumps(tasks))
    assert run(*words, "--answers", path)[0] == 0
    assert told(tmp_path) == {"0": ["y_true", "nan"], "2": ["failed", None]}


def test_other_questions_of_a_project_are_no_labels(begun, tmp_path):
    words, path, _ = begun("label-studio")
    tasks = json.loads(by_label_studio(path.read_text(), {0: "nan"}))
    tasks.sort(key=lambda task: task["data"]["pool_id"])
    note = {"from_name": "note", "type": "textarea", "value": {"text": ["blurred"]}}
    hard = {"from_name": "hard", "type": "choices", "value": {"choices": ["None"]}}
    tasks[0]["annotations"][0]["result"][:0] = [note, hard]
    tasks[1]["annotations"] = [{"was_cancelled": False, "result": [note, hard]}]
    path.write_text(json.dumps(tasks))
    assert run(*words, "--answers", path)[0] == 0
    assert told(tmp_path) == {"0": ["y_true", "nan"]}
    one = flattened(1, ("None", "u", "submitted"), question="hard")
    two = flattened(2, ("None", "u", "submitted")) | {
        "a.responses": ["x"],
        "a.responses.users": ["u"],
        "a.responses.status": ["submitted"],
    }
    path.write_text(json.dumps([one, two]))
    assert run(*words, "--answers", path)[0] == 0
    assert told(tmp_path) == {"0": ["y_true", "nan"], "2": ["y_true", "None"]}


def test_doccano_does_not_say_what_is_approved(begun, tmp_path):
    words, path, _ = begun("doccano")
    text = by_doccano(path.read_text(), {0: "nan", 1: "nan"})
    examples = [example | {"annotation_approver": None} for example in lines(text)]
    path.write_text(write(examples, True))
    assert run(*words, "--answers", path)[0] == 0
    assert set(told(tmp_path)) == {"0", "1"}


def test_a_rejected_label_of_prodigy_says_nothing_of_the_prediction(begun, tmp_path):
    words, path, _ = begun("prodigy")
    tasks = lines(by_prodigy(path.read_text(), {0: WRONG, 1: WRONG}))
    tasks.sort(key=lambda task: task["pool_id"])
    tasks[1]["accept"] = ["nan"]
    path.write_text(write(tasks, True))
    assert run(*words, "--answers", path)[0] == 0
    assert told(tmp_path) == {"0": ["failed", True]}


def test_settings_of_the_tools_name_the_labels(begun, tmp_path):
    _, _, out = begun("label-studio")
    beside = tmp_path / "list-settings.xml"
    assert str(beside) in " ".join(out.split())
    view = ElementTree.parse(beside).getroot()
    groups = {g.get("name"): [c.get("value") for c in g] for g in view.iter("Choices")}
    assert groups == {"label": sorted(CLASSES), "verdict": ["right", "wrong"]}


@pytest.mark.parametrize("name", ["argilla", "doccano"])
def test_settings_in_json_name_the_labels(name, begun, tmp_path):
    begun(name)
    found = json.loads((tmp_path / "list-settings.json").read_text())
    if name == "argilla":
        options = found["questions"][0]["settings"]["options"]
        assert [o["value"] for o in options] == sorted(CLASSES)
        # Each dataset needs a field and a question that are required.
        assert [q["required"] for q in found["questions"]] == [True, False]
    else:
        assert [one["text"] for one in found] == sorted(CLASSES)


# Pictures


@pytest.mark.parametrize("name", FORMATS)
def test_pictures_travel_with_the_list(name, tmp_path):
    image = pytest.importorskip("PIL.Image")
    (tmp_path / "photos" / "in").mkdir(parents=True)
    for k, ending in enumerate(("png", "tif", "jpg")):
        picture = image.new("RGB", (4, 4), (200, 9, 9))
        picture.save(tmp_path / "photos" / "in" / f"{k}.{ending}")
    words = ("sample", tmp_path / "photos", "--state", tmp_path / "s.json")
    path = tmp_path / "list.txt"
    begin = ("-n", 3, "--to-label", path, "--format", name)
    assert run(*words, *begin)[0] == 0
    text = path.read_text()
    if name in ("label-studio", "argilla", "prodigy"):  # as data URIs
        assert text.count("data:image/png;base64,") == 2  # also of the TIFF
        assert text.count("data:image/jpeg;base64,") == 1
    if name == "doccano":  # an export has names of files, and no position
        made = [{"id": k, "filename": f"{k}.{e}", "label": ["wrong"]}
                for k, e in enumerate(("png", "tif", "jpg"))]  # fmt: skip
        path.write_text(write(made, True))
    else:
        verdicts = dict.fromkeys(range(3), WRONG)
        path.write_text(ANSWER[name](text, verdicts))
    code, out, err = run(*words, "--answers", path)
    assert code == 0, err
    assert "3 of 3 labelled" in out
    assert "Failures found: 3" in out


def test_names_of_pictures_must_be_clear(tmp_path):
    image = pytest.importorskip("PIL.Image")
    for folder in ("a", "b"):
        (tmp_path / "photos" / folder).mkdir(parents=True)
        image.new("RGB", (4, 4)).save(tmp_path / "photos" / folder / "x.png")
    words = ("sample", tmp_path / "photos", "--state", tmp_path / "s.json")
    assert run(*words, "-n", 2)[0] == 0
    path = tmp_path / "list.txt"
    for filename, n in (("x.png", 2), ("y.png", 0)):
        path.write_text(json.dumps({"id": 1, "filename": filename, "label": ["wrong"]}))
        code, _, err = run(*words, "--answers", path)
        assert code == 2
        assert f"names {n} inputs" in err


# Spreadsheets


def fill(path, rows):
    """Write labels and verdicts by id."""
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerows([("id", "answer", "verdict"), *rows])


def test_labels_and_verdicts_of_a_row_must_agree(begun, tmp_path):
    words, path, _ = begun("csv")
    read = (*words, "--answers", path)
    for label, verdict, sentence in [
        ("right", "wrong", "contradict each other"),  # id 0 is predicted as right
        ("nan", "right", "contradict each other"),
        ("nan", "skip", "contradict each other"),
        ("", "rihgt", "not right, wrong or skip"),
        ("", "nan", "not right, wrong or skip"),
        (":skip", "", "write 'skip' as the verdict"),
        (":wrong", "wrong", "write 'wrong' as the verdict"),
    ]:
        fill(path, [(0, label, verdict)])
        code, _, err = run(*read)
        assert code == 2, (label, verdict)
        assert sentence in err
    assert told(tmp_path) == {}
    fill(path, [(0, "right", "right"), (1, "right", "wrong"), (3, ":right", "")])
    assert run(*read)[0] == 0
    expected = {"0": ["y_true", "right"], "1": ["y_true", "right"]}
    assert told(tmp_path) == expected | {"3": ["y_true", ":right"]}


def test_old_lists_are_read_where_they_are_clear(tmp_path):
    def start(said):
        table = {"x": range(4), "said": said}
        for made in tmp_path.iterdir():
            made.unlink()
        pandas.DataFrame(table).to_csv(tmp_path / "p.csv", index=False)
        words = ("sample", tmp_path / "p.csv", "--state", tmp_path / "s.json")
        begin = ("-n", 4, "--predicted", "said", "--sampler", "simple-random")
        assert run(*words, *begin)[0] == 0
        text = "id,answer\n0,:right\n1,:wrong\n2,:skip\n3,right\n"
        (tmp_path / "old.csv").write_text(text)
        return run(*words, "--answers", tmp_path / "old.csv")

    code, _, err = start(["a", "b", "a", "right"])
    assert code == 0, err
    assert [answer for _, answer in told(tmp_path).values()] == [
        False,
        True,
        None,
        "right",
    ]
    code, _, err = start(["a", "b", "a", ":right"])
    assert code == 2
    assert "is a label and a control word" in err


def test_the_label_without_a_character(tmp_path):
    sampler = SimpleRandomSampler(random_state=0).fit([1.0, 1, 1], y_pred=["", "a", ""])
    reader, pool = AnswerReader(sampler), Pool("p", list("xyz"), "", tmp_path)
    shown = [show_input(i, pool, reader, []) for i in range(3)]
    for name in FORMATS:
        path = tmp_path / "list.txt"
        write_questions(path, shown, reader, name)
        assert read_answers(path, pool, reader) == ([], {})  # nothing is answered
    write_questions(path, shown, reader)
    fill(path, [(0, "", "empty"), (1, "", "empty"), (2, "a", "")])
    found, unknown = read_answers(path, pool, reader)
    assert found == [(0, "y_true", ""), (1, "y_true", ""), (2, "y_true", "a")]
    assert unknown == {}
    write_questions(path, shown, reader, "prodigy")
    tasks = lines(path.read_text())
    path.write_text(
        write([{**t, "accept": [""], "answer": "accept"} for t in tasks], True)
    )
    assert read_answers(path, pool, reader)[0] == [(i, "y_true", "") for i in range(3)]


class PlainRecords(ListFormat):
    """All that a format of one's own takes."""

    name, lines = "plain", True

    def _record(self, shown, labels):
        return {"pool_id": shown.id, "show": shown.text, "plain": None}

    def _knows(self, record):
        return "plain" in record

    def _answers(self, record):
        given = record["plain"]
        yield (None, given[1:]) if given and given[0] == "!" else (given, None)


def test_a_format_of_ones_own_is_a_few_lines(tmp_path, monkeypatch):
    monkeypatch.setitem(FORMATS, "plain", PlainRecords())
    sampler = SimpleRandomSampler(random_state=0).fit(
        [1.0, 1, 1], y_pred=["a", "b", "a"]
    )
    reader, pool = AnswerReader(sampler), Pool("p", list("xyz"), "", tmp_path)
    path = tmp_path / "list.jsonl"
    shown = [show_input(i, pool, reader, []) for i in range(3)]
    write_questions(path, shown, reader, "plain")
    records = lines(path.read_text())
    assert [record["show"] for record in records] == ["x", "y", "z"]
    for record, given in zip(records, ("b", "!skip", None), strict=True):
        record["plain"] = given
    path.write_text(write(records, True))
    found, _ = read_answers(path, pool, reader)
    assert found == [(0, "y_true", "b"), (1, "failed", None)]
