"""Command ``skrobust attack``: robustness of one model under attack."""

from functools import partial
from pathlib import Path

import click

from skrobust._whole_file import write_whole
from skrobust.cli import options as shared
from skrobust.cli.attack_options import attack_options, build_attacks, chosen_attacks
from skrobust.cli.exit_codes import UserError
from skrobust.cli.finished_parts import parts_folder
from skrobust.cli.terminal_text import Progress, aligned, warning_lines
from skrobust.cli.thresholds import finish, threshold_options

_COLUMNS = {
    "classifier": {
        "accuracy": "clean accuracy",
        "robust_accuracy": "robust accuracy",
        "certified_accuracy": "certified accuracy",
        "robust_ratio": "robust ratio at {tolerance:.3g}",
    },
    "regressor": {
        "r2": "clean R2",
        "robust_r2": "R2 under attack",
        "prediction_shift": "mean shift",
        "robust_ratio": "robust ratio at {tolerance:.3g}",
    },
}


@shared.command(short_help="Measure the robustness of a fitted model under attack.")
@click.argument("model")
@click.argument("data")
@shared.with_options(*attack_options("auto", eps_required=True))
@shared.TOLERANCE
@shared.output(
    "--save", "An npz file with X, y and the adversarial examples, adv_NAME_EPS."
)
@shared.CHECKS
@shared.option(
    "--batch-size",
    "Rows in memory at a time. DATA is then parquet (a file or a folder), an npy file, "
    "whose labels are the npy file --target, or tar files of samples (a folder or a "
    "pattern), whose labels are the members that end in --target, by default cls, or a "
    "field of a member, json:FIELD.",
    shared.COUNT,
)
@shared.with_options(*shared.TAR_OPTIONS)
@shared.with_options(*shared.ISOLATION)
@shared.with_options(*shared.MODEL_OPTIONS)
@threshold_options(lambda: _measures())
def attack(model, data, **options):
    """Attack a fitted MODEL on DATA and measure its robustness.

    A classifier has a robust accuracy (rows still correct) and a robust ratio (rows
    whose probability stays). For a regressor the attack moves the prediction as far as
    it can: the mean shift, R2 on those rows, and the robust ratio (rows that move by no
    more than --tolerance). Thresholds of --fail-under apply to the worst of all attacks
    and sizes. The result of an attack is an upper bound of the true robustness.

    \b
    Example:
      skrobust attack model.skops digits --eps 0.5,1 --attack FGSM --attack PGD \\
          --save adv.npz --fail-under robust_accuracy=0.3
    """  # noqa: D301
    import numpy as np

    from skrobust.cli import attack_results as results
    from skrobust.cli.batched_source import batched_source, refuse_without_tar
    from skrobust.cli.model_file import load_model
    from skrobust.cli.rows_file import check_columns, load_data
    from skrobust.evaluation.core.isolation_limits import isolation_of
    from skrobust.report.measured.data_facts import kind_of, versions

    say = Progress(options["quiet"])
    names, in_batches = chosen_attacks(options), options["batch_size"] is not None
    if in_batches and options["save"]:
        raise UserError("--save needs all rows in memory; leave out --batch-size.")
    of_tar = {name: options[name] for name in ("row", "label_as", "resize", "convert")}
    of_tar = {name: value for name, value in of_tar.items() if value}
    if in_batches:
        _check_for_batches(options)
    else:
        refuse_without_tar(of_tar, "--batch-size is needed for these")
        check_columns(data, options["target"])
    fitted = load_model(model, options, say)
    name = Path(model).stem
    kind = kind_of(name, fitted)
    if not in_batches:
        X, y, known = load_data(data, options["target"], fitted)
    elif kind == "classifier":
        how = options["target"], options["batch_size"], fitted
        X, y, known = batched_source(data, *how, **of_tar), None, {}
    else:
        raise UserError("--batch-size is for classifiers; this is a regressor.")
    attacks = build_attacks(names, options, known)
    shown = [repr(one) for one in attacks.values()]
    settings = [str(model), str(data), shown, options["target"]]
    folder = parts_folder(options["checkpoint"], "attack", settings, say)
    apart = isolation_of(shared.isolate_of(options), "skrobust attack")
    with folder as parts, apart:
        parts = name, fitted, X, y, attacks, options, parts, say
        facts, saved, n_samples = _measure(*parts)
    facts |= {
        "format": "skrobust attack 3",
        "model": name,
        "kind": kind,
        "data": str(data),
        "seed": options["seed"],
        "norm": options["norm"],
        "n_samples": n_samples,
        "versions": versions(),
    }
    if options["save"]:
        arrays = {"X": results.plain_array(X), "y": y, **saved}
        write_whole(options["save"], lambda file: np.savez(file, **arrays))
    rows = facts["attacks"]
    measured, limits = ({name: one(rows)} for one in (results.worst, results.limits))
    finish(facts, measured, limits, _text, options, say)


def _check_for_batches(options):
    """Raise for what needs all rows."""
    spreads = [eps for eps in options["eps"] if isinstance(eps, str)]
    if spreads:
        raise UserError(
            f"--batch-size needs --eps as a number: {spreads[0]!r} is in units of the "
            "spread of all rows; give a number, or leave out --batch-size."
        )


def _measure(name, model, X, y, attacks, options, parts, say):
    """Return the results of all attacks, the examples to save, and how many rows."""
    from skrobust._parallel import alone
    from skrobust.cli import attack_results as results
    from skrobust.metrics.scorers.attack_objective import aimed_at_labels
    from skrobust.report.core.number_text import compact
    from skrobust.report.core.section_log import Log
    from skrobust.report.measured.data_facts import kind_of

    is_classifier = kind_of(name, model) == "classifier"
    measure = results.classifier_row if is_classifier else results.regressor_row
    settings = {"tolerance": options["tolerance"], "checkpoint": parts}
    log, rows, saved, doubts = Log(), [], {}, []
    last = dict(attacks.keys())  # size of each kind
    for (kind, eps), one in say.bar(attacks.items(), "attacks"):
        section = f"{kind}, eps {compact(eps)}"
        say(section)
        if is_classifier:  # checks need labels
            settings["checks"] = options["checks"] and last[kind] == eps
        run = partial(measure, **settings)
        if not is_classifier:  # others run apart by themselves
            run = partial(alone, run)
        row = log.run(name, section, run, model, X, y, one)
        if row is None:
            continue
        doubts += [{"attack": kind, **one} for one in row.pop("doubts", ())]
        n_samples = row.pop("n_samples")
        rows.append({"attack": kind, "eps": eps, **row})
        if options["save"]:
            one = aimed_at_labels(one) if is_classifier else one
            examples = results.adversarial_examples(model, X, y, one, parts)
            saved[f"adv_{kind}_{compact(eps)}"] = examples
    if not rows:
        raise UserError(log.skipped[0]["reason"])
    facts = {"attacks": rows, "doubts": doubts, "skipped": log.skipped}
    return {**facts, "warnings": log.warnings}, saved, n_samples


def _text(facts, verbose):
    from skrobust.report.core.number_text import compact, number
    from skrobust.report.core.summary_cells import interval_text

    rows, columns = facts["attacks"], dict(_COLUMNS[facts["kind"]])
    if all(row.get("certified_accuracy") is None for row in rows):
        columns.pop("certified_accuracy", None)
    table = [["attack", "eps", *(h.format(**rows[0]) for h in columns.values())]]
    for row in rows:
        cells = [
            "-" if row[k] is None else interval_text(row[k], row.get(f"{k}_interval"))
            for k in columns
        ]
        table.append([row["attack"], compact(row["eps"]), *cells])
    last = f"{facts['n_samples']} rows; 95 % intervals"
    if facts["kind"] == "classifier":
        constant = number(rows[0]["constant_model_accuracy"])
        last += f"; always the largest class gives {constant}"
    lines = [*aligned(table), last]
    lines += [f"skipped {row['section']}: {row['reason']}" for row in facts["skipped"]]
    for row in facts["doubts"]:
        lines.append(f"doubt ({row['attack']}): {row['code']}: {row['sentence']}")
    shown = [f"({w['section']}) {w['text']}" for w in facts["warnings"]]
    return "\n".join(lines + warning_lines(shown, verbose))


def _measures():
    from skrobust.cli import attack_results as results

    return results.MEASURES
