"""Error of stored state that is not what was written."""


class Damaged(ValueError):
    """Stored state that is not what was written; the message names the part."""
