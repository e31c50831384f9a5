"""Label Studio: tasks with predictions, and the JSON export of their annotations.

https://labelstud.io/guide/task_format, https://labelstud.io/guide/predictions
"""

from xml.sax.saxutils import quoteattr

from skrobust.cli.labelling.formats.list_format import ListFormat
from skrobust.cli.labelling.shown_input import picture_uri


class LabelStudioTasks(ListFormat):
    """Tasks of Label Studio; a skipped task has a cancelled annotation."""

    name = "label-studio"

    def _record(self, shown, labels):
        data = {"pool_id": shown.id, "item": shown.item, "text": shown.text}
        if shown.picture:
            data["image"] = picture_uri(shown.picture)
        value = {"choices": [shown.predicted]}
        result = {"from_name": "label", "to_name": "input", "type": "choices"}
        found = [{"result": [{**result, "value": value}]}] if shown.predicted else []
        return {"data": data, "predictions": found}

    def _settings(self, labels, has_pictures):
        shown = '<Image name="input" value="$image"/>' if has_pictures else ""
        shown = shown or '<Text name="input" value="$text"/>'
        groups = {"label": [x for x in labels if x], "verdict": ["right", "wrong"]}
        text = f"<View>\n {shown}\n"
        for name, values in groups.items():
            if values:
                text += f' <Choices name="{name}" toName="input" choice="single">\n'
                text += "".join(f"  <Choice value={quoteattr(v)}/>\n" for v in values)
                text += " </Choices>\n"
        return ".xml", f"{text}</View>\n"

    def _knows(self, record):
        return "pool_id" in record.get("data", ())

    def _place(self, record):
        return record["data"]["pool_id"], record["data"].get("item")

    def _answers(self, record):
        for annotation in record.get("annotations") or ():
            if annotation.get("was_cancelled"):
                yield None, "skip"
                continue
            results = annotation.get("result") or ()
            found = {r["from_name"]: r["value"]["choices"][0] for r in results}
            yield found.get("label"), found.get("verdict")
