"""Content of a torch module on which its answers depend, as plain data."""

import sys
from types import FunctionType, MethodType

from skrobust._responses import torch_kind

_HOOKS = ("_forward_pre_hooks", "_forward_hooks")
_TENSORS = ("_parameters", "_buffers")  # buffers that are not saved count too


def net_content(module, *, weights=True):
    """Return what the answers of a torch module depend on.

    Its classes, tensors, settings (attributes) and hooks, and those of all its parts:
    weights alone do not tell two nets apart that see pictures of other sizes.

    Parameters
    ----------
    module : torch module
        It is not changed.
    weights : bool, default=True
        Whether the values of parameters and buffers count.

    Returns
    -------
    list
        For :func:`~skrobust.base.content_digest.content_digest`.
    """
    return [
        (
            name,
            _type_name(part),
            part.extra_repr(),
            sorted(_settings(part, weights).items()),
        )
        for name, part in module.named_modules(remove_duplicate=False)
    ]


def _type_name(value):
    return f"{type(value).__module__}.{type(value).__qualname__}"


def _settings(part, weights):
    of_torch = vars(sys.modules["torch"].nn.Module())  # what every module has
    found = {
        name: plain_content(value)
        for name, value in vars(part).items()
        if name not in of_torch
    }
    for name in _HOOKS:
        hooks = list(getattr(part, name, {}).values())
        if hooks:  # by the order in which they run; their numbers differ each time
            found[name] = plain_content(hooks)
    for kind in _TENSORS if weights else ():
        tensors = vars(part).get(kind) or {}
        found |= {f"{kind}.{k}": plain_content(v) for k, v in tensors.items()}
    return found


def plain_content(value):
    """Return a value with its tensors, modules and functions as plain data.

    Functions without a name in their module, such as lambdas, count by their code.
    """
    torch = sys.modules["torch"]
    if isinstance(value, torch.Tensor):
        return _tensor(value)
    if torch_kind(type(value)) == "module":
        return net_content(value)
    if isinstance(value, FunctionType):
        return _function(value)
    if isinstance(value, MethodType):
        return value.__qualname__
    if isinstance(value, dict):
        return [(key, plain_content(one)) for key, one in value.items()]
    if isinstance(value, (list, tuple)):
        return [plain_content(one) for one in value]
    return value


def _tensor(value):
    value = value.detach().cpu().contiguous()
    raw = value.reshape(-1).view(dtype=sys.modules["torch"].uint8)
    return str(value.dtype), tuple(value.shape), raw.numpy()


def _function(value):
    """Return the name of a function, and of one without a name its code."""
    name = f"{value.__module__}.{value.__qualname__}"
    if "<" not in name:
        return name
    code = value.__code__
    cells = [cell.cell_contents for cell in value.__closure__ or ()]
    constants = [c for c in code.co_consts if not hasattr(c, "co_code")]
    facts = code.co_code, code.co_names, constants, value.__defaults__, cells
    return [name, *map(plain_content, facts)]
