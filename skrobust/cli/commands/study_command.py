"""Command ``skrobust study``: published comparisons on data of your own."""

import click

from skrobust.cli import options as shared
from skrobust.cli.exit_codes import CODES, CommandGroup, UserError
from skrobust.cli.finished_parts import say_on_interrupt
from skrobust.cli.option_types import Name
from skrobust.cli.terminal_text import Progress, aligned, wrapped

_SHOWN = (5, 20)  # hundredths


@click.group(cls=CommandGroup, epilog=CODES, short_help="Repeat a published study.")
def study():
    """Repeat a published study on data of your own."""


def _pairs(ctx, param, values):
    """Return ``NAME=VALUE`` options as a dictionary with the full names."""
    out, names = {}, Name(lambda: _detectors())
    for text in values:
        name, is_pair, value = text.partition("=")
        if not is_pair or not value:
            raise click.BadParameter(f"{text!r} is not NAME=VALUE.")
        out[names.convert(name, param, ctx)] = value
    return out


@study.command(epilog=CODES, short_help="Deepfake detectors: RA against RR.")
@shared.option("--out", "Folder of the results.", required=True, metavar="FOLDER")
@shared.option("--ffpp", "Folder of FaceForensics++.", metavar="FOLDER")
@shared.option("--celeb-df", "Folder of Celeb-DF v2.", metavar="FOLDER")
@shared.option("--uadfv", "Folder of UADFV.", metavar="FOLDER")
@shared.option(
    "--folder", "Folder of images or videos, <label>/<clip>...", metavar="FOLDER"
)
@shared.option(
    "--metadata", "CSV table of the images of --folder: path, label, group, clip."
)
@shared.option(
    "--source",
    "Whether the three sets are read from videos or from extracted images.",
    click.Choice(["videos", "images"]),
    default="videos",
)
@shared.option(
    "--compression",
    "Which videos of FaceForensics++.",
    click.Choice(["raw", "c0", "c23", "c40"]),
    default="c23",
)
@shared.option(
    "--split",
    "Only the published test clips of FaceForensics++ and Celeb-DF v2.",
    click.Choice(["test"]),
)
@shared.flag("--cropped", "The images show faces that are cut out already.")
@shared.option(
    "--face-model", "File of a YuNet model; default: OpenCV's cascade.", metavar="FILE"
)
@shared.option("--groups", "CSV table of groups: group, and clip or origin.")
@shared.option(
    "--group-faces",
    "Folder of further real faces, cut out already, <group>/<image>.",
    metavar="FOLDER",
)
@shared.repeated(
    "--detector detectors",
    "A detector; may be repeated.  [default: Meso4, MesoInception4, ResNet34]",
    Name(lambda: _detectors()),
)
@shared.repeated(
    "--weights",
    "Weights of a detector, such as Meso4=Meso4_DF.h5; may be repeated. A detector "
    "without weights is trained on half of the videos.",
    metavar="NAME=FILE",
    callback=_pairs,
)
@shared.repeated(
    "--order orders",
    "Order of the outputs of given weights, such as Xception=real,fake.",
    metavar="NAME=A,B",
    callback=_pairs,
)
@shared.flag("--quick", "A check that all runs, in minutes on two cores.")
@shared.flag("--full", "All budgets and many clips; for a GPU.")
@shared.option("--n-clips", "Most clips of each label and set.", shared.COUNT)
@shared.option("--n-frames", "Frames that are read of each clip.", shared.COUNT)
@shared.option(
    "--n-test-frames", "Those of them that are tested of each clip.", shared.COUNT
)
@shared.option("--n-steps", "Steps of the attacks of many steps.", shared.COUNT)
@shared.option("--n-epochs", "Epochs of training.", shared.COUNT)
@shared.option("--clips/--no-clips", "Attack the score of whole clips.", default=True)
@shared.option(
    "--chains/--no-chains", "Pass the clips through encodings.", default=True
)
@shared.option("--device", "Device of torch.", default="auto")
@shared.SEED
@shared.QUIET
def deepfake(out, **options):
    """Compare deepfake detectors by robust accuracy and robust ratio.

    Faces are cut from the frames of FaceForensics++, Celeb-DF v2, UADFV or a folder of
    your own; detectors are attacked by FGSM, PGD, Carlini-Wagner and the probability
    shift, and compared over tolerances from 0 to 0.2, on images, clips and groups.
    FOLDER/report.html shows the results. After Ctrl-C, or when the machine stopped, the
    same command continues.

    \b
    Examples:
      skrobust study deepfake --uadfv UADFV --weights Meso4=Meso4_DF.h5 \\
          --weights MesoInception4=MesoInception_DF.h5 --out study
      skrobust study deepfake --folder faces --cropped --quick --out study
    """  # noqa: D301
    from skrobust.studies import deepfake_study

    say = Progress(options.pop("quiet"))
    quick, full = options.pop("quick"), options.pop("full")
    if quick and full:
        raise UserError("Give one of --quick and --full.")
    orders = {
        name: tuple(value.split(",")) for name, value in options.pop("orders").items()
    }
    detectors = options.pop("detectors")
    if detectors:
        options["detectors"] = detectors
    say_on_interrupt(f"interrupted; finished parts are in {out!r}. Go on with")
    results = deepfake_study(
        out,
        orders=orders,
        size="quick" if quick else "full" if full else "default",
        random_state=options.pop("seed"),
        progress=say,
        verbose=int(say.has_bars),
        **options,
    )
    if say.is_quiet:
        return
    click.echo("\n".join(_lines(results)))
    click.echo(f"report written to {out}/report.html")


def _lines(results):
    """Return the results as lines: a table, and the findings."""
    from skrobust.report.core.number_text import number
    from skrobust.studies.study_page import ATTACK_NAMES, budget_text

    heads = [f"RR({k / 100:.2f})" for k in _SHOWN]
    table = [["attack", "budget", "detector", "RA", *heads]]
    for cell in results["cells"]:
        attack = ATTACK_NAMES.get(cell["attack"], cell["attack"])
        row = [attack, budget_text(cell), cell["detector"]]
        row.append(number(cell["accuracy"]["value"], 2))
        table.append([*row, *(number(cell["images"]["ratio"][k], 2) for k in _SHOWN)])
    lines = aligned(table)
    for finding in results["findings"]:
        counts = f"for {finding['n_for']}, against {finding['n_against']}"
        lines.append(wrapped(f"{finding['claim']} {counts}, of {finding['n']}"))
    return lines


def _detectors():
    from skrobust.studies.study_sizes import DETECTORS

    return DETECTORS
