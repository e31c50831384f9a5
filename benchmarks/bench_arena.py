"""Robust accuracy against passes: attacks at equal budgets, and the union of all.

A budget is a number of forward passes, backward passes and queries of each row. Each
attack gets the steps or queries that the budget pays for; what it took is read from its
result, as the largest number over the rows. An answer counts where the model itself
says another label. "union" is what stands after all attacks with that budget.
``--nets`` runs attacks of other libraries beside ours on two small nets of torch, with
passes that are counted in the net.
"""

import argparse
import time

import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from skrobust import attacks as sk

BOX = {"data_range": (0, 1), "random_state": 0}
BUDGETS = (20, 80, 320)
NET_BUDGETS = (20, 60, 160)
# Model, and its radii in L-infinity and L2.
MODELS = {
    "softmax": (LogisticRegression(max_iter=1000), 0.06, 0.4),
    "votes": (make_pipeline(StandardScaler(), SVC(gamma=0.01)), 0.01, 0.1),
    "net": (MLPClassifier((32,), max_iter=60, random_state=0), 0.06, 0.4),
    "forest": (RandomForestClassifier(50, random_state=0), 0.15, 1.0),
}


def by_gradient(eps, norm, budget):
    """Return attacks whose passes are about the budget, forward and backward."""
    box = {"eps": eps, "norm": norm, **BOX}
    n = max(1, budget // 2 - 1)
    minimal = {**box, "n_steps": max(1, n - 5)}
    found = {
        "PGD": sk.PGD(n_steps=n, finish=None, **box),
        "AutoPGD": sk.AutoPGD(n_steps=n, finish=None, **box),
        "MomentumPGD": sk.MomentumPGD(n_steps=n, finish=None, **box),
        "FMN": sk.FMN(**minimal),
        "FAB": sk.FAB(**{**box, "n_targets": 3, "n_steps": max(1, budget // 9)}),
    }
    return found | ({"DDN": sk.DDN(**minimal)} if norm == 2 else {})


def by_queries(eps, norm, budget):
    """Return attacks that ask at most as many questions as the budget."""
    box = {"eps": eps, "norm": norm, "max_queries": budget, **BOX}
    kinds = (sk.Square, sk.RandomSearch, sk.HopSkipJump)
    return {kind.__name__: kind(**box) for kind in kinds}


def run(name, norm, budget, rows):
    """Yield the name, the passes taken and the rows that stand, for each attack."""
    X, y = load_digits(return_X_y=True)
    X = X / 16
    model, eps = MODELS[name][0], MODELS[name][1 if norm == np.inf else 2]
    model.fit(X[:1200], y[:1200])
    right = 1200 + np.flatnonzero(model.predict(X[1200:]) == y[1200:])[:rows]
    X, y = X[right], y[right]
    found = by_queries(eps, norm, budget)
    if name != "forest":
        found |= by_gradient(eps, norm, budget)
    union = np.ones(len(X), dtype=bool)
    for kind, attack in found.items():
        result = attack.run(model, X, y)
        taken = result.forward + result.backward + result.queries
        stands = model.predict(result.X_adv) == y
        union &= stands
        yield kind, int(taken.max()), stands.mean()
    yield "union", None, union.mean()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", nargs="*", default=list(MODELS))
    parser.add_argument("--rows", type=int, default=60)
    parser.add_argument("--nets", action="store_true", help="other libraries, on nets")
    parser.add_argument("--data", default="../shared/data", help="with mnist/")
    parser.add_argument("--seed", type=int, default=0, help="of attacks on nets")
    args = parser.parse_args()
    if args.nets:
        import arena_nets

        arena_nets.compare(args.data, args.rows, NET_BUDGETS, args.seed)
        return
    for name in args.models:
        for norm in (np.inf, 2):
            begun, table = time.perf_counter(), {}
            for budget in BUDGETS:
                for kind, taken, share in run(name, norm, budget, args.rows):
                    cell = f"{share:.2f}" + ("" if taken is None else f" ({taken})")
                    table.setdefault(kind, []).append(cell)
            print(f"\n{name}, norm {norm}: standing (passes) at {BUDGETS}")
            for kind, cells in table.items():
                print(f"  {kind:12s}", *(f"{cell:>12s}" for cell in cells))
            print(f"  {time.perf_counter() - begun:.0f} s")


if __name__ == "__main__":
    main()
