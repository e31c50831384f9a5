"""Conformance of image corruptions with those that were published."""

import csv
from functools import cache
from importlib.resources import files

import numpy as np

from skrobust._parallel import StepBar
from skrobust._results import Results
from skrobust._validation import check_choice, invalid, is_integer
from skrobust.perturbations import cifar_c, imagenet_c, mnist_c
from skrobust.testing.dead_leaves import dead_leaves
from skrobust.testing.picture_statistics import STATISTICS, picture_statistics

# Differences that do not matter, our choice: .3 dB or what a change of all pixels by
# .003 makes, and .01, .006 and .006. The published files are cut off to 8 bits where
# others round, which makes them darker by up to .004.
_TOLERANCE = np.array([0.3, 0.01, 0.006, 0.006])
_SMALL_CHANGE = 0.003
_ERRORS = 4.5  # standard errors beyond the tolerance, for a few hundred comparisons
_PRESETS = {28: mnist_c, 32: cifar_c, 224: imagenet_c}


@cache
def published_statistics(side):
    """Return the statistics of the published corruptions at a side, by condition.

    Parameters
    ----------
    side : {28, 32, 224}
        Of the generated pictures.

    Returns
    -------
    dict of (str, int or None) to (int, ndarray of shape (4,), ndarray of shape (4,))
        By kind and severity: the number of pictures, of each of which there were two
        draws, the means of the statistics, and the standard deviation of one draw.
    """
    text = (files("skrobust.testing") / "published_statistics.csv").read_text("utf-8")
    return {
        (row["kind"], int(row["severity"]) if row["severity"] else None): (
            int(row["n"]),
            np.array([float(row[name]) for name in STATISTICS]),
            np.array([float(row[f"{name}_sd"]) for name in STATISTICS]),
        )
        for row in csv.DictReader(text.splitlines())
        if int(row["side"]) == side
    }


def measure_conformance(
    corrupt=None,
    *,
    side=32,
    kinds=None,
    severities=(1, 2, 3, 4, 5),
    frost_pictures=None,
    random_state=0,
    verbose=0,
):
    """Measure how near image corruptions are to the published ones.

    Means hide errors: one kind that is too strong makes up for another that is too
    weak. This function compares kind by kind. The published code of ImageNet-C
    (224 pixels) [1]_, CIFAR-10-C (32) [1]_ and MNIST-C (28) [2]_ was run on generated
    pictures, which any machine can generate again, and a table of what it did to them
    is part of the package: peak signal-to-noise ratio, structural similarity, and the
    change of mean and spread. There are 200 pictures, and 20 of 224 pixels.

    Parameters
    ----------
    corrupt : callable, default=None
        ``corrupt(image, kind, severity)`` returns a corrupted copy of a uint8 image of
        shape (side, side, 3), or (28, 28); values are rounded and cut to [0, 255].
        ``severity`` is None for MNIST-C, which has one strength of each kind. None
        measures the presets of this package.
    side : {28, 32, 224}, default=32
        Side of the pictures, which chooses the benchmark.
    kinds : sequence of str, default=None
        Names of the published corruptions, such as ``"glass_blur"``; None is all.
    severities : sequence of int from 1 to 5, default=(1, 2, 3, 4, 5)
        Severities; ignored for MNIST-C.
    frost_pictures : str, Path or sequence of ndarray, default=None
        For ``corrupt=None``: the photographs of frost, see :class:`Frost`. Without
        them the drawn frost of this package is measured, and may deviate.
    random_state : int, RandomState, Generator or None, default=0
        For ``corrupt=None``: the seed.
    verbose : int, default=0
        From 1 on, a progress bar with the time left (needs tqdm).

    Returns
    -------
    conformance : Results
        One row per kind and severity, with ``to_frame()``; ``print`` says what
        deviates. ``psnr``, ``ssim``, ``mean`` and ``spread`` are those of ``corrupt``,
        ``published_psnr`` and so on those of the table, and ``psnr_error`` and so on
        the standard errors of the differences. ``agrees`` is whether all differences
        are within a tolerance and 4.5 standard errors. The tolerances, our choice, are
        .3 dB (or what a change of all pixels by .003 makes), .01, .006 and .006.
        ``deviating`` names the kinds of which a row does not agree, and ``ok`` is
        whether there is none.

    Raises
    ------
    ValueError
        For a side, kind or severity without published statistics, and for results of
        ``corrupt`` that are no images of the same shape.

    Notes
    -----
    Standard errors count the draws alone: the pictures are those of the table. What
    statistics cannot see, such as a mirrored direction, is not measured.

    References
    ----------
    .. [1] D. Hendrycks and T. Dietterich, "Benchmarking Neural Network Robustness to
       Common Corruptions and Perturbations", ICLR 2019.
    .. [2] N. Mu and J. Gilmer, "MNIST-C: A Robustness Benchmark for Computer Vision",
       arXiv 1906.02337, 2019.

    Examples
    --------
    >>> from skrobust.testing import measure_conformance
    >>> ours = measure_conformance(kinds=["contrast"])
    >>> ours.ok
    True
    >>> def darker(image, kind, severity):
    ...     return image * (1 - severity / 10)
    >>> measure_conformance(darker, kinds=["contrast"]).deviating
    ['contrast']
    """
    caller = "measure_conformance"
    if not (corrupt is None or callable(corrupt)):
        rule = "None or a callable that takes an image, a kind and a severity"
        raise invalid("corrupt", caller, rule, corrupt)
    check_choice(side, "side", caller, tuple(_PRESETS))
    table = published_statistics(side)
    wanted = _conditions(table, kinds, severities, side, caller)
    n = table[wanted[0]][0]
    pictures = _pictures(n, side)
    if corrupt is None:
        found = _presets_own(wanted, pictures, side, frost_pictures, random_state)
    else:
        found = (_corrupted(corrupt, pictures, *place, caller) for place in wanted)
    bar, own = StepBar(len(wanted), f"{side} pixels", verbose), []
    for images in found:
        own.append(picture_statistics(pictures, images).mean(axis=0))
        bar.done()
    bar.close()
    own = np.stack(own)
    return _compared(own, [table[place] for place in wanted], wanted, n)


@cache
def _pictures(n, side):
    pictures = dead_leaves(n, side, grey=side == 28)
    pictures.flags.writeable = False
    return pictures


def _conditions(table, kinds, severities, side, caller):
    """Return the pairs of kind and severity that are to be measured."""
    names = list(dict.fromkeys(kind for kind, _ in table))
    kinds = names if kinds is None else kinds
    if not isinstance(kinds, (list, tuple)):
        raise invalid("kinds", caller, "None or a list of names of corruptions", kinds)
    for kind in kinds:
        check_choice(kind, "kinds", caller, tuple(names))
    if side == 28:
        severities = [None]
    else:
        given = severities
        listed = isinstance(given, (list, tuple, range, np.ndarray))
        severities = list(given) if listed and np.ndim(given) == 1 else []
        known = all(is_integer(s) and 1 <= s <= 5 for s in severities)
        if not severities or not known:
            raise invalid("severities", caller, "integers from 1 to 5", given)
    wanted = [(kind, s and int(s)) for kind in kinds for s in severities]
    if not wanted:
        raise invalid("kinds", caller, "names of corruptions", kinds)
    return wanted


def _corrupted(corrupt, pictures, kind, severity, caller):
    """Return what a user's function makes of the pictures, as uint8."""
    out = np.empty_like(pictures)
    for image, new in zip(pictures, out, strict=True):
        found = np.asarray(corrupt(image.copy(), kind, severity), dtype=np.float64)
        if found.shape != image.shape or not np.isfinite(found).all():
            rule = f"a function that returns finite images of shape {image.shape}"
            what = f"values of shape {found.shape} for {kind!r}, severity {severity}"
            raise invalid("corrupt", caller, rule, what)
        new[...] = np.clip(np.rint(found), 0, 255)
    return out


def _presets_own(wanted, pictures, side, frost_pictures, random_state):
    """Yield what the presets of this package make of the pictures."""
    more = {}
    if side != 28:
        severities = sorted({severity for _, severity in wanted})
        more = {"severities": severities, "holdout": True}
        more["frost_pictures"] = frost_pictures
    conditions = _PRESETS[side](random_state=random_state, **more)
    by_name = {c.name.removeprefix("drawn_"): c for c in conditions}
    for kind, severity in wanted:
        name = kind if severity is None else f"{kind}-{severity}"
        yield by_name[name].perturb(None, pictures)


def _compared(own, published, wanted, n):
    n_published = np.array([count for count, _, _ in published])[:, None]
    means, sds = (np.stack(part) for part in list(zip(*published, strict=True))[1:])
    error = sds * np.sqrt(1 / n + 1 / (2 * n_published))
    tolerance = np.tile(_TOLERANCE, (len(own), 1))
    small = 20 * np.log10(1 + _SMALL_CHANGE * 10 ** (means[:, 0] / 20))
    tolerance[:, 0] = np.maximum(tolerance[:, 0], small)
    agrees = (np.abs(own - means) <= tolerance + _ERRORS * error).all(axis=1)
    kinds = np.array([kind for kind, _ in wanted])
    deviating = list(dict.fromkeys(kinds[~agrees].tolist()))
    columns = {"kind": kinds, "severity": np.array([s or 0 for _, s in wanted])}
    for i, name in enumerate(STATISTICS):
        columns[name] = own[:, i]
        columns[f"published_{name}"] = means[:, i]
        columns[f"{name}_error"] = error[:, i]
    columns["agrees"] = agrees
    n_kinds = len(set(kinds.tolist()))
    verdict = f"{n_kinds - len(deviating)} of {n_kinds} kinds agree with the published"
    if deviating:
        verdict += f"; {', '.join(deviating)} deviate" + "s" * (len(deviating) == 1)
    return Results(
        columns=tuple(columns),
        verdict=f"{verdict}.",
        ok=not deviating,
        deviating=deviating,
        n_pictures=n,
        **columns,
    )
