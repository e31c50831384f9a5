"""``skrobust compare``: several models on the same rows."""

from pathlib import Path

import click

from skrobust.cli.attack_options import attack_options, chosen_attacks
from skrobust.cli.paired_values import NEEDS, WORDS, cell, measure
from skrobust.cli.rows_file import load_data, load_rows
from skrobust.cli.exit_codes import UserError
from skrobust.cli.thresholds import finish_gates, gate_options, judge, write_result
from skrobust.cli.model_file import load_model
from skrobust.cli.options import (
    CODES,
    JOBS_OPTION,
    MODEL_OPTIONS,
    PRESETS,
    TOLERANCE_OPTION,
    TRAIN_OPTION,
    with_options,
)
from skrobust.cli.finished_parts import bar, parts_folder
from skrobust.cli.terminal_text import Progress, aligned, interval_text, warning_lines
from skrobust.report.data_facts import kind_of, versions
from skrobust.report._html import number
from skrobust.report.section_log import Log
from skrobust.report.model_ranking import compare_measure
from skrobust.report.summary_cells import ends_text


@click.command(epilog=CODES, short_help="Rank models under the same changes.")
@click.argument("models", nargs=-1, required=True)
@click.argument("data")
@with_options(attack_options("PGD"))
@TOLERANCE_OPTION
@click.option(
    "--preset",
    type=click.Choice(PRESETS),
    help="Conditions to perturb the rows by; default: asi68 for images.",
)
@TRAIN_OPTION
@click.option(
    "--rank-by",
    type=click.Choice(list(WORDS)),
    help="Default: the first of robust_accuracy, asi and accuracy that is measured; "
    "for regressors robust_ratio, then r2.",
)
@JOBS_OPTION
@with_options(MODEL_OPTIONS)
@gate_options(*WORDS)
def compare(models, data, **options):
    """Rank fitted MODELS by how they stand the same changes of the same DATA.

    Differences are taken row by row, so that what the models share cancels; p-values
    are corrected for the number of pairs. A row counts as robust where each --attack of
    each --eps leaves it right; a row of a regressor, where its prediction moves by no
    more than --tolerance. With conditions (--preset, or --image-shape) classifiers have
    a mean accuracy and an index (asi). Bars of --fail-under hold for every model.

    \b
    Examples:
      skrobust compare svm.skops forest.skops digits --eps 1 --rank-by robust_accuracy
      skrobust compare a.skops b.skops test.csv --target y --preset tabular \\
          --x-train train.csv
    """  # noqa: D301
    say = Progress(options["quiet"])
    if len(models) < 2:
        raise UserError("Name two or more models, and the data last.")
    names = chosen_attacks(options)
    stems = [Path(model).stem for model in models]
    stems = stems if len(set(stems)) == len(stems) else [str(m) for m in models]
    if len(set(stems)) < len(stems):
        raise UserError("The same model is named twice.")
    right, notes, log = {name: {} for name in WORDS}, [], Log()
    settings = [models, str(data), options["eps"], names, options["settings"]]
    settings += [options[name] for name in ("preset", "x_train", "seed", "target")]
    with parts_folder(options["checkpoint"], "compare", settings, say) as parts:
        # All before the first is measured: an error of the last costs no work.
        loaded, kinds = {}, set()
        for name, path in zip(stems, models, strict=True):
            say(f"loading {path}")
            fitted = load_model(
                path, trust=options["trust"], allow_pickle=options["allow_pickle"]
            )
            kinds.add(kind_of(name, fitted))
            if len(kinds) > 1:
                raise UserError(
                    f"{name!r} is a {kind_of(name, fitted)}, unlike others."
                )
            X, y, known = load_data(data, options["target"], fitted)
            X_train = None
            if options["x_train"]:
                leave_out = [options["target"]]
                X_train = load_rows(options["x_train"], fitted, leave_out=leave_out)
            loaded[name] = fitted, (X, y, X_train), known
        for name in bar(stems, "models", options["quiet"]):
            fitted, rows, known = loaded[name]
            found = log.run(
                name, "measurement", measure, name, fitted, rows,
                {**options, "names": names, "known": known}, parts, say, required=True,
            )  # fmt: skip
            for one, values in found.items():
                right[one][name] = values
    right = {one: found for one, found in right.items() if found}
    by = options["rank_by"] or next(one for one in NEEDS if one in right)
    if by not in right:
        raise UserError(f"--rank-by {by} needs {NEEDS[by]}.")
    facts = _facts(right, y, by, options["seed"], log)
    notes = list(dict.fromkeys(w["text"] for w in log.warnings))
    facts |= {"data": str(data), "n_samples": len(y), "versions": versions()}
    facts["warnings"] = notes
    values = {r["model"]: {m: r[m]["value"] for m in right} for r in facts["ranking"]}
    facts["gates"] = judge(options["fail_under"], values)
    if options["json_out"]:
        write_result(options["json_out"], facts)
    if not options["quiet"] and options["json_out"] != "-":
        click.echo(_text(facts, options["verbose"]))
    finish_gates(
        facts["gates"],
        junit=options["junit"],
        command="compare",
        seconds=say.seconds,
        quiet=options["quiet"],
    )


def _facts(right, y, by, seed, log):
    """Return the ranking and the differences, as a report has them."""
    found = log.run(
        "all models", "comparison", compare_measure, WORDS[by], right[by], y, seed,
        required=True,
    )  # fmt: skip
    rows = [
        {
            "rank": place["rank"],
            "model": place["name"],
            **{m: cell(m, right[m][place["name"]], y) for m in right},
        }
        for place in found["ranking"]
    ]
    kept = ("sentences", "method", "correction", "confidence", "ranking_kept")
    return {
        "format": "skrobust compare 2",
        "ranked_by": by,
        "ranking": rows,
        "differences": found["pairs"],
        **{name: found[name] for name in kept},
    }


def _text(facts, verbose):
    by, rows = facts["ranked_by"], facts["ranking"]
    measures = [m for m in WORDS if m in rows[0]]
    table = [["", "model", *(m.replace("_", " ") for m in measures)]]
    for row in rows:
        table.append(
            [f"{row['rank']}", row["model"], *(_shown(row[m]) for m in measures)]
        )
    lines = [*aligned(table), ""]
    table = [[f"difference in {by.replace('_', ' ')}", "", "p (corrected)", ""]]
    for row in facts["differences"]:
        shown = interval_text(row["difference"], (row["low"], row["high"]))
        pair = f"{row['better']} less {row['worse']}"
        table.append([pair, shown, f"{row['p_adjusted']:.2g}", row["verdict"]])
    lines += [*aligned(table), " ".join(facts["sentences"])]
    lines.append(
        f"{facts['n_samples']} rows; 95 % intervals; {facts['method']}; "
        f"{facts['correction']}; the order stays in {facts['ranking_kept']:.0%} of "
        "resamples"
    )
    return "\n".join(lines + warning_lines(facts["warnings"], verbose))


def _shown(cell):
    """Return a cell; of an index also what it is without the noise of sampling."""
    if cell.get("corrected") is None:
        return interval_text(cell["value"], cell["interval"])
    text = f"{number(cell['value'])}; {number(cell['corrected'])} without noise"
    return (
        f"{text} ({ends_text(cell['interval'], number)})" if cell["interval"] else text
    )
