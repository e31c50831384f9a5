"""Devices of torch."""

import torch

from skrobust._validation import invalid


def find_device(device, caller):
    """Return a device of torch that is here, or raise.

    Parameters
    ----------
    device : str or torch.device
        ``"auto"`` is ``"cuda"`` where there is one, else ``"cpu"``.
    caller : str
        Name of the public function or class, for error messages.

    Returns
    -------
    str or torch.device
        The device.
    """
    rule = "'auto' or a device of torch, such as 'cpu' or 'cuda:0'"
    if not isinstance(device, (str, int, torch.device)) or isinstance(device, bool):
        raise invalid("device", caller, rule, device)
    if device == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    try:
        kind = torch.device(device).type
    except (RuntimeError, TypeError, ValueError, OverflowError):
        raise invalid("device", caller, rule, device) from None
    if kind == "cuda" and not torch.cuda.is_available():
        raise ValueError(
            f"The 'device' parameter of {caller} must be a device that is here. Got "
            f"{str(device)!r}, and torch sees no GPU."
        )
    index = torch.device(device).index
    if kind == "cuda" and index is not None and index >= torch.cuda.device_count():
        raise ValueError(
            f"The 'device' parameter of {caller} must be a device that is here. Got "
            f"{str(device)!r}, and torch sees {torch.cuda.device_count()} GPUs."
        )
    return device
