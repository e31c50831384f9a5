"""Thresholds that a model must reach, for continuous integration."""

import math
import re
import xml.etree.ElementTree as ET

import click

from skrobust._whole_file import write_text_whole
from skrobust.cli.exit_codes import ThresholdMissed
from skrobust.cli.option_types import LateHelp
from skrobust.cli.options import output, repeated, with_options


class Threshold(click.ParamType):
    """A threshold such as ``asi=0.9``.

    Parameters
    ----------
    find : callable
        Returns the measures of the command.
    """

    name = "measure=value"

    def __init__(self, find):
        self.find = find

    def convert(self, value, param, ctx):
        """Return the measure and the threshold."""
        from skrobust.metrics.registry import find_metric

        if isinstance(value, tuple):
            return value
        measure, _, text = value.partition("=")
        measure = measure.strip().replace("-", "_").lower()
        if measure not in self.find():
            self.fail(f"{value!r} must name one of {', '.join(self.find())}.")
        try:
            threshold = float(text)
        except ValueError:
            threshold = math.nan
        spec = find_metric(measure)
        most = spec.bounds[1] if spec else 1
        if not math.isfinite(threshold) or threshold > most:
            self.fail(
                f"{value!r} needs a number of at most {most:g}, as in {measure}=0.9."
            )
        return measure, threshold


def threshold_options(find):
    """Return the decorator of ``--fail-under``, ``--fail-under-limit``, ``--junit``.

    ``find`` returns the measures of the command.
    """
    return with_options(
        repeated(
            "--fail-under",
            None,
            Threshold(find),
            cls=LateHelp,
            find_help=lambda: (
                "Exit with 1 where a model is below; one of "
                f"{', '.join(find())}; may be repeated."
            ),
            metavar="MEASURE=VALUE",
        ),
        repeated(
            "--fail-under-limit",
            "The same for the lower limit of the 95 % interval: exit with 1 unless the "
            "data show that the threshold is reached.",
            Threshold(find),
            metavar="MEASURE=VALUE",
        ),
        output("--junit", "JUnit XML: each threshold is a test case."),
    )


def judge(thresholds, measured, by="estimate"):
    """Decide for each model and each threshold whether the model reaches it.

    Parameters
    ----------
    thresholds : sequence of (str, float)
        Measure and threshold.
    measured : dict of str to dict
        The measures of each model; None or NaN is not measured, and does not pass.
    by : {"estimate", "lower limit"}, default="estimate"
        What the values are.

    Returns
    -------
    list of dict
        ``model``, ``measure``, ``by``, ``threshold``, ``value`` and ``passed``.
    """
    decisions = []
    for model, values in measured.items():
        for measure, threshold in thresholds:
            value = values.get(measure)
            known = value is not None and math.isfinite(value)
            decision = {"model": model, "measure": measure, "by": by}
            decision["threshold"] = threshold
            decision["value"] = float(value) if known else None
            decision["passed"] = bool(known and value >= threshold)
            decisions.append(decision)
    return decisions


def judge_both(measured, limits, options):
    """Judge values by ``--fail-under`` and lower limits by ``--fail-under-limit``."""
    decisions = judge(options["fail_under"], measured)
    return decisions + judge(options["fail_under_limit"], limits, "lower limit")


def message(decision):
    """Return a decision as a line."""
    value, is_limit = decision["value"], decision["by"] != "estimate"
    found = "not measured" if value is None else f"{value:.4g}"
    word = "passed" if decision["passed"] else "FAILED"
    what = "the lower 95 % limit of " * is_limit + decision["measure"]
    found = f"{what} of {decision['model']} is {found}"
    return f"threshold {word}: {found}, must be at least {decision['threshold']:g}"


def write_junit(path, decisions, command, seconds):
    """Write the decisions as JUnit XML, one test case each."""
    n_failed = sum(not decision["passed"] for decision in decisions)
    n_errors = sum(decision["value"] is None for decision in decisions)
    counts = {"tests": len(decisions), "failures": n_failed - n_errors}
    counts |= {"errors": n_errors, "skipped": 0, "time": f"{seconds:.3f}"}
    root = ET.Element("testsuites")
    suite = ET.SubElement(root, "testsuite", name=f"skrobust {command}")
    suite.attrib.update((name, str(value)) for name, value in counts.items())
    for decision in decisions:
        kind = _legal(f"skrobust.{command}.{decision['model']}")
        what = "" if decision["by"] == "estimate" else f"{decision['by']} of "
        name = f"{what}{decision['measure']} >= {decision['threshold']:g}"
        case = ET.SubElement(suite, "testcase", classname=kind, name=name, time="0")
        if not decision["passed"]:
            kind = "error" if decision["value"] is None else "failure"
            text = _legal(message(decision))
            ET.SubElement(case, kind, message=text, type="threshold")
    ET.indent(root)
    text = ET.tostring(root, encoding="unicode")
    write_text_whole(path, f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n')


def _legal(text):
    # XML has no place for control characters, half surrogates and two noncharacters.
    return re.sub("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "?", text)


def apply_thresholds(decisions, options, say):
    """Write and print the decisions, and raise where one failed."""
    if options["junit"]:
        command = click.get_current_context().command.name
        write_junit(options["junit"], decisions, command, say.seconds)
    for decision in decisions:
        if decision["passed"] and not options["quiet"]:
            click.echo(message(decision), err=True)
    failed = [message(decision) for decision in decisions if not decision["passed"]]
    if failed:
        raise ThresholdMissed("; ".join(failed))


def finish(facts, measured, limits, text, options, say):
    """Write and print the results of a command, and apply its thresholds.

    Parameters
    ----------
    facts : dict
        Results; the decisions are added as ``thresholds``.
    measured : dict of str to dict
        The measures of each model.
    limits : dict of str to dict
        Their lower 95 % limits.
    text : callable
        From facts and ``verbose`` to the lines for the terminal.
    options : dict
        Options of the command.
    say : Progress
        Clock of the command.
    """
    facts["thresholds"] = judge_both(measured, limits, options)
    if options["json_out"]:
        write_json(options["json_out"], facts)
    if not options["quiet"] and options["json_out"] != "-":
        click.echo(text(facts, options["verbose"]))
    apply_thresholds(facts["thresholds"], options, say)


def write_json(target, facts):
    """Write facts as strict JSON to a file, or to stdout for ``-``."""
    from skrobust.report.core.strict_json import strict_json

    if target == "-":
        click.echo(strict_json(facts), nl=False)
    else:
        write_text_whole(target, strict_json(facts))
