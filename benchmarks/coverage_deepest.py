"""Coverage of the intervals of DeepEST, with and without widening.

Takes a folder with pools of the DeepEST authors (CSV files with the columns outcome and
confidence), which are not part of this project.
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import t

from skrobust.sampling import DeepESTSampler


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--labels", type=int, default=200)
    parser.add_argument("--runs", type=int, default=200)
    arguments = parser.parse_args()
    quantile = t.ppf(0.975, arguments.labels - 1)
    for path in sorted(arguments.folder.glob("*.csv")):
        pool = pd.read_csv(path, encoding="utf-8-sig").rename(columns=str.lower)
        failed = pool["outcome"].eq("Fail").to_numpy()
        scores, truth = 1 - pool["confidence"].to_numpy(), 1 - failed.mean()
        for rule in ("paper", "released"):
            plain, whole, width = [], [], []
            for seed in range(arguments.runs):
                sampler = DeepESTSampler(rule=rule, random_state=seed).fit(scores)
                r = sampler.sample(arguments.labels, lambda ids, f=failed: f[ids])
                plain.append(abs(r.accuracy - truth) <= quantile * r.std_error)
                low, high = r.interval
                whole.append(low - 1e-12 <= truth <= high + 1e-12)
                width.append(high - low)
            print(
                f"{path.stem:20s} {rule:9s} t alone {np.mean(plain):.3f}, "
                f"as reported {np.mean(whole):.3f}, median width {np.median(width):.3f}"
            )


if __name__ == "__main__":
    main()
