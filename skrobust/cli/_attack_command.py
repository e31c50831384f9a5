"""``skrobust attack``: robust accuracy and robust ratio of one model."""

import warnings
from pathlib import Path

import click
import numpy as np
from sklearn.base import clone

from skrobust import attacks
from skrobust._containers import to_array
from skrobust.cli._data import load_data
from skrobust.cli._errors import UserError
from skrobust.cli._gates import finish_gates, gate_options, judge, write_result
from skrobust.cli._model import load_model
from skrobust.cli._options import (
    CODES,
    MODEL_OPTIONS,
    Setting,
    checked_out,
    with_options,
)
from skrobust.cli._resume import bar, parts_folder
from skrobust.cli._session import write_bytes_whole
from skrobust.cli._text import Progress, aligned, interval_text
from skrobust.evaluation import check_evaluation, evaluate_attack
from skrobust.evaluation._checkpoint import Checkpoint
from skrobust.report._facts import kind_of, versions
from skrobust.report._log import Log, one_line
from skrobust.report._summary import TOLERANCE, ratio_at


def attack_names():
    """Return the attacks that a command line can make, by name; bases have no eps."""
    public = {name: getattr(attacks, name) for name in attacks.__all__}
    return {
        name: kind
        for name, kind in public.items()
        if hasattr(kind, "perturb") and "eps" in kind._get_param_names()
    }


class AttackName(click.ParamType):
    """The name of a public attack, in any case."""

    name = "name"

    def convert(self, value, param, ctx):
        """Return the name as the class has it, or say which there are."""
        for name in attack_names():
            if name.lower() == value.lower():
                return name
        return self.fail(f"{value!r} is none of {', '.join(attack_names())}.")

    def shell_complete(self, ctx, param, incomplete):
        """Return the names that begin like this."""
        from click.shell_completion import CompletionItem

        return [
            CompletionItem(name)
            for name in attack_names()
            if name.lower().startswith(incomplete.lower())
        ]


class Sizes(click.ParamType):
    """One or several positive numbers with commas between."""

    name = "a,b,..."

    def convert(self, value, param, ctx):
        """Return a tuple of floats."""
        if isinstance(value, tuple):
            return value
        try:
            sizes = tuple(float(part) for part in value.split(","))
        except ValueError:
            sizes = ()
        if not sizes or not all(0 < size < np.inf for size in sizes):
            self.fail(f"{value!r} is not positive numbers with commas between.")
        return sizes


ATTACK_OPTIONS = (
    click.option(
        "--attack",
        "names",
        type=AttackName(),
        multiple=True,
        default=("PGD",),
        show_default=True,
        help="An attack; may be repeated.",
    ),
    click.option(
        "--norm", type=click.Choice(["inf", "2", "1"]), default="inf", show_default=True
    ),
    click.option(
        "--set",
        "settings",
        type=Setting(),
        multiple=True,
        metavar="NAME=VALUE",
        help="A setting of the attacks that have it, such as n_steps=100.",
    ),
)


def build_attack(name, eps, options, known):
    """Return an attack with the settings of the command that it has."""
    kind = attack_names()[name]
    has = kind._get_param_names()
    shape = options["image_shape"] or known.get("image_shape")
    wanted = {
        "eps": eps,
        "norm": np.inf if options["norm"] == "inf" else int(options["norm"]),
        "data_range": options["data_range"] or known.get("data_range"),
        "image_shape": shape,
        "random_state": options["seed"],
        **dict(options["settings"]),
    }
    return kind(**{key: value for key, value in wanted.items() if key in has})


def check_settings(names, settings):
    """Raise for a setting that none of the attacks has."""
    taken = {"eps", "norm", "data_range", "image_shape", "random_state"}
    kinds = attack_names()
    has = set().union(*(kinds[name]._get_param_names() for name in names)) - taken
    for name, _ in settings:
        if name not in has:
            raise UserError(
                f"--set: {' and '.join(names)} have no setting {name!r}; there are "
                f"{', '.join(sorted(has))}."
            )


@click.command(epilog=CODES)
@click.argument("model")
@click.argument("data")
@click.option(
    "--eps",
    type=Sizes(),
    required=True,
    help="Size of the attacks in units of the raw input; several with commas between.",
)
@with_options(ATTACK_OPTIONS)
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
@gate_options("accuracy", "robust_accuracy", "robust_ratio")
def attack(model, data, **options):
    """Attack a fitted MODEL on DATA and say how much of its accuracy is left.

    Bars of --fail-under are held against the worst of all attacks and sizes. What an
    attack finds is an upper bound of the true robustness.

    \b
    Example:
      skrobust attack model.skops digits --eps 0.5,1 --attack FGSM --attack PGD \\
          --save adv.npz --fail-under robust_accuracy=0.3
    """  # noqa: D301
    say = Progress(options["quiet"])
    names = list(dict.fromkeys(options["names"]))
    check_settings(names, options["settings"])
    say(f"loading {model}")
    fitted = load_model(
        model, trust=options["trust"], allow_pickle=options["allow_pickle"]
    )
    name = Path(model).stem
    if kind_of(name, fitted) != "classifier":
        raise UserError(f"{name!r} is a regressor; skrobust attack takes classifiers.")
    X, y, known = load_data(data, options["target"], fitted)
    jobs = [(kind, eps) for kind in names for eps in options["eps"]]
    made = [build_attack(kind, eps, options, known) for kind, eps in jobs]
    log, rows, saved = Log(), [], {}
    settings = [str(model), str(data), [repr(a) for a in made], options["target"]]
    with parts_folder(options["checkpoint"], "attack", settings, say) as parts:
        todo = list(zip(jobs, made, strict=True))
        for (kind, eps), one in bar(todo, "attacks", options["quiet"]):
            say(f"{kind}, eps {eps:g}")
            section = f"{kind}, eps {eps:g}"
            found = log.run(
                name, section, evaluate_attack, fitted, X, y, one, checkpoint=parts
            )
            if found is None:
                continue
            rows.append(_row(kind, eps, found))
            if options["save"]:
                saved[f"adv_{kind}_{eps:g}"] = examples(fitted, one, X, y, parts)
    if not rows:
        raise UserError(log.skipped[0]["reason"])
    doubts = _doubts(made, fitted, X, y, say, rows) if options["checks"] else []
    facts = {
        "format": "skrobust attack 1",
        "model": name,
        "data": str(data),
        "seed": options["seed"],
        "norm": options["norm"],
        "n_samples": len(y),
        "attacks": rows,
        "doubts": doubts,
        "skipped": log.skipped,
        "warnings": log.warnings,
        "versions": versions(),
    }
    verdicts = judge(options["fail_under"], {name: _worst(rows)})
    facts["gates"] = verdicts
    if options["save"]:
        write_bytes_whole(
            options["save"], lambda f: np.savez(f, X=plain(X), y=y, **saved)
        )
    if options["json_out"]:
        write_result(options["json_out"], facts)
    if not options["quiet"] and options["json_out"] != "-":
        click.echo(_text(facts, options["verbose"]))
    finish_gates(
        verdicts,
        junit=options["junit"],
        command="attack",
        seconds=say.seconds,
        quiet=options["quiet"],
    )


def plain(X):
    """Return rows as an array that a file without pickles can hold."""
    values = np.asarray(to_array(X))
    return values.astype(str) if values.dtype.kind == "O" else values


def examples(model, one, X, y, parts):
    """Return the adversarial examples of an attack on the label, kept as a part."""
    if "objective" in one.get_params(deep=False):
        one = clone(one).set_params(objective="misclassification")
    store = Checkpoint(parts, "attack")
    key = store.key(store.prefix(model, X, y), "examples", one)
    return store.run(key, lambda: plain(one.perturb(model, X, y)))


def _row(kind, eps, found):
    row = {
        "attack": kind,
        "eps": eps,
        "accuracy": found["clean_accuracy"],
        "accuracy_interval": found["clean_accuracy_interval"],
        "robust_accuracy": found["robust_accuracy"],
        "robust_accuracy_interval": found["robust_accuracy_interval"],
        "constant_model_accuracy": found["constant_model_accuracy"],
        "robust_ratio": None,
        "robust_ratio_interval": None,
        "tolerance": TOLERANCE,
        "skipped": found.get("skipped"),
    }
    for mode in ("probability_shift", "given"):
        cell = ratio_at(found, mode, TOLERANCE)
        if cell is not None:
            row["robust_ratio"] = cell["value"]
            row["robust_ratio_interval"] = cell["interval"]
    return row


def _worst(rows):
    ratios = [r["robust_ratio"] for r in rows if r["robust_ratio"] is not None]
    return {
        "accuracy": rows[0]["accuracy"],
        "robust_accuracy": min(row["robust_accuracy"] for row in rows),
        "robust_ratio": min(ratios, default=None),
    }


def _doubts(made, model, X, y, say, rows):
    done = {row["attack"] for row in rows}
    last = {type(one).__name__: one for one in made if type(one).__name__ in done}
    found = []
    for kind, one in last.items():
        say(f"{kind}: checks")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                doubts = check_evaluation(model, X, y, one)
        except Exception as error:  # a check that cannot be made is no failure
            text = f"The checks could not be made: {one_line(error)}"
            found.append({"attack": kind, "code": "UNCHECKED", "sentence": text})
            continue
        for doubt in doubts:
            found.append({
                "attack": kind,
                "code": doubt.code,
                "sentence": doubt.sentence,
                "numbers": doubt.numbers,
            })  # fmt: skip
    return found


def _text(facts, verbose):
    table = [["attack", "eps", "clean accuracy", "robust accuracy",
              f"robust ratio at {TOLERANCE:g}"]]  # fmt: skip
    for row in facts["attacks"]:
        cells = [
            interval_text(row[key], row[f"{key}_interval"])
            for key in ("accuracy", "robust_accuracy", "robust_ratio")
        ]
        table.append([row["attack"], f"{row['eps']:g}", *cells])
    lines = aligned(table)
    constant = facts["attacks"][0]["constant_model_accuracy"]
    lines.append(
        f"{facts['n_samples']} rows; 95 % intervals; always the largest class "
        f"gives {constant:.3f}"
    )
    for row in facts["skipped"]:
        lines.append(f"skipped {row['section']}: {row['reason']}")
    for row in facts["doubts"]:
        lines.append(f"doubt ({row['attack']}): {row['code']}: {row['sentence']}")
    if verbose:
        lines += [f"warning ({w['section']}): {w['text']}" for w in facts["warnings"]]
    elif facts["warnings"]:
        lines.append(f"{len(facts['warnings'])} warnings; --verbose prints them")
    return "\n".join(lines)
