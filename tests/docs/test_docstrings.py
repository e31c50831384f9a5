"""Public docstrings say what a user must know."""

import importlib
import inspect

import pytest

validate = pytest.importorskip("numpydoc.validate").validate
FAMILIES = [
    "attacks",
    "base",
    "datasets",
    "evaluation",
    "metrics",
    "nets",
    "perturbations",
    "plots",
    "report",
    "sampling",
    "testing",
]
# Missing text, sections, parameters, or parameters in the wrong order.
RULES = {"GL08", "SS01", "SS03", "PR01", "PR02", "PR03", "PR04", "PR07", "RT01", "RT03"}
# These describe attributes instead of parameters, as their makers are functions.
MADE_BY_FUNCTIONS = {
    "AttackResult",
    "Estimate",
    "ImageSet",
    "LabelPlan",
    "NormalizedScorer",
    "Report",
    "Results",
    "SamplingEstimate",
    "SamplingResult",
}


def public():
    for family in FAMILIES:
        module = importlib.import_module(f"skrobust.{family}")
        for name in module.__all__:
            yield f"skrobust.{family}.{name}"
            thing = getattr(module, name)
            if inspect.isclass(thing):
                for method, value in vars(thing).items():
                    if not method.startswith("_") and inspect.isfunction(value):
                        yield f"skrobust.{family}.{name}.{method}"


@pytest.mark.parametrize("name", list(public()))
def test_docstring(name):
    report = validate(name)
    rules = RULES
    if name.split(".")[-1] in MADE_BY_FUNCTIONS:
        rules = RULES - {"PR01"}
    problems = [text for code, text in report["errors"] if code in rules]
    assert not problems
    is_method = len(name.split(".")) > 3
    if not is_method:
        assert ">>>" in (report["docstring"] or ""), f"{name} has no example"
