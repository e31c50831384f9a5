"""Command ``skrobust perturb``: perturbed copies of a table or a folder of images."""

import json
import os
import re
from pathlib import Path

import click

from skrobust._sealed import SEAL, Damaged, bytes_digest, file_digest, open_seal, seal
from skrobust._whole_file import write_text_whole
from skrobust.cli import options as shared
from skrobust.cli.exit_codes import UserError
from skrobust.cli.finished_parts import say_on_interrupt
from skrobust.cli.option_types import Name, check_settings
from skrobust.cli.table_file import PARQUET
from skrobust.cli.terminal_text import Progress
from skrobust.cli.thresholds import write_json
from skrobust.cli.written_files import WrittenFiles

MANIFEST = "skrobust-perturb.json"
JOURNAL = "skrobust-perturb.journal"  # of a run that is not complete


def perturbation_classes():
    """Return the public perturbations by their names."""
    from skrobust import perturbations
    from skrobust.report.core.public_classes import public_classes

    return public_classes(perturbations, "severity")


@shared.command(short_help="Write perturbed copies of a table or images.")
@click.argument("source")
@shared.option("--out", "Folder of the copies.", required=True, metavar="FOLDER")
@shared.preset_option("A list of conditions.")
@shared.option("--perturbation", "A single perturbation.", Name(perturbation_classes))
@shared.option("--severity", "Severity of --perturbation.", click.FloatRange(0, 5))
@shared.set_option(
    "A setting of the perturbation or the preset, such as sd=0.5; may be repeated."
)
@shared.columns("--target", "A column to copy unchanged; may be repeated.")
@shared.TRAIN
@shared.SEED
@shared.option(
    "--batch-size",
    "Rows in memory at a time. SOURCE is then a parquet or npy file, and what learns "
    "scales needs --x-train.",
    shared.COUNT,
)
@shared.flag("--force", "Write over the content of the folder.")
@shared.flag("--json as_json", "Print what was done as JSON.")
@shared.QUIET
def perturb(source, **options):
    """Write perturbed copies of SOURCE, a table or an image folder.

    A table is a csv, parquet, npz or npy file. Each condition of a preset has a folder
    of its own; file names stay. In an npz file X is perturbed and everything else is
    copied. After Ctrl-C the same command continues: files that are there as they were
    written, by their SHA-256, are kept, and all others are made again. The manifest in
    the folder lists them.

    \b
    Examples:
      skrobust perturb rows.csv --target y --perturbation FeatureNoise --severity 3 \\
          --out noisy
      skrobust perturb photos --preset cifar_c --out photos-c
    """  # noqa: D301
    from skrobust.cli.perturbed_copies import (
        copy_folder,
        copy_table,
        rows_to_learn_from,
    )

    say = Progress(options["quiet"])
    path, out = Path(source), Path(options["out"])
    if not path.exists():
        raise UserError(f"There is no table or folder {source!r}.")
    if bool(options["preset"]) == bool(options["perturbation"]):
        raise UserError("Give one of --preset and --perturbation.")
    conditions = _conditions(options)
    _check_place(path, out)
    batch_size = options["batch_size"]
    is_one = path.is_file() and path.suffix.lower() in (*PARQUET, ".npy")
    if batch_size is not None and not is_one:
        raise UserError(
            f"--batch-size reads one parquet or npy file, and {path.name!r} is none: "
            "leave it out."
        )
    facts = {
        "format": "skrobust perturb 2",
        "source": str(path.resolve()),
        "digest": _digest_of(path),
        "conditions": [repr(one) for _, one in conditions],
        "target": list(options["target"]),
        "x_train": options["x_train"],
        "x_train_digest": options["x_train"] and _digest_of(Path(options["x_train"])),
        "seed": options["seed"],
    }
    done = _begin(out, facts, options["force"])
    say_on_interrupt("interrupted; go on with")
    if path.is_dir():
        if options["target"] or options["x_train"]:
            raise UserError("--target and --x-train apply to tables only.")
        written, notes = copy_folder(path, conditions, out, done, say)
    elif batch_size is not None:
        from skrobust.cli.batched_copies import copy_in_batches

        x_train, target = options["x_train"], options["target"]
        X_ref = None if x_train is None else rows_to_learn_from(x_train, target)
        how = X_ref, batch_size, out, done, say
        written, notes = copy_in_batches(path, conditions, target, *how)
    else:
        columns = options["target"], options["x_train"]
        written, notes = copy_table(path, conditions, *columns, out, done, say)
    _write_manifest(out, {**facts, "complete": True, "files": done.digests})
    done.journal.unlink()
    if options["as_json"]:
        write_json("-", {**facts, "written": written, "notes": notes})
    elif not options["quiet"]:
        for note in notes:
            click.echo(f"note: {note}")
        n = len(conditions)
        files = f"{written} {'file' if written == 1 else 'files'}"
        several = f"{n} {'condition' if n == 1 else 'conditions'}"
        click.echo(f"{files} written to {out}, {several}")


def _conditions(options):
    from skrobust import perturbations
    from skrobust.report.core.public_classes import parameter_names

    settings = {}
    for name, value in options["settings"]:
        settings[name] = tuple(value) if isinstance(value, list) else value
    settings.setdefault("random_state", options["seed"])
    if options["preset"]:
        if options["severity"] is not None:
            raise UserError("--severity needs --perturbation; use --set severities=.")
        found = perturbations.get_preset(options["preset"], **settings)
        return [(re.sub(r"[^\w.+-]", "_", one.name), one) for one in found]
    kind = perturbation_classes()[options["perturbation"]]
    check_settings(f"{kind.__name__} has", settings, parameter_names(kind))
    if options["severity"] is not None:
        settings["severity"] = options["severity"]
    return [("", kind(**settings))]


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
    """Return the files that are kept, as the same work was interrupted."""
    own = {MANIFEST, JOURNAL}  # a run that failed at once leaves only these
    written = out.is_dir() and {p.name for p in out.iterdir()} - own
    journal, known = out / JOURNAL, {**facts, "complete": False}
    if written and not force and _manifest(out) != known:
        raise UserError(
            f"{str(out)!r} is not empty; name another folder, or write over it with "
            "--force."
        )
    out.mkdir(parents=True, exist_ok=True)
    if force or not written:
        journal.unlink(missing_ok=True)
    _write_manifest(out, known)
    return WrittenFiles(out, journal, bytes_digest(json.dumps(known).encode()))


def _manifest(out):
    """Return what the manifest of a folder says; None where it has none of ours."""
    try:
        facts = json.loads((out / MANIFEST).read_bytes())
        return open_seal(facts, repr(MANIFEST)) if SEAL in facts else None
    except Damaged as error:
        cure = "Name another folder, or write over it with --force."
        raise UserError(f"{str(out)!r}: {error} {cure}") from None
    except (OSError, ValueError, TypeError):
        return None


def _write_manifest(out, facts):
    text = json.dumps(seal(facts), indent=1)
    write_text_whole(out / MANIFEST, text, is_named=False)


def _digest_of(path):
    """Return the digest of a table, or of the names and contents of a folder."""
    if path.is_file():
        return file_digest(path)
    if not path.is_dir():
        return None  # which is said where it is read
    from skrobust.cli.image_input import list_images

    marks = [(name.as_posix(), file_digest(path / name)) for name in list_images(path)]
    return bytes_digest(json.dumps(marks).encode())
