"""Parts of JSON Schemas."""

TEXT, COUNT = {"type": "string"}, {"type": "integer", "minimum": 0}
NUMBER = {"type": ["number", "null"]}  # null: undefined
OR_TEXT = {"type": ["string", "null"]}
PAIR = {"type": ["array", "null"], "items": NUMBER, "minItems": 2, "maxItems": 2}
COLUMN = {"type": "array", "items": {"type": ["number", "string", "boolean", "null"]}}


def object_of(required, **optional):
    """Return the schema of an object; other keys may be added without a new version."""
    return {
        "type": "object",
        "required": list(required),
        "properties": {**required, **optional},
    }


# The file of a sealed record, and its digest.
SEALED = object_of({"file": TEXT, "sha256": TEXT})


def or_null(schema):
    """Return the schema of a value that may be null."""
    return {"anyOf": [schema, {"type": "null"}]}


def list_of(schema):
    """Return the schema of an array of equal items."""
    return {"type": "array", "items": schema}


def map_of(schema):
    """Return the schema of an object of equal values by any name."""
    return {"type": "object", "additionalProperties": schema}
