"""Options that are more than one word or number."""

import click


class Numbers(click.ParamType):
    """Numbers with commas between them, such as ``8,8`` or ``0,16``.

    Parameters
    ----------
    kind : type
        int or float.
    counts : tuple of int
        How many there may be.
    """

    def __init__(self, kind, counts):
        self.kind, self.counts = kind, counts
        self.name = "a,b"

    def convert(self, value, param, ctx):
        """Turn the text into a tuple, or say what was expected."""
        if isinstance(value, tuple):
            return value
        try:
            numbers = tuple(self.kind(part) for part in value.split(","))
        except ValueError:
            numbers = ()
        if len(numbers) not in self.counts:
            wanted = " or ".join(str(count) for count in self.counts)
            what = "integers" if self.kind is int else "numbers"
            self.fail(f"{value!r} is not {wanted} {what} with commas between.")
        return numbers
