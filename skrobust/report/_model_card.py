"""Model cards with the robustness figures of a report."""

import os

from skrobust._optional import require
from skrobust._validation import check_choice, invalid
from skrobust.report.card_results import (
    PART_WORDS,
    card_figures,
    model_index,
    task_of,
)
from skrobust.report.core._report_json import report_from_json
from skrobust.report.core.next_steps import untested_of
from skrobust.report.core.number_text import number
from skrobust.report.core.summary_cells import ends_text
from skrobust.report.pages.markdown_parts import escaped
from skrobust.report.pages.yaml_text import yaml_text

_HEAD = ("Figure", "Value", "95 % interval", "Rows", "Note")


def model_card(report, format="huggingface", *, model=None, card=None):
    r"""Return a model card with the robustness figures of a report.

    Parameters
    ----------
    report : Report, dict or path-like
        From :func:`create_report` or :func:`collect_report`, or the JSON twin.
    format : {"huggingface", "skops"}, default="huggingface"
        Hugging Face: text for ``README.md``, YAML with a ``model-index`` first. skops:
        sections are added to a card of :mod:`skops`.
    model : str, default=None
        Name of the model in the report; needed where there are several.
    card : skops.card.Card, default=None
        The card that takes the sections, for ``"skops"`` only: skops makes it of the
        model, which a report does not hold.

    Returns
    -------
    str or skops.card.Card
        The text, or the card given.

    Raises
    ------
    ValueError
        For what is no report, and for a model that it does not have.

    Notes
    -----
    Each part of the measurements is a result of its own, told apart by the ``config``
    of its data set: ``clean``, ``perturbed``, ``attacked``, ``groups`` and ``periods``.
    Numbers are those of the report. Those that are undefined have no place in the YAML;
    the table names them. The task is found from the data: images, text, or a table.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from skrobust.report import collect_report, model_card
    >>> X, y = load_iris(return_X_y=True)
    >>> model = KNeighborsClassifier().fit(X[::2], y[::2])
    >>> collected = collect_report({"near": model}, X[1::2], y[1::2], dataset="iris")
    >>> print(*model_card(collected).splitlines()[:5], sep="\n")
    ---
    pipeline_tag: tabular-classification
    model-index:
    - name: near
      results:
    """
    collected = _collected(report)
    check_choice(format, "format", "model_card", ("huggingface", "skops"))
    chosen = _chosen(collected, model)
    figures = card_figures(collected, chosen)
    limits = untested_of(collected)
    if format == "huggingface":
        if card is not None:
            raise invalid("card", "model_card", "None for Hugging Face", card)
        return _huggingface(collected, chosen, figures, limits)
    return _skops(collected, figures, limits, card)


def _collected(report):
    found = getattr(report, "collected", report)
    if isinstance(found, (str, os.PathLike)):
        found = report_from_json(found)
    if not isinstance(found, dict) or not found.get("models"):
        rule = "a report, its collected data or its JSON twin"
        raise invalid("report", "model_card", rule, report)
    return report_from_json(found) if "format_version" in found else found


def _chosen(collected, name):
    models = {model["name"]: model for model in collected["models"]}
    if name is None and len(models) == 1:
        return next(iter(models.values()))
    if not isinstance(name, str) or name not in models:
        rule = f"one of the models of the report, {', '.join(map(repr, models))}"
        raise invalid("model", "model_card", rule, name)
    return models[name]


def _huggingface(collected, model, figures, limits):
    task = task_of(collected, model)
    head = {} if task == "other" else {"pipeline_tag": task}
    head["model-index"] = model_index(collected, model, figures)
    lines = ["---", yaml_text(head).rstrip("\n"), "---", ""]
    lines += [f"# {escaped(model['name'])}", "", "## Robustness", ""]
    lines += [escaped(_about(collected)), ""]
    for part, rows in figures.items():
        lines += [f"### {PART_WORDS[part]}", "", f"| {' | '.join(_HEAD)} |"]
        lines += ["| :-- | --: | --: | --: | :-- |"]
        lines += [f"| {' | '.join(map(escaped, _cells(row)))} |" for row in rows]
        lines.append("")
    lines += ["### Not measured", "", *(f"- {escaped(text)}" for text in limits), ""]
    return "\n".join(lines)


def _skops(collected, figures, limits, card):
    kind = require("skops.card", "model_card", extra="report").Card
    if not isinstance(card, kind):
        cure = "Write card=skops.card.Card(model)."
        raise invalid("card", "model_card", "a skops.card.Card", card, cure)
    description = escaped(_about(collected))
    for part, rows in figures.items():
        columns = zip(*(map(escaped, _cells(row)) for row in rows), strict=True)
        table = {name: list(cells) for name, cells in zip(_HEAD, columns, strict=True)}
        title = f"Robustness: {PART_WORDS[part].lower()}"
        card.add_table(description=description, **{title: table})
    text = "\n".join(f"- {escaped(text)}" for text in limits)
    return card.add(**{"Robustness: not measured": text})


def _about(collected):
    settings, versions = collected["settings"], collected["versions"]
    data = f" of {settings['dataset']}" if settings.get("dataset") else ""
    return (
        f"Measured on {settings['n_rows']} rows{data} with skrobust "
        f"{versions['skrobust']} on {collected['created'][:10]}, seed "
        f"{settings['random_state']}."
    )


def _cells(row):
    interval = "" if row["interval"] is None else ends_text(row["interval"])
    rows = "" if row["n_rows"] is None else str(row["n_rows"])
    return row["figure"], number(row["value"]), interval, rows, row["note"] or ""
