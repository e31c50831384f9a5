"""A pytest plugin that stores which lines of the package each test runs.

``mutants.py lines`` loads it. Each test is measured on its own, branches included, by
coverage.py. The file gets a row per test (seconds, outcome), the lines of each pair of
a test and a file of the package as bits of a number, and all branches taken. What runs
on import and in the fixtures of a module is stored under the name of that module.
"""

import os
import signal
import sqlite3
import time
from collections import Counter
from pathlib import Path
from zlib import crc32

import coverage
import pytest

LONG = 20.0  # seconds of a test; what it runs later is not measured
TABLES = """
create table if not exists tests (name text primary key, seconds real, outcome text);
create table if not exists lines (file text, test text, bits blob);
create table if not exists arcs (file text, start int, stop int,
                                 primary key (file, start, stop)) without rowid;
create index if not exists by_file on lines (file);
"""


def bits(lines):
    """Return the numbers of lines as bits, in bytes."""
    number = 0
    for line in lines:
        number |= 1 << line
    return number.to_bytes(number.bit_length() // 8 + 1, "little")


class LinesOfTests:
    """Measure one test after the other."""

    def __init__(self, root, path, cases):
        self.root, self.cases = root, cases
        self.file = sqlite3.connect(path, timeout=60)
        self.file.execute("pragma synchronous = off")
        self.file.executescript(TABLES)
        # Any part of the package, but none of its tests.
        self.measure = coverage.Coverage(
            data_file=None,
            branch=True,
            include=[str(root / "skrobust" / "*")],
            config_file=False,
        )
        self.measure.set_option("run:disable_warnings", ["no-data-collected"])
        self.arcs = {}
        self.outcome = "passed"
        self.measures = False
        signal.signal(signal.SIGPROF, self._stop)

    def _start(self):
        self.measure.start()
        self.measures = True
        signal.setitimer(signal.ITIMER_PROF, LONG)

    def _stop(self, *signal_and_frame):
        signal.setitimer(signal.ITIMER_PROF, 0)
        if self.measures:
            self.measures = False
            self.measure.stop()

    def take(self, test):
        """Store what ran since the last call under the name of a test."""
        data = self.measure.get_data()
        rows = []
        for name in data.measured_files():
            arcs = data.arcs(name)
            if not arcs:
                continue
            file = os.path.relpath(name, self.root)
            known = self.arcs.setdefault(file, set())
            new = set(arcs) - known
            known |= new
            self.file.executemany(
                "insert or ignore into arcs values (?, ?, ?)",
                [(file, start, stop) for start, stop in new],
            )
            lines = {line for arc in arcs for line in arc if line > 0}
            rows.append((file, test, bits(lines)))
        self.file.executemany("insert into lines values (?, ?, ?)", rows)
        self.file.commit()
        data.erase()

    @pytest.hookimpl(wrapper=True)
    def pytest_collection(self):
        self.measure.start()
        try:
            return (yield)
        finally:
            self.measure.stop()
            self.take("import")

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items):
        done = {name for (name,) in self.file.execute("select name from tests")}
        cases = Counter()
        for name in done:
            cases[name.partition("[")[0]] += 1
        kept = {}
        for item in sorted(items, key=lambda item: crc32(item.nodeid.encode())):
            function = item.nodeid.partition("[")[0]
            if item.nodeid not in done and cases[function] < self.cases:
                cases[function] += 1
                kept[item.nodeid] = item
        items[:] = [item for item in items if item.nodeid in kept]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item):
        self.outcome = "passed"
        begin = time.process_time()
        self._start()
        try:
            return (yield)
        finally:
            self._stop()
            seconds = time.process_time() - begin
            self.take(item.nodeid)
            self.file.execute(
                "insert or replace into tests values (?, ?, ?)",
                [item.nodeid, seconds, self.outcome],
            )
            self.file.commit()

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef, request):
        if fixturedef.scope == "function":
            return (yield)
        # Stored for the whole module, since only its first test sees the fixture run.
        test = request.node.nodeid
        self._stop()
        self.take(getattr(request, "_pyfuncitem", request.node).nodeid)
        self._start()
        try:
            return (yield)
        finally:
            self._stop()
            self.take(test.partition("::")[0])
            self._start()

    def pytest_runtest_logreport(self, report):
        if report.outcome != "passed":
            self.outcome = report.outcome


def pytest_addoption(parser):
    """Add the option for the file."""
    parser.addoption("--lines-of-tests", help="file for the lines that each test runs")
    several = "cases of a parametrized test, at most"
    parser.addoption("--cases-of-test", type=int, default=12, help=several)


def pytest_configure(config):
    """Begin to measure where a file is asked for."""
    path = config.getoption("--lines-of-tests")
    if path:
        cases = config.getoption("--cases-of-test")
        config.pluginmanager.register(LinesOfTests(Path(config.rootpath), path, cases))
