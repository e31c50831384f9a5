"""Text of errors and warnings as one line."""


def one_line(error):
    """Return the text of an error or warning as one line."""
    text = " ".join(str(error).split()) or type(error).__name__
    # The text of these is only a key, an attribute or an index.
    if isinstance(error, (LookupError, AttributeError, AssertionError)):
        return f"{type(error).__name__}: {text}"
    return text
