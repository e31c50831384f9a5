"""What the guide says of surprise with an index is in its table."""

import csv
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_page_says_what_the_table_has():
    with (ROOT / "doc" / "surprise_index.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    page = (ROOT / "doc/guide/operational_testing.rst").read_text(encoding="utf-8")
    page = " ".join(page.split())
    pays = {"10": [], "30": []}
    found = {"10": [], "30": []}
    for row in rows:
        k, from_ = row["neighbours"], row["index pays from"]
        found[k] += [float(row["found: same class"]), float(row["found: other class"])]
        if k == "30" and row["training rows"] == "100,000":
            assert from_ == "never"
        else:
            pays[k].append(int(from_.replace(",", "")))
    assert f"30 neighbours find at least {min(found['30']):.0%} but never pay" in page
    low, high = min(pays["30"]), max(pays["30"])
    assert f"only from {low:,} to {high:,} scores" in page
    low, high = round(min(pays["10"]), -3), max(pays["10"])
    assert f"10 neighbours pay from {low:,} to {high:,} scores" in page
    least, most = 1 - max(found["10"]), 1 - min(found["10"])
    assert f"miss {100 * least:.0f} to {most:.0%} of the neighbours" in page
