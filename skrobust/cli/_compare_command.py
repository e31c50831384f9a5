"""``skrobust compare``: several models on the same rows."""

import warnings
from pathlib import Path

import click
import numpy as np
from sklearn.base import clone

from skrobust.cli._attack_command import (
    ATTACK_OPTIONS,
    build_attack,
    check_settings,
)
from skrobust.cli._data import load_data
from skrobust.cli._errors import UserError
from skrobust.cli._gates import finish_gates, gate_options, judge, write_result
from skrobust.cli._model import load_model
from skrobust.cli._options import CODES, MODEL_OPTIONS, with_options
from skrobust.cli._resume import bar, parts_folder
from skrobust.cli._text import Progress, aligned, interval_text
from skrobust.evaluation import evaluate_perturbations
from skrobust.evaluation._attack_run import attack_table, right_labels
from skrobust.evaluation._checkpoint import Checkpoint
from skrobust.metrics import (
    accuracy_stability_index,
    compare_models,
    confidence_interval,
    proportion_interval,
)
from skrobust.perturbations import two_factor_grid
from skrobust.report._facts import kind_of, versions

MEASURES = ("accuracy", "robust_accuracy", "asi")


@click.command(epilog=CODES)
@click.argument("models", nargs=-1, required=True)
@click.argument("data")
@click.option(
    "--eps",
    type=click.FloatRange(min=0, min_open=True),
    help="Size of the attacks in units of the raw input; without it none are made.",
)
@with_options(ATTACK_OPTIONS)
@click.option(
    "--rank-by",
    type=click.Choice(MEASURES),
    help="Default: robust_accuracy with --eps, else asi for images, else accuracy.",
)
@click.option("--jobs", type=int, default=1, show_default=True, help="As n_jobs.")
@with_options(MODEL_OPTIONS)
@gate_options(*MEASURES)
def compare(models, data, **options):
    """Rank fitted MODELS by how they stand the same changes of the same DATA.

    Differences are taken row by row, so that what the models share cancels; p-values
    are corrected for the number of pairs. A row counts as robust where each --attack
    leaves it right. The index (asi) needs images: give --image-shape. Bars of
    --fail-under hold for every model.

    \b
    Example:
      skrobust compare svm.skops forest.skops digits --eps 1 --rank-by robust_accuracy
    """  # noqa: D301
    say = Progress(options["quiet"])
    if len(models) < 2:
        raise UserError("Name two or more models, and the data last.")
    names = list(dict.fromkeys(options["names"]))
    check_settings(names, options["settings"])
    stems = [Path(model).stem for model in models]
    stems = stems if len(set(stems)) == len(stems) else [str(m) for m in models]
    if len(set(stems)) < len(stems):
        raise UserError("The same model is named twice.")
    right = {measure: {} for measure in MEASURES}
    settings = [models, str(data), options["eps"], names, options["settings"]]
    with parts_folder(options["checkpoint"], "compare", settings, say) as parts:
        todo = list(zip(stems, models, strict=True))
        for name, path in bar(todo, "models", options["quiet"]):
            say(f"loading {path}")
            fitted = load_model(
                path, trust=options["trust"], allow_pickle=options["allow_pickle"]
            )
            if kind_of(name, fitted) != "classifier":
                raise UserError(f"{name!r} is a regressor; compare takes classifiers.")
            X, y, known = load_data(data, options["target"], fitted)
            right["accuracy"][name] = right_labels(fitted, X, y)
            if options["eps"] is not None:
                say(f"{name}: attacks")
                attacks = [
                    build_attack(kind, options["eps"], options, known) for kind in names
                ]
                right["robust_accuracy"][name] = _stands(fitted, attacks, X, y, parts)
            shape = options["image_shape"] or known.get("image_shape")
            if shape is not None:
                say(f"{name}: stability")
                span = options["data_range"] or known.get("data_range") or "auto"
                grid = two_factor_grid(
                    "asi68",
                    image_shape=shape,
                    data_range=span,
                    random_state=options["seed"],
                )
                right["asi"][name] = evaluate_perturbations(
                    fitted, X, y, grid, checkpoint=parts, n_jobs=options["jobs"]
                ).correct
    right = {measure: found for measure, found in right.items() if found}
    by = options["rank_by"] or next(
        m for m in ("robust_accuracy", "asi", "accuracy") if m in right
    )
    if by not in right:
        need = "--eps" if by == "robust_accuracy" else "--image-shape"
        raise UserError(f"--rank-by {by} needs {need}.")
    facts = _facts(right, by, options["seed"])
    facts |= {"data": str(data), "n_samples": len(y), "versions": versions()}
    verdicts = judge(
        options["fail_under"],
        {r["model"]: {m: r[m]["value"] for m in right} for r in facts["ranking"]},
    )
    facts["gates"] = verdicts
    if options["json_out"]:
        write_result(options["json_out"], facts)
    if not options["quiet"] and options["json_out"] != "-":
        click.echo(_text(facts, options["verbose"]))
    finish_gates(
        verdicts,
        junit=options["junit"],
        command="compare",
        seconds=say.seconds,
        quiet=options["quiet"],
    )


def _stands(model, attacks, X, y, parts):
    """Return which rows every attack leaves right."""
    store, stands = Checkpoint(parts, "compare"), np.ones(len(y), dtype=bool)
    prefix = store.prefix(model, X, y)
    for one in attacks:
        if "objective" in one.get_params(deep=False):
            one = clone(one).set_params(objective="misclassification")
        table = store.run(
            store.key(prefix, "right", one), attack_table, model, one, X, y
        )
        stands &= table[0].astype(bool)
    return stands


def _value(measure, right):
    if measure == "asi":
        value = accuracy_stability_index(right.mean(axis=0))
        interval = tuple(confidence_interval("accuracy_stability_index", right))
        return {"value": float(value), "interval": interval}
    n = len(right)
    interval = proportion_interval(int(right.sum()), n)
    return {"value": float(right.mean()), "interval": interval}


def _facts(right, by, seed):
    notes = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        rows = [
            {"model": name, **{m: _value(m, right[m][name]) for m in right}}
            for name in right["accuracy"]
        ]
        metric = "accuracy_stability_index" if by == "asi" else "robust_accuracy"
        found = compare_models(right[by], metric=metric, random_state=seed)
    for warning in caught:
        text = " ".join(str(warning.message).split())
        if text not in notes:
            notes.append(text)
    rows.sort(key=lambda row: -row[by]["value"])
    columns = ("first", "second", "difference", "low", "high", "p_value", "p_adjusted")
    table = zip(*(found[column].tolist() for column in columns), strict=True)
    return {
        "format": "skrobust compare 1",
        "ranked_by": by,
        "ranking": rows,
        "differences": [dict(zip(columns, row, strict=True)) for row in table],
        "method": found.method,
        "correction": found.correction,
        "ranking_kept": found.ranking_kept,
        "warnings": notes,
    }


def _text(facts, verbose):
    by, rows = facts["ranked_by"], facts["ranking"]
    measures = [m for m in MEASURES if m in rows[0]]
    table = [["", "model", *(m.replace("_", " ") for m in measures)]]
    for place, row in enumerate(rows, 1):
        cells = [interval_text(row[m]["value"], row[m]["interval"]) for m in measures]
        table.append([str(place), row["model"], *cells])
    lines = [*aligned(table), ""]
    table = [[f"difference in {by.replace('_', ' ')}", "", "p (corrected)"]]
    for row in facts["differences"]:
        shown = interval_text(row["difference"], (row["low"], row["high"]))
        pair = f"{row['first']} less {row['second']}"
        table.append([pair, shown, f"{row['p_adjusted']:.2g}"])
    lines += aligned(table)
    lines.append(
        f"{facts['n_samples']} rows; 95 % intervals; {facts['method']}; "
        f"{facts['correction']}; the order stays in {facts['ranking_kept']:.0%} of "
        "resamples"
    )
    if verbose:
        lines += [f"warning: {text}" for text in facts["warnings"]]
    elif facts["warnings"]:
        lines.append(f"{len(facts['warnings'])} warnings; --verbose prints them")
    return "\n".join(lines)
