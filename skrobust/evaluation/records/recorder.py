"""Recorder: it runs evaluations and keeps what a record of them holds."""

import inspect
import warnings
from collections.abc import Iterable

from scipy.sparse import issparse

from skrobust._containers import is_frame, to_array
from skrobust._one_line import one_line
from skrobust._parallel import active_session
from skrobust._sealed import file_digest
from skrobust._stacklevel import level_outside
from skrobust._validation import check_path, invalid
from skrobust.evaluation.core._isolation import Isolation
from skrobust.evaluation.core.failures import reason_of
from skrobust.evaluation.records.fingerprints import (
    facts_of_data,
    full_environment,
    model_facts,
)
from skrobust.evaluation.records.plain_settings import PlainWriter
from skrobust.evaluation.records.record_content import (
    EVALUATION,
    RecordContent,
    as_json_digest,
)
from skrobust.evaluation.records.result_parts import (
    condition_digests,
    digest_of_parts,
    parts_of,
)
from skrobust.evaluation.records.source_digest import own_code, package_facts

# Arguments that hold data, and those on which no result depends.
DATA = ("estimator", "X", "y", "X_ref")
ASIDE = ("n_jobs", "verbose", "checkpoint", "batch_size", "record")
_WRONG = "None or the path of a file in a folder that is there"


def recorded(record, function, arguments):
    """Return the results of an evaluation, and write or keep the record of them.

    Parameters
    ----------
    record : str, path or RecorderOfModel
        File to write, or what keeps the steps of a report.
    function : callable
        ``evaluate_perturbations`` or ``evaluate_attack``.
    arguments : dict
        All of its arguments.

    Returns
    -------
    Results
        Those of the function.
    """
    arguments, caller = {**arguments, "record": None}, function.__name__
    if isinstance(record, RecorderOfModel):
        return record.run(function, arguments)
    path = check_record_path(record, caller)
    estimator, X, y = (arguments[name] for name in ("estimator", "X", "y"))
    recorder = Recorder({type(estimator).__name__: estimator}, X, y,
                        arguments.get("X_ref"), caller)  # fmt: skip
    name = type(estimator).__name__
    results = RecorderOfModel(recorder, name, estimator).run(function, arguments)
    recorder.write_or_warn(path)
    return results


def check_record_path(record, caller, name="record", rule=_WRONG):
    """Return the path of a record, or raise before the work where none can be there."""
    try:
        path = check_path(record, name, caller).resolve()
    except ValueError:
        raise invalid(name, caller, rule, record) from None
    if path.is_dir() or not path.parent.is_dir():
        raise invalid(name, caller, rule, str(record))
    return path


class Recorder:
    """Keeper of data, models and steps of one or several evaluations.

    Fingerprints are taken here, before anything is measured.

    Parameters
    ----------
    models : dict of str to estimator
        The models.
    X, y, X_train : array-like
        Rows, labels, and training rows or None.
    caller : str
        Name of the public function, for messages.
    """

    def __init__(self, models, X, y, X_train, caller):
        for rows in (X, X_train):
            if rows is not None and not (is_frame(rows) or issparse(rows)):
                _check_in_memory(rows, caller)
        if y is None:
            raise _in_batches(caller)
        to_array(y, "y", caller)  # what cannot be read says so before the work
        self.data = facts_of_data(X, y, X_train)
        self.models = [model_facts(name, one) for name, one in models.items()]
        self.code = own_code(list(models.values()))
        self.steps, self.settings, self.numbers, self.arrays = [], {}, {}, {}
        fingerprints = {
            kind: {one["name"]: one["fingerprint"] for one in facts}
            for kind, facts in (("data", self.data), ("models", self.models))
        }
        self.entries, self.caller = [{"did": "read", **fingerprints}], caller

    def of_model(self, name, model, target=None):
        """Return the recorder of a model; of one target alone, it is not replayed."""
        reason = None if target is None else "the other targets of its model"
        return RecorderOfModel(self, name, model, reason)

    def add(self, step, model, call, settings, results, reason=None):
        """Keep a step: its settings, its results, and its lines of the journal.

        Parameters
        ----------
        step, model, call : str
            Names of the step, its model and the function.
        settings : PlainWriter and dict
            Settings as plain data, and who wrote them.
        results : Results
            What the function returned.
        reason : str, default=None
            Why the step cannot be replayed, beside what its settings say.
        """
        writer, plain = settings
        numbers, arrays = parts_of(results)
        missing = writer.missing + ([reason] if reason else [])
        self.steps.append({"name": step, "call": call, "model": model})
        self.settings[step] = {
            "arguments": plain,
            "not_replayable": missing,
            "own_classes": sorted(set(writer.own)),
            "without_seed": writer.unseeded,
        }
        self.numbers[step] = numbers | {"columns": list(results.get("columns", ()))}
        for name, values in arrays.items():
            self.arrays[step, name] = values
        for place, values in enumerate(writer.arrays):
            self.arrays[f"settings of {step}", str(place)] = values
        self.entries += journal_of_step(step, plain, self.numbers[step], arrays)

    def write(self, path, **more):
        """Write the record, with more parts of facts."""
        facts = {
            "kind": EVALUATION,
            "data": self.data,
            "models": self.models,
            "code": {"skrobust": package_facts(), "own": self.code},
            "environment": full_environment(),
            "steps": self.steps,
            "settings": self.settings,
            "numbers": self.numbers,
            **more,
        }
        RecordContent(facts, self.arrays, self.entries).write(path)

    def write_or_warn(self, path, **more):
        """Write the record and return its digest; results are never lost with it."""
        try:
            self.write(path, **more)
            return file_digest(path)
        except Exception as error:  # also for lack of memory
            text = f"{self.caller} could not write the record: {one_line(error)}. "
            text += "The results are returned without it."
            warnings.warn(text, UserWarning, stacklevel=level_outside())
            return None


class RecorderOfModel:
    """Recorder of the evaluations of one model.

    Parameters
    ----------
    recorder : Recorder
        Where all is kept.
    name : str
        Name of the model.
    model : estimator
        The model.
    reason : str, default=None
        Why its steps cannot be replayed.
    """

    def __init__(self, recorder, name, model, reason=None):
        self.recorder, self.name, self.model = recorder, name, model
        self.reason, self.step = reason, None

    def called(self, step):
        """Return the recorder of a step of this name."""
        one = RecorderOfModel(self.recorder, self.name, self.model, self.reason)
        one.step = f"{self.name}: {step}"
        return one

    def run(self, function, arguments):
        """Run an evaluation and keep its record, of a report also if it fails."""
        writer, call = PlainWriter(), function.__name__
        given = arguments.get("conditions")
        if isinstance(given, Iterable) and not isinstance(given, (str, list)):
            arguments = {**arguments, "conditions": list(given)}  # some are read once
        known = inspect.signature(function).parameters
        plain = {
            name: writer.write(arguments[name], name)
            for name in known
            if name not in (*DATA, *ASIDE, "isolate")
        }
        if arguments.get("X_ref") is not None:
            plain["X_ref"] = "training rows"
        if arguments["groups"] is not None and arguments["random_state"] is None:
            writer.unseeded.append(call)  # of which the permutations are drawn anew
        acting = arguments.get("conditions", arguments.get("attack"))
        self.recorder.code |= own_code([acting])
        parts = self.step or call.removeprefix("evaluate_"), self.name, call
        plain["isolate"], settings = False, (writer, plain)
        try:
            results = function(**arguments)
        except Exception as error:
            failed = {"failed": reason_of(error)}
            reason = f"results, as it failed: {failed['failed']}"
            self.recorder.add(*parts, settings, failed, reason)
            raise
        if "failed" in results:  # other results do not depend on limits
            plain["isolate"] = writer.write(_isolation(), "isolate")
        self.recorder.add(*parts, settings, results, self.reason)
        return results


def _isolation():
    """Return the isolation in which this runs, also that of a report, or False."""
    session = active_session()
    return session is not None and Isolation(session.timeout, session.memory)


def journal_of_step(step, settings, numbers, arrays):
    """Return the lines of a journal about a step, which follow from its results."""
    digests = condition_digests(numbers["columns"], arrays)
    names = arrays.get("name", [""] * len(digests))
    yield {"did": "begin", "step": step, "settings": as_json_digest(settings)}
    for i, digest in enumerate(digests):
        line = {"did": "condition", "step": step, "number": i + 1}
        yield line | {"name": str(names[i]), "result": digest}
    whole = digest_of_parts(sorted(arrays.items()))
    parts = {"numbers": as_json_digest(numbers), "arrays": whole}
    yield {"did": "end", "step": step, **parts}


def _check_in_memory(rows, caller):
    if not hasattr(rows, "shape") and not isinstance(rows, (list, tuple)):
        raise _in_batches(caller)
    module = type(rows).__module__.partition(".")[0]
    if module in ("zarr", "h5py"):
        raise _in_batches(caller)
    to_array(rows)  # what cannot be read says so before the work


def _in_batches(caller):
    return ValueError(
        f"{caller} writes a record of rows and labels in memory or in mapped files, "
        "whose fingerprints it takes; these come in batches. Leave out 'record', or "
        "pass arrays, with batch_size= where memory is short."
    )
