"""Mutation testing: which small changes of the package do its tests notice?

python benchmarks/mutation/mutants.py lines FILE.db tests skrobust   # 30 minutes
python benchmarks/mutation/mutants.py run FILE.db RESULTS.jsonl
python benchmarks/mutation/mutants.py table RESULTS.jsonl
python benchmarks/mutation/mutants.py survivors RESULTS.jsonl
python benchmarks/mutation/mutants.py coverage FILE.db

``lines`` stores which lines each test runs; it can be given some folders at a time.
``--slow`` takes the tests marked slow as well, for ``run`` with more ``--seconds``.
``run`` draws mutants of each folder with a fixed seed and runs
the tests of their lines until one fails; it goes on where it was stopped. Controls
change nothing and must survive. ``--again`` tries survivors anew, after ``lines`` of
new tests; ``--seed`` draws another sample, against which no test was written.
Mutants that no test can tell from the original are named in ``equivalent.json``, each
with the reason. coverage.py is needed for ``lines`` and ``coverage``.
"""

import argparse
import json
import os
import random
import sqlite3
import subprocess
import sys
from collections import Counter
from pathlib import Path

from changes import control_of, mutants_of

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SAMPLE = {
    "metrics": 230, "sampling": 230, "base": 130, "evaluation": 190, "attacks": 210,
    "perturbations": 210,
}  # fmt: skip
CONTROLS = 10  # of each folder
NAMED = [  # tried always
    ("skrobust/sampling/_simple_random.py", ": m_pool + "),
    ("skrobust/sampling/surprise/whitening.py", "/ np.diag"),
    ("skrobust/sampling/designs/ordered_draw.py", "uniforms < chance"),
    ("skrobust/evaluation/core/argument_checks.py", "refuse_regressor(estimator"),
]


def drawn(folder, number, seed=0):
    """Return mutants of places drawn at random, one change of each, and controls.

    Those that are tried always belong to the sample of seed 0, against which tests were
    written.
    """
    rng = random.Random(f"mutants of {folder}" + (f", {seed}" if seed else ""))
    places, sources = {}, {}
    for path in sorted((ROOT / "skrobust" / folder).rglob("*.py")):
        file = str(path.relative_to(ROOT))
        sources[file] = path.read_text()
        for mutant in mutants_of(sources[file], file):
            places.setdefault((file, mutant.site[0]), []).append(mutant)
    keys = rng.sample(sorted(places), number)
    found = [rng.choice(places[key]) for key in keys]
    files = [file for file, source in sources.items() if "def " in source]
    for file in rng.sample(files, min(CONTROLS, len(files))):
        found.append(control_of(sources[file], file, rng.randrange(1000)))
    chosen = {mutant.key for mutant in found}
    for mutants in places.values():
        for mutant in mutants if not seed else ():
            asked = any(mutant.file.startswith(a) and b in mutant.key for a, b in NAMED)
            if asked and mutant.key not in chosen:
                found.append(mutant)
    return found


def run_pytest(arguments, slow=False):
    """Run pytest with the plugins of this folder, in one process."""
    paths = [str(ROOT), str(HERE), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        "OMP_NUM_THREADS": "1",
        "NUMBA_NUM_THREADS": "1",
    }
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-n",
        "0",
    ]
    command += ["-m", "not thorough" if slow else "not slow", *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode


def lines(arguments):
    """Store the lines of tests."""
    asked = ["-p", "lines_of_tests", "--lines-of-tests", str(arguments.lines.resolve())]
    return run_pytest([*asked, *arguments.tests], arguments.slow)


def run(arguments):
    """Try the mutants, in a mixed order of folders."""
    tasks = []
    for folder in arguments.folders or SAMPLE:
        number = arguments.number or SAMPLE[folder]
        tasks += drawn(folder, number, arguments.seed)
    random.Random(0).shuffle(tasks)
    part, parts = map(int, arguments.part.split("/"))
    tasks = tasks[part - 1 :: parts]
    results = arguments.results.resolve()
    if arguments.again:
        kept = set(survivors_of(read(results)))
        files = sorted({key.partition(":")[0] for key in kept})
        found = [m for f in files for m in mutants_of((ROOT / f).read_text(), f)]
        tasks = [mutant for mutant in found if mutant.key in kept]
        results = arguments.again.resolve()
    listed = results.with_suffix(f".tasks{part}.json")
    listed.write_text(json.dumps(tasks))
    with sqlite3.connect(arguments.lines) as file:
        rows = file.execute("select distinct name from tests")
        modules = sorted({name.partition("::")[0] for (name,) in rows})
    if arguments.tests:
        modules = [m for m in modules if m.startswith(tuple(arguments.tests))]
    options = ["-s", "-p", "mutant_server", "--mutant-tasks", str(listed)]
    options += ["--mutant-results", str(results), "--basetemp", f"{listed}.tmp"]
    options += ["--mutant-lines", str(arguments.lines.resolve())]
    options += ["--mutant-seconds", str(arguments.seconds)]
    return run_pytest([*options, *modules], arguments.slow)


def read(*paths):
    """Return the result of each mutant: killed, where a run of several killed it.

    A test that fails for a control, which changes nothing, kills no mutant.
    """
    texts = [Path(path).read_text().splitlines() for path in paths]
    records = [json.loads(line) for text in texts for line in text]
    unsound = {
        function_of(record)
        for record in records
        if record["kind"] == "control" and record["state"] == "killed"
    } - {None}
    found = {}
    for record in records:
        if record["kind"] != "control" and function_of(record) in unsound:
            record["state"] = "survived"
        known = found.get(record["key"], {"state": "not covered"})["state"]
        if record["state"] == "killed" or known == "not covered":
            found[record["key"]] = record
    return found


def function_of(record):
    """Return the test function that killed a mutant, or None."""
    return record["test"] and record["test"].partition("[")[0]


def survivors_of(results):
    """Return the keys of mutants that no test killed, and that are no equivalents."""
    equivalent = json.loads((HERE / "equivalent.json").read_text())
    return [
        key
        for key, record in results.items()
        if record["state"] != "killed"
        and record["kind"] != "control"
        and key not in equivalent
    ]


def table(arguments):
    """Print the score of each folder."""
    results = read(*arguments.results)
    equivalent = json.loads((HERE / "equivalent.json").read_text())
    counts = {}
    for key, record in results.items():
        state = record["state"]
        if record["kind"] == "control":
            state = f"control {state}"
        elif key in equivalent and state != "killed":
            state = "equivalent"
        folder = record["file"].split("/")[1]
        counts.setdefault(folder, Counter())[state] += 1
    print(
        "| folder | mutants | killed | survived | not covered | equivalent | score |"
        " controls alive |\n| --- | --- | --- | --- | --- | --- | --- | --- |"
    )
    counts["all"] = sum(counts.values(), Counter())
    for folder, n in counts.items():
        states = ("killed", "survived", "not covered", "equivalent")
        total = sum(n[state] for state in states)
        score = n["killed"] / max(total - n["equivalent"], 1)
        alive = n["control survived"]
        print(
            f"| `{folder}/` | {total} | {n['killed']} | {n['survived']} |"
            f" {n['not covered']} | {n['equivalent']} | {score:.1%} |"
            f" {alive} of {alive + n['control killed']} |"
        )


def survivors(arguments):
    """Print the mutants to look at."""
    results = read(*arguments.results)
    for key in sorted(survivors_of(results)):
        record = results[key]
        print(f"{record['line']:4} {record['state']:11} {record['given']:4} {key}")


def coverage(arguments):
    """Print lines and branches that the measured tests run, by file."""
    from coverage import Coverage

    store = Path(f"{arguments.lines}.coverage")
    store.unlink(missing_ok=True)
    measure = Coverage(
        data_file=str(store),
        branch=True,
        config_file=False,
        source=[str(ROOT / "skrobust")],
    )
    arcs = {}
    with sqlite3.connect(arguments.lines) as file:
        for name, start, stop in file.execute("select * from arcs"):
            if (ROOT / name).exists():
                arcs.setdefault(str(ROOT / name), []).append((start, stop))
    measure.get_data().add_arcs(arcs)
    measure.save()
    measure.load()
    measure.report(skip_covered=True, show_missing=True, precision=1)
    report = Path(f"{arguments.lines}.coverage.json")
    measure.json_report(outfile=str(report))
    sums = {}
    for name, file in json.loads(report.read_text())["files"].items():
        folder = Path(os.path.relpath(name, ROOT)).parts[1]
        sums.setdefault(folder, Counter()).update(file["summary"])
    for folder, n in sorted(sums.items()):
        lines_run = n["covered_lines"] / max(n["num_statements"], 1)
        branches = n["covered_branches"] / max(n["num_branches"], 1)
        print(f"{folder:20} {lines_run:6.1%} of lines {branches:6.1%} of branches")


def main():
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("lines")
    command.add_argument("lines", type=Path)
    command.add_argument("tests", nargs="+")
    command.add_argument("--slow", action="store_true", help="slow tests as well")
    command.set_defaults(call=lines)
    command = commands.add_parser("run")
    command.add_argument("lines", type=Path)
    command.add_argument("results", type=Path)
    command.add_argument("--folders", nargs="*")
    command.add_argument("--tests", nargs="*", help="the folders that are asked alone")
    command.add_argument("--seed", type=int, default=0, help="of the sample")
    command.add_argument("--number", type=int, help="mutants of each folder")
    command.add_argument("--seconds", type=float, default=5.0, help="of tests, at most")
    command.add_argument("--slow", action="store_true", help="slow tests as well")
    command.add_argument("--part", default="1/1", help="1/2 and 2/2 for two processes")
    command.add_argument("--again", type=Path, help="file for survivors, tried anew")
    command.set_defaults(call=run)
    for name, call in (("table", table), ("survivors", survivors)):
        command = commands.add_parser(name)
        command.add_argument("results", type=Path, nargs="+")
        command.set_defaults(call=call)
    command = commands.add_parser("coverage")
    command.add_argument("lines", type=Path)
    command.set_defaults(call=coverage)
    arguments = parser.parse_args()
    sys.exit(arguments.call(arguments))


if __name__ == "__main__":
    main()
