"""Options of attacks, and the attacks that they make."""

import itertools

from click import Choice

from skrobust.cli.option_types import Name, Radii, all_sizes, check_settings
from skrobust.cli.options import option, repeated, set_option

# Parameters that a command sets itself, so that --set may not.
_TAKEN = {"eps", "norm", "data_range", "image_shape", "random_state"}


def attack_options(*default, eps_required=False):
    """Return the options of attacks.

    Parameters
    ----------
    *default : str
        The attacks where none is named.
    eps_required : bool, default=False
        Whether a size is needed.

    Returns
    -------
    list of decorators
        For :func:`~skrobust.cli.options.with_options`.
    """
    without = "" if eps_required else " Without it no attack is made."
    return [
        repeated(
            "--eps",
            "Size of the attacks: for tables '0.1 std' (of the spread of each column), "
            "for images a number in their units (pixels of 0 to 255: 8, not 8/255); "
            f"several separated by commas.{without}",
            Radii(),
            callback=all_sizes,
            required=eps_required,
        ),
        repeated(
            "--attack names",
            "An attack; may be repeated. auto is the strongest that suits the model.",
            Name(_attacks),
            default=default,
        ),
        option("--norm", "Norm of --eps.", Choice(["inf", "2", "1"]), default="inf"),
        set_option("A setting of the attacks that have it, such as n_steps=100."),
    ]


def _attacks():
    from skrobust.report.core.public_classes import get_attack_classes

    return get_attack_classes()


def norm_of(options):
    """Return the norm as the library takes it."""
    import numpy as np

    return np.inf if options["norm"] == "inf" else int(options["norm"])


def known_of(options, known):
    """Return shape and range: the options, or what is known of a built-in data set."""
    names = ("image_shape", "data_range")
    return {name: options[name] or known.get(name) for name in names}


def build_attacks(names, options, known):
    """Return the attacks by (name, eps), each with the settings that it takes."""
    from skrobust.report.core.public_classes import build_attack, get_attack_classes

    wanted = {
        "norm": norm_of(options),
        **known_of(options, known),
        "random_state": options["seed"],
        **dict(options["settings"]),
    }
    kinds, sizes = get_attack_classes(), options["eps"] or ()
    pairs = itertools.product(names, sizes)
    return {(name, eps): build_attack(kinds[name], eps, wanted) for name, eps in pairs}


def chosen_attacks(options):
    """Return the names of the attacks, each once; raise for settings of none."""
    from skrobust.report.core.public_classes import get_attack_classes, parameter_names

    names = list(dict.fromkeys(options["names"]))
    kinds = get_attack_classes()
    has = set().union(*(parameter_names(kinds[name]) for name in names)) - _TAKEN
    owner = f"{' and '.join(names)} {'has' if len(names) == 1 else 'have'}"
    check_settings(owner, options["settings"], sorted(has))
    return names
