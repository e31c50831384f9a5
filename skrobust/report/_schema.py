"""JSON Schema of the machine-readable twin of a report."""

from skrobust.report.core._report_json import FORMAT, VERSION
from skrobust.report.evidence.evidence_schema import evidence_schema
from skrobust.report.evidence.schema_parts import (
    COLUMN,
    COUNT,
    NUMBER,
    OR_TEXT,
    PAIR,
    SEALED,
    TEXT,
    list_of,
    map_of,
    object_of,
    or_null,
)


def _model():
    clean = object_of(
        {"metric": TEXT, "value": NUMBER, "interval": PAIR, "n_rows": COUNT}
    )
    stability = object_of(
        {"columns": list_of(TEXT), "name": COLUMN, "score": COLUMN, "preset": TEXT},
        mean=NUMBER,
        coefficient_of_variation=NUMBER,
        accuracy_stability_index=NUMBER,
        interval=PAIR,
        interval_note=OR_TEXT,
        mean_interval=PAIR,
        coefficient_of_variation_interval=PAIR,
        variation_corrected=NUMBER,
        area_under_severity_curve=NUMBER,
        area_under_severity_curve_interval=PAIR,
        mean_corruption_error=NUMBER,
        mean_corruption_error_interval=PAIR,
        mean_corruption_error_reference=TEXT,
        words=list_of(TEXT),
        effect=COLUMN,
        note=COLUMN,
        idle_kinds=map_of(TEXT),
        untouched_columns=COLUMN,
        untouched_dependence=NUMBER,
        left_out=list_of(TEXT),
        clean=NUMBER,
        worst=object_of({"name": TEXT, "score": NUMBER, "interval": PAIR}),
    )
    columns = {"modes": list_of(TEXT), "tolerance": COLUMN}
    of_labels = object_of(
        {
            "attack": TEXT,
            "clean_accuracy": NUMBER,
            "robust_accuracy": NUMBER,
            "robust_accuracy_interval": PAIR,
        },
        temperature=NUMBER,
        **columns,
    )
    of_numbers = object_of(
        {"attack": TEXT, "clean_r2": NUMBER, "clean_r2_interval": PAIR},
        robust_r2=NUMBER,
        robust_r2_interval=PAIR,
        robust_mean_absolute_error=NUMBER,
        prediction_shift=NUMBER,
        **columns,
    )
    attack = {"anyOf": [of_labels, of_numbers]}
    weakness = object_of(
        {"part": {"enum": ["column", "region", "word"]}, "method": TEXT},
        names=list_of(TEXT),
        drops=list_of(NUMBER),
        together=list_of(TEXT),
        together_drop=NUMBER,
    )
    doubt = object_of({"code": TEXT, "sentence": TEXT, "numbers": {"type": "object"}})
    groups = object_of({"group": COLUMN, "value": COLUMN, "range": NUMBER})
    times = object_of({"index": NUMBER, "metric": TEXT, "period": COLUMN})
    labelling = object_of(
        {"accuracy": NUMBER, "interval": PAIR, "n_labels": COUNT}, covered={}
    )
    return object_of(
        {
            "name": TEXT,
            "kind": {"enum": ["classifier", "regressor"]},
            "clean": clean,
            "normalized": or_null(object_of({"score": NUMBER, "raw": NUMBER})),
            "stability": or_null(stability),
            "attacks": map_of(or_null(attack)),
            "weakness": or_null(weakness),
            "curve": or_null(object_of({"eps": COLUMN, "robust_accuracy": COLUMN})),
            "doubts": or_null(object_of({"attack": TEXT, "found": list_of(doubt)})),
            "groups": or_null(map_of(map_of(or_null(groups)))),
            "times": or_null(times),
            "labelling": map_of(or_null(labelling)),
        },
        estimator=TEXT,
        metrics=map_of(or_null(object_of({"value": NUMBER, "interval": PAIR}))),
    )


def _verdict():
    need = object_of(
        {
            "measure": TEXT,
            "threshold": NUMBER,
            "value": NUMBER,
            "low": NUMBER,
            "status": {"enum": ["met", "missed", "not shown", "not measured"]},
        }
    )
    worst = object_of({"score": NUMBER, "interval": PAIR, "name": TEXT, "words": TEXT})
    return object_of(
        {
            "name": TEXT,
            "status": {"enum": ["good", "bad", "open"]},
            "sentence": TEXT,
            "needs": list_of(need),
            "worst": or_null(worst),
            "next": list_of(TEXT),
        }
    )


def _comparison():
    difference = {"difference": NUMBER, "low": NUMBER, "high": NUMBER}
    judged = {
        "p_adjusted": NUMBER,
        "verdict": {"enum": ["real", "could be chance", "none", "undefined"]},
    }
    pair = object_of({"better": TEXT, "worse": TEXT, **difference, **judged})
    place = object_of({"rank": COUNT, "name": TEXT, "value": NUMBER}, **difference)
    return object_of(
        {
            "measure": TEXT,
            "ranking": list_of(place),
            "pairs": list_of(pair),
            "sentences": list_of(TEXT),
            "method": TEXT,
            "confidence": NUMBER,
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
    ({'const': 'skrobust report'}, {'const': 4})
    """
    text = dict.fromkeys(("model", "section"), TEXT)
    undefined = ("model", "number", "reason")
    settings = {"n_rows": COUNT, "eps": {}, "norm": {}, "random_state": {}}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "skrobust report",
        **object_of(
            {
                "format": {"const": FORMAT},
                "format_version": {"const": VERSION},
                "title": TEXT,
                "created": TEXT,
                "seconds": NUMBER,
                "settings": object_of(settings),
                "models": {"minItems": 1, **list_of(_model())},
                "verdicts": list_of(_verdict()),
                "untested": list_of(TEXT),
                "undefined": list_of(object_of(dict.fromkeys(undefined, TEXT))),
                "comparisons": list_of(_comparison()),
                "skipped": list_of(object_of({**text, "reason": TEXT})),
                "warnings": list_of(object_of({**text, "text": TEXT, "count": COUNT})),
                "versions": map_of(TEXT),
                "seal": object_of(
                    {"algorithm": TEXT, "parts": map_of(TEXT), "whole": TEXT}
                ),
            },
            evidence=or_null(evidence_schema()),
            record=or_null(SEALED),
        ),
    }
