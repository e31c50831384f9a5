"""Prodigy: tasks of the ``choice`` and ``classification`` interfaces as JSONL.

https://prodi.gy/docs/api-interfaces
"""

from skrobust.cli.labelling.formats.list_format import ListFormat
from skrobust.cli.labelling.shown_input import picture_uri


class ProdigyTasks(ListFormat):
    """Tasks of Prodigy.

    With labels, the prediction is selected beforehand (``accept``), and a rejected task
    says that it is wrong. Without, the task asks whether the prediction is right. An
    ignored task is skipped. Grades are chosen like labels.
    """

    name, lines = "prodigy", True

    def _record(self, shown, form):
        task = {"text": shown.text}
        if shown.picture:
            task["image"] = picture_uri(shown.picture)
        task |= {"pool_id": shown.id, "item": shown.item, "meta": {"item": shown.item}}
        if not form.labels:
            return task | {"label": "right"}
        options = [{"id": label, "text": label or "(empty)"} for label in form.labels]
        chosen = [] if shown.predicted is None else [shown.predicted]
        return task | {"options": options, "accept": chosen, "suggested": chosen}

    def _knows(self, record):
        is_task = "options" in record or isinstance(record.get("label"), str)
        return "pool_id" in record and is_task

    def _answers(self, record):
        answer, chosen = record.get("answer"), record.get("accept")
        if answer == "ignore":
            yield None, "skip"
        elif answer == "accept":
            if "options" not in record:
                yield None, "right"
            for label in chosen or ():
                yield label, None if label else "empty"
        # Where another label is rejected, nothing follows for the prediction.
        elif answer == "reject" and chosen in (None, [], record.get("suggested")):
            yield None, "wrong"
