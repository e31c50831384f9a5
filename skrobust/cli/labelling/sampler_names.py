"""Samplers by their names on the command line."""

import re

from skrobust import sampling


def get_sampler_classes():
    """Return the public samplers by the names of their classes."""
    public = {n: getattr(sampling, n) for n in sampling.__all__ if n[:4] != "Base"}
    return {
        name: kind
        for name, kind in public.items()
        if isinstance(kind, type) and issubclass(kind, sampling.BaseSampler)
    }


def get_sampler_names():
    """Return the public samplers by their names on the command line, sorted."""
    found = {}
    for name, kind in sorted(get_sampler_classes().items()):
        words = re.sub(r"(?<=[a-z])(?=[A-Z][a-z])", "-", name.removesuffix("Sampler"))
        found[words.lower()] = kind
    return found
