"""Layers of a module: number of outputs and frozen parameters."""

import torch
from torch import nn

from skrobust._validation import invalid

CALLER = "make_net_classifier"


def is_one_logit(module, settings):
    """Return whether the last layer of a module has one unit."""
    if not isinstance(module, nn.Module):
        with torch.random.fork_rng(devices=[]):
            start = len("module__")
            own = {k[start:]: v for k, v in settings.items() if k[:start] == "module__"}
            module = module(**own)
    if not isinstance(module, nn.Module):
        rule = "a torch module, or a class or function that makes one"
        raise invalid("module", CALLER, rule, module)
    return n_outputs(module) == 1


def n_outputs(module):
    """Return the units of the last layer that has a number of them, else None."""
    found = None
    for layer in module.modules():
        for name in ("out_features", "out_channels"):
            found = getattr(layer, name, found)
    return found


def check_freeze(freeze):
    """Raise for an unknown ``freeze``."""
    if freeze is None or (isinstance(freeze, str) and freeze == "body"):
        return
    is_list = isinstance(freeze, (list, tuple)) and len(freeze) > 0
    if not is_list or not all(isinstance(name, str) for name in freeze):
        rule = "None, 'body' or a list of the beginnings of names"
        raise invalid("freeze", CALLER, rule, freeze)


def freeze_parameters(module, freeze):
    """Freeze the named parameters and no others."""
    check_freeze(freeze)
    if freeze is None:
        return
    named = [name for name, _ in module.named_parameters()]
    prefixes = freeze
    if freeze == "body":
        last = _layer_of(named[-1])
        prefixes = [n for n in named if _layer_of(n) != last]
    for prefix in prefixes:
        if not any(_under(name, prefix) for name in named):
            listed = ", ".join(sorted({name.split(".")[0] for name in named})[:6])
            raise ValueError(
                f"The 'freeze' parameter of {CALLER} must name parameters of the "
                f"module. Got {prefix!r}; its names begin with {listed}."
            )
    frozen = {n for n in named if any(_under(n, p) for p in prefixes)}
    if len(frozen) == len(named):
        raise ValueError(
            f"The 'freeze' parameter of {CALLER} must leave something to learn. "
            f"Got {freeze!r}, which covers all parameters."
        )
    for name, parameter in module.named_parameters():
        parameter.requires_grad_(name not in frozen)


def _layer_of(name):
    return name.rpartition(".")[0]


def _under(name, prefix):
    return name == prefix or name.startswith(prefix.rstrip(".") + ".")


def set_frozen_to_eval(module):
    """Put frozen layers into evaluation mode: batch normalisation keeps its state."""
    for layer in module.modules():
        own = list(layer.parameters(recurse=False))
        if own and not any(p.requires_grad for p in own):
            layer.training = False
