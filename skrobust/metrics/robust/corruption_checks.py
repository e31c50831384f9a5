"""Names of corruptions and of the reference model, and quotients to it."""

import numpy as np

from skrobust._containers import to_array
from skrobust._validation import invalid


def check_reference(reference, values, name, caller):
    """Raise unless the reference model has both a name and values, or neither."""
    if reference is not None and (not isinstance(reference, str) or not reference):
        raise invalid("reference", caller, "the name of a model or None", reference)
    if values is not None and reference is None:
        raise ValueError(
            f"{caller} needs the name of the reference model behind {name}, for "
            "example reference='AlexNet'."
        )
    if values is None and reference is not None:
        raise ValueError(f"{caller} needs {name} of the reference {reference!r}.")


def corruption_names(names, n, caller):
    """Return one name (or number) per corruption."""
    if names is None:
        return np.arange(n)
    names = to_array(names, "names", caller)
    if names.shape != (n,):
        raise invalid("names", caller, f"{n} names", names.shape)
    return names


def quotients(values, base, labels, caller):
    """Return values over those of the reference, which must be positive."""
    low = base <= 1e-12
    if low.any():
        raise ValueError(
            f"{caller} cannot divide by the reference's {base[low][0]:g} on "
            f"{labels[low][0]}; it must be positive. Leave it out or take another "
            "reference."
        )
    return values / base
