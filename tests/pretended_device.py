"""CPU tensors that stand for tensors on a device, where there is none."""

import torch

from skrobust import _containers


def pretend(monkeypatch, most=None):
    """Take CPU tensors for tensors on a device.

    numpy cannot read them, as it cannot read those of a GPU, and no more than ``most``
    numbers go to the host at once.
    """
    monkeypatch.setattr(_containers, "HOST", set())

    def refuse(tensor, *args, **kwargs):
        raise TypeError("can't convert a tensor on a device to numpy")

    monkeypatch.setattr(torch.Tensor, "__array__", refuse)
    if most is None:
        return

    def guarded(method):
        def checked(tensor, *args, **kwargs):
            assert tensor.numel() <= most, "pictures went to the host"
            return method(tensor, *args, **kwargs)

        return checked

    for name in ("cpu", "numpy", "tolist"):
        plain = getattr(torch.Tensor, name)
        monkeypatch.setattr(torch.Tensor, name, guarded(plain))
