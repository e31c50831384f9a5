"""Where the new files are found; run with their copy of the package on the path.

Prints a JSON object: for each place the empty text, or the error met there.
"""

import contextlib
import io
import json
import re
import sys
import traceback
import warnings
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression

TESTS, ROOT, FOLDER = (Path(arg) for arg in sys.argv[1:])
sys.path[:0] = [str(TESTS), str(ROOT / "doc")]
PLACES = {}
X, Y = load_iris(return_X_y=True)
MODEL = LogisticRegression(max_iter=500).fit(X[::2], Y[::2])
REST, LABELS = X[1::2], Y[1::2]


def place(function):
    """Note that a function looks for the new things in one place."""
    PLACES[function.__name__] = function


def of_name(family, name):
    """Return a public name of a family."""
    module = __import__(f"skrobust.{family}", fromlist=["__all__"])
    assert name in module.__all__
    return getattr(module, name)


def instances(family, name):
    """Return the instances of a class for its checks."""
    from skrobust.testing import instances_for_checks

    found = instances_for_checks(of_name(family, name))
    assert found
    return found


def noise():
    """Return the new perturbation, fitted."""
    return of_name("perturbations", "SensorBias")(3, random_state=0).fit(X[::2])


def command(*args):
    """Run a command; return what it wrote."""
    from skrobust.cli import command_group

    result = CliRunner().invoke(command_group.skrobust, [str(arg) for arg in args])
    assert result.exit_code == 0, result.output
    return result.output


def model_file():
    """Write the model; return its path."""
    import skops.io

    path = FOLDER / "model.skops"
    skops.io.dump(MODEL, path)
    return path


# ------------------------------------------------------------------- perturbation


@place
def perturbation_in_contracts():
    from skrobust.testing import check_perturbation

    rows = np.random.default_rng(0).normal(size=(40, 5))
    for one in instances("perturbations", "SensorBias"):
        check_perturbation(one, rows)


@place
def perturbation_in_laws():
    import perturbation_table as table

    assert "SensorBias" in {law.name for law in table.LAWS}
    files = [
        TESTS / "perturbations" / f for f in ("test_laws.py", "test_laws_in_use.py")
    ]
    args = ["-q", "-p", "no:cacheprovider", "-k", "SensorBias", *map(str, files)]
    with contextlib.redirect_stdout(io.StringIO()) as said:
        code = pytest.main(args)
    assert code == 0, said.getvalue()[-3000:]
    assert int(re.search(r"(\d+) passed", said.getvalue())[1]) > 10


@place
def perturbation_in_evaluation():
    from skrobust.evaluation import evaluate_perturbations

    results = evaluate_perturbations(MODEL, REST, LABELS, [noise()])
    assert results.corruption.tolist() == ["SensorBias"]
    assert results.severity.tolist() == [3]


@place
def perturbation_in_scorer():
    from skrobust.metrics import get_scorer

    scorer = get_scorer("robust_accuracy", perturbation=noise())
    assert 0.5 < scorer(MODEL, REST, LABELS) < 1


@place
def perturbation_in_report():
    assert list(report()["stability"].corruption) == ["SensorBias"]


@place
def perturbation_in_command_line():
    pd.DataFrame(REST, columns=list("abcd")).to_csv(FOLDER / "rows.csv", index=False)
    out = FOLDER / "noisy"
    command("perturb", FOLDER / "rows.csv", "--perturbation", "SensorBias",
            "--severity", 2, "--set", "columns=a", "--x-train", FOLDER / "rows.csv",
            "--out", out)  # fmt: skip
    found = pd.read_csv(next(out.rglob("rows.csv")))
    assert (found.a != REST[:, 0]).all()


# ------------------------------------------------------------------------ attacks


def attack_in_contracts(name):
    from skrobust.testing import check_attack

    for one in instances("attacks", name):
        check_attack(one)


@place
def gradient_attack_in_contracts():
    attack_in_contracts("SeveralSteps")


@place
def minimal_attack_in_contracts():
    attack_in_contracts("NewtonSteps")
    norms = instances("attacks", "NewtonSteps")[0].minimal_norms(MODEL, REST, LABELS)
    assert np.isfinite(norms).mean() > 0.5


def shared_parameters(name):
    """A base gives its attacks targets, constraints, batches and a seed."""
    from skrobust.attacks import Constraints

    rules = Constraints(frozen=[0])
    attack = of_name("attacks", name)(
        0.8, norm=2, target=1, constraints=rules, batch_size=7, random_state=0
    )
    copy = clone(attack)
    assert copy.get_params()["target"] == 1
    moved = copy.perturb(MODEL, REST, LABELS)
    assert (moved[:, 0] == REST[:, 0]).all()
    before, after = (np.mean(MODEL.predict(rows) == 1) for rows in (REST, moved))
    assert after > before


@place
def gradient_attack_has_the_shared_parameters():
    shared_parameters("SeveralSteps")


@place
def minimal_attack_has_the_shared_parameters():
    shared_parameters("NewtonSteps")


def attack_in_evaluation(name):
    from skrobust.evaluation import evaluate_attack

    attack = of_name("attacks", name)(0.5, norm=2, random_state=0)
    results = evaluate_attack(MODEL, REST, LABELS, attack)
    assert results.robust_accuracy < results.clean_accuracy


@place
def gradient_attack_in_evaluation():
    attack_in_evaluation("SeveralSteps")


@place
def minimal_attack_in_evaluation():
    attack_in_evaluation("NewtonSteps")


@place
def attacks_in_report():
    assert {"SeveralSteps", "NewtonSteps"} <= set(report()["attacks"])


@place
def attacks_in_command_line():
    pd.DataFrame(REST).assign(y=LABELS).to_csv(FOLDER / "test.csv", index=False)
    text = command("attack", model_file(), FOLDER / "test.csv", "--target", "y",
                   "--eps", 0.5, "--norm", 2, "--attack", "SeveralSteps", "--attack",
                   "NewtonSteps")  # fmt: skip
    assert "SeveralSteps" in text
    assert "NewtonSteps" in text


# ------------------------------------------------------------------------- metric


@place
def metric_in_scorers():
    from skrobust.metrics import get_scorer, get_scorer_names, make_robust_scorer
    from skrobust.testing import check_scorer

    assert "near_accuracy" in get_scorer_names()
    made = make_robust_scorer(noise(), metric="near_accuracy")
    value = get_scorer("near_accuracy", perturbation=noise())(MODEL, REST, LABELS)
    near = np.abs(MODEL.predict(noise().perturb(MODEL, REST)) - LABELS) <= 1
    assert value == made(MODEL, REST, LABELS) == near.mean()
    check_scorer(get_scorer("near_accuracy", perturbation=instances(
        "perturbations", "SensorBias")[0].set_params(random_state=0).fit(X)),
        MODEL, REST, LABELS)  # fmt: skip


@place
def metric_in_interval():
    from skrobust.metrics import confidence_interval, proportion_interval

    y_pred = np.arange(75) % 3
    interval = confidence_interval("near_accuracy", LABELS, y_pred)
    near = int((np.abs(y_pred - LABELS) <= 1).sum())
    assert tuple(interval) == tuple(proportion_interval(near, 75))


@place
def metric_over_batches():
    from skrobust.metrics import StreamingMetric, proportion_interval

    metric, y_pred = StreamingMetric("near_accuracy"), np.arange(75) % 3
    for rows in np.split(np.arange(75), [7, 60]):
        metric.partial_update(LABELS[rows], y_pred[rows])
    near = int((np.abs(y_pred - LABELS) <= 1).sum())
    assert metric.compute() == near / 75
    assert tuple(metric.interval()) == tuple(proportion_interval(near, 75))


@place
def metric_in_comparison_and_groups():
    from skrobust.metrics import by_group, compare_models

    models = {"a": np.arange(75) % 3, "b": LABELS}
    found = compare_models(
        models, y_true=LABELS, metric="near_accuracy", random_state=0
    )
    assert found.value_second[0] == 1
    groups = np.arange(75) % 2
    parts = by_group("near_accuracy", LABELS, LABELS, groups=groups)
    assert parts.value.tolist() == [1, 1]


@place
def metric_in_evaluation():
    from skrobust.evaluation import evaluate_perturbations

    results = evaluate_perturbations(
        MODEL, REST, LABELS, [noise()], scoring="near_accuracy"
    )
    assert 0.9 < results.score[0] <= 1


@place
def metric_in_report():
    assert 0.9 < report()["metrics"]["near_accuracy"]["value"] <= 1


@place
def metric_in_command_line():
    assert "near accuracy" in page_of_command().lower()


# ------------------------------------------------------------ sampler and preset


@place
def sampler_in_contracts():
    from skrobust.testing import check_sampler

    for one in instances("sampling", "SquareSampler"):
        check_sampler(one)


@place
def sampler_in_simulation():
    from skrobust.sampling import simulate

    scores = np.linspace(0, 1, 200)
    results = simulate(
        {"square": of_name("sampling", "SquareSampler")()},
        scores,
        scores > 0.9,
        n_labels=40,
        n_repeats=3,
        random_state=0,
    )
    assert results.failures[0] > 8


@place
def sampler_in_command_line():
    rows = pd.DataFrame({"score": np.linspace(0, 1, 60), "predicted": 1})
    rows.to_csv(FOLDER / "pool.csv", index=False)
    command("sample", FOLDER / "pool.csv", "--scores", "score", "--predicted",
            "predicted", "--sampler", "square", "--set", "floor=0.1", "--state",
            FOLDER / "s.json", "-n", 5, "--to-label", FOLDER / "a.csv")  # fmt: skip
    assert len(pd.read_csv(FOLDER / "a.csv")) == 5


@place
def preset_by_name():
    from skrobust.perturbations import get_preset, get_preset_names

    assert "sensor_faults" in get_preset_names("table")
    conditions = get_preset("sensor_faults", severities=(2,), random_state=0)
    assert [one.name for one in conditions][1] == "noisy_sensor-2"


@place
def preset_in_report():
    from skrobust.report import collect_report

    found = collect_report(
        {"m": MODEL}, REST, LABELS, conditions="sensor_faults", X_train=X[::2],
        checks=False,
    )  # fmt: skip
    assert "noisy_sensor" in " ".join(found["models"][0]["stability"].name)


@place
def preset_in_command_line():
    assert "noisy_sensor" in page_of_command()


# -------------------------------------------------------------------- one report each


@cache
def report():
    """Write a report with the new attacks, noise and metric; return its facts."""
    from skrobust.report import create_report

    kinds = {n: of_name("attacks", n) for n in ("SeveralSteps", "NewtonSteps")}
    made = create_report(
        {"m": MODEL}, REST, LABELS, out=FOLDER / "report.html", checks=False,
        eps=0.5, norm=2, conditions=[noise()], metrics=["near_accuracy"],
        attacks={n: kind(0.5, norm=2, random_state=0) for n, kind in kinds.items()},
    )  # fmt: skip
    return made.collected["models"][0]


@cache
def page_of_command():
    """Return the page that a command writes with the new metric and preset."""
    pd.DataFrame(REST).assign(y=LABELS).to_csv(FOLDER / "test.csv", index=False)
    pd.DataFrame(X[::2]).assign(y=Y[::2]).to_csv(FOLDER / "train.csv", index=False)
    command("report", model_file(), FOLDER / "test.csv", "--target", "y", "--metric",
            "near_accuracy", "--fail-under", "near_accuracy=0.9", "--preset",
            "sensor_faults", "--x-train", FOLDER / "train.csv", "--out",
            FOLDER / "page.html")  # fmt: skip
    return (FOLDER / "page.html").read_text(encoding="utf-8")


# ----------------------------------------------------------------------- API page


@place
def all_on_the_api_page():
    from api_page import api_page

    listed = {
        "perturbations": ("SensorBias", "sensor_faults"),
        "attacks": ("SeveralSteps", "NewtonSteps"),
        "metrics": ("near_accuracy_score",),
        "sampling": ("SquareSampler",),
    }
    lines = api_page().splitlines()
    for family, names in listed.items():
        for name in names:
            assert f"   ~skrobust.{family}.{name}" in lines


def main():
    """Look in all places and print what was met there."""
    warnings.simplefilter("ignore")
    errors = {}
    for name, look in PLACES.items():
        try:
            look()
        except Exception:
            errors[name] = traceback.format_exc()
        else:
            errors[name] = ""
    sys.stdout.write(json.dumps(errors))


if __name__ == "__main__":
    main()
