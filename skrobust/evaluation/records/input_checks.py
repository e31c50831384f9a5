"""Whether models, data and code are those of a record: rows of a table."""

from skrobust._validation import invalid
from skrobust.evaluation.records.fingerprints import (
    LABELS,
    ROWS,
    TRAINING_ROWS,
    data_facts_of,
    full_environment,
    model_facts,
)
from skrobust.evaluation.records.record_content import HOLDS
from skrobust.evaluation.records.source_digest import package_facts

DIFFERS, NOT_GIVEN, UNKNOWN, OTHER = "differs", "not given", "unknown", "other here"
NOT_IN = "not compared: the record has no fingerprint of it"


def rows_of_inputs(facts, model, X, y, X_train, caller):
    """Return a row for each model and each data set of a record.

    Parameters
    ----------
    facts : dict
        Those of the record.
    model : estimator, dict of str to estimator, or None
        What is compared, by the names in the record.
    X, y, X_train : array-like or None
        Rows, labels and training rows.
    caller : str
        Name of the public function, for messages.

    Returns
    -------
    list of (str, str, str)
        Part, state and what is wrong.
    """
    given = {ROWS: X, LABELS: y, TRAINING_ROWS: X_train}
    rows = [_row_of_data(one, given.get(one["name"])) for one in facts["data"]]
    models = models_by_name(facts, model, caller)
    rows += [_row_of_model(one, models.get(one["name"])) for one in facts["models"]]
    known = {one["name"] for one in facts["data"]}
    given = {name: one for name, one in given.items() if name not in known}
    if not facts["models"]:
        given["model"] = model
    more = [name for name, one in given.items() if one is not None]
    return rows + [(name, UNKNOWN, NOT_IN) for name in more]


def models_by_name(facts, model, caller):
    """Return the given models by their names in the record.

    A model without a name stands for the one with its fingerprint, or for the only one.
    A record that names no model has none to compare.
    """
    names = [one["name"] for one in facts["models"]]
    if model is None or not names:
        return {}
    if isinstance(model, dict):
        unknown = [name for name in model if name not in names]
        if unknown:
            raise invalid("model", caller, f"models by the names {names}", unknown)
        return model
    if len(names) == 1:
        return {names[0]: model}
    known = model_facts("", model)["fingerprint"]
    same = [one["name"] for one in facts["models"] if one["fingerprint"] == known]
    if not same:
        rule = f"a dict of the models {names}, or one of them"
        raise invalid("model", caller, rule, type(model).__name__)
    return {same[0]: model}


def rows_of_code(facts):
    """Return whether code and environment of a record are those of this process."""
    here, recorded = package_facts(), facts["code"]["skrobust"]
    is_same = here["sha256"] == recorded["sha256"]
    note = f"recorded by {recorded['version']}, here is {here['version']}"
    rows = [
        ("source of skrobust", HOLDS if is_same else OTHER, "" if is_same else note)
    ]
    there = facts["environment"]
    now = full_environment(there)
    other = [f"{k} {v}" for k, v in there.items() if now.get(k) != v]
    state = OTHER if other else HOLDS
    return [*rows, ("versions and platform", state, "; ".join(other))]


def _row_of_data(facts, data):
    name = facts["name"]
    if data is None:
        return name, NOT_GIVEN, ""
    here = data_facts_of(name, data)
    if here["fingerprint"] == facts["fingerprint"]:
        return name, HOLDS, ""
    for what in ("shape", "dtype"):
        if here[what] != facts[what]:
            return name, DIFFERS, f"{what} {here[what]}, recorded {facts[what]}"
    return name, DIFFERS, "other values, or another order of rows or columns"


def _row_of_model(facts, model):
    part = f"model {facts['name']!r}"
    if model is None:
        return part, NOT_GIVEN, ""
    if facts["fingerprint"] is None:
        return part, UNKNOWN, f"no fingerprint: {facts['reason']}"
    here = model_facts(facts["name"], model)
    if here["fingerprint"] == facts["fingerprint"]:
        return part, HOLDS, ""
    other = here["class"] != facts["class"]
    note = f"it is of {here['class']}" if other else "other parameters or another fit"
    return part, DIFFERS, note
