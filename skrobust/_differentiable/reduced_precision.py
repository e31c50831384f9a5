"""Replicas of nets in reduced precision (bfloat16, TF32) or compiled by torch."""

import copy
import weakref
from contextlib import contextmanager

from skrobust.base.content_digest import content_digest
from skrobust.base.net_content import net_content

# Compiling takes longer than many an attack, so what was compiled for a module stays as
# long as the module does; weights are copied into it anew at each use.
_COMPILED = weakref.WeakKeyDictionary()

PRECISIONS = ("float32", "tf32", "bfloat16")


class FastNet:
    """A replica of a skorch net that computes fast; the net itself is not touched.

    The replica shares nothing with the net. Its parameters are frozen, since compiled
    code would else work out their gradients too; for ``"bfloat16"`` images and the
    kernels of convolutions lie channels last. Compiled code is made for two numbers of
    rows, to which smaller batches are padded: the whole batch and half of it. A quarter
    and less is not compiled, where that would cost more than it brings.

    Parameters
    ----------
    torch : module
        The torch package.
    net : initialized skorch net
        In evaluation mode.
    device_type : str
        Where it computes.
    precision : {"float32", "tf32", "bfloat16"}
        Of the passes; ``tensor_float`` sets what "tf32" needs.
    compiled : bool
        Whether torch compiles the replica.
    batch_size : int
        Most rows of a pass.
    """

    def __init__(self, torch, net, device_type, precision, compiled, batch_size):
        self._torch, self._device_type = torch, device_type
        self._is_half, self._batch_size = precision == "bfloat16", batch_size
        module = getattr(net.module_, "_orig_mod", net.module_)
        if not compiled:
            replica, compiled_twin = self._replica(module), None
        else:
            settings = (precision, batch_size, _fingerprint(module))
            kept, replica, compiled_twin = _COMPILED.get(module, (None, None, None))
            if kept == settings:
                _copy_state(torch, module, replica)
            else:
                replica = self._replica(module)
                compiled_twin = torch.compile(replica, dynamic=False)
                _COMPILED[module] = settings, replica, compiled_twin
        self._plain = self._with_module(net, replica)
        self._compiled = self._with_module(net, compiled_twin) if compiled else None

    def _replica(self, module):
        replica = copy.deepcopy(module)
        replica.requires_grad_(False)
        if self._is_half:
            for parameter in replica.parameters():
                if parameter.dim() == 4:
                    parameter.data = parameter.data.contiguous(
                        memory_format=self._torch.channels_last
                    )
        return replica

    @staticmethod
    def _with_module(net, module):
        # The net's own ``infer`` may be anything, so it stays in charge. A copy by the
        # copy module would write the whole net to a file and read it back.
        twin = object.__new__(type(net))
        twin.__dict__.update(net.__dict__, module_=module)
        return twin.infer

    def __call__(self, z):
        """Return what the net returns, its tensors as wide as ``z``."""
        n, infer = len(z), self._plain
        if self._compiled is not None and 4 * n > self._batch_size:
            infer = self._compiled
            half = (self._batch_size + 1) // 2
            size = half if n <= half else self._batch_size
            if size > n:
                z = self._torch.cat([z, z[:1].expand(size - n, *z.shape[1:])])
        wide = z.dtype
        if self._is_half:
            if z.dim() == 4:
                z = z.contiguous(memory_format=self._torch.channels_last)
            with self._torch.autocast(
                self._device_type, self._torch.bfloat16, cache_enabled=False
            ):
                output = infer(z)
        else:
            output = infer(z)
        if isinstance(output, tuple):
            output = output[0]
        if isinstance(output, self._torch.Tensor):
            output = output[:n].to(wide)
        return output


def _fingerprint(module):
    """Return what code compiled for a module rests on, all but its numbers."""
    try:
        parts = content_digest(net_content(module, weights=False))
    except Exception:  # whatever the pickling of a user's settings raises
        parts = object()  # equals no other: compiled again
    state = [(k, v.shape, v.dtype, v.device) for k, v in _state(module).items()]
    return parts, state


def _state(module):
    # Buffers that are not saved count too.
    return {**dict(module.named_parameters()), **dict(module.named_buffers())}


def _copy_state(torch, module, replica):
    old = _state(replica)
    with torch.no_grad():
        for name, value in _state(module).items():
            old[name].copy_(value)


@contextmanager
def tensor_float(torch, allowed):
    """Allow or forbid TF32 for a while; None leaves it as it is.

    torch has an old and a new way to say so, which it does not let one mix: what can be
    read is put back, old and new.
    """
    if allowed is None:
        yield
        return
    matmul, cudnn = torch.backends.cuda.matmul, torch.backends.cudnn
    old = [(matmul, "allow_tf32"), (cudnn, "allow_tf32")]
    new = [(matmul, "fp32_precision"), (getattr(cudnn, "conv", None), "fp32_precision")]
    before = [(*it, _unless_mixed(getattr, *it, None)) for it in (*old, *new)]
    level = _unless_mixed(torch.get_float32_matmul_precision)
    speaks_old = all(value is not None for _, _, value in before[:2])
    for holder, name in old if speaks_old else new:
        value = allowed if speaks_old else ("tf32" if allowed else "ieee")
        setattr(holder, name, value)
    try:
        yield
    finally:
        if speaks_old and level is not None:
            torch.set_float32_matmul_precision(level)
        for holder, name, value in before:
            if value is not None:
                setattr(holder, name, value)


def is_tensor_float_allowed(torch):
    """Say whether TF32 may be used on a GPU, as far as can be read."""
    holders = torch.backends.cudnn, torch.backends.cuda.matmul
    read = [_unless_mixed(getattr, one, "allow_tf32", None) for one in holders]
    return any(allowed is not False for allowed in read)


def _unless_mixed(read, *args):
    try:
        return read(*args)
    except RuntimeError:  # set in the other way
        return None
