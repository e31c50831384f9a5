"""A scalar of numpy, as arrays hold it, counts as what it holds."""

import os

import numpy as np
import pytest
from messages import check_one_sentence
from odd_inputs.recorded_calls import FAMILIES, public_names, recorded
from odd_inputs.runner import RESULTS, Tally, every, is_scalar, odd_cases, takes
from sklearn.linear_model import LogisticRegression

from skrobust._validation import check_choice
from skrobust.evaluation import evaluate_perturbations
from skrobust.metrics import proportion_interval
from skrobust.perturbations import FeatureNoise, tabular

PUBLIC = public_names()


@pytest.mark.slow
@pytest.mark.thorough
@pytest.mark.parametrize("family", FAMILIES)
def test_every_argument_takes_scalars_of_numpy(family, tmp_path):
    names = [n for n in PUBLIC if n.partition(".")[0] == family and n not in RESULTS]
    here, refused = os.getcwd(), []
    os.chdir(tmp_path)
    try:
        for name in names:
            for program in recorded(name, PUBLIC)[0]:
                if not f"{program.name}.".startswith(f"{name}."):
                    continue
                for one in filter(is_scalar, odd_cases(program, Tally())):
                    is_word = isinstance(one.plain, (str, bool))
                    if not is_word and one.number % every(one.name):
                        continue
                    if takes(one.run, one.plain) and not takes(one.run, one.value):
                        refused.append((one.name, one.argument, one.case))
    finally:
        os.chdir(here)
    assert not refused


def test_a_name_from_an_array_is_a_name():
    for name in np.array(["wilson", "exact"]):
        found = proportion_interval(3, 10, method=name)
        assert found == proportion_interval(3, 10, method=str(name))
    assert not isinstance(check_choice(name, "method", "f", ("exact",)), np.str_)
    nat = np.datetime64("NaT")  # which holds None
    check_one_sentence(lambda: check_choice(nat, "n", "f", (None, "a")), "one of None")
    assert check_choice(np.int16(2), "n", "f", (1, 2)) == 2
    check_one_sentence(lambda: check_choice(np.True_, "n", "f", (1, 2)), "one of 1, 2")
    check_one_sentence(lambda: check_choice(True, "n", "f", (1, 2)), "one of 1, 2")
    check_one_sentence(lambda: check_choice(b"exact", "m", "f", ("exact",)), "one of")


def test_flags_of_numpy_are_flags():
    for name in ("categories", "dates", "missing", "plausible"):
        for value in (True, False):
            found, plain = (tabular(**{name: v}) for v in (np.bool_(value), value))
            assert list(map(str, found)) == list(map(str, plain))


def test_a_model_runs_apart_where_a_flag_of_numpy_says_so():
    rows = np.arange(12.0).reshape(6, 2)
    model = LogisticRegression().fit(rows, [0, 1] * 3)
    for value in (np.True_, np.False_):
        settings = {"X_ref": rows, "isolate": value}
        results = evaluate_perturbations(
            model, rows, [0, 1] * 3, [FeatureNoise(2, random_state=0)], **settings
        )
        assert np.isfinite(results.score).all()
