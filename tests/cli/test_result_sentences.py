"""Results in plain words never say more than the numbers do."""

import re

import numpy as np
import pytest

for needed in ("click", "pandas", "skops", "jinja2", "matplotlib", "tqdm"):
    pytest.importorskip(needed)

from skrobust.cli.labelling.result_sentences import (  # noqa: E402
    accuracy_sentence,
    facts_of,
    progress_sentence,
    result_text,
)
from skrobust.sampling import CrossEntropySampler, SimpleRandomSampler  # noqa: E402


def facts(accuracy=0.931, interval=(0.912, 0.95), method="t", n_skipped=0, **more):
    found = {"accuracy": accuracy, "interval": interval, "method": method}
    return found | {"n_skipped": n_skipped, "confidence": 0.95} | more


def numbers(sentence):
    return [float(number) / 100 for number in re.findall(r"([\d.]+) %", sentence)]


def test_one_interval_in_one_sentence():
    assert accuracy_sentence(facts()) == (
        "We are 95 % sure that the accuracy lies between 91.2 % and 95.0 % (best "
        "estimate 93.1 %)."
    )


@pytest.mark.parametrize("seed", range(5))
def test_bounds_are_rounded_outwards(seed):
    rng = np.random.default_rng(seed)
    for width in (0.5, 0.05, 0.005, 0.0005):
        low = rng.uniform(0, 1 - width)
        found = numbers(accuracy_sentence(facts(low, (low, low + width))))
        assert found[0] == 0.95
        assert found[1] <= low + 1e-12
        assert found[2] >= low + width - 1e-12
        step = 0.001 if width >= 0.01 else 0.0001
        assert low - found[1] < step
        assert found[2] - low - width < step


def test_what_is_exact_is_not_rounded_away():
    for share in np.arange(0, 1001) / 1000:
        found = numbers(accuracy_sentence(facts(share, (share, 1.0))))
        assert found[1] == pytest.approx(share, abs=1e-12)
        assert found[2] == 1


def test_estimates_outside_of_what_is_possible():
    found = numbers(accuracy_sentence(facts(1.03, (0.9, 1.03))))
    assert found == [0.95, 0.9, 1, 1]


@pytest.mark.parametrize("accuracy", [None, float("nan")])
def test_nothing_known_yet(accuracy):
    sentence = accuracy_sentence(facts(accuracy, (0, 1), "none"))
    assert sentence == "Nothing is known about the accuracy yet."


def test_anytime_census_and_no_interval():
    assert "sure, whenever you stop, that" in accuracy_sentence(facts(method="anytime"))
    all_known = facts(0.9325, (0.9325, 0.9325), "census")
    assert accuracy_sentence(all_known) == (
        "All inputs are labelled: the accuracy is 93.25 %."
    )
    skipped = accuracy_sentence(facts(0.9, (0.85, 0.95), "census", n_skipped=2))
    assert "between 85.0 % and 95.0 %, depending on those skipped" in skipped
    assert "sure" not in skipped
    sentence = accuracy_sentence(facts(method="none"))
    assert sentence.startswith("There is no interval (best estimate ")
    assert "sure" not in sentence


def test_sentences_of_samplers():
    sampler = SimpleRandomSampler(random_state=0).fit(np.ones(50))
    assert "Nothing is known" in progress_sentence(sampler.result())
    sampler.sample(20, lambda ids: ids % 5 == 0)
    result = sampler.result()
    sentence = progress_sentence(result)
    assert sentence.startswith(f"20 labelled, {result.n_failures} wrong. We are 95 %")
    low, high = numbers(sentence)[1:3]
    assert low <= result.interval[0] + 1e-9
    assert high >= result.interval[1] - 1e-9
    sampler.sample(30, lambda ids: ids % 5 == 0)
    assert "All inputs are labelled: the accuracy is 80 %" in progress_sentence(
        sampler.result()
    )


def test_a_biased_sampler_is_sure_of_nothing():
    X = np.random.default_rng(0).normal(size=(60, 3))
    sampler = CrossEntropySampler(auxiliary=lambda X: X, random_state=0)
    result = sampler.fit(X).sample(20, lambda ids: ids % 4 == 0)
    assert "sure" not in accuracy_sentence(facts_of(result))


def test_lines_of_a_result():
    found = facts(
        n_labels=48, n_pool=100, n_open=2, n_failures=12, warnings=["a doubt"]
    )
    found |= {"failures": [{"id": k, "item": f"\x1b{k}"} for k in range(12)]}
    found |= {"half_width": 0.02, "labels_for_half_width": 90, "assumption": "x"}
    found |= {"until": 0.05, "reached": False}
    text = result_text(found)
    assert "48 of 100 labelled, 2 open." in text
    assert "\x1b" not in text
    assert "and 2 more" in text
    assert "+- 2 percentage points would take about 90 labels in all, 42 more." in text
    assert "not yet as narrow as wanted (+- 5 percentage points)." in text
    assert "warning: a doubt" in text
    assert not re.search(r"\n\s*%", text)  # a number and its sign stay together
    found["labels_for_half_width"] = None
    assert "would take: x" in result_text(found)
