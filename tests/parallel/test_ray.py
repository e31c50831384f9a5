"""Long calls on Ray: same bits, lost workers, data sent once."""

import os
import sys
import warnings

import joblib
import numpy as np
import pytest
from parallel_cases import CALLS, Counting, Deadly, X, Y, assert_same, notes

from skrobust.evaluation import evaluate_perturbations
from skrobust.perturbations import GaussianNoise

ray = pytest.importorskip("ray", reason="ray is not installed")
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(scope="module", autouse=True)
def _on_ray():
    from ray.util.joblib import register_ray

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        register_ray()
        paths = {"env_vars": {"PYTHONPATH": os.pathsep.join(sys.path)}}
        how = {"include_dashboard": False, "log_to_driver": False}
        ray.init(num_cpus=2, runtime_env=paths, **how)
    yield
    ray.shutdown()


@pytest.mark.parametrize("name", CALLS)
def test_results_do_not_depend_on_ray(name):
    one = CALLS[name]()
    with joblib.parallel_config("ray"):
        assert_same(one, CALLS[name](n_jobs=2))


def test_data_are_sent_once_and_a_killed_worker_costs_nothing(tmp_path):
    model = Counting(str(tmp_path)).fit(X, Y % 2)
    plain = [GaussianNoise(std=s, random_state=0) for s in np.linspace(0.1, 0.4, 8)]
    with joblib.parallel_config("ray"):
        evaluate_perturbations(model, X, Y % 2, plain, n_jobs=2)
    assert len(notes(tmp_path, "pickled")) == 1
    deadly = [Deadly(s, str(tmp_path) if s == 0.2 else None) for s in (0.1, 0.2, 0.3)]
    whole = evaluate_perturbations(
        model, X, Y % 2, [Deadly(s) for s in (0.1, 0.2, 0.3)]
    )
    with joblib.parallel_config("ray"):
        found = evaluate_perturbations(model, X, Y % 2, deadly, n_jobs=2)
    assert (tmp_path / "death 0 at 0.2").exists()
    assert np.array_equal(whole.correct, found.correct)
