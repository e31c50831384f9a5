"""Reports with any names and numbers come back from their JSON twins."""

import json
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from json_schema import check
from report_page import Page
from sklearn.naive_bayes import GaussianNB

from skrobust.report import (
    build_markdown,
    build_report,
    collect_report,
    create_report,
    model_card,
    report_from_json,
    report_schema,
    summary_rows,
    write_report,
)
from skrobust.report.core._report_json import to_json

NAMES = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]),
                min_size=1, max_size=8).filter(lambda t: t.strip() == t)  # fmt: skip
NAMES |= st.sampled_from(["right", "<script>", "正确", "null", "NaN", "1", "</td>"])


LABELS = st.lists(NAMES, min_size=2, max_size=3, unique_by=str.casefold)
EIGHT = settings(max_examples=8, deadline=None, derandomize=True)


@pytest.mark.slow
@EIGHT
@given(LABELS, NAMES, NAMES, st.integers(0, 2**32 - 1))
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_twins_of_any_names_and_numbers(labels, model_name, title, seed):
    rng = np.random.default_rng(seed)
    y = np.array(labels)[np.arange(30) % len(labels)]
    X = rng.normal(size=(30, 2)) * 10.0 ** rng.integers(-9, 9, size=2)
    model = GaussianNB().fit(X[::2], y[::2])
    collected = collect_report(
        {model_name: model}, X, y, title=title, n_labels=5, checks=False,
        call=title, dataset=title, groups=rng.integers(0, 2, 30),
    )  # fmt: skip
    text = to_json(collected)
    check(json.loads(text), report_schema())
    again = report_from_json(text)
    assert to_json(again) == text
    assert to_json(report_from_json(json.loads(text))) == text
    assert again["title"] == title
    assert [row["name"] for row in summary_rows(again)] == [
        row["name"] for row in summary_rows(collected)
    ]
    assert build_markdown(again) == build_markdown(collected)
    assert model_card(again) == model_card(collected)
    changed = json.loads(text)
    changed["models"][0]["clean"]["score"] = -1.0
    with pytest.raises(ValueError, match="report"):
        report_from_json(changed)


@pytest.mark.slow
@EIGHT
@given(LABELS, NAMES, NAMES, st.integers(0, 2**32 - 1))
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_pages_of_any_names_have_the_elements_of_plain_ones(
    labels, model_name, title, seed
):
    pytest.importorskip("jinja2")
    pytest.importorskip("matplotlib")
    rng = np.random.default_rng(seed)
    codes = np.arange(30) % len(labels)
    X = rng.normal(size=(30, 2))
    pages = []
    for names, model_names in [(sorted(labels), model_name), ("abc", "model")]:
        y = np.array(list(names))[codes]
        model = GaussianNB().fit(X[::2], y[::2])
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "page.html"
            settings = {"n_labels": 5, "checks": False, "title": title, "call": title}
            report = create_report({model_names: model}, X, y, out=out, **settings)
            text = out.read_text(encoding="utf-8")
            again = report_from_json(to_json(report.collected))
            copy = write_report(again, Path(folder) / "copy.html").path
            assert copy.read_text(encoding="utf-8") == text
        assert text == build_report(report.collected)
        pages.append(Page(text))
    assert title in pages[0].all("title")[0]["text"]
    shapes = [[(e["tag"], *e["attrs"]) for e in page.elements] for page in pages]
    assert shapes[0] == shapes[1]
