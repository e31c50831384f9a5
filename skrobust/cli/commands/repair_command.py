"""Command ``skrobust repair``: repairs of one model, measured on held-out rows."""

from pathlib import Path

import click

from skrobust._whole_file import write_text_whole
from skrobust.cli import options as shared
from skrobust.cli.attack_options import (
    attack_options,
    build_attacks,
    chosen_attacks,
    known_of,
)
from skrobust.cli.exit_codes import UserError
from skrobust.cli.finished_parts import parts_folder
from skrobust.cli.option_types import LateChoice
from skrobust.cli.terminal_text import Progress, aligned, warning_lines, wrapped
from skrobust.cli.thresholds import finish, threshold_options

# The measures of thresholds, and the columns that they are.
MEASURES = {
    "accuracy": "clean",
    "mean_accuracy": "robust",
    "asi": "asi",
    "robust_accuracy": "attacked",
}
_HEADINGS = {
    "clean": "clean accuracy",
    "robust": "mean accuracy",
    "worst": "worst condition",
    "attacked": "robust accuracy",
    "difference": "difference",
}
_ABOUT = ("verdict", "helps", "best", "code", "skipped", "warnings", "criterion")
_ABOUT += ("confidence", "n_fit", "n_choose", "n_report", "n_candidates")


@shared.command(short_help="Propose repairs of a model and measure them.")
@click.argument("model")
@click.argument("data")
@shared.output("--out", "A Python file with the code of the winner.")
@shared.preset_option(
    "Conditions to withstand; default: asi68 for images, text for text, tabular for "
    "tables; none with --eps."
)
@shared.with_options(*attack_options("PGD"))
@shared.option(
    "--x-train",
    "A table of training rows with their labels, on which repairs are fitted; X_train "
    "and y_train in Python. Without it half of DATA fits.",
    metavar="TABLE",
)
@shared.repeated(
    "--kind kinds",
    "A kind of repair to try; may be repeated.",
    LateChoice(lambda: _kinds()),
)
@shared.option("--n-repairs", "Repairs that may be combined.", shared.COUNT, default=1)
@shared.option(
    "--criterion",
    "What repairs are chosen by: the mean accuracy over the conditions, or the "
    "accuracy under all attacks; default: the mean where there are conditions.",
    click.Choice(["mean", "attack"]),
)
@shared.option(
    "--max-clean-loss",
    "Clean accuracy that a repair may cost.",
    click.FloatRange(0, 1),
    default=0.02,
)
@shared.JOBS
@shared.with_options(*shared.MODEL_OPTIONS)
@threshold_options(lambda: MEASURES)
def repair(model, data, **options):
    """Propose repairs of MODEL, and measure them on rows of DATA.

    Repairs that suit the model are fitted, the best is chosen on other rows, and the
    scores are those of rows that had a part in neither. The code of the winner is
    printed; where no repair helps, that is the result. Thresholds of --fail-under apply
    to the winner, or else to the original.

    \b
    Examples:
      skrobust repair model.skops rows.csv --target y --out repaired.py
      skrobust repair model.skops test.csv --target y --x-train train.csv --eps 0.5
    """  # noqa: D301
    from skrobust.cli.model_file import load_model
    from skrobust.cli.rows_file import check_columns, load_data
    from skrobust.evaluation import suggest_repairs
    from skrobust.report.measured.data_facts import versions

    say = Progress(options["quiet"])
    names = chosen_attacks(options)
    for table in filter(None, (data, options["x_train"])):
        check_columns(table, options["target"])
    fitted = load_model(model, options, say)
    name = Path(model).stem
    X, y, known = load_data(data, options["target"], fitted)
    rows = {}
    if options["x_train"]:
        labelled = load_data(options["x_train"], options["target"], fitted)
        rows = {"X_train": labelled[0], "y_train": labelled[1]}
    tests = _conditions(X, options, known)
    tests += build_attacks(names, options, known).values()
    shown = [repr(one) for one in tests]
    about = ("kinds", "n_repairs", "criterion", "max_clean_loss", "x_train")
    chosen = [options[n] for n in about]
    settings = [str(model), str(data), shown, options["target"], chosen]
    with parts_folder(options["checkpoint"], "repair", settings, say) as parts:
        say(f"{name}: repairs")
        results = suggest_repairs(
            fitted,
            X,
            y,
            tests,
            **rows,
            candidates=list(options["kinds"]) or None,
            n_repairs=options["n_repairs"],
            criterion=options["criterion"],
            max_clean_loss=options["max_clean_loss"],
            n_jobs=options["n_jobs"],
            verbose=int(say.has_bars),
            checkpoint=parts,
            random_state=options["seed"],
        )
    if options["out"]:
        write_text_whole(options["out"], results.code)
    facts = {
        "format": "skrobust repair 1",
        "model": name,
        "data": str(data),
        "seed": options["seed"],
        "repairs": _rows(results),
        **{key: results[key] for key in _ABOUT},
        "weaknesses": _rows(results.weaknesses),
        "columns_at_risk": _rows(results.columns_at_risk),
        "abstention": results.abstention and _rows(results.abstention),
        "calibration": results.calibration and _rows(results.calibration),
        "versions": versions(),
    }
    place = results.name.tolist().index(results.best)
    values, lows = (
        {
            measure: float(results[column + end][place])
            for measure, column in MEASURES.items()
            if column in results and (column != "robust" or "worst" in results)
        }
        for end in ("", "_low")
    )
    finish(facts, {results.best: values}, {results.best: lows}, _text, options, say)


def _conditions(X, options, known):
    """Return the conditions of the preset, not fitted."""
    from skrobust._containers import is_text
    from skrobust.perturbations.presets import find_preset
    from skrobust.report.core.preset_conditions import make_conditions

    settings = known_of(options, known)
    preset = options["preset"]
    if preset is None and options["eps"]:
        return []
    if preset is None:
        preset = "asi68" if settings["image_shape"] else "tabular"
        preset = "text" if is_text(X) else preset
    if find_preset(preset).kind == "text" and not is_text(X):
        raise UserError(f"--preset {preset} needs a table with one column of texts.")
    settings |= {"channel_axis": None, "random_state": options["seed"]}
    return make_conditions(preset, {**settings, "conditions": preset})


def _rows(results):
    """Return the rows of a table as dicts."""
    names = results["columns"]
    columns = zip(*(results[name] for name in names), strict=True)
    return [dict(zip(names, row, strict=True)) for row in columns]


def _text(facts, verbose):
    from skrobust.report.core.number_text import number

    rows = facts["repairs"]
    shown = [n for n in _HEADINGS if n in rows[0] and _is_known(rows, n)]
    if "worst" not in rows[0]:  # attacks alone, which the robust accuracy is of
        shown.remove("robust")
    table = [["", *(_HEADINGS[name] for name in shown), "p (corrected)"]]
    for row in rows:
        cells = [_cell(row, name) for name in shown]
        p = row["p_adjusted"]
        p = "" if p != p else f"{p:.2g}"
        mark = "* " if row["name"] == facts["best"] else "  "
        table.append([mark + row["name"], *cells, p])
    lines = [*aligned(table), "", wrapped(facts["verdict"])]
    lines.append(
        f"{facts['n_fit']} rows fitted, {facts['n_choose']} chose, "
        f"{facts['n_report']} report; 95 % intervals; p is Holm's over the repairs"
    )
    for row in facts["weaknesses"][:1]:
        worst = f"{row['condition']}, accuracy {number(row['accuracy'])}"
        lines.append(f"worst on the rows that chose: {worst}")
    if verbose:
        lines += [f"skipped {name}: {text}" for name, text in facts["skipped"].items()]
    elif facts["skipped"]:
        lines.append(f"{len(facts['skipped'])} skipped; --verbose tells why")
    lines += warning_lines(facts["warnings"], verbose)
    return "\n".join([*lines, "", facts["code"].rstrip()])


def _is_known(rows, name):
    return any(row[name] == row[name] for row in rows)


def _cell(row, name):
    from skrobust.report.core.summary_cells import interval_text

    if row[name] != row[name]:
        return "-" if row["kind"] != "original" or name != "difference" else ""
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    return interval_text(row[name], None if low != low else (low, high))


def _kinds():
    from skrobust.evaluation.repairs.repair_candidates import KINDS

    return KINDS
