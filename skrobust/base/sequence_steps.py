"""Steps of conditions that are sequences."""


def steps_of(condition):
    """Return the steps of a sequence, None where a condition is no sequence.

    Fitted steps take the place of the parameters.
    """
    steps = getattr(condition, "steps_", getattr(condition, "steps", None))
    return steps if isinstance(steps, (list, tuple)) else None
