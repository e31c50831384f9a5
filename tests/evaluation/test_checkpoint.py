"""Long work that was killed goes on where it was, with nothing finished lost."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from problems import digit_rows, linear_problem
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from skrobust.attacks import FGSM, PGD
from skrobust.evaluation import evaluate_attack, evaluate_perturbations
from skrobust.evaluation.core.checkpoint import fingerprint
from skrobust.nets import ToNetInput, make_net_classifier
from skrobust.perturbations import GaussianNoise, two_factor_grid

SCRIPT = Path(__file__).parents[1].joinpath("killed_run.py")


def run(folder, calls, *, die_at=None, n_jobs=1):
    environment = {**os.environ, "CALLS": str(calls)}
    environment.pop("DIE_AT", None)
    if die_at is not None:
        environment["DIE_AT"] = str(die_at)
    return subprocess.run(
        [sys.executable, str(SCRIPT), str(folder), str(n_jobs)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def killed(tmp_path_factory):
    """What a whole run printed, and the folder that a killed one left."""
    folder = tmp_path_factory.mktemp("killed")
    whole = run(folder / "other", folder / "whole calls")
    assert whole.returncode == 0, whole.stderr
    killed = run(folder / "store", folder / "calls", die_at=0.3)
    assert killed.returncode == 7
    assert (folder / "calls").read_text().split() == ["0.0", "0.1", "0.2", "0.3"]
    return whole, folder / "store"


@pytest.mark.slow
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_killed_run_goes_on(tmp_path, n_jobs, killed):
    whole, store = killed
    calls = tmp_path / "calls"
    shutil.copytree(store, tmp_path / "store")
    resumed = run(tmp_path / "store", calls, n_jobs=n_jobs)
    assert resumed.returncode == 0, resumed.stderr
    assert sorted(calls.read_text().split()) == ["0.3", "0.4", "0.5"]
    assert resumed.stdout == whole.stdout
    assert not list((tmp_path / "store").glob("*.draft"))


class Count(BaseEstimator):
    """Counts how often it really runs."""

    n_calls = 0

    def __init__(self, inner=None):
        self.inner = inner

    def perturb(self, estimator, X, y=None):
        type(self).n_calls += 1
        return self.inner.perturb(estimator, X, y)


def test_the_same_run_is_read_and_a_changed_one_is_not(tmp_path):
    X, y = digit_rows()
    model = SVC().fit(X[:300], y[:300])
    test, truth = X[300:400], y[300:400]
    noise = [
        Count(GaussianNoise(std=s, data_range=(0, 16), random_state=0))
        for s in (0.1, 0.2)
    ]
    Count.n_calls = 0
    plain = evaluate_perturbations(model, test, truth, noise)
    first = evaluate_perturbations(model, test, truth, noise, checkpoint=tmp_path)
    assert Count.n_calls == 4
    again = evaluate_perturbations(model, test, truth, noise, checkpoint=tmp_path)
    assert Count.n_calls == 4
    for other in (first, again):
        assert np.array_equal(plain.correct, other.correct)
    # Another model, other rows, another strength or another score is other work.
    changed = SVC(C=0.1).fit(X[:300], y[:300])
    evaluate_perturbations(changed, test, truth, noise, checkpoint=tmp_path)
    assert Count.n_calls == 6
    evaluate_perturbations(model, test[:50], truth[:50], noise, checkpoint=tmp_path)
    assert Count.n_calls == 8
    evaluate_perturbations(
        model, test, truth, noise, scoring="balanced_accuracy", checkpoint=tmp_path
    )
    assert Count.n_calls == 10
    noise[0].inner.set_params(std=0.3)
    evaluate_perturbations(model, test, truth, noise, checkpoint=tmp_path)
    assert Count.n_calls == 11


def test_attacks_too(tmp_path, monkeypatch):
    model, X, y = linear_problem()
    attack = PGD(0.05, n_steps=5, random_state=0)
    plain = evaluate_attack(model, X, y, attack)
    first = evaluate_attack(model, X, y, attack, checkpoint=tmp_path)
    assert len(list(tmp_path.glob("*.part"))) == 3
    monkeypatch.setattr(PGD, "_attack", None)  # from here on it could not run
    again = evaluate_attack(model, X, y, attack, checkpoint=tmp_path)
    samples = [results.pop("per_sample") for results in (plain, first, again)]
    for name in plain:
        for other in (first, again):
            assert np.array_equal(np.asarray(plain[name]), np.asarray(other[name]))
    for name in samples[0]["columns"]:
        for other in samples[1:]:
            same = np.array_equal(samples[0][name], other[name], equal_nan=True)
            assert same, name
    with pytest.raises(TypeError):
        evaluate_attack(model, X, y, PGD(0.06, n_steps=5), checkpoint=tmp_path)


def test_long_grids_do_not_confuse_conditions(tmp_path):
    # Conditions are told apart by all their parameters, also where repr is shortened.
    X, y = digit_rows()
    model = LogisticRegression(max_iter=50, tol=0.1).fit(X[:300], y[:300])
    grid = two_factor_grid(image_shape=(8, 8), data_range=(0, 16), random_state=0)
    plain = evaluate_perturbations(model, X[300:400], y[300:400], grid)
    kept = evaluate_perturbations(
        model, X[300:400], y[300:400], grid, checkpoint=tmp_path
    )
    assert len(list(tmp_path.glob("*.part"))) == 69
    assert np.array_equal(plain.correct, kept.correct)


def test_a_bad_folder_says_so(tmp_path):
    model, X, y = linear_problem()
    file = tmp_path / "file"
    file.write_text("x")
    sentence = "'checkpoint' parameter of evaluate_attack"
    for bad in (file, 7):
        with pytest.raises(ValueError, match=sentence):
            evaluate_attack(model, X, y, FGSM(0.1), checkpoint=bad)


def test_nets_are_told_apart(tmp_path):
    pytest.importorskip("skorch")
    import pickle

    from nets_for_tests import make_net

    _, X, y = linear_problem(classes=3)
    X, y = X.astype(np.float32), y.astype(np.int64)
    nets = [make_net(seed=s, epochs=2).fit(X, y) for s in (0, 1)]
    hashes = [fingerprint(net) for net in nets]
    assert hashes[0] != hashes[1]
    assert fingerprint(pickle.loads(pickle.dumps(nets[0]))) == hashes[0]
    # The same weights with outputs that mean other labels are another model.
    shared = {"fitted": True, "device": "cpu"}
    turned = [
        make_net_classifier(nets[0].module_, classes=order, **shared)
        for order in ([0, 1, 2], [2, 1, 0])
    ]
    assert fingerprint(turned[0]) != fingerprint(turned[1])
    scaled = make_pipeline(StandardScaler(), ToNetInput(), nets[0]).fit(X, y)
    assert fingerprint(scaled) not in hashes
    again = evaluate_attack(nets[1], X, y, FGSM(0.1), checkpoint=tmp_path)
    loaded = evaluate_attack(nets[1], X, y, FGSM(0.1), checkpoint=tmp_path)
    assert len(list(tmp_path.glob("*.part"))) == 3
    assert again.robust_accuracy == loaded.robust_accuracy


def constant(y, predicted):
    return 1.0


def quarter(y, predicted):
    return 0.25


def test_checkpoints_tell_scorers_and_equal_conditions_apart(tmp_path):
    model, X, y = linear_problem()
    for function, value in ((constant, 1.0), (quarter, 0.25)):
        scorer = make_scorer(function)
        noise = [GaussianNoise(std=0.1)]
        r = evaluate_perturbations(
            model, X, y, noise, scoring=scorer, checkpoint=tmp_path
        )
        assert r.score[0] == value
    with pytest.raises(ValueError, match="cannot be pickled"):
        evaluate_perturbations(
            model, X, y, [GaussianNoise(std=0.1)], checkpoint=tmp_path,
            scoring=make_scorer(lambda a, b: 1.0),
        )  # fmt: skip
    fresh = [GaussianNoise(std=0.3) for _ in range(4)]  # equal, and without a seed
    r = evaluate_perturbations(model, X, y, fresh, checkpoint=tmp_path)
    assert len({column.tobytes() for column in r.correct.T}) > 1


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_only_damaged_parts_are_made_again(tmp_path, n_jobs):
    model, X, y = linear_problem()
    noise = [Count(GaussianNoise(std=s, random_state=0)) for s in (0.1, 0.2, 0.3, 0.4)]
    how = {"checkpoint": tmp_path, "n_jobs": n_jobs}
    first = evaluate_perturbations(model, X, y, noise, **how)
    files = sorted(tmp_path.glob("*.part"))
    whole = [file.read_bytes() for file in files]
    assert len(files) == 4
    files[0].write_bytes(whole[1])  # of another part
    files[2].write_bytes(whole[2].replace(b"skrobust", b"Skrobust"))
    Count.n_calls = 0
    with pytest.warns(UserWarning, match="2 of the finished parts in") as caught:
        again = evaluate_perturbations(model, X, y, noise, **how)
    assert len(caught) == 1
    assert n_jobs or Count.n_calls == 2
    assert np.array_equal(first.correct, again.correct)
    assert [file.read_bytes() for file in files] == whole


class Interrupted(LogisticRegression):
    """A model at whose third prediction someone presses Ctrl-C."""

    n_calls = 0

    asking_costs = True  # so that its calls are those of the run

    def predict(self, X):
        Interrupted.n_calls += 1
        if Interrupted.n_calls == 3:
            raise KeyboardInterrupt
        return super().predict(X)


def test_an_interrupt_says_how_to_go_on(tmp_path):
    model, X, y = linear_problem()
    model = Interrupted().fit(X, y)
    noise = [GaussianNoise(std=s, random_state=0) for s in (0.1, 0.2, 0.3)]
    with pytest.raises(KeyboardInterrupt) as stop:
        evaluate_perturbations(model, X, y, noise, checkpoint=tmp_path / "parts")
    assert stop.value.__notes__ == [
        f"Finished parts are in {str(tmp_path / 'parts')!r}; go on with the same call."
    ]
