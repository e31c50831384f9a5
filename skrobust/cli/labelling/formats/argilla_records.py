"""Argilla: records with suggestions, and their export by ``records.to_json``.

https://docs.argilla.io/latest/reference/argilla/records/records
"""

import json

from skrobust.cli.labelling.formats.list_format import ListFormat
from skrobust.cli.labelling.shown_input import picture_uri

_TITLES = {"right": "right", "wrong": "wrong: none of the labels", "skip": "skip"}


class ArgillaRecords(ListFormat):
    """Records of Argilla 2; a verdict counts in place of the label beside it."""

    name = "argilla"

    def _record(self, shown, labels):
        fields = {"text": shown.text}
        if shown.picture:
            fields["image"] = picture_uri(shown.picture)
        suggested = {"label": {"value": shown.predicted}} if shown.predicted else {}
        facts = {"pool_id": shown.id, "item": shown.item}
        record = {"id": str(shown.id), "fields": fields, "metadata": facts}
        return {**record, "suggestions": suggested, "responses": {}, "vectors": {}}

    def _settings(self, labels, has_pictures):
        named = {label: label for label in labels if label}
        questions = [_question("label", named)] if named else []
        # Argilla wants a required question: the verdict where there are no labels.
        questions.append(_question("verdict", _TITLES, required=not named))
        kinds = {"text": "text"} | ({"image": "image"} if has_pictures else {})
        fields = [{"name": n, "settings": {"type": kind}} for n, kind in kinds.items()]
        found = {"fields": fields, "questions": questions, "allow_extra_metadata": True}
        return ".json", f"{json.dumps(found, ensure_ascii=False, indent=1)}\n"

    def _knows(self, record):
        return "fields" in record and "pool_id" in (record.get("metadata") or ())

    def _place(self, record):
        return record["metadata"]["pool_id"], record["metadata"].get("item")

    def _answers(self, record):
        people = {}
        for question, responses in (record.get("responses") or {}).items():
            for response in responses:
                person = people.setdefault(response.get("user_id"), {})
                person[question] = response["value"]
                # The export drops the status; what is pending may be a draft.
                person["status"] = response.get("status") or record.get("status")
        for person in people.values():
            if person["status"] == "discarded":
                yield None, "skip"
            elif person["status"] not in ("draft", "pending"):
                verdict = person.get("verdict")
                yield None if verdict else person.get("label"), verdict


def _question(name, options, required=True):
    options = [{"value": value, "text": text} for value, text in options.items()]
    settings = {"type": "label_selection", "options": options}
    return {"name": name, "title": name, "required": required, "settings": settings}
