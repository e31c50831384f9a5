"""Long calls on a real dask cluster: same bits, lost workers, data sent once."""

import os
import warnings

import joblib
import numpy as np
import pytest
from parallel_cases import (
    CALLS,
    Counting,
    Deadly,
    X,
    Y,
    assert_same,
    notes,
    perturbations,
)
from sklearn.dummy import DummyClassifier

from skrobust._parallel import run_tasks
from skrobust.evaluation import evaluate_perturbations
from skrobust.perturbations import GaussianNoise

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.slow
STRENGTHS = (0.05, 0.1, 0.2, 0.3, 0.4)


@pytest.fixture(scope="module")
def client():
    how = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with (
        warnings.catch_warnings(),
        distributed.LocalCluster(processes=True, **how) as cluster,
        distributed.Client(cluster) as client,
    ):
        warnings.simplefilter("ignore")
        yield client


@pytest.fixture
def on_dask(client):
    """Return what calls a function on the cluster."""

    def call(function, *args, **kwargs):
        with joblib.parallel_config("dask"):
            return function(*args, **kwargs)

    return call


@pytest.mark.parametrize("name", CALLS)
def test_results_do_not_depend_on_the_cluster(name, on_dask):
    assert_same(CALLS[name](), on_dask(CALLS[name], n_jobs=2))


def test_large_batches_are_no_part_of_the_graph(on_dask):
    rows = np.random.default_rng(0).random((1200, 2000))  # batches of 3 MB
    y = (rows[:, 0] > 0.5).astype(int)
    model = DummyClassifier().fit(rows, y)
    noise = [GaussianNoise(std=0.1, random_state=0)]
    how = {"batch_size": 200}
    wanted = evaluate_perturbations(model, rows, y, noise, **how)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # distributed warns of graphs above 10 MB
        found = on_dask(evaluate_perturbations, model, rows, y, noise, **how)
    assert_same(found, wanted)


def processes(i):
    return os.getpid()


def test_tasks_run_on_the_workers(on_dask):
    found = set(on_dask(run_tasks, processes, [(i,) for i in range(30)]))
    assert os.getpid() not in found
    assert len(found) == 2
    # One job is this process, whatever the backend.
    assert set(on_dask(run_tasks, processes, [(0,), (1,)], n_jobs=1)) == {os.getpid()}


@pytest.mark.parametrize("at", [0.05, 0.2])
def test_a_killed_worker_costs_nothing(at, on_dask, tmp_path):
    # At 0.05 it dies before the other worker may have the data.
    whole = perturbations([Deadly(s) for s in STRENGTHS])
    deadly = [Deadly(s, str(tmp_path) if s == at else None) for s in STRENGTHS]
    found = on_dask(perturbations, deadly, checkpoint=tmp_path / "parts")
    assert (tmp_path / f"death 0 at {at}").exists()
    for name in ("correct", "score", "flip_rate", "changed", "distortion"):
        assert whole[name].tobytes() == found[name].tobytes()
    assert len(list((tmp_path / "parts").glob("*.part"))) == len(STRENGTHS)


def test_a_worker_that_dies_alone_is_no_end(tmp_path):
    # joblib's own backend would wait for ever: nobody else has the data.
    how = {"n_workers": 1, "threads_per_worker": 1, "dashboard_address": ":0"}
    deadly = [Deadly(s, str(tmp_path) if s == 0.1 else None) for s in STRENGTHS]
    with (
        distributed.LocalCluster(processes=True, **how) as cluster,
        distributed.Client(cluster),
        joblib.parallel_config("dask"),
    ):
        found = perturbations(deadly)
    assert np.array_equal(
        found.correct, perturbations([Deadly(s) for s in STRENGTHS]).correct
    )


def test_a_task_that_always_dies_is_given_up(on_dask, tmp_path):
    deadly = [Deadly(0.05), Deadly(0.1, str(tmp_path), n_deaths=50)]
    # The other task is on the same worker and may be lost with it.
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            on_dask(perturbations, deadly, checkpoint=tmp_path / "parts")
        except RuntimeError as error:
            said = [str(error)]
        else:
            said = [str(one.message) for one in caught]
    assert any("lost its worker several times" in text for text in said)
    assert len(list((tmp_path / "parts").glob("*.part"))) == 1


class OwnError(Exception):
    """An error that pickle cannot restore."""

    def __init__(self, first, second):
        super().__init__(f"{first} and {second}")


def failing(i, kind):
    raise OwnError(i, 2) if kind == "own" else ValueError(f"no {i} here")


def test_errors_of_tasks_are_raised_here_and_not_logged_by_the_cluster(client, on_dask):
    def logged():
        return str(client.get_worker_logs()).count("no 7 here")

    with pytest.raises(ValueError, match="no 7 here") as found:
        on_dask(run_tasks, failing, [(7, "plain")] * 5)
    assert "in failing" in found.value.__notes__[0]  # where on the worker
    assert logged() == 0
    with pytest.raises(Exception, match=r"8 and 2|OwnError"):
        on_dask(run_tasks, failing, [(8, "own")])


def test_data_are_sent_once(on_dask, tmp_path):
    model = Counting(str(tmp_path)).fit(X, Y % 2)
    noise = [GaussianNoise(std=s, random_state=0) for s in np.linspace(0.1, 0.4, 20)]
    before = len(notes(tmp_path, "pickled"))
    on_dask(evaluate_perturbations, model, X, Y % 2, noise)
    assert len(notes(tmp_path, "pickled")) - before == 1  # not once per condition
    unpickled = notes(tmp_path, "unpickled")
    assert len(unpickled) == len(set(unpickled)) <= 2  # once per worker


def test_a_report_on_a_cluster(on_dask):
    pytest.importorskip("jinja2")
    from parallel_cases import GRID, LINEAR

    from skrobust.report import collect_report

    settings = {"image_shape": (8, 8), "data_range": (0, 1), "eps": 0.05}
    settings |= {"conditions": GRID, "checks": False, "n_labels": 20}
    data = {"linear": LINEAR}, X[300:400], Y[300:400]
    alone = collect_report(*data, **settings)
    spread = on_dask(collect_report, *data, n_jobs=2, **settings)
    for part in ("models", "comparison"):
        assert repr(alone.get(part)) == repr(spread.get(part)), part


def test_a_worker_that_dies_while_data_are_sent(on_dask, client, monkeypatch):
    scatter, failures = client.scatter, [1]

    def fragile(*args, **kwargs):
        if failures:
            failures.pop()
            raise distributed.comm.CommClosedError("a worker died")
        return scatter(*args, **kwargs)

    monkeypatch.setattr(client, "scatter", fragile)
    one = perturbations()
    assert_same(one, on_dask(perturbations))
    assert not failures
