"""Warnings of gradient masking."""


def zero_gradient_message(n, caller):
    """Return what to warn of where n gradients vanish at the starting points."""
    met = "1 zero gradient" if n == 1 else f"{n} zero gradients"
    return (
        f"{caller} met {met} at its starting points; there it cannot attack, so the "
        "result is an upper bound of the robustness (gradient masking)."
    )
