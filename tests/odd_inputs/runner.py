"""Odd inputs in every argument of every public call, counted."""

import collections
import inspect
import sys
import zlib
from dataclasses import dataclass
from functools import partial

import numpy as np
from odd_inputs import odd_arrays, odd_values
from odd_inputs.judge import attempt, judge, ours
from odd_inputs.odd_values import NO_PLAIN

# Arguments whose odd values are no concern of a reader: files and ways to compute.
LEFT_OUT = {"n_jobs", "verbose", "self", "cls", "ax", "axes", "session"}


# Calls that take long: one odd input of so many, the same in each run.
EVERY = {
    "attacks.ExactTree": 25,
    "attacks.HopSkipJump": 10,
    "attacks.RandomSearch": 8,
    "attacks.Square": 10,
    "attacks.ZOO": 8,
    "attacks.CarliniWagner": 5,
    "attacks.FAB": 4,
    "certificates.SmoothedClassifier": 5,
    "evaluation.check_evaluation": 8,
    "evaluation.cross_validate_perturbations": 8,
    "evaluation.empirical_boundary_distance": 6,
    "evaluation.evaluate_perturbations": 60,
    "evaluation.make_bounds_scorer": 40,
    "evaluation.robust_accuracy_curve": 20,
    "evaluation.suggest_repairs": 40,
    "metrics.by_group": 6,
    "metrics.metric_axioms": 15,
    "nets.AdversarialTraining": 25,
    "nets.ClipNet": 5,
    "nets.efficientnet_b0": 5,
    "nets.efficientnet_b4": 10,
    "nets.xception": 10,
    "nets.resnet34": 10,
    "nets.resnet50": 10,
    "plots": 10,
    "report": 10,
    "sampling.AccuracyGate": 40,
    "sampling.DistanceSurprise": 3,
    "sampling.accuracy_with_class_noise": 3,
    "sampling.detect_drift": 4,
    "sampling.simulate": 10,
    "testing": 60,
}


def chosen(cases, share=1, least=0):
    """Return one case of so many, the same in each run, and at least ``least``."""
    cases = sorted(cases, key=lambda one: one.number)
    return [
        one
        for i, one in enumerate(cases)
        if i < least or one.number % (every(one.name) * share) == 0
    ]


def every(name):
    """Return of how many odd inputs of a call one is tried."""
    family, _, rest = name.partition(".")
    own = EVERY.get(f"{family}.{rest.partition('.')[0]}")
    return own or EVERY.get(family, 1)


def kind_of(value):
    """Return the odd cases of an argument by its valid value."""
    if isinstance(value, (bool, np.bool_)):
        return odd_values.flags(bool(value))
    if isinstance(value, (int, np.integer)):
        return odd_values.counts(int(value))
    if isinstance(value, (float, np.floating)):
        return odd_values.numbers(float(value))
    if isinstance(value, str):
        return odd_values.names(value)
    a = array_of(value)
    if a is not None:
        listed = isinstance(value, (list, tuple))
        forms = [
            (name, odd, value if plain is a and listed else plain)
            for name, odd, plain in odd_arrays.forms(a)
        ]
        return [*forms, *odd_arrays.values(a)]
    return odd_values.anything(value)


def array_of(value):
    """Return an array argument as a numpy array, or None for other objects."""
    if hasattr(value, "detach"):
        value = value.detach().cpu().numpy()
    if hasattr(value, "to_numpy"):
        value = value.to_numpy()
    if isinstance(value, (list, tuple, range)) and len(value):
        try:
            value = np.array(value)
        except ValueError:
            return None
    if not isinstance(value, np.ndarray) or value.ndim == 0 or not value.size:
        return None
    if value.dtype.kind == "O":
        if all(isinstance(one, str) for one in value.ravel()):
            return value.astype(str)
        return None
    return value if value.dtype.kind in "biufUS" else None


def arguments(program, place):
    """Return the arguments of a step by name: those given, then the optional ones."""
    function, given = program.steps[place]
    found = dict(given)
    if isinstance(function, str):
        function = _method(program, function)
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        parameters = {}
    for name, one in parameters.items():
        if one.default is not one.empty and name not in found:
            found[name] = _optional(name, one.default, given)
    if getattr(function, "__module__", "") == "__example__":
        # The parameters that a class of one's own adds are its own concern.
        known = inspect.signature(_public_base(function)).parameters
        found = {name: value for name, value in found.items() if name in known}
    return {
        name: value
        for name, value in found.items()
        if name not in LEFT_OUT and not name.startswith("_")
    }


def _public_base(cls):
    return next(base for base in cls.__mro__ if base.__module__ != "__example__")


def _method(program, name):
    """Return a method of the object that a program makes."""
    maker = program.steps[0][0]
    return getattr(maker, name, None) if inspect.isclass(maker) else None


# What calls of the package return, and nobody makes.
RESULTS = {
    "base.AttackResult",
    "datasets.ImageSet",
    "evaluation.EvaluationWarning",
    "evaluation.Results",
    "metrics.Interval",
    "sampling.AnnotatorNoise",
    "sampling.Estimate",
    "sampling.GateDecision",
    "sampling.LabelPlan",
    "sampling.ModelDifference",
    "sampling.NoiseRate",
    "sampling.NoisyAccuracy",
    "sampling.SamplingEstimate",
    "sampling.SamplingResult",
    "wrappers.WrappedClassifier",
    "wrappers.WrappedRegressor",
}

# Valid values of optional arguments with one value for each row.
PER_ROW = {
    "sample_weight": lambda n: np.linspace(0.5, 1.5, n),
    "clusters": lambda n: np.arange(n) // 2,
    "groups": lambda n: np.arange(n) % 2,
    "clips": lambda n: np.arange(n) // 2,
    "times": lambda n: np.arange(n) // 2,
    "periods": lambda n: np.arange(n) // 2,
    "costs": lambda n: np.linspace(1, 2, n),
}
OPTIONAL = {"random_state": 0}


def _optional(name, default, given):
    if name in OPTIONAL:
        return OPTIONAL[name]
    if default is None and name in PER_ROW:
        rows = [array_of(one) for one in given.values()]
        rows = [len(one) for one in rows if one is not None]
        if rows:
            return PER_ROW[name](rows[0])
    return default


def cases(program, place):
    """Yield every argument of a step with its odd cases."""
    for name, value in arguments(program, place).items():
        yield name, value, kind_of(value)


# In tables text is a category, which is left as it is. Names of clusters and groups
# are drawn in their order, and "10" comes before "2".
AS_TEXT = {"text of numbers", "bytes of numbers", "index objects"}


def _is_text_there(program, argument):
    is_table = getattr(program.steps[0][0], "_takes", "") == "table"
    return (argument == "X" and is_table) or argument in PER_ROW


class Tally:
    """Counts of what odd inputs did."""

    def __init__(self):
        self.counts = collections.Counter()
        self.found = []

    def include(self, other):
        """Add the counts of another tally."""
        self.counts.update(other.counts)
        self.found += other.found

    def add(self, name, argument, case, verdict, word):
        """Count one odd input."""
        self.counts[verdict] += 1
        if verdict in {"inside", "silent", "strict", "broken"}:
            self.found.append((name, argument, case, verdict, word))

    @property
    def tried(self):
        """Number of odd inputs."""
        return sum(self.counts.values()) - self.counts["broken"]


@dataclass
class Case:
    """One odd value in one argument of one call."""

    name: str
    argument: str
    case: str
    value: object
    plain: object
    run: object  # makes the call with a value
    valid: object  # the result of the example
    callables: set  # names of the functions among the other arguments

    @property
    def number(self):
        """A number that is drawn by the names."""
        return zlib.crc32(f"{self.name} {self.argument} {self.case}".encode())


_OTHERS = ("sklearn.", "skorch.", "torch.")


def odd_cases(program, tally):
    """Yield every odd value in every argument of every step of a program."""
    what, whole, _ = attempt(program.run)
    # An example without its data is refused, and so must odd inputs be.
    refused = what == "raised" and ours(whole, "path")
    if what != "value" and not refused:
        tally.add(program.name, "", "valid", "broken", repr(whole))
        return
    steps = program.steps if what == "value" else program.steps[:1]
    made = type(program.make()) if len(steps) > 1 else None
    for place, (step, given) in enumerate(steps):
        label = step if isinstance(step, str) else ""
        name = f"{program.name}.{label}" if label and place else program.name

        def run(value, place=place, argument=None):
            return program.run(place, {argument: value})

        function = getattr(made, step, None) if isinstance(step, str) else step
        if str(getattr(function, "__module__", "")).startswith(_OTHERS):
            continue  # an inherited method
        if label.startswith("_") and label != "__call__":
            continue  # what a class of an example calls of its base
        what, plain_run, _ = attempt(lambda place=place: program.run(place))
        functions = {one.__name__ for one in given.values() if inspect.isroutine(one)}
        functions |= program.callables
        for argument, right, odd in cases(program, place):
            valid = plain_run
            if argument in PER_ROW and argument not in given:
                _, valid, _ = attempt(partial(run, right, argument=argument))
            for case, value, plain in odd:
                if case in AS_TEXT and _is_text_there(program, argument):
                    plain = NO_PLAIN
                if case == "column" and argument == "X":
                    plain = NO_PLAIN  # a feature; scores have one axis
                call = partial(run, argument=argument)
                yield Case(name, argument, case, value, plain, call, valid, functions)


def run_name(programs, tally, share=1, least=0):
    """Put odd inputs into every argument of every call of one public name."""
    found = [case for program in programs for case in odd_cases(program, tally)]
    for one in chosen(found, share, least):
        verdict, word = judge(
            one.run, one.argument, one.case, one.value, one.plain, one.valid,
            one.callables,
        )  # fmt: skip
        if verdict == "refused" and is_scalar(one) and takes(one.run, one.plain):
            verdict = "strict"
        tally.add(one.name, one.argument, one.case, verdict, word)


def is_scalar(one):
    """Say whether an odd value is a plain one as numpy holds it in an array."""
    if not isinstance(one.value, np.generic) or one.plain is NO_PLAIN:
        return False
    if one.value.dtype.kind in "iuf" and one.value.itemsize < 4:
        return False  # whose products are rounded, or begin anew
    kinds = (bool, int, float, str)
    return type(one.plain) in kinds and type(one.value.item()) is type(one.plain)


def takes(run, value):
    """Say whether a call with a value has a result."""
    return attempt(partial(run, value))[0] == "value"


def show(tally, file=sys.stdout):
    """Print counts, and what was found by its root."""
    c = tally.counts
    parts = [f"{what} {c[what]}" for what in ("accepted", "refused", "handed on")]
    parts += [f"from inside {c['inside']}", f"silent {c['silent']}"]
    parts += [f"too strict {c['strict']}"]
    line = ", ".join([f"odd inputs tried {tally.tried}", *parts])
    print(line, file=file)
    return line
