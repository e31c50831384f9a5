"""What runs of samplers say: paired ratios of errors, and answers in words."""

import numpy as np
from draws import mean_interval
from kit import shown


def names_of(runs):
    """Return the names of the samplers."""
    return [row["sampler"] for row in runs[0]]


def of_sampler(runs, name, key):
    """Return a number of one sampler in each run."""
    return np.array([row[key] for run in runs for row in run if row["sampler"] == name])


def ratio(runs, first, second, groups=None):
    """Return the geometric mean of paired ratios of errors, and its interval.

    Over drawn groups of pools; without groups that of the noise of the repeats alone.
    """
    logs = np.log(of_sampler(runs, first, "error"))
    logs -= np.log(of_sampler(runs, second, "error"))
    if groups is None:
        noise = [of_sampler(runs, n, "noise") for n in (first, second)]
        share = [of_sampler(runs, n, "error") for n in (first, second)]
        half = 1.96 * np.sqrt(np.sum(np.divide(noise, share) ** 2)) / len(logs)
        limits = logs.mean() - half, logs.mean() + half
    else:
        _, limits = mean_interval(logs, groups)
    return float(np.exp(logs.mean())), tuple(float(v) for v in np.exp(limits))


def pair_text(value):
    return f"{value[0]:.2f} {shown(value[1])}"


def of_errors(runs, groups, n_labels):
    """Return the answer on errors over all pools, with paired comparisons."""
    names = names_of(runs)
    medians = {name: np.median(of_sampler(runs, name, "error")) for name in names}
    best = min(medians, key=medians.get)
    excess = {
        name: of_sampler(runs, name, "error") - 2 * of_sampler(runs, name, "noise")
        for name in names[1:]
    }
    bounded = [name for name, values in excess.items() if (values <= 1.1).all()]
    text = ", ".join(
        f"{name} {pair_text(ratio(runs, best, name, groups))}"
        for name in bounded
        if name != best
    )
    return (
        f"With {n_labels} labels the median error over all pools is lowest for {best} "
        f"({medians[best]:.2f} of that of random sampling); its error over that of "
        f"others (geometric mean of paired ratios, 95 % intervals over drawn families "
        f"of pools): {text or 'none'}. In no pool above 1.1 of random sampling by more "
        f"than twice the noise of the repeats: {', '.join(bounded) or 'none'}."
    )


def of_coverage(runs, pools):
    """Return the answer on coverage of the 95 % intervals, bias and failures."""
    names = names_of(runs)[1:]
    lowest = {name: of_sampler(runs, name, "coverage").min() for name in names}
    always = [n for n in names if (of_sampler(runs, n, "coverage") > 1 - 1e-9).all()]
    found = {name: np.median(of_sampler(runs, name, "failures")) for name in names}
    most = sorted(found, key=found.get)[::-1]
    bias = {name: abs(of_sampler(runs, name, "bias / error")) for name in names}
    worst = max(bias, key=lambda name: bias[name].max())
    at = bias[worst].argmax()
    way = "over" if of_sampler(runs, worst, "bias / error")[at] > 0 else "under"
    text = ", ".join(f"{name} {value:.3f}" for name, value in lowest.items())
    return (
        f"The lowest coverage of 95 % intervals in a pool is {text}; always 1.000, so "
        f"that the interval says little: {', '.join(always) or 'none'}. The largest "
        f"bias is {bias[worst][at]:.2f} of the error ({worst}, {pools[at]}: accuracy "
        f"{way}stated, {of_sampler(runs, worst, 'failures')[at]:.2f} times as many "
        "failures found as by random sampling). Most failures are found by "
        + ", ".join(f"{name} ({found[name]:.2f} times random)" for name in most[:3])
        + f"; operational finds {found['operational']:.2f} times."
    )


def of_deepest(runs, kinds, helped):
    """Return the answer on the two rules of DeepEST."""
    both = ["DeepEST, released", "DeepEST, paper"]
    parts = {"": np.ones(len(runs), bool)} | {
        f"{kind} ": np.array(kinds) == kind for kind in dict.fromkeys(kinds)
    }
    failures = ", ".join(
        f"{part}{shares[0]:.1f} and {shares[1]:.1f}"
        for part, own in parts.items()
        for shares in [[np.median(of_sampler(runs, n, "failures")[own]) for n in both]]
    )
    errors = [np.median(of_sampler(runs, name, "error")) for name in both]
    less = [r for r in helped if r["95 %"][1] < 1]
    more = [r for r in helped if r["95 %"][0] > 1]
    text = ", ".join(
        f"{r['pool']} by {r['auxiliary']} {r['error, DeepEST, released']:.2f} against "
        f"{r['error, DeepEST, paper']:.2f}"
        for r in less
    )
    return (
        "By confidence the released rule of DeepEST and that of the paper find this "
        f"many times the failures of random sampling (medians over pools): {failures}; "
        f"their median errors are {errors[0]:.2f} and {errors[1]:.2f}. Of "
        f"{len(helped)} pairs of published pool and auxiliary the released rule has "
        f"the larger error beyond noise in {len(more)}, the smaller in {len(less)} "
        f"({text or 'none'})."
    )


def of_auxiliaries(helped):
    """Return the answer on the auxiliary variables of the operational sampler."""
    of, best = "error, operational", {}
    for row in helped:
        if row["pool"] not in best or row[of] < best[row["pool"]][of]:
            best[row["pool"]] = row
    first = sum(row["auxiliary"] == "confidence" for row in best.values())
    strong = [r for r in helped if r["AUC of failure"] >= 0.8]
    weak = [r for r in helped if r["AUC of failure"] < 0.6]
    texts = [
        f"{np.median(errors):.2f}, {min(errors):.2f} to {max(errors):.2f} "
        f"({len(errors)} cases)"
        for errors in ([r[of] for r in part] for part in (strong, weak))
    ]
    worst = max(strong, key=lambda row: row[of])
    return (
        f"For the operational sampler confidence is the best "
        f"auxiliary variable in {first} of {len(best)} published pools. Ranking "
        "failures is needed and not enough: with an AUC of at least .8 the error is "
        f"{texts[0]} of random sampling, below .6 {texts[1]}; {worst['auxiliary']} on "
        f"{worst['pool']} has an AUC of {worst['AUC of failure']:.3f} and an error of "
        f"{worst[of]:.2f}."
    )


def of_budgets(budgets):
    """Return the answer on other budgets: the lowest, and the next in pairs with it."""
    texts = []
    for n_labels, runs in budgets.items():
        medians = {n: np.median(of_sampler(runs, n, "error")) for n in names_of(runs)}
        first, second = sorted(medians, key=medians.get)[:2]
        texts.append(
            f"{n_labels} labels: {first} {medians[first]:.2f}, {second} "
            f"{medians[second]:.2f}, paired {pair_text(ratio(runs, first, second))}"
        )
    return (
        "With other budgets the two lowest median errors on the published pools, and "
        "the first over the second (95 % limits of the noise of the repeats): "
        f"{'; '.join(texts)}."
    )
