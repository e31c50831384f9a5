"""Names in files, models and folders do not steer the terminal, in any command."""

import io
import json
import sys
import zipfile

import pytest

for needed in ("click", "pandas", "skops", "jinja2", "matplotlib", "tqdm"):
    pytest.importorskip(needed)
pytest.importorskip("pty")
import pandas  # noqa: E402
import skops.io  # noqa: E402
from sklearn.datasets import load_iris  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402
from terminal_session import EVIL, on_terminal, steering  # noqa: E402

from skrobust._safe_terminal import (  # noqa: E402
    SafeStream,
    printable,
    safe_terminal,
    stream_of_bars,
)
from skrobust.cli.command_group import skrobust as group  # noqa: E402

INSIDE = EVIL.replace("\r", "")  # a CSV file ends its line there
COLUMN, TRUTH = f"b{INSIDE}", f"y{INSIDE}"
ITEM, POOL = f"item{INSIDE}", f"pool{EVIL}.csv"


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """Folder with hostile names, columns, labels and types."""
    folder = tmp_path_factory.mktemp("terminal")
    X, y = load_iris(return_X_y=True)
    table = pandas.DataFrame(X[::2], columns=["a", COLUMN, "c", "d"])
    labels = pandas.Series([f"{k}{INSIDE}" for k in y[::2]])
    model = LogisticRegression(max_iter=500).fit(table, labels)
    for name in (f"m{EVIL}.skops", f"n{EVIL}.skops"):
        skops.io.dump(model, folder / name)
    table.assign(**{TRUTH: labels}).to_csv(folder / f"t{EVIL}.csv", index=False)
    (folder / f"broken{EVIL}.skops").write_bytes(b"PK\x03\x04 no archive")
    _with_hostile_type(model, folder / "strange.skops")
    pool = table.assign(**{ITEM: [f"{i}{INSIDE}" for i in range(len(table))]})
    pool.to_csv(folder / POOL, index=False)
    return folder


def _with_hostile_type(model, path):
    skops.io.dump(model, path)
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    schema = json.loads(parts["schema.json"])
    schema["__module__"], schema["__class__"] = "innocent", f"Model{EVIL}"
    parts["schema.json"] = json.dumps(schema).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)


MODEL, TABLE, TARGET = f"m{EVIL}.skops", f"t{EVIL}.csv", ("--target", TRUTH)
# By command: words, exit code, and whether a name must be on the screen.
QUICK = [
    ("attack", ("strange.skops", TABLE, *TARGET, "--eps", "1"), 2),
    ("compare", (f"broken{EVIL}.skops", MODEL, TABLE, *TARGET), 2),
    ("completion", (f"shell{EVIL}",), 2),
    ("demo", ("--data", f"digits{EVIL}"), 2),
    ("doctor", ("--frost", f"frost{EVIL}", "--conformance"), 2),
    ("label", (TABLE, "--state", f"s{EVIL}.json", "-n", 2, "--scores", f"no{EVIL}"), 2),
    ("perturb", (f"no{EVIL}.csv", "--preset", "tabular", "--out", f"o{EVIL}"), 2),
    ("repair", ("strange.skops", TABLE, *TARGET), 2),
    ("report", ("strange.skops", TABLE, *TARGET, "--out", "r.html"), 2),
    ("replay", (f"no{EVIL}.skr", "--model", MODEL, "--data", TABLE), 2),
    ("sample", (TABLE, "--state", f"s{EVIL}.json", "--scores", f"no{EVIL}"), 2),
    ("study", ("deepfake", "--folder", f"missing{EVIL}", "--out", f"f{EVIL}"), 2),
    ("verify", (f"no{EVIL}.skr",), 2),
    (f"command{EVIL}", (), 2),
]
SAMPLED = (POOL, "--sampler", "simple", "--state", f"new{EVIL}.json")
SAMPLED += ("--model", MODEL, "--item", ITEM, "-n", 4)
LONG = [
    ("attack", (MODEL, TABLE, *TARGET, "--eps", "0.1 std", "--attack", "FGSM"), 0),
    ("compare", (MODEL, f"n{EVIL}.skops", TABLE, *TARGET, "--eps", "0.2"), 0),
    ("perturb", (TABLE, *TARGET, "--preset", "tabular", "--out", f"o{EVIL}"), 0),
    ("repair", (MODEL, TABLE, *TARGET, "--preset", "tabular", "--verbose"), 0),
    ("report", (MODEL, TABLE, *TARGET, "--verbose", "--out", f"r{EVIL}.html"), 0),
    ("sample", (*SAMPLED, "--to-label", f"list{EVIL}.csv"), 0),
    ("label", (*SAMPLED[:3], "--state", "l.json", *SAMPLED[5:], "--show", COLUMN), 0),
]


def check(home, command, words, code, typed=""):
    found, text = on_terminal([command, *words], home, typed)
    assert steering(text) == [], text
    assert found == code, text
    assert "\\x1b" in text
    assert "\\x9b" in text
    assert "\\u202e" in text


@pytest.mark.slow
@pytest.mark.parametrize("command, words, code", QUICK, ids=lambda v: str(v)[:8])
def test_errors_show_hostile_names_as_escapes(home, command, words, code):
    check(home, command, words, code)


@pytest.mark.slow
@pytest.mark.parametrize("command, words, code", LONG, ids=lambda v: str(v)[:8])
def test_results_show_hostile_names_as_escapes(home, command, words, code):
    typed = "no\x9blabel\n:r\n:q\n" if command == "label" else ""
    check(home, command, words, code, typed)


def test_every_command_is_tried():
    names = set(group.list_commands(None))
    assert names <= {command for command, _, _ in QUICK}


def test_the_screen_would_be_steered_without_the_stream(home):
    """The test above can fail: plain output of the same text is found."""
    plain = f"import sys; sys.stdout.write({EVIL!r})"
    code, text = on_terminal([], home, python=plain)
    assert code == 0
    assert len(steering(text)) >= 10


def test_bars_still_move_the_cursor_and_show_their_label_as_escapes(home):
    code = (
        "from skrobust._safe_terminal import safe_terminal\n"
        "from skrobust.cli.terminal_text import Progress\n"
        "with safe_terminal():\n"
        f"    list(Progress().bar(range(3), {EVIL!r}))\n"
        f"    print({EVIL!r})\n"
    )
    exit_code, text = on_terminal([], home, python=code)
    assert exit_code == 0, text
    assert "3/3" in text
    assert "\r" in text.replace("\r\n", "\n")
    assert steering(text) == []


@pytest.mark.parametrize("text", ["plain", "é 漢字 \u00a0", "क्\u200dष", "👩\u200d🔬"])
def test_printable_text_stays(text):
    assert printable(text) == text


@pytest.mark.parametrize("number", [*range(32), *range(0x7F, 0xA0), 0x61C, 0x200E,
                                    0x200F, *range(0x2028, 0x202F), 0x2066, 0x2069,
                                    0xFEFF, 0xDC80, 0xE0001])  # fmt: skip
def test_what_steers_is_an_escape(number):
    shown = printable(f"a{chr(number)}b")
    assert shown.isascii()
    assert shown.isprintable()
    assert shown.encode().decode("unicode_escape") == f"a{chr(number)}b"


def test_lines_and_tabs_stay_where_they_are_kept():
    assert printable("a\tb\nc\r", keep="\n\t") == "a\tb\nc\\r"
    assert printable("a\nb") == "a\\nb"


def test_streams_are_put_back_and_wrapped_once(monkeypatch):
    out, err = io.StringIO(), io.StringIO()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    with safe_terminal():
        with safe_terminal():
            sys.stdout.write("\x1bout\n")
        sys.stderr.write("\x1berr\n")
        assert stream_of_bars() is err
        assert not hasattr(sys.stdout, "buffer")
    assert sys.stdout is out
    assert sys.stderr is err
    assert stream_of_bars() is err
    assert out.getvalue() == "\\x1bout\n"
    assert err.getvalue() == "\\x1berr\n"


def test_a_terminal_without_a_letter_gets_its_escape():
    beneath = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    SafeStream(beneath).writelines(["é", "x"])
    beneath.flush()
    assert beneath.buffer.getvalue() == b"\\xe9x"
    with pytest.raises(TypeError, match="takes str"):
        SafeStream(beneath).write(b"x")
