"""Bars that a model must reach, for continuous integration."""

import json
import math
import re
import xml.etree.ElementTree as ET

import click

from skrobust.cli.exit_codes import UserError
from skrobust.cli.options import checked_out
from skrobust.cli.labelling.labelling_session import write_whole
from skrobust.report.strict_json import to_plain

# Of a report; bars of other commands have their own.
MEASURES = ("accuracy", "robust_accuracy", "robust_ratio", "asi", "normalized")


class GateFailed(UserError):
    """A model is below a bar: exit code 1."""

    exit_code = 1


class Gate(click.ParamType):
    """A bar such as ``asi=0.9``.

    Parameters
    ----------
    measures : tuple of str
        What the command measures.
    """

    name = "measure=value"

    def __init__(self, measures=MEASURES):
        self.measures = measures

    def convert(self, value, param, ctx):
        """Return the measure and the bar."""
        if isinstance(value, tuple):
            return value
        measure, _, text = value.partition("=")
        measure = measure.strip().replace("-", "_").lower()
        if measure not in self.measures:
            self.fail(f"{value!r} names none of {', '.join(self.measures)}.")
        try:
            bar = float(text)
        except ValueError:
            bar = math.nan
        if not math.isfinite(bar) or bar > 1:
            self.fail(f"{value!r} needs a number of at most 1, as in {measure}=0.9.")
        return measure, bar


def gate_options(*measures):
    """Return the decorator that adds ``--fail-under`` and ``--junit``."""

    def add(command):
        command = click.option(
            "--junit",
            callback=checked_out,
            metavar="FILE",
            help="JUnit XML: each bar of --fail-under is a test case.",
        )(command)
        return click.option(
            "--fail-under",
            type=Gate(measures),
            multiple=True,
            metavar="MEASURE=BAR",
            help=f"Exit with 1 where a model is below; one of {', '.join(measures)}; "
            "may be repeated.",
        )(command)

    return add


def judge(gates, measured):
    """Judge each model by each bar.

    Parameters
    ----------
    gates : sequence of (str, float)
        Measure and bar.
    measured : dict of str to dict
        The measures of each model; None or NaN is not measured, and does not pass.

    Returns
    -------
    list of dict
        ``model``, ``measure``, ``bar``, ``value`` and ``passed``.
    """
    verdicts = []
    for model, values in measured.items():
        for measure, bar in gates:
            value = values.get(measure)
            known = value is not None and math.isfinite(value)
            verdicts.append({
                "model": model,
                "measure": measure,
                "bar": bar,
                "value": float(value) if known else None,
                "passed": bool(known and value >= bar),
            })  # fmt: skip
    return verdicts


def sentence(verdict):
    """Return a verdict as a line."""
    value = verdict["value"]
    found = "not measured" if value is None else f"{value:.4g}"
    word = "passed" if verdict["passed"] else "FAILED"
    model, measure, bar = (verdict[key] for key in ("model", "measure", "bar"))
    return f"gate {word}: {measure} of {model} is {found} (bar {bar:g})"


def write_junit(path, verdicts, command, seconds):
    """Write the verdicts as JUnit XML, one test case each."""
    failed = [v for v in verdicts if not v["passed"]]
    errors = [v for v in failed if v["value"] is None]
    suite = ET.Element(
        "testsuite",
        name=f"skrobust {command}",
        tests=str(len(verdicts)),
        failures=str(len(failed) - len(errors)),
        errors=str(len(errors)),
        skipped="0",
        time=f"{seconds:.3f}",
    )
    for verdict in verdicts:
        case = ET.SubElement(
            suite,
            "testcase",
            classname=_legal(f"skrobust.{command}.{verdict['model']}"),
            name=f"{verdict['measure']} >= {verdict['bar']:g}",
            time="0",
        )
        if not verdict["passed"]:
            kind = "error" if verdict["value"] is None else "failure"
            ET.SubElement(case, kind, message=_legal(sentence(verdict)), type="gate")
    root = ET.Element("testsuites")
    root.append(suite)
    ET.indent(root)
    text = ET.tostring(root, encoding="unicode")
    write_whole(path, f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n')


def _legal(text):
    # XML has no place for control characters, half surrogates and two noncharacters.
    return re.sub("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "?", text)


def finish_gates(verdicts, *, junit, command, seconds, quiet):
    """Write and print the verdicts, and raise where one failed."""
    if junit:
        write_junit(junit, verdicts, command, seconds)
    failed = [sentence(v) for v in verdicts if not v["passed"]]
    if not quiet:
        for verdict in verdicts:
            if verdict["passed"]:
                click.echo(sentence(verdict), err=True)
    if failed:
        raise GateFailed("; ".join(failed))


def write_result(target, facts):
    """Write facts as strict JSON to a file, or to stdout for ``-``."""
    text = json.dumps(to_plain(facts), indent=1, allow_nan=False) + "\n"
    if target == "-":
        click.echo(text, nl=False)
    else:
        write_whole(target, text)
