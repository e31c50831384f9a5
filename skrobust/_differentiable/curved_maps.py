"""Differentiable maps of QuantileTransformer and PowerTransformer."""

import numpy as np
from scipy.stats import norm

from skrobust._differentiable.maps import Map
from skrobust._differentiable.steps import ask

EDGE = 1e-7  # within it of the outermost quantile, scikit-learn answers 0 or 1


def quantile_map(step):
    """Return the map of a QuantileTransformer: pieces of lines, perhaps made normal."""
    quantiles, references = step.quantiles_, step.references_
    is_normal = step.output_distribution == "normal"

    def column(x, q):
        up = np.interp(x, q, references)
        down = np.interp(-x, -q[::-1], -references[::-1])
        z = 0.5 * (up - down)
        slack = EDGE if is_normal else 0.0
        below, above = x - slack <= q[0], x + slack >= q[-1]
        z = np.where(below, 0.0, np.where(above, 1.0, z))
        place = np.clip(np.searchsorted(q, x, side="right") - 1, 0, len(q) - 2)
        width = q[place + 1] - q[place]
        rise = references[place + 1] - references[place]
        slope = np.where(width > 0, rise / np.where(width > 0, width, 1), 0)
        slope = np.where(below | above, 0, slope)
        if is_normal:
            most = norm.ppf(1 - EDGE)
            inner = norm.ppf(z).clip(-most, most)
            return inner, slope / norm.pdf(inner) * (np.abs(inner) < most)
        return z, slope

    def apply(x):
        pairs = [column(x[:, j], quantiles[:, j]) for j in range(x.shape[1])]
        z, slopes = (np.column_stack(part) for part in zip(*pairs, strict=True))
        return z, lambda slope: slope * slopes

    return Map(apply)


def power_map(step):
    """Return the map of a PowerTransformer.

    The scale and shift after the power are inferred from the answers to two rows.
    """
    powers = np.asarray(step.lambdas_, dtype=np.float64)
    bend = _yeo_johnson if step.method == "yeo-johnson" else _box_cox
    first, second = (0.0, 1.0) if step.method == "yeo-johnson" else (1.0, 2.0)
    rows = np.array([[first], [second]]) * np.ones((2, len(powers)))
    low, high = ask(step.transform, rows)
    bent = bend(rows, powers)[0]
    scale = (high - low) / (bent[1] - bent[0])
    shift = low - bent[0] * scale

    def apply(x):
        z, slopes = bend(x, powers)
        return z * scale + shift, lambda slope: slope * slopes * scale

    return Map(apply)


def _yeo_johnson(x, powers):
    """Return the transform of Yeo and Johnson and its slope."""
    rises = x >= 0
    base = np.where(rises, x, -x) + 1
    power = np.where(rises, powers, 2 - powers)
    log = np.log(base)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = np.where(np.abs(power) < 1e-12, log, np.expm1(power * log) / power)
    return np.where(rises, value, -value), base ** (power - 1)


def _box_cox(x, powers):
    """Return the transform of Box and Cox and its slope; x must be positive."""
    log = np.log(np.maximum(x, np.finfo(np.float64).tiny))
    with np.errstate(divide="ignore", invalid="ignore"):
        value = np.where(np.abs(powers) < 1e-12, log, np.expm1(powers * log) / powers)
    return value, np.exp((powers - 1) * log)
