"""Command ``skrobust report``: an HTML report on a fitted model."""

from pathlib import Path

import click

from skrobust.cli import attack_options as attacking
from skrobust.cli import options as shared
from skrobust.cli.command_text import command_text
from skrobust.cli.finished_parts import parts_folder
from skrobust.cli.option_types import LateChoice, Name, Sizes, all_sizes
from skrobust.cli.terminal_text import Progress
from skrobust.cli.thresholds import apply_thresholds, judge_both, threshold_options

# Options that neither the numbers nor the parts depend on.
_ASIDE = {"out", "json_out", "markdown_out", "checkpoint", "quiet", "verbose"}
_ASIDE |= {"fail_under", "fail_under_limit", "junit", "n_jobs", "evidence"}
_ASIDE |= {"model_card", "record", "isolate", "timeout", "memory"}
# Options that the report takes as they are.
_AS_THEY_ARE = ("radii", "checks", "n_samples", "n_labels", "n_jobs")


def threshold_names():
    """Return the measures of a report and the metrics that it takes on request."""
    from skrobust.metrics.registry import get_metric
    from skrobust.report.core.needs import NAMES
    from skrobust.report.core.report_options import label_metric_names

    metrics = [
        name
        for name in label_metric_names()
        if name not in NAMES and get_metric(name).greater_is_better
    ]
    return (*NAMES, *metrics)


@shared.command(short_help="Write an HTML report on fitted models.")
@click.argument("model")
@click.argument("data")
@shared.output("--out", "The HTML file.", required=True)
@shared.MARKDOWN
@shared.output("--model-card", "A model card as Hugging Face reads it, README.md.")
@shared.output(
    "--record",
    "A sealed record of the measurement beside the page, such as record.skr, for "
    "skrobust verify and skrobust replay.",
)
@shared.repeated(
    "--evidence",
    "Add a section that lists the figures by the clauses they speak to; may be "
    "repeated.",
    LateChoice(lambda: _frameworks()),
)
@shared.with_options(*attacking.attack_options("auto"))
@shared.repeated(
    "--radii",
    "Rising sizes for a curve of robust accuracy under PGD, such as 1,2,4,8.",
    Sizes(),
    callback=all_sizes,
)
@shared.preset_option(
    "Conditions to perturb the rows by; default: asi68 for images, text for text, and "
    "tabular for tables with --x-train."
)
@shared.TRAIN
@shared.repeated(
    "--metric metrics",
    "A further metric that takes true and predicted labels (for a regressor, values) "
    "and nothing else; may be repeated.",
    Name(lambda: _label_metrics()),
)
@shared.columns("--groups", "Compare the groups of a column; may be repeated.")
@shared.column("--times", "Follow the score over the periods of a column.")
@shared.CHECKS
@shared.option(
    "--n-samples",
    "Size of the whole data set, training rows included; default: the rows.",
    shared.COUNT,
)
@shared.option(
    "--n-labels", "Labels of the rehearsal of testing.", shared.COUNT, default=100
)
@shared.JOBS
@shared.with_options(*shared.ISOLATION)
@shared.with_options(*shared.MODEL_OPTIONS)
@threshold_options(threshold_names)
@click.pass_context
def report(ctx, model, data, **options):
    """Write an HTML report on a fitted MODEL, scored on DATA.

    MODEL is a skops file (skops.io.dump). DATA is a CSV or parquet file, or one of
    digits, breast_cancer, iris and wine. Score rows that the model was not trained on.
    Options have the names of the arguments of skrobust.report.create_report. After
    Ctrl-C, or when it was killed, the same command continues.

    \b
    Examples:
      skrobust report model.skops digits --eps 1 --out report.html \\
          --fail-under asi=0.2 --junit thresholds.xml
      skrobust report model.skops test.csv --target y --x-train train.csv \\
          --groups region --times month --markdown report.md --out report.html
    """  # noqa: D301
    from skrobust.cli.model_file import load_model
    from skrobust.cli.report_files import check_names, write_files
    from skrobust.cli.rows_file import check_columns, load_data, load_train
    from skrobust.report.collect_for import collect_for
    from skrobust.report.core.needs import NAMES, measured_values
    from skrobust.report.measured.data_facts import kind_of
    from skrobust.report.measured.measurements import attack_label

    say = Progress(options["quiet"])
    names = attacking.chosen_attacks(options)
    check_names(options)
    beside = [*options["groups"], *filter(None, [options["times"]])]
    check_columns(data, options["target"], beside)
    fitted = load_model(model, options, say)
    name = Path(model).stem
    kind_of(name, fitted)
    X, y, known = load_data(data, options["target"], fitted, beside=beside)
    X_train = load_train(options, fitted, beside=beside)
    sizes = options["eps"] or ()
    attacks = {
        attack_label(kind, eps, len(sizes)): one
        for (kind, eps), one in attacking.build_attacks(names, options, known).items()
    }
    thresholds = options["fail_under"] + options["fail_under_limit"]
    needs = {}
    for measure, least in thresholds:
        needs[measure] = max(least, needs.get(measure, least))
    wanted = {measure for measure, _ in thresholds} - {*NAMES}
    kept = {k: v for k, v in options.items() if k not in _ASIDE}
    settings = [model, data, kept]
    with parts_folder(options["checkpoint"], "report", settings, say) as parts:
        collected = collect_for(
            "skrobust report",
            {name: fitted},
            X,
            y,
            X_train=X_train,
            **attacking.known_of(options, known),
            eps=(sizes[0] if len(sizes) == 1 else list(sizes)) if sizes else None,
            norm=attacking.norm_of(options),
            attacks=attacks or None,
            conditions=options["preset"],
            groups={column: known["beside"][column] for column in options["groups"]},
            times=options["times"] and known["beside"][options["times"]],
            metrics=[*options["metrics"], *sorted(wanted)],
            thresholds=needs,
            evidence=list(options["evidence"]) or None,
            random_state=options["seed"],
            verbose=int(say.has_bars),
            checkpoint=parts,
            record=options["record"],
            isolate=shared.isolate_of(options),
            title=f"Robustness of {name}",
            call=command_text(ctx),
            dataset=Path(data).name,
            progress=say,
            **{name: options[name] for name in _AS_THEY_ARE},
        )
        write_files(collected, options, say)
    decisions = judge_both(*measured_values(collected), options)
    apply_thresholds(decisions, options, say)


def _frameworks():
    from skrobust.report.evidence.evidence_clauses import FRAMEWORKS

    return FRAMEWORKS


def _label_metrics():
    from skrobust.report.core.report_options import label_metric_names

    return label_metric_names()
