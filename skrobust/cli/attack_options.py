"""The attacks that a command line can make, and their options."""

import click
import numpy as np

from skrobust import attacks
from skrobust.cli.exit_codes import UserError
from skrobust.cli.options import Setting, Sizes, all_sizes

# What a command sets itself, so that --set may not.
_TAKEN = {"eps", "norm", "data_range", "image_shape", "random_state"}


def attack_names():
    """Return the attacks that a command line can make, by name; bases have no eps."""
    public = {name: getattr(attacks, name) for name in attacks.__all__}
    return {
        name: kind
        for name, kind in public.items()
        if hasattr(kind, "perturb") and "eps" in kind._get_param_names()
    }


class AttackName(click.ParamType):
    """The name of a public attack, in any case."""

    name = "name"

    def convert(self, value, param, ctx):
        """Return the name as the class has it, or say which there are."""
        for name in attack_names():
            if name.lower() == value.lower():
                return name
        return self.fail(f"{value!r} is none of {', '.join(attack_names())}.")

    def shell_complete(self, ctx, param, incomplete):
        """Return the names that begin like this."""
        from click.shell_completion import CompletionItem

        return [
            CompletionItem(name)
            for name in attack_names()
            if name.lower().startswith(incomplete.lower())
        ]


def attack_options(*default, eps_required=False):
    """Return the decorators that add what attacks are made of.

    Parameters
    ----------
    *default : str
        The attacks where none is named.
    eps_required : bool, default=False
        Whether nothing can be done without a size.

    Returns
    -------
    list of decorators
        For :func:`~skrobust.cli.options.with_options`.
    """
    without = "" if eps_required else " Without it no attack is made."
    return [
        click.option(
            "--eps",
            type=Sizes(),
            multiple=True,
            callback=all_sizes,
            required=eps_required,
            help="Size of the attacks in units of the raw input (pixels of 0 to 255: "
            f"8, not 8/255); several with commas between.{without}",
        ),
        click.option(
            "--attack",
            "names",
            type=AttackName(),
            multiple=True,
            default=default,
            show_default=True,
            help="An attack; may be repeated.",
        ),
        click.option(
            "--norm",
            type=click.Choice(["inf", "2", "1"]),
            default="inf",
            show_default=True,
            help="Norm in which --eps is meant.",
        ),
        click.option(
            "--set",
            "settings",
            type=Setting(),
            multiple=True,
            metavar="NAME=VALUE",
            help="A setting of the attacks that have it, such as n_steps=100.",
        ),
    ]


def norm_of(options):
    """Return the norm as the library takes it."""
    return np.inf if options["norm"] == "inf" else int(options["norm"])


def build_attack(name, eps, options, known):
    """Return an attack with the settings of the command that it has."""
    kind = attack_names()[name]
    has = kind._get_param_names()
    wanted = {
        "eps": eps,
        "norm": norm_of(options),
        "data_range": options["data_range"] or known.get("data_range"),
        "image_shape": options["image_shape"] or known.get("image_shape"),
        "random_state": options["seed"],
        **dict(options["settings"]),
    }
    return kind(**{key: value for key, value in wanted.items() if key in has})


def chosen_attacks(options):
    """Return the names of the attacks, each once; raise for settings of none."""
    names = list(dict.fromkeys(options["names"]))
    kinds = attack_names()
    has = set().union(*(kinds[name]._get_param_names() for name in names)) - _TAKEN
    for name, _ in options["settings"]:
        if name not in has:
            raise UserError(
                f"--set: {' and '.join(names)} have no setting {name!r}; there are "
                f"{', '.join(sorted(has))}."
            )
    return names
