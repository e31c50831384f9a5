"""The display of label budgets draws what simulate and the samplers say."""

import numpy as np
import pytest

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")

from skrobust.plots import LabelBudgetDisplay  # noqa: E402
from skrobust.sampling import (  # noqa: E402
    DeepESTSampler,
    OperationalSampler,
    SimpleRandomSampler,
    simulate,
)


def pool(n=300):
    rng = np.random.default_rng(0)
    scores = rng.beta(0.5, 2, n)
    return scores, rng.random(n) < scores


@pytest.fixture(scope="module")
def results():
    samplers = {"uniform": SimpleRandomSampler(), "flagship": OperationalSampler()}
    return simulate(samplers, *pool(), n_labels=(60, 20), n_repeats=20, random_state=0)


def test_results_are_drawn_where_they_belong(results):
    display = LabelBudgetDisplay.from_results(results).plot()
    assert list(display.lines_) == ["uniform", "flagship"]
    for name, line in display.lines_.items():
        rows = np.flatnonzero(results.sampler == name)[::-1]  # budgets ascending
        estimates = results.estimates[rows]
        assert line.get_ydata() == pytest.approx(estimates.mean(axis=1))
        assert np.log(line.get_xdata() / [20, 60]) == pytest.approx(
            np.full(2, -0.035 if name == "uniform" else 0.035)
        )
        for segment, values in zip(
            display.bands_[name].get_segments(), estimates, strict=True
        ):
            assert segment[:, 1] == pytest.approx(np.quantile(values, [0.025, 0.975]))
        below = display.failure_lines_[name]
        assert below.get_xdata().tolist() == [20, 60]
        assert below.get_ydata() == pytest.approx(results.failures[rows])
    truth = display.truth_line_.get_ydata()
    assert truth == pytest.approx([results.true_accuracy] * 2)
    assert display.failures_ax_.get_ylabel() == "failures found"
    styles = {
        (line.get_linestyle(), line.get_marker())
        for line in display.failure_lines_.values()
    }
    assert len(styles) == 2  # told apart without colour


@pytest.mark.parametrize(
    "sampler",
    [
        SimpleRandomSampler(random_state=0),
        OperationalSampler(random_state=0),
        DeepESTSampler(random_state=0),
    ],
    ids=str,
)
def test_history_of_a_sampler(sampler):
    scores, failed = pool()
    sampler.fit(scores)
    at = {}
    for _ in range(4):
        ids = sampler.ask(10)
        sampler.tell(ids, failed=failed[ids])
        at[len(sampler.ids_)] = sampler.result()
    before = sampler.to_json()
    display = LabelBudgetDisplay.from_sampler(sampler, n_points=8)
    (curve,) = display.curves.values()
    assert curve["n_labels"][-1] == 40
    for n, result in at.items():
        row = np.flatnonzero(curve["n_labels"] == n)[0]
        assert curve["accuracy"][row] == result.accuracy
        assert (curve["low"][row], curve["high"][row]) == result.interval
        assert curve["failures"][row] == result.n_failures
    assert sampler.to_json() == before
    assert (sampler.ask(5) == type(sampler).from_json(before).ask(5)).all()
    display.plot()
    assert display.truth_line_ is None
    drawn = next(iter(display.lines_.values()))
    assert drawn.get_ydata() == pytest.approx(curve["accuracy"])


def test_history_with_skipped_late_and_corrected_answers():
    scores, failed = pool()
    sampler = OperationalSampler(random_state=0).fit(scores)
    a, b = sampler.ask(10), sampler.ask(10)
    sampler.tell(b, failed=failed[b]).tell(a[:3], failed=None)
    sampler.tell(a[3:], failed=failed[a[3:]]).tell(a[:3], failed=[0, 1, 1])
    sampler.correct(b[:2], failed=[1, 0])
    (curve,) = LabelBudgetDisplay.from_sampler(sampler).curves.values()
    assert curve["n_labels"][-1] == 20
    assert curve["accuracy"][-1] == sampler.result().accuracy


def test_given_axes(results):
    display = LabelBudgetDisplay.from_results(results)
    figure, ax = plt.subplots()
    assert display.plot(ax) is display
    assert display.ax_ is ax
    assert display.figure_ is figure
    assert display.failures_ax_ is None
    assert display.failure_lines_ == {}
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels == [
        "uniform",
        "flagship",
        "true accuracy",
        "middle 95 % of estimates",
    ]
    _, pair = plt.subplots(1, 2)
    assert display.plot(pair).failures_ax_ is pair[1]
    display.plot(pair, line_kwargs={"color": "k"})
    assert display.lines_["uniform"].get_color() == "k"


def test_frame(results):
    pytest.importorskip("pandas")
    frame = LabelBudgetDisplay.from_results(results).frame()
    assert list(frame) == ["sampler", "n_labels", "accuracy", "low", "high", "failures"]
    assert frame["n_labels"].tolist() == [20, 60] * 2


def test_label_budget_display_refuses_wrong_results(results):
    with pytest.raises(ValueError, match="what simulate returns"):
        LabelBudgetDisplay.from_results({"rmse": 1})
    with pytest.raises(ValueError, match="must be a fitted sampler"):
        LabelBudgetDisplay.from_sampler(SimpleRandomSampler)
    with pytest.raises(ValueError, match="not fitted"):
        LabelBudgetDisplay.from_sampler(SimpleRandomSampler())
    sampler = SimpleRandomSampler(random_state=0).fit(np.ones(9))
    with pytest.raises(ValueError, match="answer its first questions"):
        LabelBudgetDisplay.from_sampler(sampler)
    sampler.sample(4, lambda ids: ids > 4)
    with pytest.raises(ValueError, match="n_points"):
        LabelBudgetDisplay.from_sampler(sampler, n_points=0)
    frozen = SimpleRandomSampler.from_json(sampler.to_json(), frozen=True)
    with pytest.raises(ValueError, match="cannot be played again"):
        LabelBudgetDisplay.from_sampler(frozen)
    display = LabelBudgetDisplay.from_results(results)
    with pytest.raises(ValueError, match="an Axes of matplotlib"):
        display.plot("axes")
