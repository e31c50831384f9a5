"""The report in a real browser: nothing goes wrong, nothing leaves, tables sort."""

import shutil
import subprocess

import numpy as np
import pytest
from report_page import ask, browse, find_browser
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from skrobust.report import build_report, collect_report

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib").use("Agg")
pytestmark = pytest.mark.skipif(
    find_browser() is None, reason="no chromium or chrome is installed"
)
NASTY = "</script><script>document.title='caught'</script><img src=x onerror=fail()>"


@pytest.fixture(scope="module")
def page():
    """All sections, four models, and a name that is a trap."""
    X, y = load_breast_cancer(return_X_y=True)
    X = (X - X.min(axis=0)) / (X.max(axis=0) - X.min(axis=0))
    kinds = {
        "b10": LogisticRegression(),
        "a2": make_pipeline(StandardScaler(), LogisticRegression(C=0.01)),
        NASTY: GaussianNB(),
        "no probabilities": LinearSVC(),
    }
    models = {name: kind.fit(X[::2], y[::2]) for name, kind in kinds.items()}
    collected = collect_report(
        models,
        X[1::2],
        y[1::2],
        X_train=X[::2],
        eps=0.05,
        data_range=(0, 1),
        radii=[0.02, 0.05],
        groups={"half <b>": np.arange(284) % 2},
        times=np.arange(284) // 71,
        title=f"Report {NASTY}",
        n_labels=30,
    )
    return build_report(collected)


@pytest.fixture(scope="module")
def file(page, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(page, encoding="utf-8")
    return path


def test_console_stays_silent(file):
    dom, said = browse(file)
    assert said == []
    assert "Sort by this column" in dom


@pytest.mark.parametrize(
    "trouble",
    [
        '<script>console.error("heard")</script>',
        '<img src="http://example.org/x.png" alt="">',
        '<link rel="stylesheet" href="https://example.org/x.css">',
    ],
)
def test_policy_stops_what_is_not_the_reports_own(page, trouble, tmp_path):
    path = tmp_path / "r.html"
    path.write_text(page.replace("<main>", f"<main>{trouble}"), encoding="utf-8")
    _, said = browse(path)
    assert len(said) == 1
    assert "Content Security Policy" in said[0]


def test_no_request_leaves_and_no_word_of_the_user_runs(page, tmp_path):
    code = """
    const loaded = performance.getEntriesByType("resource").map(e => e.name);
    return {left: loaded.filter(n => !n.startsWith("data:")), title: document.title,
            scripts: document.scripts.length,
            broken: [...document.images].filter(i => !i.naturalWidth).length,
            images: document.images.length};
    """
    told = ask(page, code, tmp_path)
    assert told["left"] == []
    assert told["title"] == f"Report {NASTY}"
    assert told["scripts"] == 2  # the report's and this one
    assert told["broken"] == 0 < told["images"]


SORT = """
const table = document.querySelector("#summary table");
const heads = [...table.tHead.rows[0].cells];
const column = heads.findIndex(h => h.textContent.startsWith(%r));
const seen = () => [...table.tBodies[0].rows].map(row => {
  const data = row.cells[column].querySelector("data");
  return data ? Number(data.value) : row.cells[column].textContent.trim();
});
const button = heads[column].querySelector("button");
const steps = [seen()];
const sorts = [heads[column].getAttribute("aria-sort")];
for (let i = 0; i < 2; i++) {
  button.focus();
  button.click();
  steps.push(seen());
  sorts.push(heads[column].getAttribute("aria-sort"));
}
heads[0].querySelector("button").click();
return {steps, sorts, focus: button.tagName, type: button.type,
        after: heads.map(h => h.getAttribute("aria-sort")).filter(Boolean),
        foot: table.tFoot.textContent.includes("most frequent")};
"""


def test_numbers_sort_down_then_up_and_say_so(page, tmp_path):
    told = ask(page, SORT % "Clean score", tmp_path)
    before, down, up = told["steps"]
    assert down == sorted(before, reverse=True)
    assert up == sorted(before)
    assert before not in (down, up)
    assert told["sorts"] == [None, "descending", "ascending"]
    assert told["after"] == ["ascending"]  # only the column clicked last
    assert (told["focus"], told["type"]) == ("BUTTON", "button")
    assert told["foot"]


def test_what_was_skipped_stays_last_both_ways(page, tmp_path):
    told = ask(page, SORT % "Robust ratio", tmp_path)
    for step in told["steps"][1:]:
        assert step[-1] == "skipped"
        assert "skipped" not in step[:-1]
    assert told["steps"][1][:-1] == told["steps"][2][:-1][::-1]


def test_names_sort_as_people_do(page, tmp_path):
    told = ask(page, SORT % "Model", tmp_path)
    _, up, down = told["steps"]
    assert up.index("a2") < up.index("b10") < up.index("no probabilities")
    assert down == up[::-1]


def test_details_fold_and_a_link_opens_them(page, tmp_path):
    code = """
    const all = () => [...document.querySelectorAll("details")].filter(d => d.open);
    const [open, close] = document.querySelectorAll("#fold button");
    const first = all().length;
    close.click(); const none = all().length;
    open.click(); const every = all().length;
    close.click();
    const one = document.querySelector("#stability details.model");
    one.querySelector("summary").click();
    const single = all().length;
    close.click();
    const target = one.querySelector("td");
    target.id = "inside";
    location.hash = "inside";
    window.dispatchEvent(new HashChangeEvent("hashchange"));
    return {first, none, every, single, linked: one.open,
            number: document.querySelectorAll("details").length};
    """
    told = ask(page, code, tmp_path)
    assert told["none"] == 0 < told["first"] < told["every"] == told["number"]
    assert told["single"] == 1
    assert told["linked"]


@pytest.mark.parametrize("width", [375, 1280])
def test_page_fits_its_width(page, tmp_path, width):
    code = """
    document.querySelectorAll("details").forEach(d => { d.open = true; });
    const root = document.documentElement;
    return {inner: window.innerWidth, wide: root.scrollWidth - root.clientWidth};
    """
    told = ask(page, code, tmp_path, f"--window-size={width},900")
    assert told["wide"] <= 0
    assert told["inner"] <= max(width, 500)  # some browsers know no narrower window


def test_wide_tables_are_reached_by_the_keyboard(page, tmp_path):
    code = """
    const wide = [...document.querySelectorAll(".scroll, .view")]
      .filter(b => b.scrollWidth > b.clientWidth);
    return {wide: wide.length, named: wide.filter(
      b => b.tabIndex === 0 && b.getAttribute("aria-label")).length};
    """
    told = ask(page, code, tmp_path, "--window-size=500,900")
    assert told["wide"] == told["named"] > 0


def test_pictures_on_a_phone_keep_a_size_that_can_be_read(page, tmp_path):
    code = """
    document.querySelectorAll("details").forEach(d => { d.open = true; });
    const images = [...document.querySelectorAll("figure img")];
    return {images: images.length, least: Math.min(...images.map(i => i.clientWidth))};
    """
    told = ask(page, code, tmp_path, "--window-size=500,900")
    assert told["images"] > 0
    assert told["least"] >= 440


def test_paper_has_the_folded_parts(file, tmp_path):
    texter = shutil.which("pdftotext")
    if texter is None:
        pytest.skip("no pdftotext is installed")
    out = tmp_path / "r.pdf"
    subprocess.run(
        [find_browser(), "--headless", "--no-sandbox", "--disable-gpu",
         f"--print-to-pdf={out}", file.as_uri()],
        capture_output=True, check=True, timeout=120,
    )  # fmt: skip
    text = subprocess.run(
        [texter, str(out), "-"], capture_output=True, text=True, check=True
    ).stdout
    assert "feature_noise-3" in text
    assert "Open all details" not in text
