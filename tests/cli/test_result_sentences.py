"""Results in plain words never say more than the numbers do."""

import re

import numpy as np
import pytest

for needed in ("click", "pandas", "skops", "jinja2", "matplotlib", "tqdm"):
    pytest.importorskip(needed)

from skrobust.cli.labelling.estimate_facts import estimate_facts  # noqa: E402
from skrobust.cli.labelling.grading import Grading  # noqa: E402
from skrobust.cli.labelling.result_sentences import (  # noqa: E402
    estimate_sentence,
    progress_sentence,
    result_text,
)
from skrobust.sampling import CrossEntropySampler, SimpleRandomSampler  # noqa: E402


def facts(estimate=0.931, interval=(0.912, 0.95), method="t", n_skipped=0, **more):
    found = {"estimate": estimate, "interval": interval, "method": method}
    found |= {"measure": "accuracy", "range": None, "stopping": False}
    return found | {"n_skipped": n_skipped, "confidence": 0.95} | more


def numbers(sentence):
    return [float(number) / 100 for number in re.findall(r"([\d.]+) %", sentence)]


def test_one_interval_in_one_sentence():
    assert estimate_sentence(facts()) == (
        "We are 95 % sure that the accuracy lies between 91.2 % and 95.0 % (best "
        "estimate 93.1 %)."
    )


@pytest.mark.parametrize("seed", range(5))
def test_bounds_are_rounded_outwards(seed):
    rng = np.random.default_rng(seed)
    for width in (0.5, 0.05, 0.005, 0.0005):
        low = rng.uniform(0, 1 - width)
        found = numbers(estimate_sentence(facts(low, (low, low + width))))
        assert found[0] == 0.95
        assert found[1] <= low + 1e-12
        assert found[2] >= low + width - 1e-12
        step = 0.001 if width >= 0.01 else 0.0001
        assert low - found[1] < step
        assert found[2] - low - width < step


def test_what_is_exact_is_not_rounded_away():
    for share in np.arange(0, 1001) / 1000:
        found = numbers(estimate_sentence(facts(share, (share, 1.0))))
        assert found[1] == pytest.approx(share, abs=1e-12)
        assert found[2] == 1


def test_estimates_outside_of_what_is_possible():
    found = numbers(estimate_sentence(facts(1.03, (0.9, 1.03))))
    assert found == [0.95, 0.9, 1, 1]


@pytest.mark.parametrize("accuracy", [None, float("nan")])
def test_nothing_known_yet(accuracy):
    sentence = estimate_sentence(facts(accuracy, (0, 1), "none"))
    assert sentence == "Nothing is known about the accuracy yet."


def test_anytime_census_and_no_interval():
    assert "sure, whenever you stop, that" in estimate_sentence(facts(method="anytime"))
    all_known = facts(0.9325, (0.9325, 0.9325), "census")
    assert estimate_sentence(all_known) == (
        "All inputs are labelled: the accuracy is 93.25 %."
    )
    skipped = estimate_sentence(facts(0.9, (0.85, 0.95), "census", n_skipped=2))
    assert "between 85.0 % and 95.0 %, depending on those skipped" in skipped
    assert "sure" not in skipped
    sentence = estimate_sentence(facts(method="none"))
    assert sentence.startswith("There is no interval (best estimate ")
    assert "sure" not in sentence


def test_sentences_of_samplers():
    sampler = SimpleRandomSampler(random_state=0).fit(np.ones(50))
    assert "Nothing is known" in progress_sentence(estimate_facts(sampler.result()))
    sampler.sample(20, lambda ids: ids % 5 == 0)
    result = sampler.result()
    sentence = progress_sentence(estimate_facts(result))
    assert sentence.startswith(f"20 labelled, {result.n_failures} wrong. We are 95 %")
    low, high = numbers(sentence)[1:3]
    assert low <= result.interval[0] + 1e-9
    assert high >= result.interval[1] - 1e-9
    sampler.sample(30, lambda ids: ids % 5 == 0)
    sentence = progress_sentence(estimate_facts(sampler.result()))
    assert "All inputs are labelled: the accuracy is 80 %" in sentence


def test_a_biased_sampler_is_sure_of_nothing():
    X = np.random.default_rng(0).normal(size=(60, 3))
    sampler = CrossEntropySampler(auxiliary=lambda X: X, random_state=0)
    result = sampler.fit(X).sample(20, lambda ids: ids % 4 == 0)
    assert "sure" not in estimate_sentence(estimate_facts(result))


def test_lines_of_a_result():
    found = facts(
        n_labels=48, n_pool=100, n_open=2, n_failures=12, warnings=["a doubt"]
    )
    found |= {"handed_out": {"ann": 2}}
    found |= {"failures": [{"id": k, "item": f"\x1b{k}"} for k in range(12)]}
    found |= {"half_width": 0.02, "labels_for_half_width": 90, "assumption": "x"}
    found |= {"until": 0.05, "reached": False}
    text = result_text(found)
    assert "48 of 100 labelled, 2 open (ann has 2)." in text
    assert "\x1b" not in text
    assert "and 2 more" in text
    assert "+- 2 percentage points would take about 90 labels in all, 42 more." in text
    assert "not yet as narrow as wanted (+- 5 percentage points); the lists" in text
    assert "warning: a doubt" in text
    assert not re.search(r"\n\s*%", text)  # a number and its sign stay together
    found["labels_for_half_width"] = None
    assert "would take: x" in result_text(found)


# Graded answers


def graded(low, high, best, name="loss", **more):
    found = facts(**more) | {"range": [low, high], "best": best}
    return found | {"measure": f"mean {name}", "n_labels": 3, "n_failures": 2}


def test_losses_are_numbers_and_no_percentages():
    found = graded(0, 1, 0, estimate=0.2718, interval=(0.2123, 0.3414))
    assert estimate_sentence(found) == (
        "We are 95 % sure that the mean loss lies between 0.212 and 0.342 (best "
        "estimate 0.272)."
    )
    assert progress_sentence(found).startswith("3 labelled. We are")
    found |= {"estimate": None}
    assert estimate_sentence(found) == "Nothing is known about the mean loss yet."


@pytest.mark.parametrize("seed", range(5))
def test_bounds_of_losses_are_rounded_outwards(seed):
    rng = np.random.default_rng(seed)
    for scale in (1e-3, 1, 5, 400, 1e6):
        for share in (0.9, 0.5, 0.05, 0.001):
            low = scale * rng.uniform(0, 1 - share)
            high = low + scale * share
            found = graded(0, scale, 0, estimate=low, interval=(low, high))
            ends = re.search(
                r"between ([\d.]+) and ([\d.]+) ", estimate_sentence(found)
            )
            first, last = map(float, ends.groups())
            assert first <= low + 1e-9 * scale
            assert last >= high - 1e-9 * scale
            # No more than a tenth of the width, or a unit, is given away.
            assert last - first <= max(1.1 * (high - low), high - low + 2)


@pytest.mark.parametrize("ends", [(0, 1), (1, 5)])
@pytest.mark.parametrize("higher_is_better", [False, True])
def test_scores_are_turned_losses(ends, higher_is_better):
    """The estimate and the interval are what one reads off the numbers themselves."""
    numbers_given = np.linspace(*ends, 5)[np.arange(40) % 5]
    grading = Grading(*ends, (), higher_is_better)
    sampler = SimpleRandomSampler(loss_range=grading.loss_range, random_state=0)
    sampler.fit(np.ones(40))
    first = estimate_facts(sampler.result(), grading)
    assert first["estimate"] is None
    assert first["interval"] == list(ends)
    ids = sampler.ask(30)
    sampler.tell(ids, loss=grading.turned(numbers_given[ids]))
    found = estimate_facts(sampler.result(), grading)
    assert found["estimate"] == pytest.approx(numbers_given[ids].mean())
    low, high = found["interval"]
    assert ends[0] <= low < found["estimate"] < high <= ends[1]
    low, high = sampler.result().interval
    if higher_is_better:
        low, high = ends[1] - high, ends[1] - low
    assert found["interval"] == pytest.approx([low, high])
    ids = sampler.ask(10)
    sampler.tell(ids, loss=grading.turned(numbers_given[ids]))
    name = "score" if higher_is_better else "loss"
    mean = f"{numbers_given.mean():g}"
    sentence = estimate_sentence(estimate_facts(sampler.result(), grading))
    assert sentence == f"All inputs are labelled: the mean {name} is {mean}."


def test_the_interval_of_every_look_is_named():
    found = facts(stopping=True, method="worst case")
    assert "sure, whenever you stop, that" in estimate_sentence(found)
