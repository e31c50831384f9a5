"""Which tests a mutant is given, and in which order.

Those that run its line, near and quick ones first: the folder of the same name and the
examples of the same file, a few of each parametrized test, then the others. Tests that
share a module with them come last, since they may see the line through a fixture or a
cache that only the first test filled.

A parametrized test is measured in a few cases alone. Those that name a public class or
function of the file belong to its mutants as well, measured or not.
"""

import ast
import re
import sqlite3
from collections import Counter
from statistics import mean

QUICK = 0.3  # seconds of a test
FEW = 6  # of one parametrized test, at first


def public_names(source):
    """Return the names of public classes and functions of a file."""
    kinds = (ast.ClassDef, ast.FunctionDef)
    nodes = [node for node in ast.parse(source).body if isinstance(node, kinds)]
    return {node.name for node in nodes if not node.name.startswith("_")}


class ChosenTests:
    """Read what ``lines_of_tests.py`` wrote.

    ``collected`` are the names of all tests.
    """

    def __init__(self, path, collected=()):
        self.file = sqlite3.connect(path)
        self.seconds, self.failing = {}, set()
        self.read_last, self.bits = None, {}
        for name, seconds, outcome in self.file.execute("select * from tests"):
            self.seconds[name] = seconds
            if outcome == "failed":
                self.failing.add(name)
        self.by_word = {}
        functions = {}
        for name, seconds in self.seconds.items():
            functions.setdefault(name.partition("[")[0], []).append(seconds)
        for name in collected:
            function, _, case = name.partition("[")
            if function in functions:
                self.seconds.setdefault(name, mean(functions[function]))
                for word in set(re.findall(r"\w+", case)):
                    self.by_word.setdefault(word, set()).add(name)

    def _bits(self, file):
        if file != self.read_last:
            self.read_last, self.bits = file, self._read_bits(file)
        return self.bits

    def _read_bits(self, file):
        rows = self.file.execute("select test, bits from lines where file = ?", [file])
        found = {}
        for test, bits in rows:
            found[test] = found.get(test, 0) | int.from_bytes(bits, "little")
        return found

    def covering(self, file, lines):
        """Return the tests that run one of the lines, and the modules with them."""
        low, high = lines
        bits = self._bits(file)
        mask = sum(1 << line for line in range(low, min(high, 5000) + 1))
        hit = [test for test, number in bits.items() if number & mask]
        tests = {test for test in hit if test in self.seconds}
        modules = {test for test in hit if test not in self.seconds} - {"import"}
        return tests - self.failing, modules

    def chosen(self, file, lines, limit, names=()):
        """Return at most ``limit`` seconds of tests in order, and the number of all.

        ``names`` are those of :func:`public_names`.
        """
        tests, modules = self.covering(file, lines)
        about = set().union(*(self.by_word.get(name, ()) for name in names))
        tests |= about - self.failing
        if not tests and not modules:
            return [], 0
        folder = file.split("/")[1]
        stem = file.rpartition("/")[2].removesuffix(".py").strip("_")
        words = set(stem.split("_"))

        def nearness(module):
            if module == file:
                return 0
            same = words & set(module.rpartition("/")[2].removesuffix(".py").split("_"))
            if module.startswith(f"tests/{folder}/"):
                return 1 if same else 2
            return 3

        kept = modules | {test.partition("::")[0] for test in tests}
        beside = {t for t in self.seconds if t.partition("::")[0] in kept}
        beside -= self.failing
        seen, ranked = Counter(), []
        for test in sorted(tests | beside, key=lambda t: (self.seconds[t], t)):
            module = test.partition("::")[0]
            function = test.partition("[")[0]
            quick = self.seconds[test] < QUICK
            near = nearness(module)
            if test in tests or module in modules:
                seen[function] += 1
                rank = 0 if quick and seen[function] <= FEW else 1 if quick else 2
            elif near < 3:
                rank = 3
            else:
                continue
            ranked.append((rank, 1 if test in about else near, test))
        ranked.sort(key=lambda r: r[:2])
        given, total = [], 0.0
        for *_, test in ranked:
            total += self.seconds[test]
            if total > limit and given:
                break
            given.append(test)
        return given, len(tests)
