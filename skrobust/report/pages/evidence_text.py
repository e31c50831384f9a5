"""Evidence of a report as Markdown."""

from skrobust.report.core.number_text import number
from skrobust.report.core.summary_cells import interval_text
from skrobust.report.pages.markdown_parts import escaped


def evidence_lines(collected):
    """Yield the figures by clause, the record, and what was not measured.

    Parameters
    ----------
    collected : dict
        From :func:`~skrobust.report.collect_report`, or read back from JSON.

    Yields
    ------
    str
        Lines of GitHub-flavoured Markdown; none where no evidence was asked for.
    """
    evidence = collected.get("evidence")
    if not evidence:
        return
    yield from ("### Evidence", "", escaped(evidence["note"]), "")
    yield from _figures(evidence["figures"], collected["models"])
    for framework in evidence["frameworks"]:
        yield from _framework(framework)
    yield from _record(evidence["record"])
    yield from ("#### Not measured", "")
    yield from (f"- {escaped(text)}" for text in evidence["not_measured"])
    yield from ("", "| Role | Name | Date | Signature |", "| :-- | :-- | :-- | :-- |")
    yield from (f"| {one['role']} | | | |" for one in evidence["signatures"])
    yield ""


def figure_text(figure, model):
    """Return the value of a figure for a model with interval, note and rows."""
    for one in figure["values"]:
        if one["model"] == model:
            number_only = one["value"] is None or one["interval"] is None
            text = (
                number(one["value"])
                if number_only
                else interval_text(one["value"], one["interval"])
            )
            rows = one["n_rows"] and f"{one['n_rows']} rows"
            return "; ".join(part for part in (text, one["note"], rows) if part)
    return "not measured"


def _figures(figures, models):
    names = [model["name"] for model in models]
    yield f"| Figure | {' | '.join(escaped(name) for name in names)} |"
    yield f"| :-- | {' | '.join('--:' for _ in names)} |"
    for figure in figures:
        cells = [escaped(figure_text(figure, name)) for name in names]
        title = f"{figure['id']} {escaped(figure['figure'])}"
        yield f"| {title} | {' | '.join(cells)} |"
    yield ""


def _framework(framework):
    yield from (f"#### {escaped(framework['title'])}", "")
    yield from (escaped(framework["source"]), "")
    yield "| Clause | Status | Figures | Not measured, and limits |"
    yield "| :-- | :-- | :-- | :-- |"
    for clause in framework["clauses"]:
        title = f"{escaped(clause['reference'])}: {escaped(clause['subject'])}"
        figures = ["record"] * clause["record"] + clause["figures"]
        missing = escaped(", ".join(clause["not_measured"]))
        limits = [f"Not measured: {missing}."] if missing else []
        if clause["limit"]:
            limits.append(escaped(clause["limit"]))
        cells = title, clause["status"], ", ".join(figures), " ".join(limits)
        yield f"| {' | '.join(cells)} |"
    yield ""


def _record(record):
    yield from ("#### Record", "")
    yield f"- Measured at {escaped(record['measured_at'])}"
    yield f"- Seed: {escaped(record['random_state'])}"
    settings = (f"{name} {value}" for name, value in record["settings"].items())
    yield f"- Settings: {escaped(', '.join(settings))}"
    if record["call"]:
        yield f"- Call: {escaped(record['call'])}"
    for data in record["data"]:
        shape = " x ".join(map(str, data["shape"]))
        yield (
            f"- {data['name'].capitalize()}: {shape}, {escaped(data['dtype'])}, "
            f"{record['data_algorithm']} `{data['fingerprint']}`"
        )
    sealed = record.get("sealed")
    if sealed:
        name = escaped(sealed["file"])
        yield f"- Sealed record: {name}, SHA-256 `{sealed['sha256']}`"
    for model in record["models"]:
        known = model["fingerprint"]
        mark = (
            f"{model['algorithm']} `{known}`"
            if known
            else f"no fingerprint, {escaped(model['reason'])}"
        )
        name, kind = escaped(model["name"]), escaped(model["class"])
        yield f"- Model {name}: {kind}, {mark}"
    yield (
        f"- Fingerprints: of data, {record['data_covers']}; of models, "
        f"{record['model_covers']}"
    )
    parts = (f"{name} {version}" for name, version in record["environment"].items())
    yield f"- Environment: {escaped(', '.join(parts))}"
    yield ""
