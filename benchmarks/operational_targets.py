"""Comparison of samplers on the pools of the DeepEST authors, as a Markdown table.

Takes a folder with the pools (CSV files with the columns outcome and confidence), which
are not part of this project. Every repeat gives all samplers the same seed. "error" is
the Monte-Carlo error of the number before it.

    python benchmarks/operational_targets.py FOLDER --repeats 2000
"""

import argparse
import time
from pathlib import Path

import numpy as np
from worlds import read_pools

from skrobust.sampling import (
    DeepESTSampler,
    OperationalSampler,
    SimpleRandomSampler,
    simulate,
)

BUDGETS = (50, 200, 800)
HIGH = 0.65  # emphasis at which failures are to equal those of DeepEST
SAMPLERS = {
    "SRS": SimpleRandomSampler(),
    "DeepEST, released": DeepESTSampler(rule="released"),
    "DeepEST, paper": DeepESTSampler(rule="paper"),
    "Operational, 0": OperationalSampler(),
    f"Operational, {HIGH}": OperationalSampler(failure_emphasis=HIGH),
}


def row_of(results, name, n):
    return int(np.flatnonzero((results.sampler == name) & (results.n_labels == n))[0])


def ratio(results, name, base, n, what):
    """Return the log of a ratio and its Monte-Carlo error, from paired repeats."""
    rows = [row_of(results, one, n) for one in (name, base)]
    if what == "rmse":
        values = (results.estimates[rows] - results.true_accuracy) ** 2
        power = 0.5
    else:
        values, power = results.found[rows], 1.0
    means = values.mean(axis=1)
    influence = power * (values[0] / means[0] - values[1] / means[1])
    error = influence.std(ddof=1) / np.sqrt(results.n_repeats)
    return power * np.log(means[0] / means[1]), error


def geometric(pools, name, base, n, what):
    """Return the geometric mean over pools of a ratio, and its Monte-Carlo error."""
    logs, errors = np.array([ratio(r, name, base, n, what) for r in pools.values()]).T
    value = np.exp(logs.mean())
    return value, value * np.sqrt((errors**2).sum()) / len(errors)


def verdict(value, target, *, at_most):
    missed = value - target if at_most else target - value
    return "met" if missed <= 0 else f"missed by {missed:.3f}"


def print_targets(pools):
    high = f"Operational, {HIGH}"
    print("\n| target (geometric mean over the pools) | n | measured | error | |")
    print("|---|---|---|---|---|")
    for text, name, base, what, target, at_most in (
        ("emphasis 0: RMSE / SRS <= .62", "Operational, 0", "SRS", "rmse", 0.62, True),
        ("emphasis 0: failures / SRS >= 2.2", "Operational, 0", "SRS", "f", 2.2, False),
        (f"emphasis {HIGH}: RMSE / DeepEST released <= .65", high, "DeepEST, released",
         "rmse", 0.65, True),
        (f"emphasis {HIGH}: failures / DeepEST released >= .95", high,
         "DeepEST, released", "f", 0.95, False),
    ):  # fmt: skip
        for n in BUDGETS:
            value, error = geometric(pools, name, base, n, what)
            said = verdict(value, target, at_most=at_most)
            print(f"| {text} | {n} | {value:.3f} | {error:.3f} | {said} |")
    for name in (n for n in SAMPLERS if n.startswith("Operational")):
        lowest = min(
            (r.coverage[row_of(r, name, n)], pool, n)
            for pool, r in pools.items()
            for n in BUDGETS
            if n >= 200
        )
        said = verdict(lowest[0], 0.93, at_most=False)
        error = np.sqrt(
            lowest[0] * (1 - lowest[0]) / next(iter(pools.values())).n_repeats
        )
        print(
            f"| {name}: coverage >= .93 on every pool (lowest: {lowest[1]}) | "
            f"{lowest[2]} | {lowest[0]:.3f} | {error:.3f} | {said} |"
        )


def print_pools(pools):
    print("\n| pool | sampler | n | RMSE | error | median | bias / its error | failures"
          " | coverage | width |")  # fmt: skip
    print("|---|---|---|---|---|---|---|---|---|---|")
    for pool, r in pools.items():
        for i in range(len(r.sampler)):
            print(
                f"| {pool} | {r.sampler[i]} | {r.n_labels[i]} | {r.rmse[i]:.4f} | "
                f"{r.rmse_error[i]:.4f} | {r.median_error[i]:.4f} | "
                f"{r.bias[i] / r.bias_error[i]:+.1f} | {r.failures[i]:.1f} | "
                f"{r.coverage[i]:.3f} | {r.width[i]:.4f} |"
            )


def print_speed(n_pool):
    rng = np.random.default_rng(0)
    scores = rng.beta(0.2, 3, n_pool)
    start = time.process_time()
    sampler = OperationalSampler(random_state=0).fit(scores)
    fitted = time.process_time()
    sampler.ask(10_000)
    drawn = time.process_time()
    print(
        f"\nPool of {n_pool:,}: set-up {fitted - start:.1f} s, a batch of 10,000 "
        f"{drawn - fitted:.1f} s of CPU time."
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--repeats", type=int, default=2000)
    parser.add_argument("--pool", type=int, default=10_000_000, help="of the timing")
    arguments = parser.parse_args()
    pools, start = {}, time.process_time()
    for name, scores, failed, _ in read_pools(arguments.folder):
        pools[name] = simulate(
            SAMPLERS, scores, failed, n_labels=BUDGETS, n_repeats=arguments.repeats,
            random_state=0,
        )  # fmt: skip
    spent = (time.process_time() - start) / 60
    print(f"{arguments.repeats} paired repeats, {spent:.0f} CPU minutes.")
    print_targets(pools)
    print_pools(pools)
    print_speed(arguments.pool)


if __name__ == "__main__":
    main()
