"""Whatever the moment of a kill, nothing that was acknowledged is lost."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

pandas = pytest.importorskip("pandas")
pytest.importorskip("click")

KILLED_RUN = Path(__file__).parents[1] / "killed_run.py"
N_LABEL, N_EVALUATION = 12, 8  # kills

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name == "nt", reason="no SIGKILL"),
]


def labelled_until_killed(command, delay):
    """Answer as fast as questions come; return how many answers were acknowledged."""
    how = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL, **how)
    timer, text, n = None, "", -1
    with contextlib.suppress(BrokenPipeError):
        while char := process.stdout.read(1):
            text += char
            if not text.endswith(("answer: ", "undoes: ")):
                continue
            text, n = "", n + 1  # the question after an answer acknowledges it
            if timer is None:
                timer = threading.Timer(delay, process.send_signal, [signal.SIGKILL])
                timer.start()
            process.stdin.write("w\n" if n % 2 else "r\n")
            process.stdin.flush()
    code = process.wait(timeout=60)
    timer.cancel()
    process.stdout.close()
    with contextlib.suppress(BrokenPipeError):
        process.stdin.close()
    return n, code


def test_killed_labelling_loses_no_answer(tmp_path):
    from skrobust.cli.labelling.labelling_session import Session

    rng, state = np.random.default_rng(0), tmp_path / "s.json"
    pool = pandas.DataFrame({"doubt": rng.random(4000)})
    pool.to_csv(tmp_path / "pool.csv", index=False)
    command = [sys.executable, "-m", "skrobust", "label", str(tmp_path / "pool.csv")]
    begin = ["--scores", "doubt", "--sampler", "simple", "--state", str(state)]
    safe, answers, n_killed = 0, {}, 0
    for delay in rng.uniform(0, 0.6, N_LABEL):
        n, code = labelled_until_killed([*command, *begin, "-n", "4000"], delay)
        n_killed += code == -signal.SIGKILL
        with Session(state) as session:
            session.resume()
            found = session.facts["answers"]
        assert n >= 0
        assert safe + n <= len(found) <= safe + n + 1
        assert {**answers, **found} == found  # each as it was before
        safe, answers = len(found), dict(found)
    assert n_killed >= N_LABEL - 2
    sys.stdout.write(f"label: kills | lost: {n_killed} | 0\n")


def test_killed_evaluation_keeps_finished_parts(tmp_path):
    environment = {**os.environ, "CALLS": str(tmp_path / "calls")}
    environment.pop("DIE_AT", None)

    def start(folder):
        command = [sys.executable, str(KILLED_RUN), str(folder), "1"]
        how = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        return subprocess.Popen(command, env=environment, **how)

    begun = time.monotonic()
    whole = start(tmp_path / "whole").communicate()[0]
    length = time.monotonic() - begun
    rng, kept, n_killed = np.random.default_rng(0), {}, 0
    store = tmp_path / "store"
    for share in rng.uniform(0.5, 1, N_EVALUATION):
        process = start(store)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.communicate(timeout=share * length)
        process.kill()
        process.communicate()
        n_killed += process.returncode == -signal.SIGKILL
        now = {p.name: p.stat().st_mtime_ns for p in store.glob("*.part")}
        assert {**now, **kept} == now  # nothing finished is lost or made again
        kept = now
    assert start(store).communicate()[0] == whole
    now = {p.name: p.stat().st_mtime_ns for p in store.glob("*.part")}
    assert {**now, **kept} == now
    sys.stdout.write(f"evaluation: kills | lost: {n_killed} | 0\n")
