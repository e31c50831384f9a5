"""The commands and their options."""

import shlex
from pathlib import Path

import click
import matplotlib
import numpy as np
from click.shell_completion import get_completion_class

import skrobust as package
from skrobust.cli._attack_command import attack
from skrobust.cli._compare_command import compare
from skrobust.cli._data import load_data
from skrobust.cli._demo import run_demo
from skrobust.cli._doctor import doctor_facts, doctor_text
from skrobust.cli._errors import Commands, UserError
from skrobust.cli._gates import (
    MEASURES,
    finish_gates,
    gate_options,
    judge,
    write_result,
)
from skrobust.cli._model import load_model
from skrobust.cli._options import CODES, Numbers, checked_json, checked_out
from skrobust.cli._perturb_command import perturb
from skrobust.cli._sampling_commands import label, sample
from skrobust.cli._text import Progress, bars, summary_text
from skrobust.report import collect_report, summary_rows, write_report
from skrobust.report._facts import kind_of
from skrobust.report._plain import to_json


@click.group(cls=Commands, epilog=CODES)
@click.version_option(package.__version__, prog_name="skrobust")
def skrobust():
    """How good a model stays when its inputs change, and how few labels tell."""
    matplotlib.use("Agg")  # files only, no windows


@skrobust.command(epilog=CODES)
@click.argument("model")
@click.argument("data")
@click.option("--target", help="Column of the labels; needed for a CSV file.")
@click.option("--out", required=True, callback=checked_out, help="The HTML file.")
@click.option(
    "--json", "json_out", callback=checked_json, help="A JSON twin; - is stdout."
)
@click.option(
    "--image-shape",
    type=Numbers(int, (2, 3)),
    help="Height,width of flat images, with channels first or last.",
)
@click.option(
    "--data-range", type=Numbers(float, (2,)), help="Low,high of the raw input."
)
@click.option(
    "--eps",
    type=click.FloatRange(min=0, min_open=True),
    help="Size of the attacks, in units of the raw input; without it none are made.",
)
@click.option(
    "--norm",
    type=click.Choice(["inf", "2"]),
    default="inf",
    show_default=True,
    help="Norm of the attacks.",
)
@click.option(
    "--n-samples",
    type=click.IntRange(min=1),
    help="Size of the whole data set, training rows included; default: the rows.",
)
@click.option(
    "--labels",
    type=click.IntRange(min=1),
    default=100,
    show_default=True,
    help="Labels to spend in the rehearsal of operational testing.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option("--jobs", type=int, default=1, show_default=True, help="As n_jobs.")
@click.option(
    "--trust",
    multiple=True,
    metavar="TYPE",
    help="A type in the skops file to load although skops does not know it.",
)
@click.option(
    "--allow-pickle",
    is_flag=True,
    help="Open pickle and joblib files, which run code when opened.",
)
@click.option("--quiet", is_flag=True, help="Print nothing but errors.")
@gate_options(*MEASURES)
def report(model, data, **options):
    """Write an HTML report on a fitted MODEL, scored on DATA.

    MODEL is a skops file (skops.io.dump). DATA is a CSV file, or one of digits,
    breast_cancer, iris and wine. Score rows that the model was not trained on.

    \b
    Example:
      skrobust report model.skops digits --eps 1 --out report.html \\
          --fail-under asi=0.2 --junit gates.xml
    """  # noqa: D301
    say = Progress(options["quiet"])
    if options["eps"] is not None and not np.isfinite(options["eps"]):
        raise UserError(f"--eps must be a finite number. Got {options['eps']:g}.")
    if options["json_out"] not in (None, "-") and Path(options["json_out"]) == Path(
        options["out"]
    ):
        raise UserError("--out and --json must be two files.")
    call = _call("report", model, data, options=options)
    say(f"loading {model}")
    fitted = load_model(
        model, trust=options["trust"], allow_pickle=options["allow_pickle"]
    )
    name = Path(model).stem
    kind_of(name, fitted)
    X, y, known = load_data(data, options["target"], fitted)
    collected = collect_report(
        {name: fitted},
        X,
        y,
        image_shape=options["image_shape"] or known.get("image_shape"),
        data_range=options["data_range"] or known.get("data_range"),
        eps=options["eps"],
        norm=np.inf if options["norm"] == "inf" else 2,
        n_samples=options["n_samples"],
        n_labels=options["labels"],
        random_state=options["seed"],
        n_jobs=options["jobs"],
        verbose=0 if options["quiet"] else bars(),
        title=f"Robustness of {name}",
        call=call,
        dataset=Path(data).name,
        progress=say,
    )
    _finish(collected, options["out"], options["json_out"], say, options["quiet"])
    finish_gates(
        judge(options["fail_under"], {name: _measured(collected)}),
        junit=options["junit"],
        command="report",
        seconds=say.seconds,
        quiet=options["quiet"],
    )


@skrobust.command(epilog=CODES)
@click.option(
    "--out",
    default="skrobust-demo.html",
    show_default=True,
    callback=checked_out,
    help="The HTML file.",
)
@click.option("--json", "json_out", callback=checked_out, help="A JSON twin.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option("--quick", is_flag=True, help="Train less and score fewer rows.")
def demo(out, json_out, seed, quick):
    """Train two models on handwritten digits and write a report about them."""
    say = Progress()
    call = _call("demo", options={"out": out, "seed": seed, "quick": quick})
    collected = run_demo(seed, quick=quick, call=call, progress=say, verbose=bars())
    _finish(collected, out, json_out, say, quiet=False)


@skrobust.command(epilog=CODES)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def doctor(ctx, as_json):
    """Say what is installed, which devices there are, and what is missing.

    Exits with 1 where something that the commands need is missing; optional packages
    do not count.
    """
    facts = doctor_facts()
    if as_json:
        write_result("-", facts)
    else:
        click.echo(doctor_text(facts))
    ctx.exit(0 if facts["ok"] else 1)


@skrobust.command(epilog=CODES)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell):
    """Print what makes a SHELL complete commands and options with the tab key.

    \b
    Examples:
      eval "$(skrobust completion bash)"   # in ~/.bashrc; zsh alike in ~/.zshrc
      skrobust completion fish > ~/.config/fish/completions/skrobust.fish
    """  # noqa: D301
    kind = get_completion_class(shell)
    maker = kind(skrobust, {}, "skrobust", "_SKROBUST_COMPLETE")
    # The template alone: source() of bash asks the bash that is installed here.
    click.echo(maker.source_template % maker.source_vars())


for _command in (sample, label, attack, compare, perturb):
    skrobust.add_command(_command)


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
    attacked = [row[name]["value"] for name in ("FGSM", "PGD") if row[name]]
    return {**found, "robust_accuracy": min(attacked, default=None)}


def _finish(collected, out, json_out, say, quiet):
    say("writing the report")
    twin = None if json_out == "-" else json_out
    written = write_report(collected, out, json_out=twin)
    if json_out == "-":
        click.echo(to_json(collected), nl=False)
        return
    if quiet:
        return
    click.echo(summary_text(collected))
    click.echo(f"report: {written.path}")
    if written.json_path is not None:
        click.echo(f"json: {written.json_path}")
    click.echo(f"total: {say.seconds:.1f} s")


def _call(command, *arguments, options):
    words = ["skrobust", command, *arguments]
    for name, value in options.items():
        option = "--json" if name == "json_out" else f"--{name.replace('_', '-')}"
        if value is True:
            words.append(option)
        elif name == "fail_under":
            words.extend(w for m, b in value for w in (option, f"{m}={b:g}"))
        elif name == "trust":
            words.extend(word for kind in value for word in (option, kind))
        elif isinstance(value, tuple):
            words.append(f"{option}={','.join(f'{v:g}' for v in value)}")
        elif value is not None and value is not False:
            words.extend([option, f"{value}"])
    return shlex.join(words)
