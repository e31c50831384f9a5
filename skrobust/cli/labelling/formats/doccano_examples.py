"""doccano: examples of text or image classification as JSONL.

https://doccano.github.io/doccano
"""

import json

from skrobust.cli.labelling.answer_form import VERDICTS
from skrobust.cli.labelling.formats.list_format import ListFormat


class DoccanoExamples(ListFormat):
    """Examples of doccano, with predictions beside the text and not as labels.

    An export does not tell labels that a person has set from those that were there,
    so a prediction in ``label`` would count as an answer that nobody gave. Verdicts are
    comments where labels are known, and the labels of the project where none are. An
    export does not tell either whether an example was approved; doccano exports the
    approved ones alone where it is asked to.
    """

    name, lines = "doccano", True

    def _record(self, shown, form):
        found = {"filename": shown.item} if shown.picture else {"text": shown.text}
        found |= {"pool_id": shown.id, "item": shown.item, "label": []}
        return found | ({"predicted": shown.predicted} if shown.predicted else {})

    def _settings(self, form, has_pictures):
        found = [{"text": label} for label in form.labels or VERDICTS if label]
        return ".json", f"{json.dumps(found, ensure_ascii=False, indent=1)}\n"

    def _knows(self, record):
        is_list = isinstance(record.get("label"), list)
        return is_list and ("filename" in record or "pool_id" in record)

    def _place(self, record):
        return record.get("pool_id"), record.get("item", record.get("filename"))

    def _answers(self, record):
        words = {word.strip().lower() for word in record.get("Comments") or ()}
        for label in record["label"] or [None]:
            for word in words & {*VERDICTS, "empty"} or [None]:
                yield label, word
