"""The labelling page in a real browser, answered by the keyboard."""

import signal
import subprocess
import sys

import numpy as np
import pytest

for needed in ("click", "pandas", "skops", "jinja2", "matplotlib", "tqdm"):
    pytest.importorskip(needed)
image = pytest.importorskip("PIL.Image")
pandas = pytest.importorskip("pandas")
from chromium_pipe import Chromium, find_browser  # noqa: E402

from skrobust.cli.labelling.labelling_session import Session  # noqa: E402

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_browser() is None, reason="there is no Chromium here"),
    pytest.mark.skipif(sys.platform == "win32", reason="needs pipes of POSIX"),
]


@pytest.fixture
def serve(tmp_path):
    """Serve a pool by the command; return the address."""
    processes = []

    def start(pool, *words):
        command = [sys.executable, "-m", "skrobust", "label", str(tmp_path / pool)]
        command += [*words, "--state", str(tmp_path / "s.json"), "--web", "--no-open"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        processes.append(process)
        return process, process.stdout.readline().split()[-1]

    yield start
    for process in processes:
        process.kill()
        process.communicate()


def answers(path):
    with Session(path) as session:
        session.resume()
        return session.sampler.ids_.tolist(), session.facts["answers"]


def test_pictures_are_labelled_by_keys(serve, tmp_path):
    (tmp_path / "photos").mkdir()
    for k in range(12):
        picture = image.new("RGB", (8, 8), (20 * k, 0, 0))
        picture.save(tmp_path / "photos" / f"{k:02}.png")
    process, address = serve("photos", "-n", "6")
    keys = "rwsrwr"
    with Chromium(tmp_path / "profile") as browser:
        browser.open(address)
        for turn, key in enumerate(keys):
            browser.wait(f"state && state.turn === {turn} && !loading")
            width = "byId('picture').naturalWidth"
            assert browser.value(width) == 8
            browser.press(key)
        browser.wait("state.question === null")
        browser.press("u")  # the last was a slip
        browser.wait("state.question !== null && state.question.was === 'right'")
        browser.press("w")
        browser.wait("state.question === null")
        browser.press("Enter")
        assert process.wait(timeout=30) == 0
    assert "3, 1 skipped" not in process.stdout.read()
    ids, told = answers(tmp_path / "s.json")
    failed = {"r": False, "w": True, "s": None}
    assert [told[str(i)] for i in ids] == [["failed", failed[k]] for k in "rwsrww"]


@pytest.mark.parametrize("size", [(400, 800), (1100, 760), (1100, 1100)])
def test_the_estimate_hides_no_button(size, serve, tmp_path):
    for name in "ab":
        image.new("RGB", (32, 32)).save(tmp_path / f"{name}.png")
    labels = ["airplane", "automobile", "bird", "cat", "deer"]
    labels += ["dog", "frog", "horse", "ship", "truck"]
    table = {"file": ["a.png", "b.png"] * 10, "said": labels * 2}
    pandas.DataFrame(table).to_csv(tmp_path / "p.csv", index=False)
    words = ("--predicted", "said", "--item", "file", "--sampler", "simple-random")
    _, address = serve("p.csv", *words, "--until", "0.1")
    with Chromium(tmp_path / "profile") as browser:
        browser.look(*size, "light")
        browser.open(address)
        browser.wait("state && state.question !== null && !loading")
        browser.press("1")
        browser.wait("state.turn === 1 && !loading")
        browser.press("u")
        browser.wait("state.question.was !== null && !loading")
        top = "document.querySelector('footer').getBoundingClientRect().top"
        shown = "[...document.querySelectorAll('button')].filter(b => b.offsetParent)"
        lowest = f"Math.max(...{shown}.map(b => b.getBoundingClientRect().bottom))"
        assert browser.value(f"{lowest} <= {top}")
        assert browser.value("byId('width').textContent").startswith("Ends at +- 10 p")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_labels_fit_a_narrow_window(scheme, serve, tmp_path):
    said = ["right", "wrong", "none", "a class with a rather long name" * 3] * 5
    table = {"text": ["<b>bold</b> " * 30] * 20, "said": said}
    pandas.DataFrame(table).to_csv(tmp_path / "p.csv", index=False)
    options = ("--predicted", "said", "--sampler", "simple-random", "-n", "5")
    process, address = serve("p.csv", *options)
    with Chromium(tmp_path / "profile") as browser:
        browser.look(400, 800, scheme)
        browser.open(address)
        browser.wait("state && state.question !== null")
        assert browser.value("document.documentElement.scrollWidth") <= 400
        # Text of the pool is text, and every control has a name.
        assert browser.value("document.querySelector('main b')") is None
        unnamed = "[...document.querySelectorAll('button')].filter(b => !b.innerText"
        assert browser.value(f"{unnamed} && b.offsetParent).length") == 0
        assert contrast(browser, "body") >= 4.5
        labels = browser.value("state.labels.map((one) => one.text)")
        browser.press(browser.value("state.labels[state.labels.length - 2].key"))
        browser.wait("state.turn === 1")
        browser.press("1")
        browser.wait("state.turn === 2")
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) == 130
        browser.press("1")
        browser.wait("byId('note').textContent.includes('terminal has ended')")
    ids, told = answers(tmp_path / "s.json")
    assert told == {
        str(ids[0]): ["y_true", labels[-2]],
        str(ids[1]): ["y_true", labels[0]],
    }


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_grades_have_keys(scheme, serve, tmp_path):
    table = {"prompt": [f"question {i}" for i in range(30)], "reply": ["r"] * 30}
    pandas.DataFrame(table).to_csv(tmp_path / "p.csv", index=False)
    options = ("--grades", "1,2,3,4,5", "--higher-is-better", "-n", "4")
    process, address = serve("p.csv", "--sampler", "simple-random", *options)
    with Chromium(tmp_path / "profile") as browser:
        browser.look(400, 800, scheme)
        browser.open(address)
        browser.wait("state && state.question !== null")
        assert (
            browser.value("byId('hint').textContent") == "Score: 1 (worst) to 5 (best)"
        )
        buttons = "[...document.querySelectorAll('#answers button')]"
        seen = f"{buttons}.filter((b) => b.offsetParent)"
        names = browser.value(f"{seen}.map((b) => b.innerText.trim())")
        assert [name.split()[0] for name in names] == ["1", "2", "3", "4", "5", "s"]
        assert contrast(browser, "body") >= 4.5
        for turn, key in enumerate("4s2"):
            browser.wait(f"state.turn === {turn}")
            browser.press(key)
        browser.wait("state.turn === 3")
        browser.press("r")  # nothing is right or wrong here
        browser.press("u")
        browser.wait("state.question.was === '2'")
        browser.press("1")
        browser.wait("state.question.was === null")
        assert browser.value("state.counts") == "2 labelled, 1 skipped"
        browser.press("5")
        browser.wait("state.question === null")
        browser.press("Enter")
        assert process.wait(timeout=30) == 0
    assert "the mean score lies between" in " ".join(process.stdout.read().split())
    ids, told = answers(tmp_path / "s.json")
    assert [told[str(i)][1] for i in ids] == [1.0, None, 4.0, 0.0]


def test_numbers_are_typed(serve, tmp_path):
    table = {"item": [f"box {i}" for i in range(30)]}
    pandas.DataFrame(table).to_csv(tmp_path / "p.csv", index=False)
    options = ("--loss-range", "0,1", "-n", "4", "--sampler", "simple-random")
    process, address = serve("p.csv", *options)
    with Chromium(tmp_path / "profile") as browser:
        browser.look(700, 700, "light")
        browser.open(address)
        browser.wait("state && state.question !== null")

        def type_in(text):
            for key in text:
                browser.press(key)
            browser.press("Enter")

        assert browser.value("document.activeElement.id") == "typed"
        type_in("0.25")
        browser.wait("state.turn === 1 && byId('typed').value === ''")
        assert browser.value("document.activeElement.id") == "typed"
        type_in("7")
        browser.wait("byId('note').textContent.includes('no loss')")
        browser.value("byId('typed').value = ''")
        browser.press("s")
        browser.wait("state.turn === 2")
        browser.press("u")
        browser.wait("state.question.was === 'skipped'")
        browser.press("Enter")
        browser.wait("state.turn === 4")
        type_in(".5")
        browser.wait("state.turn === 5 && byId('typed').value === ''")
        type_in("1")
        browser.wait("state.question === null")
        browser.press("Enter")
        assert process.wait(timeout=30) == 0
    ids, told = answers(tmp_path / "s.json")
    assert [told[str(i)][1] for i in ids] == [0.25, None, 0.5, 1.0]


def contrast(browser, where):
    """Return the contrast of text and ground, by the formula of WCAG 2."""
    values = []
    for name in ("color", "backgroundColor"):
        text = browser.value(
            f"getComputedStyle(document.querySelector('{where}')).{name}"
        )
        numbers = np.array([float(x) for x in text[4:-1].split(",")]) / 255
        linear = np.where(
            numbers <= 0.04045, numbers / 12.92, ((numbers + 0.055) / 1.055) ** 2.4
        )
        values.append(linear @ [0.2126, 0.7152, 0.0722])
    low, high = sorted(values)
    return (high + 0.05) / (low + 0.05)
