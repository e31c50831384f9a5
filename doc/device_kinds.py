"""The list of the guide: which image kinds are perturbed on a device."""

import inspect

import skrobust.perturbations as sp
from skrobust.perturbations.images.device_images import has_way
from skrobust.perturbations.images.image_perturbation import ImagePerturbation


def device_kinds():
    """Return reStructuredText: the kinds with a way on a device, and the others."""
    kinds = [kind for kind in vars(sp).values() if inspect.isclass(kind)]
    kinds = [k for k in kinds if issubclass(k, ImagePerturbation)]
    kinds = [k for k in kinds if not inspect.isabstract(k)]
    lines = []
    for title, wanted in (("On the device", True), ("Through the host", False)):
        names = sorted(k.__name__ for k in kinds if has_way(k) is wanted)
        lines += [f"- {title}: " + ", ".join(f"``{name}``" for name in names) + "."]
    return "\n".join(lines) + "\n"
