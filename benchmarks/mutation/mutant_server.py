"""A pytest plugin that runs the chosen tests once per mutant, each in a fork.

``mutants.py run`` loads it. All tests are collected once. A child process gives the
functions of a mutant their new code and runs its tests up to the first that fails. A
mutant of what runs on import has its modules imported anew, by another session in the
child. Each result is a line of a file, and mutants found there are not run again.
"""

import ast
import contextlib
import importlib
import importlib.abc
import json
import os
import resource
import select
import signal
import sys
import time
from collections import namedtuple
from pathlib import Path

import pytest
from changes import Mutant, mutated
from chosen_tests import ChosenTests, public_names
from patched_code import (
    changed_codes,
    changed_defaults,
    functions_by_place,
    patch,
    patch_defaults,
)

SLOWER = 10  # a test that takes so many times its seconds is stopped
IDLE = 12.0  # seconds without any work, after which a child waits for nothing
LEFT_OUT = (  # tests of these names
    "polars",  # its threads do not survive a fork
    "test_browser",  # waits for a browser, and is stopped where the machine is busy
    "ctrl_c",  # interrupts a process of its own, which runs the code as it is
)
MEMORY = 6 * 2**30  # bytes that a child may add
MODULES = 5  # of tests that are imported anew for a mutant of what runs on import
Outcome = namedtuple("Outcome", "state test seconds way")


def _ticks(process):
    """Return the processor time of a process, in ticks."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


class Reporter:
    """Write the test that runs to a pipe, and leave at the first failure."""

    def __init__(self, pipe, seconds):
        self.pipe, self.seconds = pipe, seconds

    def _say(self, *words):
        os.write(self.pipe, (json.dumps(words) + "\n").encode())

    def leave(self, state):
        """End the child at once."""
        self._say(state)
        os._exit(0)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logstart(self, nodeid):
        signal.setitimer(signal.ITIMER_PROF, 5 + SLOWER * self.seconds.get(nodeid, 1.0))
        self._say("test", nodeid)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report):
        if report.failed:
            self.leave("killed")

    @pytest.hookimpl(tryfirst=True)
    def pytest_collectreport(self, report):
        if report.failed:
            self.leave("killed")


class MutatedModule(importlib.abc.MetaPathFinder):
    """Import one module from the code of a mutant."""

    def __init__(self, path, code):
        self.path, self.code = path, code

    def find_spec(self, name, path, target=None):
        """Find the module by the others, and give it the new code."""
        for finder in sys.meta_path:
            if finder is self or not hasattr(finder, "find_spec"):
                continue
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                if spec.origin == self.path:
                    spec.loader.get_code = lambda name: self.code
                return spec
        return None


class MutantServer:
    """Try the mutants of a list."""

    def __init__(self, config):
        self.root = str(config.rootpath)
        self.results = Path(config.getoption("--mutant-results"))
        self.limit = config.getoption("--mutant-seconds")
        tasks = json.loads(Path(config.getoption("--mutant-tasks")).read_text())
        self.tasks = [Mutant(*task) for task in tasks]
        self.lines = config.getoption("--mutant-lines")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session):
        for name in ("torch", "skorch", "pandas", "matplotlib.pyplot"):
            with contextlib.suppress(ImportError):  # once, and in no child
                importlib.import_module(name)
        self.items = {item.nodeid: item for item in session.items}
        self.tests = ChosenTests(self.lines, self.items)
        known = self.tests.seconds
        self.tests.failing |= {n for n in known if any(part in n for part in LEFT_OUT)}
        with contextlib.suppress(FileNotFoundError), open(f"{self.lines}.hung") as file:
            self._leave_out(file.read().splitlines())
        self.functions = functions_by_place(os.path.join(self.root, "skrobust"))
        done = set()
        if self.results.exists():
            with self.results.open() as lines:
                done = {json.loads(line)["key"] for line in lines}
        for mutant in self.tasks:
            if mutant.key not in done:
                self._try(session, mutant)
        return True

    def _leave_out(self, tests):
        """Ask these tests no more, nor the same function with other parameters."""
        functions = {name.partition("[")[0] for name in tests}
        known = self.tests.seconds
        self.tests.failing |= {n for n in known if n.partition("[")[0] in functions}

    def _try(self, session, mutant):
        path = os.path.join(self.root, mutant.file)
        source = Path(path).read_text()
        tree = mutated(source, mutant.site)
        original = compile(source, path, "exec", dont_inherit=True)
        code = compile(tree, path, "exec", dont_inherit=True)
        self.defaults = changed_defaults(ast.parse(source), tree, path)
        about = public_names(source)
        names, covering = self.tests.chosen(
            mutant.file, mutant.lines, self.limit, about
        )
        names = given = [name for name in names if name in self.items]
        outcome = Outcome("not covered", None, 0.0, "")
        while given:
            outcome = self._run(session, given, path, original, code)
            if outcome.state != "hung" or outcome.test not in given:
                break
            # It waits for a thread or a process that is not there: go on behind it.
            self._leave_out([outcome.test])
            with open(f"{self.lines}.hung", "a") as file:
                file.write(f"{outcome.test}\n")
            given = given[given.index(outcome.test) + 1 :]
            given = [name for name in given if name not in self.tests.failing]
            outcome = outcome._replace(state="survived", test=None)
        if mutant.kind == "control" and outcome.test:
            self._leave_out([outcome.test])  # it fails in a child as it is
        record = {
            "key": mutant.key, "file": mutant.file, "line": mutant.line,
            "kind": mutant.kind, "covering": covering, "given": len(names),
            **outcome._asdict(),
        }  # fmt: skip
        with self.results.open("a") as file:
            file.write(json.dumps(record) + "\n")

    def _run(self, session, names, path, original, code):
        reading, writing = os.pipe()
        begin = time.perf_counter()
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            os.close(reading)
            try:
                self._child(session, names, path, original, code, writing)
            finally:
                os._exit(1)
        os.close(writing)
        expected = sum(self.tests.seconds[name] for name in names)
        state, test, way = self._listen(reading, child, 300 + 20 * expected)
        os.close(reading)
        return Outcome(state, test, round(time.perf_counter() - begin, 2), way)

    def _listen(self, reading, child, limit):
        end, text = time.monotonic() + limit, b""
        state, test, way = "killed", None, ""
        worked, since = -1, time.monotonic()
        while time.monotonic() < end:
            if select.select([reading], [], [], 5.0)[0]:
                piece = os.read(reading, 65536)
                if not piece:
                    break
                text += piece
            now = _ticks(child)
            if now > worked:
                worked, since = now, time.monotonic()
            elif time.monotonic() - since > IDLE:
                way, state = "idle", "hung"
                break
        else:
            way = "time"
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
        status = os.waitpid(child, 0)[1]
        ended = False
        for line in text.decode().splitlines():
            words = json.loads(line)
            if words[0] == "test":
                test = words[1]
            elif words[0] == "way":
                way = words[1]
            else:
                state, ended = words[0], True
        if not ended and state != "hung":
            way += ", stopped" if status else ", crashed"
        return state, None if state == "survived" else test, way

    def _child(self, session, names, path, original, code, pipe):
        os.setpgid(0, 0)
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nothing, stream)
        used = int(Path("/proc/self/statm").read_text().split()[0]) * 4096
        resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        reporter = Reporter(pipe, self.tests.seconds)
        pairs = changed_codes(original, code)
        ready = False
        if pairs is not None and patch(pairs, self.functions):
            reporter._say("way", "patched")
            ready = True
        elif self.defaults and patch_defaults(self.defaults, self.functions):
            reporter._say("way", "defaults")
            ready = True
        if ready:
            session.config.pluginmanager.register(reporter)
            items = [self.items[name] for name in names]
            for item, following in zip(items, [*items[1:], None], strict=True):
                item.ihook.pytest_runtest_protocol(item=item, nextitem=following)
            reporter.leave("survived")
        reporter._say("way", "imported")
        for name, module in list(sys.modules.items()):
            file = getattr(module, "__file__", None) or ""
            if file.startswith(self.root) and "/benchmarks/mutation/" not in file:
                del sys.modules[name]
        sys.meta_path.insert(0, MutatedModule(path, code))
        modules = list(dict.fromkeys(name.partition("::")[0] for name in names))[
            :MODULES
        ]
        given = [name for name in names if name.partition("::")[0] in modules]
        options = ["-q", "-s", "-p", "no:cacheprovider", "-n", "0"]
        signal.setitimer(signal.ITIMER_PROF, 120)
        code = pytest.main([*options, *given], plugins=[reporter])
        reporter.leave("survived" if code == 0 else f"pytest ended with {code}")


def pytest_addoption(parser):
    """Add the options of the server."""
    parser.addoption("--mutant-tasks", help="JSON file of mutants")
    parser.addoption("--mutant-results", help="file of results, one a line")
    parser.addoption("--mutant-lines", help="file of lines_of_tests")
    parser.addoption("--mutant-seconds", type=float, default=5.0)


def pytest_configure(config):
    """Serve where mutants are given."""
    if config.getoption("--mutant-tasks"):
        config.pluginmanager.register(MutantServer(config))
