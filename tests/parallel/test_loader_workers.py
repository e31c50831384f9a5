"""Nets with loader workers of their own, inside workers that may have no children."""

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

pytestmark = pytest.mark.filterwarnings("ignore:robust_accuracy of")
torch = pytest.importorskip("torch")
pytest.importorskip("skorch")

from nets_for_tests import Linear, make_net  # noqa: E402

from skrobust._loader_workers import loading_here  # noqa: E402
from skrobust.attacks import FGSM  # noqa: E402
from skrobust.evaluation import (  # noqa: E402
    cross_validate_perturbations,
    evaluate_perturbations,
)
from skrobust.metrics import make_robust_scorer  # noqa: E402
from skrobust.nets import ToNetInput, make_net_classifier  # noqa: E402
from skrobust.perturbations import GaussianNoise  # noqa: E402

X = np.random.default_rng(0).random((60, 6)).astype(np.float32)
Y = (X[:, 0] > 0.5).astype(np.int64)
NOISE = [GaussianNoise(std=s, random_state=0, data_range=(0, 1)) for s in (0.1, 0.3)]
WORKERS = {
    "iterator_train__num_workers": 1,
    "iterator_valid__num_workers": 1,
    "iterator_valid__persistent_workers": True,
    "iterator_valid__prefetch_factor": 3,
}


def own_net(**settings):
    torch.manual_seed(0)
    module = torch.nn.Sequential(torch.nn.Linear(6, 2))
    return make_net_classifier(module, max_epochs=2, random_state=0, **settings)


@pytest.mark.slow
@pytest.mark.parametrize("scorer", [FGSM(0.05), NOISE[0]])
def test_a_search_over_nets_of_this_package(scorer):
    def scores(n_jobs, **workers):
        pipeline = make_pipeline(ToNetInput(), own_net(**workers))
        grid = {"netclassifier__lr": [0.1, 0.01]}
        search = GridSearchCV(
            pipeline, grid, cv=2, scoring=make_robust_scorer(scorer), n_jobs=n_jobs,
            refit=False, error_score="raise",
        )  # fmt: skip
        return search.fit(X, Y).cv_results_["mean_test_score"]

    assert np.array_equal(scores(2, **WORKERS), scores(1))


@pytest.mark.slow
def test_evaluators_take_any_net_of_skorch():
    plain = make_net(Linear, epochs=2).fit(X, Y)
    busy = clone(plain).set_params(**WORKERS).fit(X, Y)
    busy.module_.load_state_dict(plain.module_.state_dict())
    for scoring in (None, "balanced_accuracy"):
        one, two = (
            evaluate_perturbations(net, X, Y, NOISE, n_jobs=n, scoring=scoring)
            for net, n in ((plain, 1), (busy, 2))
        )
        assert np.array_equal(one.score, two.score)
    found = cross_validate_perturbations(busy, X, Y, NOISE, cv=2, n_jobs=2)
    assert np.isfinite(found.score).all()


@pytest.mark.slow
def test_the_cure_for_fits_of_skorch_that_a_search_starts():
    # These begin in skorch itself; the guide names this setting.
    fork = {"iterator_train__multiprocessing_context": "fork"}
    net = make_net(Linear, epochs=1, iterator_train__num_workers=1, **fork)
    scorer = make_robust_scorer(FGSM(0.05))
    how = {"cv": 2, "n_jobs": 2, "refit": False, "error_score": "raise"}
    search = GridSearchCV(net, {"lr": [0.1]}, scoring=scorer, **how).fit(X, Y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


def options_inside(net):
    with loading_here(net):
        return {k: v for k, v in vars(net).items() if k.startswith("iterator_valid__")}


@pytest.mark.slow
def test_settings_come_back():
    net = own_net(**WORKERS)
    before = dict(vars(net))
    assert len(options_inside(net)) == 3  # here children may start
    assert vars(net) == before
    with joblib.parallel_config("loky"):
        inside = joblib.Parallel(n_jobs=2)(
            joblib.delayed(options_inside)(net) for _ in range(2)
        )
    assert inside == [{}, {}]
