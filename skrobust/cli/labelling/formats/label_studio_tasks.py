"""Label Studio: tasks with predictions, and the JSON export of their annotations.

https://labelstud.io/guide/task_format, https://labelstud.io/guide/predictions
"""

from xml.sax.saxutils import quoteattr

from skrobust.cli.labelling.answer_form import answer_among
from skrobust.cli.labelling.formats.list_format import ListFormat
from skrobust.cli.labelling.grading import written
from skrobust.cli.labelling.shown_input import picture_uri


class LabelStudioTasks(ListFormat):
    """Tasks of Label Studio; a skipped task has a cancelled annotation.

    Drafts are no annotations, and stay open.
    """

    name, takes_numbers = "label-studio", True

    def _record(self, shown, form):
        data = {"pool_id": shown.id, "item": shown.item, "text": shown.text}
        if shown.picture:
            data["image"] = picture_uri(shown.picture)
        value = {"choices": [shown.predicted]}
        result = {"from_name": "label", "to_name": "input", "type": "choices"}
        found = [{"result": [{**result, "value": value}]}] if shown.predicted else []
        return {"data": data, "predictions": found}

    def _settings(self, form, has_pictures):
        shown = '<Image name="input" value="$image"/>' if has_pictures else ""
        shown = shown or '<Text name="input" value="$text"/>'
        groups = {form.name: [x for x in form.labels if x]}
        groups["verdict"] = [x for x in form.verdicts if x != "skip"]
        text = f"<View>\n {shown}\n"
        if form.numbers:
            low, high = form.numbers
            ends = {"min": low, "max": high, "step": (high - low) / 1000}
            ends = " ".join(f'{name}="{written(x)}"' for name, x in ends.items())
            text += f' <Number name="{form.name}" toName="input" {ends}/>\n'
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
            found = {r["from_name"]: _value(r["value"]) for r in results}
            yield answer_among(found), found.get("verdict")
        # Exports may leave out what was cancelled, and count it alone.
        if not record.get("annotations") and record.get("cancelled_annotations"):
            yield None, "skip"


def _value(value):
    if "number" in value:
        return value["number"]
    return next(iter(value.get("choices") or ()), None)
