"""doccano: examples of text or image classification as JSONL.

https://doccano.github.io/doccano
"""

import json

from skrobust.cli.labelling.formats.list_format import ListFormat

VERDICTS = ("right", "wrong", "skip")


class DoccanoExamples(ListFormat):
    """Examples of doccano, with predictions beside the text and not as labels.

    An export does not tell labels that a person has set from those that were there,
    so a prediction in ``label`` would count as an answer that nobody gave. Verdicts are
    comments where labels are known, and the labels of the project where none are.
    """

    name, lines = "doccano", True

    def _record(self, shown, labels):
        found = {"filename": shown.item} if shown.picture else {"text": shown.text}
        found |= {"pool_id": shown.id, "item": shown.item, "label": []}
        return found | ({"predicted": shown.predicted} if shown.predicted else {})

    def _settings(self, labels, has_pictures):
        found = [{"text": label} for label in labels or VERDICTS if label]
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
