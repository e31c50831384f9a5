"""Lists of several people: each input is in one list, and the estimate is as before."""

import csv
import json

import numpy as np
import pytest

for needed in ("click", "pandas", "skops", "jinja2", "matplotlib", "tqdm"):
    pytest.importorskip(needed)
import pandas  # noqa: E402
from cli_runner import run, testing  # noqa: E402
from resealed_state import resealed  # noqa: E402

from skrobust.cli import command_group  # noqa: E402

N = 100
FAILED = np.arange(N) % 7 == 0


@pytest.fixture
def session(tmp_path):
    table = {"text": [f"t{i}" for i in range(N)], "doubt": np.linspace(0.1, 0.9, N)}
    pandas.DataFrame(table).to_csv(tmp_path / "p.csv", index=False)
    return tmp_path / "p.csv", "--state", tmp_path / "s.json"


def ids_of(path):
    with path.open(newline="") as file:
        return [int(row["id"]) for row in csv.DictReader(file)]


def fill(path):
    rows = "".join(f"{i},{'wrong' if FAILED[i] else 'right'}\n" for i in ids_of(path))
    path.write_text(f"id,verdict\n{rows}")
    return path


def ask(session, path, *people, n=None, options=()):
    """Write the list of people; return what is printed."""
    words = [word for name in people for word in ("--for", name)]
    words += () if n is None else ("-n", n)
    code, out, err = run("sample", *session, *options, "--to-label", path, *words)
    assert code == 0, err
    return out


def label(session, *words, typed):
    words = ["label", *map(str, session), *map(str, words)]
    return testing.CliRunner().invoke(command_group.skrobust, words, input=typed)


BEGIN = ("--scores", "doubt", "--sampler", "deepest")


def test_people_get_different_inputs_and_a_list_again(session, tmp_path):
    ann, bob = tmp_path / "ann.csv", tmp_path / "bob.csv"
    ask(session, ann, "ann", n=20, options=BEGIN)
    out = ask(session, bob, "bob", n=15)
    assert "35 open (ann has 20, bob has 15)" in out
    first, second = ids_of(ann), ids_of(bob)
    assert (len(first), len(second)) == (20, 15)
    assert not set(first) & set(second)
    for person, ids in (("ann", first), ("bob", second)):  # the file was lost
        ask(session, tmp_path / "again.csv", person)
        assert ids_of(tmp_path / "again.csv") == ids
    ask(session, tmp_path / "rest.csv")  # of nobody in particular
    assert ids_of(tmp_path / "rest.csv") == []


def test_one_draw_is_dealt_to_several(session, tmp_path):
    out = ask(session, tmp_path / "list.csv", "ann", "bob", "eve", n=20, options=BEGIN)
    lists = [ids_of(tmp_path / f"list-{name}.csv") for name in ("ann", "bob", "eve")]
    assert [len(ids) for ids in lists] == [7, 7, 6]
    assert len({i for ids in lists for i in ids}) == 20
    assert "list-eve.csv" in " ".join(out.split())
    assert not (tmp_path / "list.csv").exists()


def test_who_answers_changes_no_number(session, tmp_path):
    """The draws and the estimate are those of one list with all answers."""
    alone = (session[0], "--state", tmp_path / "o.json")
    for words, people in ((session, ("ann", "bob")), (alone, ())):
        state = words[2].name
        for n in (12, 8):
            path = tmp_path / f"{state}.csv"
            ask(words, path, *people, n=n, options=BEGIN)
            lists = [path.with_name(f"{path.stem}-{p}.csv") for p in people] or [path]
            for one in reversed(lists):  # in any order
                out = tmp_path / f"{state}.json"
                read = ("--answers", fill(one), "--json", out)
                assert run("sample", *words, *read)[0] == 0
                one.unlink()
    mine, other = (json.loads((tmp_path / f"{s}.json").read_text())
                   for s in ("s.json", "o.json"))  # fmt: skip
    assert mine["interval"] == other["interval"]
    assert mine["accuracy"] == other["accuracy"]


def test_what_was_handed_out_is_open_and_never_left_out(session, tmp_path):
    """A list that does not come back holds up the estimate; it does not bias it."""
    ask(session, tmp_path / "list.csv", "ann", "bob", n=20, options=BEGIN)
    code, out, _ = run("sample", *session, "--answers", fill(tmp_path / "list-bob.csv"))
    assert code == 0
    assert f"10 of {N} labelled, 10 open (ann has 10)." in out
    assert "told answers are not in the estimate yet" in " ".join(out.split())


def test_taken_back_it_goes_to_the_next(session, tmp_path):
    ask(session, tmp_path / "ann.csv", "ann", n=10, options=BEGIN)
    content = tmp_path / "ann.csv"
    ids = ids_of(content)
    content.write_text(f"id,verdict\n{ids[0]},right\n")
    assert run("sample", *session, "--answers", content)[0] == 0
    code, out, _ = run("sample", *session, "--take-back", "ann")
    assert code == 0
    assert "9 open." in out
    ask(session, tmp_path / "bob.csv", "bob")
    assert ids_of(tmp_path / "bob.csv") == ids[1:]
    code, _, err = run("sample", *session, "--take-back", "ann")
    assert code == 2
    assert "'ann' has no open inputs; who has some: bob." in err
    # Ann answers late, as the list that she still has allows.
    content.write_text(f"id,verdict\n{ids[1]},right\n")
    assert run("sample", *session, "--answers", content)[0] == 0
    ask(session, tmp_path / "again.csv", "bob")
    assert ids_of(tmp_path / "again.csv") == ids[2:]


def test_the_terminal_leaves_out_what_others_have(session, tmp_path):
    ask(session, tmp_path / "list.csv", "ann", "bob", n=6, options=BEGIN)
    ann = ids_of(tmp_path / "list-ann.csv")
    result = label(session, typed="")
    assert "was handed out" in result.stderr
    result = label(session, "--for", "anna", typed="r\n")
    assert "'anna' never got a list; who did: ann, bob." in result.stderr
    result = label(session, "--for", "ann", typed="r\n" * 3)
    assert result.exit_code == 0
    told = json.loads(session[2].read_text())["command_line"]["answers"]
    assert sorted(map(int, told)) == sorted(ann)
    result = label(session, "-n", 8, typed="r\n" * 2)  # draws go on meanwhile
    assert f"5 of {N} labelled, 3 open (bob has 3)." in result.stdout
    # No answer to later draws could end the labelling before these are back.
    result = label(session, "--until", 0.1, typed="r\n" * N)
    assert f"5 of {N} labelled, 3 open (bob has 3)." in result.stdout
    assert "the lists that were handed out come first" in " ".join(
        result.stdout.split()
    )


def test_states_of_earlier_versions_have_handed_out_nothing(session, tmp_path):
    ask(session, tmp_path / "a.csv", n=5, options=BEGIN)
    content = json.loads(session[2].read_text())
    content["command_line"].pop("handed_out", None)
    session[2].write_text(resealed(content))
    assert "5 open (ann has 5)." in ask(session, tmp_path / "b.csv", "ann")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--for", "ann"), "give --to-label, too"),
        (("--for", "../x", "--to-label", "a.csv"), "is no name"),
        (("--for", " ", "--to-label", "a.csv"), "is no name"),
        (("--for", "a", "--for", "a", "--to-label", "a.csv"), "same person twice"),
    ],
)
def test_names_that_are_refused(words, sentence, session):
    code, _, err = run("sample", *session, *BEGIN, "-n", 5, *words)
    assert code == 2
    assert sentence in err
    assert not session[2].exists()


def test_filled_lists_of_people_are_not_overwritten(session, tmp_path):
    ask(session, tmp_path / "list.csv", "ann", "bob", n=6, options=BEGIN)
    filled = fill(tmp_path / "list-bob.csv").read_text()
    both = ("--to-label", tmp_path / "list.csv", "--for", "ann", "--for", "bob")
    code, _, err = run("sample", *session, *both)
    assert code == 2
    assert "holds answers" in err
    assert (tmp_path / "list-bob.csv").read_text() == filled
