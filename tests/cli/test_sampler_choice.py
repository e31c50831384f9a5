"""The choice of a sampler, and its reason."""

import json

import numpy as np
import pytest

for needed in ("click", "pandas", "skops", "jinja2", "matplotlib", "tqdm"):
    pytest.importorskip(needed)
import pandas  # noqa: E402
from cli_runner import run  # noqa: E402
from resealed_state import resealed  # noqa: E402

from skrobust.cli.labelling.sampler_choice import GOALS, choose_sampler  # noqa: E402
from skrobust.cli.labelling.sampler_names import get_sampler_names  # noqa: E402
from skrobust.sampling import OperationalSampler, SimpleRandomSampler  # noqa: E402

SCORES = np.linspace(0, 0.9, 50)


@pytest.mark.parametrize(
    ("facts", "name", "word"),
    [
        ({"scores": None}, "simple-random", "no scores"),
        ({"scores": np.full(50, 0.3)}, "simple-random", "equal"),
        ({}, "operational", "fewest labels"),
        ({"scores": SCORES * 9}, "operational", "order alone"),
        ({"until": 0.05}, "operational", "whenever you stop"),
        ({"until": 0.05, "scores": SCORES / 50}, "simple-random", "few labels"),
        ({"until": 0.2}, "simple-random", "few labels"),
        ({"until": 0.05, "goal": "failures"}, "operational", "failures"),
        ({"goal": "failures"}, "operational", "wider"),
        ({"goal": "balanced"}, "operational", "balanced"),
        ({"n": 50}, "simple-random", "whole pool"),
        ({"scores": None, "goal": "failures"}, "simple-random", "no scores"),
        ({"scores": None, "has_features": True}, "operational", "features"),
        ({"n": 50, "has_features": True}, "simple-random", "whole pool"),
    ],
)
def test_what_is_known_decides(facts, name, word):
    choice = choose_sampler(**{"scores": SCORES, "n_pool": 50} | facts)
    assert choice.name == name
    assert word in choice.reason
    assert choice.text.startswith(f"--sampler {name}")


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize("until", [None, 0.1])
@pytest.mark.parametrize("scores", [None, SCORES, SCORES * 9])
def test_every_choice_is_a_sampler_that_takes_the_pool(goal, until, scores):
    choice = choose_sampler(scores, n_pool=50, n=20, until=until, goal=goal)
    sampler = get_sampler_names()[choice.name](**choice.settings, random_state=0)
    sampler.fit(np.ones(50) if scores is None else scores)
    result = sampler.sample(20, lambda ids: ids % 3 == 0)
    assert 0 <= result.interval[0] <= result.interval[1] <= 1
    if until:  # it can be stopped by the width
        assert sampler.should_stop(until) in (True, False)


@pytest.fixture
def words(tmp_path):
    table = {"x": range(50), "doubt": SCORES}
    pandas.DataFrame(table).to_csv(tmp_path / "p.csv", index=False)
    return ("sample", tmp_path / "p.csv")


def test_advice_alone_begins_nothing(words, tmp_path):
    code, out, _ = run(*words, "--advise", "--scores", "doubt")
    assert (code, out.split()[:2]) == (0, ["--sampler", "operational:"])
    code, out, _ = run(*words, "--advise", "--scores", "doubt", "--goal", "failures")
    assert "--set failure_emphasis=failures:" in out
    label = ("label", words[1], "--scores", "doubt", "--until", 0.05, "--advise")
    assert run(*label)[1].startswith("--sampler operational: it learns")
    assert [path.name for path in tmp_path.iterdir()] == ["p.csv"]
    # The advice can be followed as it is printed.
    options = out.partition(":")[0].split()
    begin = ("--scores", "doubt", "--state", tmp_path / "s.json", "-n", 5)
    assert run(*words, *begin, *options)[0] == 0


def test_the_choice_is_made_and_said_at_the_beginning(words, tmp_path):
    state = tmp_path / "s.json"
    begin = (*words, "--scores", "doubt", "--state", state, "-n", 10)
    code, _, err = run(*begin, "--goal", "failures")
    assert code == 0
    assert "chosen: --sampler operational --set failure_emphasis=failures" in err
    sampler = OperationalSampler.from_json(state.read_text())
    assert sampler.failure_emphasis == "failures"
    assert "chosen" not in run(*begin)[2]  # once
    code, _, err = run(*begin, "--goal", "balanced")
    assert (code, "begun with 'failures'" in err) == (2, True)
    state.unlink()
    assert run(*words, "--state", state, "-n", 5)[0] == 0
    assert SimpleRandomSampler.from_json(state.read_text()).n_pool_ == 50


def test_states_without_a_goal_go_on(words, tmp_path):
    """States of earlier versions have no goal among their settings."""
    state = tmp_path / "s.json"
    begin = (*words, "--scores", "doubt", "--state", state, "-n", 10)
    assert run(*begin)[0] == 0
    content = json.loads(state.read_text())
    del content["command_line"]["settings"]["goal"]
    state.write_text(resealed(content))
    assert run(*begin)[0] == 0


def test_calls_that_contradict_themselves(words, tmp_path):
    code, _, err = run(*words, "--advise", "--goal", "failures", "--sampler", "deepest")
    assert (code, "leave --sampler out" in err) == (2, True)
    code, _, err = run(*words, "-n", 3)
    assert (code, "--state" in err) == (2, True)
    label = ("label", words[1], "--state", tmp_path / "s.json", "-n", 3, "--no-open")
    code, _, err = run(*label)
    assert (code, "--web" in err) == (2, True)
    assert not (tmp_path / "s.json").exists()
