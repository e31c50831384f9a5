"""Tables in notebooks: all text escaped, nothing loaded, the numbers of the results."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest
from sklearn import config_context

from skrobust.evaluation import Results
from skrobust.metrics import Interval, confidence_interval, group_robustness
from skrobust.sampling import SimpleRandomSampler


class Cells(HTMLParser):
    def __init__(self, page):
        super().__init__()
        self.tags, self.text, self.open = set(), [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        if tag not in ("br", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def test_results_escape_and_fold():
    evil = "<img src=x onerror=alert(1)>"
    inner = Results(columns=("a",), a=np.arange(3))
    results = Results(
        columns=("name", "score"),
        name=np.array([evil] * 50),
        score=np.linspace(0, 1, 50),
        mean=0.123456,
        note=evil,
        gaps=inner,
    )
    found = Cells(results._repr_html_())
    assert not found.open
    assert found.tags <= {
        "div",
        "table",
        "caption",
        "tr",
        "th",
        "td",
        "details",
        "summary",
        "input",
        "label",
        "style",
    }
    assert evil in found.text
    assert "0.1235" in found.text
    assert "… 30 more rows …" in found.text
    assert {"gaps", "2"} <= set(found.text)


def tabbed():
    return Results(
        columns=("score",),
        verdict="Enough.",
        score=np.array([0.5]),
        mean=0.5,
        mean_interval=Interval(0.5, 0.25, 0.75, 0.9, "t", 5, ""),
        n_samples=5,
        warnings=("DOUBT",),
        attack="PGD",
    )


def test_tabs_show_results_table_checks_data_and_model():
    page = tabbed()._repr_html_()
    found = Cells(page)
    assert not found.open
    titles = ["Results", "Table", "Checks", "Data", "Model"]
    assert [text for text in found.text if text in titles and text != "Results"] == (
        titles[1:]
    )
    assert "0.5 [0.25, 0.75]" in found.text
    assert "mean_interval" not in found.text
    assert "script" not in found.tags
    # the first is shown, and each tab has a rule that shows its part
    assert page.count(" checked>") == 1
    assert page.count(":checked)>.tab-") == len(titles) == page.count('class="tab-')
    assert page.index("Enough.") < page.index("<style>")


def test_tabs_of_two_results_do_not_move_one_another():
    results, radio = tabbed(), re.compile(r'name="([^"]+)"')
    names = [set(radio.findall(results._repr_html_())) for _ in range(2)]
    assert [len(one) for one in names] == [1, 1]
    assert not names[0] & names[1]


def test_empty_results_have_a_page():
    assert Results()._repr_html_() == "<div></div>"
    assert "0 rows" not in Results(columns=("a",), a=np.array([]))._repr_html_()


@pytest.mark.parametrize(
    "result, cell",
    [
        (confidence_interval("robust_accuracy", [True] * 8 + [False] * 2), "0.8"),
        (group_robustness([0, 1] * 40, [0, 1] * 40, ["a", "a", "b", "b"] * 20,
                          random_state=0), "worst_group"),
    ],
)  # fmt: skip
def test_results_of_metrics(result, cell):
    assert cell in Cells(result._repr_html_()).text


def test_samplers_show_their_state_below_the_diagram():
    sampler = SimpleRandomSampler(random_state=0)
    assert "Sampling so far" not in sampler._repr_html_()
    sampler.fit(np.ones(100)).sample(50, lambda ids: ids % 10 == 0)
    for page in (sampler._repr_html_(), sampler._repr_mimebundle_()["text/html"]):
        assert "sk-top-container" in page
        assert "50 of 100" in page.split("Sampling so far")[1]
    with config_context(display="text"):
        assert not hasattr(sampler, "_repr_html_")
        assert list(sampler._repr_mimebundle_()) == ["text/plain"]
