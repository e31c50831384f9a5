"""Search for the slopes below open activations that give the best bounds."""

from skrobust._norms import namespace
from skrobust.certificates.net_layers import Activation

_RATE = 0.25  # of the first step; slopes lie in [0, 1]


def best_least(bounds, a, n_steps):
    """Return lower bounds of linear functions of the last layer, with chosen slopes.

    With tensors, the slope of every open activation is optimised for every bound by
    itself, by projected gradient ascent (Xu et al., ICLR 2021); with arrays, the better
    of the common choices is taken. Any slopes prove a bound, so the best of all steps
    is kept.

    Parameters
    ----------
    bounds : NetBounds
        Of the graph.
    a : array or tensor of shape (n_samples, n_bounds, n_outputs)
        Coefficients of the outputs.
    n_steps : int
        Steps of the ascent.

    Returns
    -------
    array or tensor of shape (n_samples, n_bounds)
        Nothing in the region is below.
    """
    last = len(bounds.layers) - 1
    places = [
        i
        for i, layer in enumerate(bounds.layers)
        if isinstance(layer, Activation) and layer.kind == "relu" and i > 1
    ]
    found = bounds.least(a, last)
    xp = namespace(found)
    if not places or not n_steps:
        return found
    inputs = {i: bounds.bounds[bounds.layers[i].inputs[0]] for i in places}
    if xp.__name__ == "numpy":
        for value in (0.0, 1.0):
            slopes = {i: xp.full_like(b[0], value)[:, None] for i, b in inputs.items()}
            found = xp.maximum(found, bounds.least(a, last, slopes))
        return found
    n, s = a.shape[:2]
    slopes = {}
    for i, (low, high) in inputs.items():
        start = (high > -low).to(low.dtype)[:, None]
        slopes[i] = start.expand(n, s, *low.shape[1:]).clone().requires_grad_(True)
    adam = xp.optim.Adam(list(slopes.values()), lr=_RATE)
    schedule = xp.optim.lr_scheduler.ExponentialLR(adam, 0.92)
    for _ in range(n_steps):
        with xp.enable_grad():
            value = bounds.least(a, last, slopes)
            adam.zero_grad(set_to_none=True)
            (-value.sum()).backward()
        found = xp.maximum(found, value.detach())
        adam.step()
        schedule.step()
        with xp.no_grad():
            for slope in slopes.values():
                slope.clamp_(0, 1)
    return found
