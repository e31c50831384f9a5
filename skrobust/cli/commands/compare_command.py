"""Command ``skrobust compare``: several models on the same rows."""

from pathlib import Path

import click

from skrobust.cli import options as shared
from skrobust.cli.attack_options import attack_options, chosen_attacks
from skrobust.cli.exit_codes import UserError
from skrobust.cli.finished_parts import parts_folder
from skrobust.cli.option_types import LateChoice
from skrobust.cli.terminal_text import Progress, aligned, warning_lines
from skrobust.cli.thresholds import finish, threshold_options


@shared.command(short_help="Rank models under the same changes.")
@click.argument("models", nargs=-1, required=True)
@click.argument("data")
@shared.with_options(*attack_options("auto"))
@shared.TOLERANCE
@shared.preset_option("Conditions to perturb the rows by; default: asi68 for images.")
@shared.TRAIN
@shared.option(
    "--rank-by",
    "Default: the first of robust_accuracy, asi and accuracy that is measured; for "
    "regressors robust_ratio, then r2.",
    LateChoice(lambda: _columns()),
)
@shared.JOBS
@shared.with_options(*shared.MODEL_OPTIONS)
@threshold_options(lambda: _columns())
def compare(models, data, **options):
    """Rank fitted MODELS under the same changes of the same DATA.

    Differences are taken row by row, so that variation common to the models cancels;
    p-values are corrected for the number of pairs. A row counts as robust where it is
    correct under each --attack of each --eps; a row of a regressor, where its
    prediction moves by no more than --tolerance. With conditions (--preset, or
    --image-shape) classifiers have a mean accuracy and an index (asi). Thresholds of
    --fail-under apply to every model.

    \b
    Examples:
      skrobust compare svm.skops forest.skops digits --eps 1 --rank-by robust_accuracy
      skrobust compare a.skops b.skops test.csv --target y --preset tabular \\
          --x-train train.csv
    """  # noqa: D301
    from skrobust.cli.compared_values import COLUMNS, MEASURES, measure
    from skrobust.report.core.section_log import Log
    from skrobust.report.measured.data_facts import versions

    say = Progress(options["quiet"])
    if len(models) < 2:
        raise UserError("Name two or more models, and the data last.")
    options["names"] = chosen_attacks(options)
    stems = [Path(model).stem for model in models]
    stems = stems if len(set(stems)) == len(stems) else [str(m) for m in models]
    if len(set(stems)) < len(stems):
        raise UserError("The same model is named twice.")
    values, log = {name: {} for name in COLUMNS}, Log()
    parts_of = ("eps", "names", "settings", "preset", "x_train", "seed", "target")
    settings = [models, str(data), *(options[name] for name in parts_of)]
    with parts_folder(options["checkpoint"], "compare", settings, say) as parts:
        # All before the first is measured: an error of the last costs no work.
        loaded = _load(dict(zip(stems, models, strict=True)), data, options, say)
        for name in say.bar(stems, "models"):
            fitted, rows, known = loaded[name]
            inputs = (name, fitted, rows, options, known, parts, say)
            found = log.run(name, "measurement", measure, *inputs, required=True)
            for one, row in found.items():
                values[one][name] = row
    y = rows[1]
    values = {one: found for one, found in values.items() if found}
    by = options["rank_by"] or next(one for one in MEASURES if one in values)
    if by not in values:
        raise UserError(f"--rank-by {by} needs {MEASURES[by][1]}.")
    facts = _facts(values, y, by, options["seed"], log)
    facts |= {"data": str(data), "n_samples": len(y), "versions": versions()}
    facts["warnings"] = list(dict.fromkeys(w["text"] for w in log.warnings))
    measured = {
        row["model"]: {one: row[one]["value"] for one in values}
        for row in facts["ranking"]
    }
    limits = {
        row["model"]: {one: (row[one]["interval"] or (None,))[0] for one in values}
        for row in facts["ranking"]
    }
    finish(facts, measured, limits, _text, options, say)


def _load(paths, data, options, say):
    """Return by name each model, its (X, y, X_train) and facts about the data."""
    from skrobust.cli.model_file import load_model
    from skrobust.cli.rows_file import check_columns, load_data, load_train
    from skrobust.report.measured.data_facts import kind_of

    check_columns(data, options["target"])
    loaded, kinds = {}, set()
    for name, path in paths.items():
        fitted = load_model(path, options, say)
        kinds.add(kind_of(name, fitted))
        if len(kinds) > 1:
            raise UserError(f"{name!r} is a {kind_of(name, fitted)}; others are not.")
        X, y, known = load_data(data, options["target"], fitted)
        loaded[name] = fitted, (X, y, load_train(options, fitted)), known
    return loaded


def _facts(values, y, by, seed, log):
    """Return the ranking and the differences, as a report has them."""
    from skrobust.cli.compared_values import MEASURES, summarize
    from skrobust.report.core.model_ranking import compare_measure

    inputs = (MEASURES[by][0], values[by], y, seed)
    found = log.run("all models", "comparison", compare_measure, *inputs, required=True)
    rows = []
    for place in found["ranking"]:
        cells = {m: summarize(m, values[m][place["name"]], y) for m in values}
        ranks = {name: place[name] for name in ("rank", "rank_low", "rank_high")}
        rows.append({**ranks, "model": place["name"], **cells})
    kept = ("sentences", "method", "correction", "confidence")
    facts = {"format": "skrobust compare 3", "ranked_by": by, "ranking": rows}
    facts["differences"] = found["pairs"]
    return facts | {name: found[name] for name in kept}


def _text(facts, verbose):
    from skrobust.cli.compared_values import COLUMNS
    from skrobust.report.core.model_ranking import DECISION_WORDS
    from skrobust.report.core.summary_cells import interval_text

    by, rows = facts["ranked_by"], facts["ranking"]
    measures = [m for m in COLUMNS if m in rows[0]]
    table = [["", "model", *(m.replace("_", " ") for m in measures)]]
    for row in rows:
        cells = [_cell_text(row[m]) for m in measures]
        rank, last = f"{row['rank']}", (row["rank_low"], row["rank_high"])
        if last[0] < last[1]:
            rank += f" ({last[0]}-{last[1]})"
        table.append([rank, row["model"], *cells])
    lines = [*aligned(table), ""]
    table = [[f"difference in {by.replace('_', ' ')}", "", "p (corrected)", ""]]
    for row in facts["differences"]:
        shown = interval_text(row["difference"], (row["low"], row["high"]))
        pair = f"{row['better']} less {row['worse']}"
        decision = DECISION_WORDS[row["verdict"]]
        table.append([pair, shown, f"{row['p_adjusted']:.2g}", decision])
    lines += [*aligned(table), " ".join(facts["sentences"])]
    lines.append(
        f"{facts['n_samples']} rows; 95 % intervals; {facts['method']}; "
        f"{facts['correction']}; ranks in parentheses are not told apart"
    )
    return "\n".join(lines + warning_lines(facts["warnings"], verbose))


def _cell_text(cell):
    """Return a cell as text; of an index also the value without sampling noise."""
    from skrobust.report.core.number_text import number
    from skrobust.report.core.summary_cells import ends_text, interval_text

    if cell.get("corrected") is None:
        return interval_text(cell["value"], cell["interval"])
    text = f"{number(cell['value'])}; {number(cell['corrected'])} without noise"
    if cell["interval"]:
        text += f" ({ends_text(cell['interval'])})"
    return text


def _columns():
    from skrobust.cli.compared_values import COLUMNS

    return COLUMNS
