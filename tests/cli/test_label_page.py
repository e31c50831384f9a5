"""The labelling page: who may ask, and that no answer is lost or given twice."""

import contextlib
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

for needed in ("click", "pandas", "skops", "jinja2", "matplotlib", "tqdm"):
    pytest.importorskip(needed)
import pandas  # noqa: E402

from skrobust.cli.exit_codes import UserError  # noqa: E402
from skrobust.cli.labelling import labelling_session  # noqa: E402
from skrobust.cli.labelling.answer_reader import AnswerReader  # noqa: E402
from skrobust.cli.labelling.label_page import KEYS, LabelPage  # noqa: E402
from skrobust.cli.labelling.label_server import LabelServer  # noqa: E402
from skrobust.cli.labelling.pool_source import Pool  # noqa: E402
from skrobust.cli.labelling.question_queue import QuestionQueue  # noqa: E402
from skrobust.sampling import OperationalSampler, SimpleRandomSampler  # noqa: E402

N = 40
TRICKY = ["right", "wrong", "skip", "", ":right", "None", "nan", "undo"]


class Client:
    """One tab of a browser."""

    def __init__(self, server):
        self.server, self.port = server, server.server_address[1]

    def ask(self, what="state", *, token=None, **headers):
        path = f"/{self.server.token if token is None else token}/{what}"
        return self.send("GET", path, None, headers)

    def send(self, method, path, body=None, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        with contextlib.closing(connection):
            connection.request(method, path, body, headers or {})
            response = connection.getresponse()
            return response.status, response.headers, response.read()

    def state(self):
        return json.loads(self.ask()[2])

    def do(self, action, turn=None, **given):
        turn = self.state()["turn"] if turn is None else turn
        body = json.dumps({**given, "turn": turn})
        headers = {"Content-Type": "application/json"}
        path = f"/{self.server.token}/{action}"
        status, _, content = self.send("POST", path, body, headers)
        assert status == 200, content
        return json.loads(content)


@contextlib.contextmanager
def served(path, y_pred=None, sampler=None, folder=None, items=None, **options):
    """Serve the page of a session that is begun or continued."""
    options = {"n": 10, "until": None, "batch": None, "level": 0.95, "blind": False} | (
        options
    )
    items = items or [str(i) for i in range(N)]
    pool = Pool("pool", items, "x", folder or path.parent)
    with labelling_session.Session(path) as session:
        if session.exists:
            session.resume()
        else:
            sampler = sampler or SimpleRandomSampler(random_state=0)
            session.begin(
                sampler.fit(np.full(N, 0.3), y_pred=y_pred),
                {"pool": {"fingerprint": "x"}, "classes": []},
            )
        queue = QuestionQueue(session, AnswerReader(session.sampler), options)
        page = LabelPage(queue, pool, [], options)
        with LabelServer(page) as server:
            thread = threading.Thread(target=server.serve_forever, args=[0.01])
            thread.start()
            try:
                yield Client(server)
            finally:
                server.shutdown()
                thread.join()
                page.close()


@pytest.fixture
def state(tmp_path):
    return tmp_path / "s.json"


def journal(state):
    lines = state.with_name("s.json.journal").read_text().splitlines()
    return [(e["id"], e["kind"], e["answer"]) for e in map(json.loads, lines)]


# Who may ask


def test_only_who_has_the_token(state):
    with served(state) as tab:
        assert tab.ask()[0] == 200
        for token in ("", "x", tab.server.token[:-1], tab.server.token + "x", "%C3%A4"):
            status, _, content = tab.ask(token=token)
            assert status == 403
            assert b"question" not in content
        assert tab.send("GET", "/")[0] == 403
        assert tab.send("GET", f"/{tab.server.token}")[0] == 301  # to the end slash
        assert tab.send("POST", "/x/answer", "{}")[0] == 403
        for path in ("//[", "/", "/%", "/?/", f"/?{tab.server.token}/state"):
            assert tab.send("GET", path)[0] == 403
        assert tab.server.failure is None
        assert len(tab.server.token) >= 32


def test_another_host_is_refused(state):
    """DNS rebinding: the name of another site points to this computer."""
    with served(state) as tab:
        for host in ("evil.example", f"evil.example:{tab.port}", "127.0.0.1", ""):
            assert tab.ask(Host=host)[0] == 403
        assert tab.ask(Host=f"localhost:{tab.port}")[0] == 200


def test_forms_of_other_pages_are_refused(state):
    path = "/{}/answer"
    with served(state) as tab:
        path, body = path.format(tab.server.token), '{"turn": 0, "verdict": "right"}'
        json_type = {"Content-Type": "application/json"}
        origin = {"Origin": "http://evil.example"}
        assert tab.send("POST", path, body, json_type | origin)[0] == 403
        assert tab.send("POST", path, body, {"Content-Type": "text/plain"})[0] == 400
        assert tab.send("POST", path, "[1]", json_type)[0] == 400
        assert tab.send("POST", path, " " * 70000, json_type)[0] == 400
        assert tab.send("POST", path, "[" * 60000, json_type)[0] == 400
        assert tab.state()["n_done"] == 0
        own = {"Origin": f"http://127.0.0.1:{tab.port}"}
        assert tab.send("POST", path, body, json_type | own)[0] == 200
        assert tab.state()["n_done"] == 1


def test_this_computer_alone_and_nothing_from_elsewhere(state):
    with served(state) as tab:
        assert tab.server.server_address[0] == "127.0.0.1"
        for what, kind in (
            ("", "html"),
            ("page.css", "css"),
            ("page.js", "javascript"),
        ):
            status, headers, content = tab.ask(what)
            assert status == 200
            assert kind in headers["Content-Type"]
            assert headers["Cache-Control"] == "no-store"
            assert "default-src 'none'" in headers["Content-Security-Policy"]
            assert not re.search(rb"https?://|//[a-z]+\.[a-z]", content)
        assert tab.ask("../state")[0] == 404
        assert tab.ask("label_page.py")[0] == 404


# Answers


def test_every_answer_is_on_the_disk_before_the_next_question(state):
    with served(state) as tab:
        first = tab.state()["question"]["id"]
        after = tab.do("answer", verdict="wrong")
        assert journal(state) == [(first, "failed", True)]
        second = after["question"]["id"]
        tab.do("answer", verdict="skip")
        assert journal(state)[1] == (second, "failed", None)
        assert tab.state()["n_skipped"] == 1
        third = tab.state()["question"]["id"]
    with served(state) as tab:  # nothing was saved but the journal
        assert tab.state()["question"]["id"] == third
        assert tab.state()["question"]["place"] == 3


def test_two_tabs_cannot_answer_a_question_twice(state):
    with served(state) as tab:
        other = Client(tab.server)
        turn = other.state()["turn"]
        assert tab.state()["turn"] == turn
        first = tab.do("answer", turn, verdict="right")
        late = other.do("answer", turn, verdict="wrong")
        assert "Another tab" in late["note"]
        assert late["question"] == first["question"]
        assert [answer for _, _, answer in journal(state)] == [False]


def test_answers_at_the_same_time_count_once(state):
    with served(state) as tab:
        start, replies = threading.Barrier(8), []

        def answer():
            start.wait()
            replies.append(tab.do("answer", 0, verdict="right")["note"])

        threads = [threading.Thread(target=answer) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert replies.count("") == 1
        assert len(journal(state)) == 1


@pytest.mark.parametrize("until", [None, 0.05])
def test_each_request_computes_one_result(until, state, monkeypatch):
    calls, result = [], SimpleRandomSampler.result

    def counted(self, **options):
        calls.append(options)
        return result(self, **options)

    with served(state, until=until, n=None if until else 30) as tab:
        monkeypatch.setattr(SimpleRandomSampler, "result", counted)
        turn = tab.state()["turn"]
        for step in range(25):  # more than one draw
            calls.clear()
            tab.do("answer", turn + step, verdict="right")
            assert len(calls) == 1
        calls.clear()
        tab.do("undo", turn + 25)
        tab.state()
        assert calls == []  # nothing has changed


@pytest.mark.parametrize("method", ["default", "stopping"])
@pytest.mark.parametrize("kind", [SimpleRandomSampler, OperationalSampler])
def test_a_draw_without_answers_changes_no_estimate(kind, method):
    sampler = kind(random_state=0).fit(np.linspace(0.1, 0.9, N))
    for n in (1, 1, 7, 10):
        ids = sampler.ask(n)
        sampler.tell(ids, failed=[None if i % 9 == 0 else i % 3 == 0 for i in ids])
        before = sampler.result(method=method)
        sampler.ask(1)
        after = sampler.result(method=method)
        for name in ("interval", "method", "n_labels", "n_skipped"):
            assert getattr(after, name) == getattr(before, name)
        assert after.accuracy == pytest.approx(before.accuracy, nan_ok=True)
        sampler.tell(sampler.pending_, failed=[True])


def test_undo_and_keep(state):
    with served(state) as tab:
        assert tab.do("undo")["note"] == "Nothing to undo."
        ids = [tab.state()["question"]["id"]]
        ids.append(tab.do("answer", verdict="right")["question"]["id"])
        tab.do("answer", verdict="wrong")
        back = tab.do("undo")["question"]
        assert (back["id"], back["was"]) == (ids[1], "wrong")
        back = tab.do("undo")["question"]
        assert (back["id"], back["was"]) == (ids[0], "right")
        assert tab.do("keep")["question"]["id"] not in ids
        tab.do("undo")
        third = tab.do("answer", verdict="right")
        assert third["question"]["place"] == 3
        assert third["n_failures"] == 0
        assert tab.do("keep")["question"] == third["question"]  # nothing to keep


def test_the_end_and_undo_from_there(state):
    with served(state, n=3) as tab:
        for _ in range(3):
            last = tab.do("answer", verdict="right")
        assert last["question"] is None
        assert "We are 95\u00a0% sure" in last["sentence"]
        assert tab.do("answer", verdict="wrong")["note"] == "All is labelled."
        assert tab.do("undo")["question"]["place"] == 3
        assert tab.do("answer", verdict="wrong")["n_failures"] == 1


def test_labels_and_verdicts_are_apart(state):
    """Classes may be called like anything, and count as themselves."""
    y_pred = np.array([*TRICKY, *["a"] * (N - len(TRICKY))])
    with served(state, y_pred, n=N) as tab:
        known = [one["text"] for one in tab.state()["labels"]]
        assert sorted(known) == sorted({*TRICKY, "a"})
        for k in range(N):
            i = tab.state()["question"]["id"]
            assert tab.state()["question"]["predicted"] == y_pred[i]
            if k % 2:  # by its button
                tab.do("answer", label=known.index("right"))
            else:  # typed
                tab.do("answer", text="right")
        result = tab.state()
        assert result["n_failures"] == N - 1  # one is predicted as right
        assert all(kind == "y_true" for _, kind, _ in journal(state))
    assert {answer for *_, answer in journal(state)} == {"right"}


def test_an_unknown_label_is_sent_twice(state):
    with served(state, np.array(["a", "b"] * (N // 2))) as tab:
        for text in ("zebra", ":right"):
            once = tab.do("answer", text=text)
            assert "no label" in once["note"]
            assert once["unsure"] == text
            assert tab.do("answer", text=text, sure=True)["note"] == ""
            assert text in [one["text"] for one in tab.state()["labels"]]
        for bad in (
            {"label": 99},
            {"label": "a"},
            {"verdict": "rihgt"},
            {"text": ""},
            {},
        ):
            assert tab.do("answer", **bad)["note"] != ""
        assert [answer for *_, answer in journal(state)] == ["zebra", ":right"]


def test_predictions_are_hidden(state):
    with served(state, np.array(["a", "b"] * (N // 2)), blind=True) as tab:
        assert tab.state()["question"]["predicted"] is None


def test_keys_are_distinct_and_free():
    assert len(set(KEYS)) == len(KEYS) == 9 + 21
    assert not set(KEYS) & set("rwsuq")


def test_until_ends_as_in_the_terminal(state):
    with served(state, n=None, until=0.3) as tab:
        n = 0
        while tab.state()["question"] is not None:
            facts = tab.do("answer", verdict="right")
            n += 1
        assert facts["half_width"] <= 0.3
        assert "whenever you stop" in facts["sentence"]
    sampler = SimpleRandomSampler(random_state=0).fit(np.full(N, 0.3))
    ids = sampler.ask(n)
    sampler.tell(ids[:-1], failed=np.zeros(n - 1))
    assert not sampler.should_stop(0.3)
    assert sampler.tell(ids[-1:], failed=[0]).should_stop(0.3)


def test_a_sampler_that_learns_draws_in_its_batches(state):
    with served(state, sampler=OperationalSampler(random_state=0), n=12) as tab:
        for _ in range(12):
            tab.do("answer", verdict="right")
        assert tab.state()["question"] is None
        sizes = [len(ids) for ids in batches(tab)]
        assert sizes == [2] * 6


def batches(tab):
    sampler = tab.server.page._queue.sampler
    return np.split(sampler.ids_, range(2, len(sampler.ids_), 2))


def test_pictures_of_inputs_that_were_asked_alone(state, tmp_path):
    image = pytest.importorskip("PIL.Image")
    names = [f"{k}.{'tif' if k % 2 else 'png'}" for k in range(N)]
    for name in names:
        image.new("RGB", (3, 2), (200, 10, 10)).save(tmp_path / name)
    (tmp_path / "secret.txt").write_text("secret")
    with served(state, folder=tmp_path, items=[*names[:-1], "secret.txt"]) as tab:
        tab.state()
        asked = tab.server.page._queue.sampler.ids_.tolist()
        for i in range(N):
            status, headers, content = tab.ask(f"picture?id={i}")
            is_shown = i in asked and i != N - 1
            assert status == (200 if is_shown else 404)
            if is_shown:  # what browsers cannot show comes as PNG
                assert headers["Content-Type"] == "image/png"
                assert content.startswith(b"\x89PNG")
        assert tab.ask("picture?id=x")[0] == tab.ask("picture")[0] == 400


def test_a_full_disk_ends_the_page(state, monkeypatch):
    """As in the terminal: no answer counts that is not on the disk."""
    with served(state) as tab:
        tab.do("answer", verdict="right")

        def full(handle):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "fsync", full)
        body, headers = '{"turn": 1, "verdict": "wrong"}', {}
        headers["Content-Type"] = "application/json"
        path = f"/{tab.server.token}/answer"
        status, _, content = tab.send("POST", path, body, headers)
        assert status == 500
        assert b"No space left" in content
        deadline = threading.Event()
        while tab.server.failure is None:
            deadline.wait(0.01)
        assert isinstance(tab.server.failure, OSError)
    assert len(journal(state)) == 1  # and nothing half-written is there


def test_no_answer_is_taken_after_the_end(state):
    with served(state) as tab:
        tab.do("answer", verdict="right")
        tab.server.page.close()
        body, headers = '{"turn": 1, "verdict": "wrong"}', {}
        headers["Content-Type"] = "application/json"
        status, _, content = tab.send(
            "POST", f"/{tab.server.token}/answer", body, headers
        )
        assert (status, content) == (500, b"The session has ended.\n")
        assert tab.server.failure is None
        assert len(journal(state)) == 1


def test_a_port_that_is_taken_is_said(state):
    with served(state) as tab, pytest.raises(UserError, match="cannot be used"):
        LabelServer(tab.server.page, tab.port)


# The command


@pytest.mark.slow
@pytest.mark.parametrize("by", ["page", "ctrl-c"])
def test_the_command_ends_with_the_result(by, tmp_path):
    pandas.DataFrame({"x": range(20)}).to_csv(tmp_path / "p.csv", index=False)
    given = f"label {tmp_path / 'p.csv'} --state {tmp_path / 's.json'}"
    given += " -n 4 --web --no-open"
    process = subprocess.Popen(
        [sys.executable, "-m", "skrobust", *given.split()],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    address = process.stdout.readline().split()[-1]
    port, token = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/(.+)/", address).groups()

    class Server:
        server_address = ("127.0.0.1", int(port))

    Server.token = token
    tab = Client(Server)
    tab.do("answer", verdict="wrong")
    if by == "page":
        assert tab.do("stop") == {"stopped": True}
    else:
        process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == (0 if by == "page" else 130)
    assert "1 of 20 labelled, 3 open." in out
    assert f"skrobust {given}" in (out if by == "page" else err)
