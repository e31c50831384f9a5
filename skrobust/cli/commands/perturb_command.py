"""``skrobust perturb``: perturbed copies of a table or a folder of images."""

import inspect
import json
import os
from pathlib import Path

import click

from skrobust import perturbations
from skrobust.cli.perturbed_copies import copy_folder, copy_table
from skrobust.cli.exit_codes import UserError
from skrobust.cli.thresholds import write_result
from skrobust.cli.options import (
    CODES,
    PRESETS,
    SEED_OPTION,
    TRAIN_OPTION,
    Setting,
)
from skrobust.cli.labelling.pool_source import digest_of
from skrobust.cli.finished_parts import again, say_on_interrupt
from skrobust.cli.labelling.labelling_session import write_whole
from skrobust.cli.terminal_text import Progress

MANIFEST = "skrobust-perturb.json"


def perturbation_names():
    """Return the public perturbations with a severity, by name."""
    public = {name: getattr(perturbations, name) for name in perturbations.__all__}
    return {
        name: kind
        for name, kind in public.items()
        if inspect.isclass(kind)
        and "severity" in inspect.signature(kind).parameters
        and not inspect.isabstract(kind)
    }


class PerturbationName(click.ParamType):
    """The name of a public perturbation, in any case."""

    name = "name"

    def convert(self, value, param, ctx):
        """Return the name as the class has it, or say which there are."""
        for name in perturbation_names():
            if name.lower() == value.lower().replace("_", "").replace("-", ""):
                return name
        return self.fail(f"{value!r} is none of {', '.join(perturbation_names())}.")

    def shell_complete(self, ctx, param, incomplete):
        """Return the names that begin like this."""
        from click.shell_completion import CompletionItem

        return [
            CompletionItem(name)
            for name in perturbation_names()
            if name.lower().startswith(incomplete.lower())
        ]


@click.command(epilog=CODES, short_help="Write perturbed copies of a table or images.")
@click.argument("source")
@click.option("--out", required=True, metavar="FOLDER", help="Where copies go.")
@click.option("--preset", type=click.Choice(PRESETS), help="A list of conditions.")
@click.option("--perturbation", type=PerturbationName(), help="A single one.")
@click.option("--severity", type=click.FloatRange(0, 5), help="Of --perturbation.")
@click.option(
    "--set",
    "settings",
    type=Setting(),
    multiple=True,
    metavar="NAME=VALUE",
    help="A setting of the perturbation or the preset, such as sd=0.5; may be "
    "repeated.",
)
@click.option(
    "--target",
    multiple=True,
    metavar="COLUMN",
    help="A column to copy as it is, such as the label; may be repeated.",
)
@TRAIN_OPTION
@SEED_OPTION
@click.option("--force", is_flag=True, help="Write over what is in the folder.")
@click.option("--json", "as_json", is_flag=True, help="Print what was done as JSON.")
@click.option("--quiet", is_flag=True, help="Print nothing but errors.")
def perturb(source, **options):
    """Write perturbed copies of SOURCE, a table (csv, parquet, npz) or image folder.

    Each condition of a preset has a folder of its own; file names stay. In an npz file
    X is perturbed and all else is copied. After Ctrl-C the same command goes on.

    \b
    Examples:
      skrobust perturb rows.csv --target y --perturbation FeatureNoise --severity 3 \\
          --out noisy
      skrobust perturb photos --preset cifar_c --out photos-c
    """  # noqa: D301
    say = Progress(options["quiet"])
    path, out = Path(source), Path(options["out"])
    if not path.exists():
        raise UserError(f"There is no table or folder {source!r}.")
    if bool(options["preset"]) == bool(options["perturbation"]):
        raise UserError("Give one of --preset and --perturbation.")
    conditions = _conditions(options)
    _check_place(path, out)
    facts = {
        "format": "skrobust perturb 1",
        "source": str(path.resolve()),
        "digest": None if path.is_dir() else digest_of(path),
        "conditions": [repr(one) for _, one in conditions],
        "target": list(options["target"]),
        "x_train": options["x_train"],
        "seed": options["seed"],
    }
    done = _begin(out, facts, options["force"])
    say_on_interrupt(f"interrupted; go on with: {again()}")
    work = {"out": out, "done": done, "say": say, "quiet": options["quiet"]}
    if path.is_dir():
        if options["target"] or options["x_train"]:
            raise UserError("--target and --x-train are of tables.")
        written, notes = copy_folder(path, conditions, **work)
    else:
        written, notes = copy_table(
            path,
            conditions,
            target=options["target"],
            x_train=options["x_train"],
            **work,
        )
    write_whole(out / MANIFEST, json.dumps({**facts, "complete": True}, indent=1))
    if options["as_json"]:
        write_result("-", {**facts, "written": written, "notes": notes})
    elif not options["quiet"]:
        for note in notes:
            click.echo(f"note: {note}")
        files, several = f"{written} file", f"{len(conditions)} condition"
        files += "s" * (written != 1)
        click.echo(f"{files} written to {out}, {several}{'s' * (len(conditions) != 1)}")


def _conditions(options):
    settings = dict(options["settings"])
    for name, value in settings.items():
        if isinstance(value, list):
            settings[name] = tuple(value)
    settings.setdefault("random_state", options["seed"])
    if options["preset"]:
        if options["severity"] is not None:
            raise UserError("--severity is of --perturbation; use --set severities=.")
        found = perturbations.get_preset(options["preset"], **settings)
        return [(_safe(one.name), one) for one in found]
    kind = perturbation_names()[options["perturbation"]]
    known = inspect.signature(kind).parameters
    for name in settings:
        if name not in known:
            raise UserError(
                f"--set: {kind.__name__} has no setting {name!r}; there are "
                f"{', '.join(known)}."
            )
    if options["severity"] is not None:
        settings["severity"] = options["severity"]
    return [("", kind(**settings))]


def _safe(name):
    return "".join(c if c.isalnum() or c in "-_.+" else "_" for c in name)


def _check_place(path, out):
    if out.is_file():
        raise UserError(f"{str(out)!r} is a file; name a folder.")
    inside = path.is_dir() and path.resolve() in (out.resolve(), *out.resolve().parents)
    if inside or out.resolve() == path.resolve().parent:
        raise UserError("--out must be a folder apart from the source.")
    here = out.resolve()
    while not here.exists():
        here = here.parent
    if not os.access(here, os.W_OK):
        raise UserError(f"{str(here)!r} may not be written to.")


def _begin(out, facts, force):
    """Return whether finished files are to be kept: the same work was interrupted."""
    manifest = out / MANIFEST
    going_on = False
    written = out.is_dir() and {p.name for p in out.iterdir()} - {MANIFEST}
    if written and not force:  # a run that failed at once leaves its note alone
        try:
            then = json.loads(manifest.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            then = {}
        if then.get("complete") or {**then, "complete": None} != {
            **facts,
            "complete": None,
        }:
            raise UserError(
                f"{str(out)!r} is not empty; name another folder, or write over it "
                "with --force."
            )
        going_on = True
    out.mkdir(parents=True, exist_ok=True)
    write_whole(manifest, json.dumps({**facts, "complete": False}, indent=1))
    return going_on
