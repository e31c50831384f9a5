"""Argilla: records with suggestions, and their export.

https://docs.argilla.io/latest/reference/argilla/records/records

``records.to_json`` drops the status of a response, which tells submitted ones from
drafts and discarded ones; ``records.to_list(flatten=True)`` has it. Neither has what
was discarded without an answer, so the status of the record may say so.
"""

import json

from skrobust.cli.labelling.answer_form import answer_among
from skrobust.cli.labelling.formats.list_format import ListFormat
from skrobust.cli.labelling.shown_input import picture_uri

_TITLES = {"right": "right", "wrong": "wrong: none of the labels", "skip": "skip"}


class ArgillaRecords(ListFormat):
    """Records of Argilla 2; a verdict counts in place of the label beside it."""

    name, takes_numbers = "argilla", True

    def _record(self, shown, form):
        fields = {"text": shown.text}
        if shown.picture:
            fields["image"] = picture_uri(shown.picture)
        suggested = {"label": {"value": shown.predicted}} if shown.predicted else {}
        facts = {"pool_id": shown.id, "item": shown.item}
        record = {"id": str(shown.id), "fields": fields, "metadata": facts}
        return {**record, "suggestions": suggested, "responses": {}, "vectors": {}}

    def _settings(self, form, has_pictures):
        named = {label: label for label in form.labels if label}
        questions = [_question(form.name, named)] if named else []
        if form.numbers:
            kind = {"type": "text", "use_markdown": False}
            one = {"name": form.name, "title": form.name, "required": True}
            questions.append({**one, "settings": kind})
        if not form.is_graded:
            # Argilla wants a required question: the verdict where there are no labels.
            questions.append(_question("verdict", _TITLES, required=not named))
        kinds = {"text": "text"} | ({"image": "image"} if has_pictures else {})
        fields = [{"name": n, "settings": {"type": kind}} for n, kind in kinds.items()]
        found = {"fields": fields, "questions": questions, "allow_extra_metadata": True}
        return ".json", f"{json.dumps(found, ensure_ascii=False, indent=1)}\n"

    def _knows(self, record):
        if "fields" in record:
            return "pool_id" in (record.get("metadata") or ())
        return "_server_id" in record and "pool_id" in record  # flattened

    def _place(self, record):
        facts = record["metadata"] if "fields" in record else record
        return facts["pool_id"], facts.get("item")

    def _answers(self, record):
        nested = "responses" in record
        people = _people(record) if nested else _people_flattened(record)
        for person in people.values():
            # Where the export drops the status, what is pending may be a draft.
            status = person.get("status") or record.get("status")
            if status == "discarded":
                yield None, "skip"
            elif status not in ("draft", "pending"):
                verdict = person.get("verdict")
                yield None if verdict else answer_among(person), verdict
        if not people and record.get("status") == "discarded":
            yield None, "skip"


def _people(record):
    people = {}
    for question, responses in (record["responses"] or {}).items():
        for response in responses:
            person = people.setdefault(response.get("user_id"), {})
            person[question] = response["value"]
            person["status"] = response.get("status")
    return people


def _people_flattened(record):
    people = {}
    for key in record:
        question, end, rest = key.rpartition(".responses")
        if not end or rest or not record[key]:
            continue
        columns = (record[f"{key}{name}"] for name in ("", ".users", ".status"))
        for value, user, status in zip(*columns, strict=True):
            person = people.setdefault(user, {})
            person |= {question: value, "status": status}
    return people


def _question(name, options, required=True):
    options = [{"value": value, "text": text} for value, text in options.items()]
    settings = {"type": "label_selection", "options": options}
    return {"name": name, "title": name, "required": required, "settings": settings}
