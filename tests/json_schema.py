"""Check of plain data against a JSON Schema, without a package for it."""


def check(value, schema, path="$"):
    """Check a value by the few words of JSON Schema that are used."""
    if "anyOf" in schema:
        problems = []
        for one in schema["anyOf"]:
            try:
                return check(value, one, path)
            except AssertionError as error:
                problems.append(str(error))
        raise AssertionError(f"{path}: {problems}")
    if "const" in schema:
        assert value == schema["const"], path
    if "enum" in schema:
        assert value in schema["enum"], path
    kinds = schema.get("type")
    if kinds is not None:
        names = {
            "object": dict, "array": list, "string": str, "null": type(None),
            "number": (int, float), "integer": int, "boolean": bool,
        }  # fmt: skip
        kinds = [kinds] if isinstance(kinds, str) else kinds
        assert any(isinstance(value, names[kind]) for kind in kinds), (path, value)
    if isinstance(value, dict):
        for name in schema.get("required", ()):
            assert name in value, f"{path} lacks {name}"
        for name, part in value.items():
            inner = schema.get("properties", {}).get(name)
            inner = inner or schema.get("additionalProperties", {})
            check(part, inner, f"{path}.{name}")
    if isinstance(value, list) and "items" in schema:
        assert len(value) <= schema.get("maxItems", float("inf"))
        for i, part in enumerate(value):
            check(part, schema["items"], f"{path}[{i}]")
