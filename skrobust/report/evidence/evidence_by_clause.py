"""Evidence of a report: its figures by the clauses that they speak to, and a record."""

import numbers

from skrobust._validation import invalid
from skrobust.evaluation.records.fingerprints import ALGORITHM
from skrobust.report.evidence.evidence_clauses import FIGURES, FRAMEWORKS, RECORD
from skrobust.report.evidence.evidence_figures import list_figures
from skrobust.report.evidence.evidence_record import COVERS, MODEL_COVERS

VERSION = 1
NOTE = (
    "Facts only: what was measured, how, and which clause each figure speaks to. The "
    "mapping is that of skrobust. It is no legal advice, and does not say whether a "
    "requirement is fulfilled."
)
ROLES = ("Measured by", "Reviewed by")
MEASURED, PARTLY = "measured", "measured in part"
RECORDED, NOT_MEASURED = "recorded", "not measured"
STATUSES = (MEASURED, PARTLY, RECORDED, NOT_MEASURED)


def check_evidence(evidence, caller):
    """Return the names of frameworks as a list, or raise.

    Parameters
    ----------
    evidence : str, list of str or None
        Keys of ``FRAMEWORKS``.
    caller : str
        Name of the function or command that the user called.

    Returns
    -------
    list of str
        Each once; empty for None.
    """
    if evidence is None:
        return []
    names = [evidence] if isinstance(evidence, str) else evidence
    fine = isinstance(names, (list, tuple)) and all(
        isinstance(name, str) and name in FRAMEWORKS for name in names
    )
    if not fine:
        rule = f"None or one or several of {', '.join(map(repr, FRAMEWORKS))}"
        raise invalid("evidence", caller, rule, evidence)
    return list(dict.fromkeys(names))


def build_evidence(collected, names, record):
    """Return the evidence of a report as plain data.

    Parameters
    ----------
    collected : dict
        From :func:`~skrobust.report.collect_report`, with verdicts and versions.
    names : list of str
        Keys of ``FRAMEWORKS``.
    record : dict
        From :func:`~skrobust.report.evidence.evidence_record.record_of`.

    Returns
    -------
    dict
        ``version``, ``note``, ``figures``, ``frameworks`` (each with its ``clauses``),
        ``record``, ``not_measured`` and ``signatures``, which are blank.
    """
    figures = list_figures(collected)
    models = [model["name"] for model in collected["models"]]
    return {
        "version": VERSION,
        "note": NOTE,
        "figures": figures,
        "frameworks": [_framework(name, figures, models) for name in names],
        "record": {
            **record,
            "data_algorithm": ALGORITHM,
            "data_covers": COVERS,
            "model_covers": MODEL_COVERS,
            "sealed": collected["record"],
            "measured_at": collected["created"],
            "random_state": _shown(collected["settings"]["random_state"]),
            "settings": _settings(collected["settings"]),
            "call": collected["call"],
            "environment": {**record["environment"], **_versions(collected)},
        },
        "not_measured": [*collected["untested"], *_skipped(collected)],
        "signatures": [
            {"role": role, "name": "", "date": "", "signature": ""} for role in ROLES
        ],
    }


def _framework(name, figures, models):
    framework = FRAMEWORKS[name]
    return {
        "name": name,
        "title": framework.title,
        "source": framework.source,
        "clauses": [_clause(one, figures, models) for one in framework.clauses],
    }


def _clause(clause, figures, models):
    kinds = [kind for kind in clause.figures if kind != RECORD]
    own = [figure for figure in figures if figure["kind"] in kinds]
    done = {(f["kind"], value["model"]) for f in own for value in f["values"]}
    missing = []
    for kind in kinds:
        lacking = [model for model in models if (kind, model) not in done]
        if lacking:
            whom = "" if len(lacking) == len(models) else f" ({', '.join(lacking)})"
            missing.append(f"{FIGURES[kind]}{whom}")
    if done:
        status = PARTLY if missing or clause.limit else MEASURED
    else:
        status = RECORDED if RECORD in clause.figures else NOT_MEASURED
    return {
        "reference": clause.reference,
        "subject": clause.subject,
        "status": status,
        "figures": [figure["id"] for figure in own],
        "record": RECORD in clause.figures,
        "not_measured": missing,
        "limit": clause.limit,
    }


def _versions(collected):
    # The version of Python stands in the environment with its implementation.
    return {k: v for k, v in collected["versions"].items() if k != "python"}


def _skipped(collected):
    return [
        f"{row['model']}, {row['section']}: {row['reason']}"
        for row in collected["skipped"]
    ]


def _settings(settings):
    """Return the settings that the figures depend on, as text by name."""
    found = {name: settings[name] for name in ("dataset", "conditions", "data_range")}
    if settings["eps"] is not None:
        found |= {name: settings[name] for name in ("eps", "norm")}
    if settings["thresholds"]:
        found["thresholds"] = settings["thresholds"]
    return {name: str(value) for name, value in found.items() if value is not None}


def _shown(seed):
    if seed is None or isinstance(seed, numbers.Integral):
        return seed if seed is None else int(seed)
    return repr(seed)
