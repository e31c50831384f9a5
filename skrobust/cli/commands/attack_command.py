"""``skrobust attack``: what is left of one model under attack."""

from pathlib import Path

import click
import numpy as np

from skrobust.cli import attack_results as rows_of
from skrobust.cli.attack_options import attack_options, build_attack, chosen_attacks
from skrobust.cli.rows_file import load_data
from skrobust.cli.exit_codes import UserError
from skrobust.cli.thresholds import finish_gates, gate_options, judge, write_result
from skrobust.cli.model_file import load_model
from skrobust.cli.options import (
    CODES,
    MODEL_OPTIONS,
    TOLERANCE_OPTION,
    checked_out,
    with_options,
)
from skrobust.cli.finished_parts import bar, parts_folder
from skrobust.cli.labelling.labelling_session import write_bytes_whole
from skrobust.cli.terminal_text import Progress, aligned, interval_text, warning_lines
from skrobust.report.data_facts import kind_of, versions
from skrobust.report._html import compact, number
from skrobust.report.section_log import Log


@click.command(epilog=CODES, short_help="Attack a fitted model and say what is left.")
@click.argument("model")
@click.argument("data")
@with_options(attack_options("PGD", eps_required=True))
@TOLERANCE_OPTION
@click.option(
    "--save",
    callback=checked_out,
    metavar="FILE",
    help="An npz file with X, y and the adversarial examples, adv_NAME_EPS.",
)
@click.option(
    "--checks/--no-checks",
    default=True,
    show_default=True,
    help="Look for signs that the evaluation overstates robustness.",
)
@with_options(MODEL_OPTIONS)
@gate_options("accuracy", "robust_accuracy", "robust_ratio", "r2", "robust_r2")
def attack(model, data, **options):
    """Attack a fitted MODEL on DATA and say how much of it is left.

    A classifier has a robust accuracy (rows still right) and a robust ratio (rows whose
    probability stays). Of a regressor the attack moves the prediction as far as it can:
    the mean shift, R2 on those rows, and the robust ratio (rows that move by no more
    than --tolerance). Bars of --fail-under are held against the worst of all attacks
    and sizes. What an attack finds is an upper bound of the true robustness.

    \b
    Example:
      skrobust attack model.skops digits --eps 0.5,1 --attack FGSM --attack PGD \\
          --save adv.npz --fail-under robust_accuracy=0.3
    """  # noqa: D301
    say = Progress(options["quiet"])
    names = chosen_attacks(options)
    say(f"loading {model}")
    fitted = load_model(
        model, trust=options["trust"], allow_pickle=options["allow_pickle"]
    )
    name = Path(model).stem
    kind = kind_of(name, fitted)
    X, y, known = load_data(data, options["target"], fitted)
    jobs = [(one, eps) for one in names for eps in options["eps"]]
    made = [build_attack(one, eps, options, known) for one, eps in jobs]
    settings = [str(model), str(data), [repr(a) for a in made], options["target"]]
    with parts_folder(options["checkpoint"], "attack", settings, say) as parts:
        work = zip(jobs, made, strict=True)
        facts, saved = _measure(name, fitted, X, y, list(work), options, parts, say)
    facts |= {
        "format": "skrobust attack 2",
        "model": name,
        "kind": kind,
        "data": str(data),
        "seed": options["seed"],
        "norm": options["norm"],
        "n_samples": len(y),
        "versions": versions(),
    }
    facts["gates"] = judge(
        options["fail_under"], {name: rows_of.worst(facts["attacks"])}
    )
    if options["save"]:
        X = rows_of.plain(X)
        write_bytes_whole(options["save"], lambda f: np.savez(f, X=X, y=y, **saved))
    if options["json_out"]:
        write_result(options["json_out"], facts)
    if not options["quiet"] and options["json_out"] != "-":
        click.echo(_text(facts, options["verbose"]))
    finish_gates(
        facts["gates"],
        junit=options["junit"],
        command="attack",
        seconds=say.seconds,
        quiet=options["quiet"],
    )


def _measure(name, model, X, y, work, options, parts, say):
    """Return what was measured, and the examples to save."""
    is_class = kind_of(name, model) == "classifier"
    measure = rows_of.class_row if is_class else rows_of.number_row
    log, rows, saved, done = Log(), [], {}, []
    for (kind, eps), one in bar(work, "attacks", options["quiet"]):
        section = f"{kind}, eps {eps:g}"
        say(section)
        row = log.run(
            name, section, measure, model, X, y, one,
            tolerance=options["tolerance"], checkpoint=parts,
        )  # fmt: skip
        if row is None:
            continue
        rows.append({"attack": kind, "eps": eps, **row})
        done.append(one)
        if options["save"]:
            aimed = rows_of.at_the_label(one) if is_class else one
            found = rows_of.examples(model, aimed, X, y, parts)
            saved[f"adv_{kind}_{eps:g}"] = found
    if not rows:
        raise UserError(log.skipped[0]["reason"])
    checked = options["checks"] and is_class  # they ask about labels
    doubts = rows_of.doubts(done, model, X, y, say) if checked else []
    facts = {"attacks": rows, "doubts": doubts}
    return {**facts, "skipped": log.skipped, "warnings": log.warnings}, saved


_COLUMNS = {
    "classifier": {
        "accuracy": "clean accuracy",
        "robust_accuracy": "robust accuracy",
        "robust_ratio": "robust ratio at ",
    },
    "regressor": {
        "r2": "clean R2",
        "robust_r2": "R2 under attack",
        "prediction_shift": "mean shift",
        "robust_ratio": "robust ratio at ",
    },
}


def _text(facts, verbose):
    rows, columns = facts["attacks"], _COLUMNS[facts["kind"]]
    size = f"{rows[0]['tolerance']:.3g}"
    heads = [h + size if h.endswith(" at ") else h for h in columns.values()]
    table = [["attack", "eps", *heads]]
    for row in rows:
        cells = [interval_text(row[k], row.get(f"{k}_interval")) for k in columns]
        table.append([row["attack"], compact(row["eps"]), *cells])
    lines = aligned(table)
    last = f"{facts['n_samples']} rows; 95 % intervals"
    if facts["kind"] == "classifier":
        constant = number(rows[0]["constant_model_accuracy"])
        last += f"; always the largest class gives {constant}"
    lines.append(last)
    for row in facts["skipped"]:
        lines.append(f"skipped {row['section']}: {row['reason']}")
    for row in facts["doubts"]:
        lines.append(f"doubt ({row['attack']}): {row['code']}: {row['sentence']}")
    shown = [f"({w['section']}) {w['text']}" for w in facts["warnings"]]
    return "\n".join(lines + warning_lines(shown, verbose))
