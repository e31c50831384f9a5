"""The deepfake study spreads its parts over workers, with the same results."""

import joblib
import pytest

for package in ("torch", "skorch", "PIL", "jinja2", "av"):
    pytest.importorskip(package)


def numbers(results):
    return {k: v for k, v in results.items() if k not in ("settings", "versions")}


@pytest.mark.slow
def test_workers_of_a_cluster_and_threads_give_the_same(study, trees, tmp_path, capsys):
    distributed = pytest.importorskip("distributed")
    alone = study(tmp_path / "alone", uadfv=trees["uadfv"])
    with joblib.parallel_config("threading", n_jobs=2):
        threads = study(tmp_path / "threads", uadfv=trees["uadfv"], verbose=1)
    assert repr(numbers(threads)) == repr(numbers(alone))
    assert "Meso4, PGD: 100%" in capsys.readouterr().err
    how = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with (
        distributed.LocalCluster(processes=True, **how) as cluster,
        distributed.Client(cluster),
        joblib.parallel_config("dask"),
    ):
        spread = study(tmp_path / "dask", uadfv=trees["uadfv"])
    assert repr(numbers(spread)) == repr(numbers(alone))
