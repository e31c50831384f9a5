"""``skrobust report`` and ``demo``: the page, its twins and the bars."""

from pathlib import Path

import click

from skrobust.cli.attack_options import (
    attack_options,
    build_attack,
    chosen_attacks,
    norm_of,
)
from skrobust.cli.command_text import call_text
from skrobust.cli.rows_file import load_data, load_rows
from skrobust.cli.demo_models import run_demo
from skrobust.cli.exit_codes import UserError
from skrobust.cli.thresholds import MEASURES, finish_gates, gate_options, judge
from skrobust.cli.model_file import load_model
from skrobust.cli.options import (
    CODES,
    JOBS_OPTION,
    MODEL_OPTIONS,
    PRESETS,
    SEED_OPTION,
    TRAIN_OPTION,
    Sizes,
    all_sizes,
    checked_json,
    checked_out,
    with_options,
)
from skrobust.cli.finished_parts import parts_folder
from skrobust.cli.terminal_text import Progress, bars, summary_text
from skrobust.report import collect_report, summary_rows, write_report
from skrobust.report.data_facts import kind_of
from skrobust.report._report_json import to_json
from skrobust.report.measurements import attack_label

# What neither the numbers nor the parts depend on.
_ASIDE = ("out", "json_out", "markdown_out", "checkpoint", "quiet", "verbose",
          "fail_under", "junit", "n_jobs")  # fmt: skip
_MARKDOWN = click.option(
    "--markdown",
    "markdown_out",
    callback=checked_out,
    metavar="FILE",
    help="A Markdown twin, for a comment on a change.",
)


@click.command(epilog=CODES, short_help="Write an HTML report on fitted models.")
@click.argument("model")
@click.argument("data")
@click.option("--out", required=True, callback=checked_out, help="The HTML file.")
@_MARKDOWN
@with_options(attack_options("FGSM", "PGD"))
@click.option(
    "--radii",
    type=Sizes(),
    multiple=True,
    callback=all_sizes,
    help="Rising sizes for a curve of robust accuracy under PGD, such as 1,2,4,8.",
)
@click.option(
    "--preset",
    type=click.Choice(PRESETS),
    help="Conditions to perturb the rows by; default: asi68 for images, text for text, "
    "and tabular for tables with --x-train.",
)
@TRAIN_OPTION
@click.option(
    "--groups",
    multiple=True,
    metavar="COLUMN",
    help="Compare the groups of a column, such as region; may be repeated.",
)
@click.option(
    "--times", metavar="COLUMN", help="Follow the score over the periods of a column."
)
@click.option(
    "--checks/--no-checks",
    default=True,
    show_default=True,
    help="Look for signs that the attacks overstate robustness.",
)
@click.option(
    "--n-samples",
    type=click.IntRange(min=1),
    help="Size of the whole data set, training rows included; default: the rows.",
)
@click.option(
    "--n-labels",
    type=click.IntRange(min=1),
    default=100,
    show_default=True,
    help="Labels to spend in the rehearsal of operational testing.",
)
@JOBS_OPTION
@with_options(MODEL_OPTIONS)
@gate_options(*MEASURES)
@click.pass_context
def report(ctx, model, data, **options):
    """Write an HTML report on a fitted MODEL, scored on DATA.

    MODEL is a skops file (skops.io.dump). DATA is a CSV or parquet file, or one of
    digits, breast_cancer, iris and wine. Score rows that the model was not trained on.
    Options have the names of the arguments of skrobust.report.create_report. After
    Ctrl-C the same command goes on.

    \b
    Examples:
      skrobust report model.skops digits --eps 1 --out report.html \\
          --fail-under asi=0.2 --junit gates.xml
      skrobust report model.skops test.csv --target y --x-train train.csv \\
          --groups region --times month --markdown report.md --out report.html
    """  # noqa: D301
    say = Progress(options["quiet"])
    names = chosen_attacks(options)
    _check_names(options)
    say(f"loading {model}")
    fitted = load_model(
        model, trust=options["trust"], allow_pickle=options["allow_pickle"]
    )
    name = Path(model).stem
    kind_of(name, fitted)
    beside = [*options["groups"], *filter(None, [options["times"]])]
    X, y, known = load_data(data, options["target"], fitted, beside=beside)
    X_train = None
    if options["x_train"]:
        out = [options["target"], *beside]
        X_train = load_rows(options["x_train"], fitted, leave_out=out)
    sizes = options["eps"] or ()
    settings = [model, data, {k: v for k, v in options.items() if k not in _ASIDE}]
    with parts_folder(options["checkpoint"], "report", settings, say) as parts:
        collected = collect_report(
            {name: fitted},
            X,
            y,
            X_train=X_train,
            image_shape=options["image_shape"] or known.get("image_shape"),
            data_range=options["data_range"] or known.get("data_range"),
            eps=None if not sizes else sizes[0] if len(sizes) == 1 else list(sizes),
            norm=norm_of(options),
            attacks={
                attack_label(one, eps, len(sizes)): build_attack(
                    one, eps, options, known
                )
                for one in names
                for eps in sizes
            } or None,
            radii=options["radii"],
            conditions=options["preset"],
            groups={column: known["beside"][column] for column in options["groups"]},
            times=options["times"] and known["beside"][options["times"]],
            checks=options["checks"],
            n_samples=options["n_samples"],
            n_labels=options["n_labels"],
            random_state=options["seed"],
            n_jobs=options["n_jobs"],
            verbose=0 if options["quiet"] else bars(),
            checkpoint=parts,
            title=f"Robustness of {name}",
            call=call_text(ctx),
            dataset=Path(data).name,
            progress=say,
        )  # fmt: skip
        _finish(collected, options, say)
    finish_gates(
        judge(options["fail_under"], {name: _measured(collected)}),
        junit=options["junit"],
        command="report",
        seconds=say.seconds,
        quiet=options["quiet"],
    )


@click.command(epilog=CODES, short_help="Train two models on digits, report on them.")
@click.option(
    "--out",
    default="skrobust-demo.html",
    show_default=True,
    callback=checked_out,
    help="The HTML file.",
)
@click.option(
    "--json", "json_out", callback=checked_json, help="A JSON twin; - is stdout."
)
@_MARKDOWN
@SEED_OPTION
@click.option("--quick", is_flag=True, help="Train less and score fewer rows.")
@click.option("--quiet", is_flag=True, help="Print nothing but errors.")
@click.pass_context
def demo(ctx, **options):
    """Train two models on handwritten digits and write a report about them.

    After Ctrl-C the same command trains again and goes on with the measurements.
    """
    _check_names(options)
    seed, quick, quiet = (options[name] for name in ("seed", "quick", "quiet"))
    say = Progress(quiet)
    with parts_folder(None, "demo", [seed, quick], say) as parts:
        collected = run_demo(
            seed,
            quick=quick,
            call=call_text(ctx),
            progress=say,
            verbose=0 if quiet else bars(),
            checkpoint=parts,
        )
        _finish(collected, options, say)


def _check_names(options):
    """Raise, before the work, where two files have one name."""
    files = {"--out": "out", "--json": "json_out", "--markdown": "markdown_out"}
    seen = {}
    for option, name in files.items():
        if options[name] in (None, "-"):
            continue
        other = seen.setdefault(Path(options[name]).resolve(), option)
        if other != option:
            raise UserError(f"{other} and {option} must be two files.")


def _measured(collected):
    """Return what the bars of a report are held against."""
    row = summary_rows(collected)[0]
    cells = {
        "accuracy": row["clean"] if row["kind"] == "classifier" else None,
        "normalized": row["normalized"],
        "asi": row["asi"],
        "robust_ratio": row["ratio"],
    }
    found = {name: cell and cell["value"] for name, cell in cells.items()}
    attacks = collected["models"][0]["attacks"].values()
    attacked = [results["robust_accuracy"] for results in attacks if results]
    return {**found, "robust_accuracy": min(attacked, default=None)}


def _finish(collected, options, say):
    """Write the page and its twins, and print the summary."""
    say("writing the report")
    json_out = options["json_out"]
    written = write_report(
        collected,
        options["out"],
        json_out=None if json_out == "-" else json_out,
        markdown_out=options["markdown_out"],
    )
    if json_out == "-":
        click.echo(to_json(collected), nl=False)
        return
    if options["quiet"]:
        return
    click.echo(summary_text(collected, verbose=options.get("verbose", False)))
    click.echo(f"report: {written.path}")
    for kind in ("json", "markdown"):
        path = getattr(written, f"{kind}_path")
        if path is not None:
            click.echo(f"{kind}: {path}")
    click.echo(f"total: {say.seconds:.1f} s")
