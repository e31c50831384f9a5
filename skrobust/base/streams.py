"""Random streams: copies of a perturbation with other draws."""

import copy

from skrobust._keyed_noise.generator import seed_number, stream_number


def other_noise(perturbation, *parts):
    """Return a copy that draws from the sub-stream that ``parts`` name.

    What the perturbation learned is kept, and the seed alone is replaced, so this works
    for whatever has a ``random_state``, attacks and objects of your own included. A
    seed of None draws anew each time anyway.

    Parameters
    ----------
    perturbation : object
        A perturbation or an attack, fitted or not; it is left as it is.
    *parts : str or int
        Name of the sub-stream, such as ``"repeat", 3``. No part is the perturbation's
        own stream.

    Returns
    -------
    object
        The copy; the perturbation itself where there is no seed to replace.
    """
    if not parts or not hasattr(perturbation, "get_params"):
        return perturbation
    own = perturbation.get_params(deep=False)
    # A seed of its own is one for all that is inside; only without it the inner ones
    # count, and these must not be shared with the original.
    outer = "random_state" in own
    params = own if outer else perturbation.get_params(deep=True)
    caller = type(perturbation).__name__
    seeds = {
        # scikit-learn takes seeds of 32 bits.
        name: stream_number(seed_number(value, caller), *parts) >> 32
        for name, value in params.items()
        if name.split("__")[-1] == "random_state" and value is not None
    }
    if not seeds:
        return perturbation
    other = copy.copy(perturbation) if outer else copy.deepcopy(perturbation)
    return other.set_params(**seeds)
