"""Replay of a labelling session on real pictures: the page over HTTP, then two lists.

The folder holds ``pool.csv`` (columns file, prediction, doubt), the pictures that it
names, and ``truth.csv`` (columns file, truth), from which every answer is taken.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.request import Request, urlopen

import pandas

COLUMNS = ["--scores", "doubt", "--predicted", "prediction", "--item", "file"]


def command(*words):
    """Return a command of skrobust as a list of words."""
    return [sys.executable, "-m", "skrobust", *map(str, words)]


def answer_on_page(session, truth, most, *words):
    """Answer on the page until the interval is narrow, or ``most`` inputs are done."""
    start = command("label", *session, *words, "--until", 0.05, "--web", "--no-open")
    with subprocess.Popen(start, stdout=subprocess.PIPE, text=True) as process:
        address = process.stdout.readline().split()[-1]
        page = fetch(f"{address}state")
        while page["question"] and page["n_done"] < most:
            text = truth[page["question"]["item"]]
            page = fetch(f"{address}answer", turn=page["turn"], text=text)
        fetch(f"{address}stop", turn=page["turn"])
        print(process.stdout.read(), flush=True)


def fetch(address, **given):
    """Do what the page does at this address; return what it shows then."""
    body = json.dumps(given).encode() if given else None
    with urlopen(Request(address, body, {"Content-Type": "application/json"})) as found:
        return json.load(found)


def fill(path, truth):
    """Fill in a CSV list, or tasks of Label Studio as its JSON export has them."""
    if path.suffix == ".csv":
        rows = pandas.read_csv(path)
        rows.assign(answer=rows["item"].map(truth)).to_csv(path, index=False)
        return
    tasks = json.loads(path.read_text())
    for task in tasks:
        label = {"choices": [truth[task["data"]["item"]]]}
        result = {"from_name": "label", "type": "choices", "value": label}
        task["annotations"] = [{"result": [result]}]
    path.write_text(json.dumps(tasks))


def main(folder):
    """Replay the study."""
    pool = folder / "pool.csv"
    truth = pandas.read_csv(folder / "truth.csv").set_index("file")["truth"].to_dict()
    rows = pandas.read_csv(pool)
    right = rows["prediction"] == rows["file"].map(truth)
    print(f"accuracy of all {len(right)}: {right.mean():.4f}\n", flush=True)
    with tempfile.TemporaryDirectory() as work:
        session = (pool, "--state", Path(work, "s.json"))
        answer_on_page(session, truth, 65, *COLUMNS)
        for n, name, kind in [(35, "a.json", "label-studio"), (60, "b.csv", "csv")]:
            path = Path(work, name)
            ask = ("-n", n, "--to-label", path, "--format", kind, "--quiet")
            subprocess.run(command("sample", *session, *ask), check=True)
            fill(path, truth)
            subprocess.run(command("sample", *session, "--answers", path), check=True)
        answer_on_page(session, truth, len(truth))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    main(parser.parse_args().folder)
