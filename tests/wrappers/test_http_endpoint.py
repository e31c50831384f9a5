"""Models behind HTTP: a server on this machine that fails as it is told to."""

import contextlib
import json
import pickle
import sqlite3
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression

import skrobust
from skrobust.attacks import Square
from skrobust.evaluation import evaluate_attack
from skrobust.wrappers import HTTPEndpoint

X, Y = load_iris(return_X_y=True)
X, Y = X[::5], Y[::5]
MODEL = LogisticRegression(max_iter=1000).fit(X, Y)


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        server = self.server
        body = self.rfile.read(int(self.headers["Content-Length"]))
        payload = json.loads(body)
        server.seen.append((payload, dict(self.headers)))
        state = server.states.pop(0) if server.states else 200
        reply = server.reply(payload) if state == 200 else {"error": "no"}
        text = reply if isinstance(reply, bytes) else json.dumps(reply).encode()
        self.send_response(state)
        if state == 429:
            self.send_header("Retry-After", "0")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *args):
        pass


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    made = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made.seen, made.states = [], []
    made.reply = lambda payload: {
        "predictions": MODEL.predict_proba(payload["instances"]).tolist()
    }
    made.url = f"http://127.0.0.1:{made.server_port}/model"
    thread = threading.Thread(target=made.serve_forever, daemon=True)
    thread.start()
    yield made
    made.shutdown()
    made.server_close()
    thread.join()


def test_the_answers_are_those_of_the_model(server):
    model = skrobust.wrap(server.url, sample=X, batch_size=20)
    np.testing.assert_allclose(model.predict_proba(X), MODEL.predict_proba(X))
    sizes = [len(payload["instances"]) for payload, _ in server.seen]
    assert sizes == [10, 20, 10]
    assert model.capabilities_.kind == "HTTP endpoint"
    attack = Square(0.5, max_queries=5, random_state=0)
    results = evaluate_attack(model, X, Y, attack)
    expected = evaluate_attack(MODEL, X, Y, attack)
    assert results.clean_accuracy == expected.clean_accuracy


def test_labels_texts_and_other_forms(server):
    server.reply = lambda payload: [
        {"label": "long" if len(text) > 4 else "short", "score": 0.75}
        for text in payload["inputs"]
    ]
    model = skrobust.wrap(
        server.url, request_key="inputs", classes=["long", "short"],
        response="probabilities", headers={"Authorization": "Bearer secret"},
    )  # fmt: skip
    p = model.predict_proba(["a b", "a long text"])
    np.testing.assert_allclose(p, [[0.25, 0.75], [0.75, 0.25]])
    assert server.seen[0][1]["Authorization"] == "Bearer secret"
    assert "secret" not in repr(model) + repr(model.model)
    server.reply = lambda payload: {"out": {"y": [float(len(r)) for r in payload["r"]]}}
    model = skrobust.wrap(
        server.url, request_key=lambda rows: {"r": rows}, response="values",
        answer_key=lambda reply: reply["out"]["y"],
    )  # fmt: skip
    assert model.predict(["abc", "a"]).tolist() == [3.0, 1.0]


def test_failures_that_pass_are_tried_again(server):
    server.states = [503, 429]
    endpoint = HTTPEndpoint(server.url, backoff=0)
    assert len(endpoint(X[:3])) == 3
    assert endpoint.calls_ == 3
    server.states = [500] * 9
    with pytest.raises(ConnectionError, match=r"failed 2 times, .* state 500"):
        HTTPEndpoint(server.url, backoff=0, retries=1)(X[:3])


def test_waits_double_and_the_rate_is_kept(server, monkeypatch):
    waits, clock = [], [0.0]

    def sleep(seconds):
        waits.append(round(seconds, 6))
        clock[0] += seconds

    monkeypatch.setattr("skrobust.wrappers._http_endpoint.time.sleep", sleep)
    monkeypatch.setattr(
        "skrobust.wrappers._http_endpoint.time.monotonic", lambda: clock[0]
    )
    server.states = [503, 503, 503]
    HTTPEndpoint(server.url)(X[:1])
    assert waits == [0.5, 1.0, 2.0]
    waits.clear()
    slow = HTTPEndpoint(server.url, rate_limit=4)
    for _ in range(3):
        slow(X[:1])
    assert waits == [0.25, 0.25]


def test_failures_that_stay_are_told_at_once(server):
    server.states = [404]
    endpoint = HTTPEndpoint(server.url)
    with pytest.raises(ValueError, match=r'state 404: {"error": "no"}'):
        endpoint(X[:3])
    assert endpoint.calls_ == 1
    server.reply = lambda payload: {"outputs": []}
    with pytest.raises(ValueError, match="no answers under 'predictions'"):
        endpoint(X[:3])
    server.reply = lambda payload: {"predictions": [1]}
    with pytest.raises(ValueError, match="sent 3 rows and got 1 answers"):
        endpoint(X[:3])
    server.reply = lambda payload: b"<html>"
    with pytest.raises(ValueError, match="no JSON"):
        endpoint(X[:3])


def test_no_connection(monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    closed = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    port = closed.server_port
    closed.server_close()
    with pytest.raises(ConnectionError, match="failed 1 times"):
        HTTPEndpoint(f"http://127.0.0.1:{port}", retries=0, timeout=1)(X[:1])


def test_a_timeout_counts_as_a_failure(server):
    release = threading.Event()
    server.reply = lambda payload: release.wait(5) and {"predictions": [1]}
    try:
        with pytest.raises(ConnectionError, match="timed out"):
            HTTPEndpoint(server.url, retries=0, timeout=0.05)(X[:1])
    finally:
        release.set()


def test_the_budget_ends_in_one_sentence_and_the_cache_continues(server, tmp_path):
    cache = tmp_path / "folder" / "answers.sqlite"
    settings = {"response": "probabilities", "classes": [0, 1, 2], "batch_size": 10}
    first = skrobust.wrap(server.url, budget=2, cache=cache, **settings)
    with pytest.raises(RuntimeError, match="used up its budget of 2 calls") as error:
        first.predict(X)
    assert "\n" not in str(error.value)
    assert len(server.seen) == 2
    second = skrobust.wrap(server.url, budget=1, cache=cache, **settings)
    np.testing.assert_allclose(second.predict_proba(X), MODEL.predict_proba(X))
    assert len(server.seen) == 3  # 20 of 30 rows were known
    second.predict(X[::-1])
    assert len(server.seen) == 3


def test_equal_rows_are_asked_once(server, tmp_path):
    endpoint = HTTPEndpoint(server.url, cache=tmp_path / "answers.sqlite")
    answers = endpoint(X[[0, 1, 0, 0]])
    assert answers[0] == answers[2] == answers[3]
    assert len(server.seen[0][0]["instances"]) == 2


def test_damaged_answers_are_asked_again(server, tmp_path):
    cache = tmp_path / "answers.sqlite"
    answers = HTTPEndpoint(server.url, cache=cache)(X[:3])
    with contextlib.closing(sqlite3.connect(cache)) as file:
        file.execute(
            "UPDATE sealed SET v = (SELECT v FROM sealed ORDER BY k LIMIT 1) "
            "WHERE k = (SELECT max(k) FROM sealed)"
        )
        file.commit()
    again = HTTPEndpoint(server.url, cache=cache)
    with pytest.warns(UserWarning, match="1 answers in .* were damaged: asked again"):
        assert again(X[:3]) == answers
    assert len(server.seen[-1][0]["instances"]) == 1
    assert again(X[:3]) == answers
    assert again.calls_ == 1
    content = cache.read_bytes()
    cache.write_bytes(content[:5000] + b"\xff" * 4000 + content[9000:])
    with pytest.raises(ValueError, match=r"The cache .* is damaged \("):
        again(X[:3])


def test_it_pickles_without_its_lock(server, tmp_path):
    endpoint = HTTPEndpoint(server.url, cache=tmp_path / "answers.sqlite", budget=9)
    known = endpoint(X[:3])
    made = pickle.loads(pickle.dumps(endpoint))
    assert made(X[:3]) == known
    assert (endpoint.calls_, made.calls_) == (1, 0)
    assert pickle.dumps(made) == pickle.dumps(endpoint)


@pytest.mark.parametrize(
    "parameters",
    [{"url": "ftp://a"}, {"url": "http://"}, {"timeout": 0}, {"retries": -1},
     {"backoff": -1}, {"rate_limit": 0}, {"budget": 0}, {"cache": 3},
     {"request_key": None}, {"answer_key": 1}],
    ids=lambda p: next(iter(p)),
)  # fmt: skip
def test_parameters_are_checked(parameters):
    name = next(iter(parameters))
    with pytest.raises(ValueError, match=f"'{name}' parameter of HTTPEndpoint"):
        HTTPEndpoint(**({"url": "http://localhost"} | parameters))


def test_a_file_that_is_no_cache_is_refused(tmp_path):
    file = tmp_path / "notes.txt"
    file.write_text("These are notes, and no database at all." * 50)
    with pytest.raises(ValueError, match="that this class has written"):
        HTTPEndpoint("http://localhost", cache=file)
    assert file.read_text().startswith("These are notes")


def test_no_secret_of_the_address_is_shown():
    endpoint = HTTPEndpoint("https://me:pw@host/model?key=abc")
    assert repr(endpoint) == "HTTPEndpoint('https://host/model')"


def test_what_json_cannot_hold_is_told():
    with pytest.raises(ValueError, match=r"cannot send these rows as JSON.*Impute"):
        HTTPEndpoint("http://localhost")([[1.0, float("nan")]])
