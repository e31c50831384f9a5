"""JSON Schema of the evidence of a report."""

from skrobust.report.evidence.evidence_by_clause import STATUSES, VERSION
from skrobust.report.evidence.evidence_clauses import FIGURES, FRAMEWORKS
from skrobust.report.evidence.schema_parts import (
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


def evidence_schema():
    """Return the schema; ``version`` rises when a key changes its meaning or goes."""
    value = object_of(
        {
            "model": TEXT,
            "value": NUMBER,
            "interval": PAIR,
            "n_rows": {"type": ["integer", "null"], "minimum": 0},
            "note": OR_TEXT,
        }
    )
    figure = object_of(
        {
            "id": TEXT,
            "kind": {"enum": list(FIGURES)},
            "figure": TEXT,
            "values": list_of(value),
        }
    )
    clause = object_of(
        {
            "reference": TEXT,
            "subject": TEXT,
            "status": {"enum": list(STATUSES)},
            "figures": list_of(TEXT),
            "record": {"type": "boolean"},
            "not_measured": list_of(TEXT),
            "limit": TEXT,
        }
    )
    names = {"name": {"enum": list(FRAMEWORKS)}}
    framework = {**names, "title": TEXT, "source": TEXT, "clauses": list_of(clause)}
    signature = dict.fromkeys(("role", "name", "date", "signature"), TEXT)
    return object_of(
        {
            "version": {"const": VERSION},
            "note": TEXT,
            "figures": list_of(figure),
            "frameworks": list_of(object_of(framework)),
            "record": _record(),
            "not_measured": list_of(TEXT),
            "signatures": list_of(object_of(signature)),
        }
    )


def _record():
    data = object_of(
        {"name": TEXT, "shape": list_of(COUNT), "dtype": TEXT, "fingerprint": TEXT}
    )
    known = {"fingerprint": OR_TEXT, "reason": OR_TEXT}
    model = object_of({"name": TEXT, "class": TEXT, "algorithm": TEXT, **known})
    return object_of(
        {
            "data": list_of(data),
            "models": list_of(model),
            "environment": map_of(TEXT),
            "settings": map_of(TEXT),
            "data_algorithm": TEXT,
            "data_covers": TEXT,
            "model_covers": TEXT,
            "measured_at": TEXT,
            "random_state": {"type": ["integer", "string", "null"]},
            "call": OR_TEXT,
        },
        sealed=or_null(SEALED),
    )
