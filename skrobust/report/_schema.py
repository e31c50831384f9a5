"""JSON Schema of the machine-readable twin of a report."""

from skrobust.report._report_json import FORMAT, VERSION

_TEXT, _COUNT = {"type": "string"}, {"type": "integer", "minimum": 0}
_NUMBER = {"type": ["number", "null"]}  # null: undefined
_OR_TEXT = {"type": ["string", "null"]}
_PAIR = {"type": ["array", "null"], "items": _NUMBER, "minItems": 2, "maxItems": 2}
_COLUMN = {"type": "array", "items": {"type": ["number", "string", "boolean", "null"]}}


def _object(required, **optional):
    """Return the schema of an object; other keys may be added without a new version."""
    return {
        "type": "object",
        "required": list(required),
        "properties": {**required, **optional},
    }


def _or_null(schema):
    return {"anyOf": [schema, {"type": "null"}]}


def _list(schema):
    return {"type": "array", "items": schema}


def _map(schema):
    return {"type": "object", "additionalProperties": schema}


def _model():
    clean = _object(
        {"metric": _TEXT, "value": _NUMBER, "interval": _PAIR, "n_rows": _COUNT}
    )
    stability = _object(
        {"columns": _list(_TEXT), "name": _COLUMN, "score": _COLUMN, "preset": _TEXT},
        mean=_NUMBER,
        coefficient_of_variation=_NUMBER,
        accuracy_stability_index=_NUMBER,
        interval=_PAIR,
        interval_note=_OR_TEXT,
        mean_interval=_PAIR,
        coefficient_of_variation_interval=_PAIR,
        variation_corrected=_NUMBER,
        area_under_severity_curve=_NUMBER,
        area_under_severity_curve_interval=_PAIR,
        mean_corruption_error=_NUMBER,
        mean_corruption_error_interval=_PAIR,
        mean_corruption_error_reference=_TEXT,
        words=_list(_TEXT),
        effect=_COLUMN,
        untouched_columns=_COLUMN,
        untouched_dependence=_NUMBER,
        left_out=_list(_TEXT),
        clean=_NUMBER,
        worst=_object({"name": _TEXT, "score": _NUMBER, "interval": _PAIR}),
    )
    columns = {"modes": _list(_TEXT), "tolerance": _COLUMN}
    of_labels = _object(
        {
            "attack": _TEXT,
            "clean_accuracy": _NUMBER,
            "robust_accuracy": _NUMBER,
            "robust_accuracy_interval": _PAIR,
        },
        temperature=_NUMBER,
        **columns,
    )
    of_numbers = _object(
        {"attack": _TEXT, "clean_r2": _NUMBER, "clean_r2_interval": _PAIR},
        robust_r2=_NUMBER,
        robust_r2_interval=_PAIR,
        robust_mean_absolute_error=_NUMBER,
        prediction_shift=_NUMBER,
        **columns,
    )
    attack = {"anyOf": [of_labels, of_numbers]}
    weakness = _object(
        {"part": {"enum": ["column", "region", "word"]}, "method": _TEXT},
        names=_list(_TEXT),
        drops=_list(_NUMBER),
        together=_list(_TEXT),
        together_drop=_NUMBER,
    )
    doubt = _object({"code": _TEXT, "sentence": _TEXT, "numbers": {"type": "object"}})
    groups = _object({"group": _COLUMN, "value": _COLUMN, "range": _NUMBER})
    times = _object({"index": _NUMBER, "metric": _TEXT, "period": _COLUMN})
    labelling = _object(
        {"accuracy": _NUMBER, "interval": _PAIR, "n_labels": _COUNT}, covered={}
    )
    return _object(
        {
            "name": _TEXT,
            "kind": {"enum": ["classifier", "regressor"]},
            "clean": clean,
            "normalized": _or_null(_object({"score": _NUMBER, "raw": _NUMBER})),
            "stability": _or_null(stability),
            "attacks": _map(_or_null(attack)),
            "weakness": _or_null(weakness),
            "curve": _or_null(_object({"eps": _COLUMN, "robust_accuracy": _COLUMN})),
            "doubts": _or_null(_object({"attack": _TEXT, "found": _list(doubt)})),
            "groups": _or_null(_map(_map(_or_null(groups)))),
            "times": _or_null(times),
            "labelling": _map(_or_null(labelling)),
        },
        estimator=_TEXT,
        metrics=_map(_or_null(_object({"value": _NUMBER, "interval": _PAIR}))),
    )


def _verdict():
    need = _object(
        {
            "measure": _TEXT,
            "threshold": _NUMBER,
            "value": _NUMBER,
            "low": _NUMBER,
            "status": {"enum": ["met", "missed", "not shown", "not measured"]},
        }
    )
    worst = _object(
        {"score": _NUMBER, "interval": _PAIR, "name": _TEXT, "words": _TEXT}
    )
    return _object(
        {
            "name": _TEXT,
            "status": {"enum": ["good", "bad", "open"]},
            "sentence": _TEXT,
            "needs": _list(need),
            "worst": _or_null(worst),
            "next": _list(_TEXT),
        }
    )


def _comparison():
    difference = {"difference": _NUMBER, "low": _NUMBER, "high": _NUMBER}
    judged = {
        "p_adjusted": _NUMBER,
        "verdict": {"enum": ["real", "could be chance", "none", "undefined"]},
    }
    pair = _object({"better": _TEXT, "worse": _TEXT, **difference, **judged})
    place = _object({"rank": _COUNT, "name": _TEXT, "value": _NUMBER}, **difference)
    return _object(
        {
            "measure": _TEXT,
            "ranking": _list(place),
            "pairs": _list(pair),
            "sentences": _list(_TEXT),
            "method": _TEXT,
            "confidence": _NUMBER,
        }
    )


def report_schema():
    """Return the JSON Schema of the machine-readable twin of a report.

    Every number in the file is finite; null stands for what is undefined or was
    skipped. Keys may be added without a new ``format_version``, which rises when one
    changes its meaning or goes.

    Returns
    -------
    dict
        A JSON Schema, draft 2020-12.

    Examples
    --------
    >>> from skrobust.report import report_schema
    >>> schema = report_schema()
    >>> schema["properties"]["format"], schema["properties"]["format_version"]
    ({'const': 'skrobust report'}, {'const': 3})
    """
    text = dict.fromkeys(("model", "section"), _TEXT)
    undefined = ("model", "number", "reason")
    settings = {"n_rows": _COUNT, "eps": {}, "norm": {}, "random_state": {}}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "skrobust report",
        **_object(
            {
                "format": {"const": FORMAT},
                "format_version": {"const": VERSION},
                "title": _TEXT,
                "created": _TEXT,
                "seconds": _NUMBER,
                "settings": _object(settings),
                "models": {"minItems": 1, **_list(_model())},
                "verdicts": _list(_verdict()),
                "untested": _list(_TEXT),
                "undefined": _list(_object(dict.fromkeys(undefined, _TEXT))),
                "comparisons": _list(_comparison()),
                "skipped": _list(_object({**text, "reason": _TEXT})),
                "warnings": _list(_object({**text, "text": _TEXT, "count": _COUNT})),
                "versions": _map(_TEXT),
            }
        ),
    }
