"""Nets and attacks of several libraries for equal numbers of passes.

Passes are counted in the net itself, forward and backward, whoever calls it. Each
attack is made for a number of steps; what a step costs is measured on a few rows within
a tiny ball, where nothing is fooled early, so that every attack gets the steps that the
budget pays for. Libraries that are not installed are left out.
"""

from functools import partial
from pathlib import Path

import numpy as np
import torch
from sklearn.datasets import load_digits
from torch import nn

from skrobust import attacks as sk
from skrobust.nets import small_cnn_classifier

LIBRARIES = ("skrobust", "torchattacks", "foolbox", "ART", "pyautoattack")
N_TARGETS = 3  # of targeted attacks


class Counted(nn.Module):
    """Net that counts its passes.

    ``calls`` is the number of batches, which is at least what any row took where all
    rows are in one batch; ``rows`` is the number of rows in them.
    """

    def __init__(self, net):
        super().__init__()
        self.net = net
        self.restart()

    def restart(self):
        self.calls = self.rows = 0

    def add(self, n):
        self.calls += 1
        self.rows += n

    def forward(self, x):
        self.add(len(x))
        return _Tap.apply(self.net(x), self.add)


class _Tap(torch.autograd.Function):
    """Identity that says when a backward pass comes by."""

    @staticmethod
    def forward(ctx, z, add):
        ctx.add = add
        return z.view_as(z)

    @staticmethod
    def backward(ctx, gradient):
        ctx.add(len(gradient))
        return gradient, None


def load_nets(data, rows):
    """Yield the name, estimator, rows, labels and radii (L-infinity, L2) of nets.

    The radii were chosen so that about half of the rows stand.
    """
    X, y = load_digits(return_X_y=True)
    images = (X / 16).astype(np.float32).reshape(-1, 1, 8, 8)
    yield "digits", *_trained(images, y, 1200, 15, rows), (0.08, 0.5)
    path = Path(data) / "mnist" / "mnist10k.npz"
    if not path.exists():
        print(f"MNIST is left out: there is no {path}")
        return
    with np.load(path) as file:
        order = np.random.default_rng(0).permutation(len(file["y"]))[:2800]
        X, y = file["X"][order], file["y"][order].astype(np.int64)
    images = (X / 255).astype(np.float32).reshape(-1, 1, 28, 28)
    yield "MNIST", *_trained(images, y, 2000, 4, rows // 2), (0.1, 1.5)


def _trained(images, y, n_train, epochs, rows):
    """Return a fitted net, and test rows that it has right."""
    torch.manual_seed(0)
    net = small_cnn_classifier(images.shape[-2:], 10, epochs=epochs, random_state=0)
    net = net[-1].fit(images[:n_train], y[:n_train])
    x, t = images[n_train:], y[n_train:].astype(np.int64)
    right = np.flatnonzero(net.predict(x) == t)[:rows]
    net.set_params(batch_size=rows)  # all in one batch
    net.module_ = Counted(net.module_.eval())
    return net, x[right], t[right]


def of_skrobust(net, eps, norm, seed):
    box = {"eps": eps, "norm": norm, "data_range": (0, 1), "random_state": seed}
    made = {
        "PGD": lambda n: sk.PGD(n_steps=n, **box),
        "AutoPGD": lambda n: sk.AutoPGD(n_steps=n, **box),
        "AutoPGD, targeted": lambda n: sk.AutoPGD(
            n_steps=n, loss="targeted_dlr", n_target_classes=N_TARGETS, **box
        ),
        "momentum": lambda n: sk.MomentumPGD(n_steps=n, **box),
        "FMN": lambda n: sk.FMN(n_steps=n, **box),
        "FAB": lambda n: sk.FAB(n_steps=n, n_targets=N_TARGETS, **box),
        "Square": lambda n: sk.Square(max_queries=n, **box),
    }
    if norm == 2:
        made["DDN"] = lambda n: sk.DDN(n_steps=n, **box)

    def run(build, n, x, y):
        return build(n).perturb(net, x, y)

    return {name: partial(run, build) for name, build in made.items()}


def of_torchattacks(net, eps, norm, seed):
    import torchattacks as ta

    kind = {"norm": "Linf" if norm == np.inf else "L2", "eps": eps, "seed": seed}
    pgd = ta.PGD if norm == np.inf else ta.PGDL2
    made = {
        "PGD": lambda m, n: pgd(m, eps=eps, alpha=2.5 * eps / n, steps=n),
        "AutoPGD": lambda m, n: ta.APGD(m, steps=n, n_restarts=1, **kind),
        "AutoPGD, targeted": lambda m, n: ta.APGDT(
            m, steps=n, n_restarts=1, n_classes=N_TARGETS + 1, **kind
        ),
        "FAB": lambda m, n: ta.FAB(
            m, steps=n, n_restarts=1, multi_targeted=True, n_classes=N_TARGETS + 1,
            **kind,
        ),
        "Square": lambda m, n: ta.Square(m, n_queries=n, n_restarts=1, **kind),
    }  # fmt: skip
    if norm == np.inf:
        made["momentum"] = lambda m, n: ta.MIFGSM(m, eps=eps, alpha=eps / n, steps=n)

    def run(build, n, x, y):
        torch.manual_seed(seed)
        return build(net.module_, n)(torch.from_numpy(x), torch.from_numpy(y))

    return {name: partial(run, build) for name, build in made.items()}


def of_foolbox(net, eps, norm, seed):
    import foolbox as fb

    a, is_linf = fb.attacks, norm == np.inf
    pgd, fmn = (a.LinfPGD, a.LInfFMNAttack) if is_linf else (a.L2PGD, a.L2FMNAttack)
    made = {
        "PGD": lambda n: pgd(steps=n, rel_stepsize=2.5 / n),
        "FMN": lambda n: fmn(steps=n),
    }
    if not is_linf:
        made["DDN"] = lambda n: a.DDNAttack(steps=n)
        made["CW"] = lambda n: a.L2CarliniWagnerAttack(steps=n, binary_search_steps=4)

    def run(build, n, x, y):
        torch.manual_seed(seed)
        model = fb.PyTorchModel(net.module_, bounds=(0, 1), device="cpu")
        aim = fb.criteria.Misclassification(torch.from_numpy(y))
        return build(n)(model, torch.from_numpy(x), aim, epsilons=[eps])[1][0]

    return {name: partial(run, build) for name, build in made.items()}


def of_art(net, eps, norm, seed):
    from art.attacks import evasion
    from art.estimators.classification import PyTorchClassifier

    size = {"norm": norm, "eps": eps, "verbose": False, "batch_size": 1000}
    made = {
        "PGD": lambda m, n: evasion.ProjectedGradientDescent(
            m, eps_step=2.5 * eps / n, max_iter=n, num_random_init=1, **size
        ),
        "AutoPGD": lambda m, n: evasion.AutoProjectedGradientDescent(
            m, eps_step=2 * eps, max_iter=n, nb_random_init=1, **size
        ),
    }

    def run(build, n, x, y):
        np.random.seed(seed)  # noqa: NPY002 (ART draws from it)
        model = PyTorchClassifier(
            net.module_, nn.CrossEntropyLoss(), x.shape[1:], 10, clip_values=(0, 1)
        )
        return build(model, n).generate(x, y)

    return {name: partial(run, build) for name, build in made.items()}


def of_pyautoattack(net, eps, norm, seed):
    from pyautoattack.autopgd_base import APGDAttack, APGDAttack_targeted
    from pyautoattack.fab_pt import FABAttack_PT
    from pyautoattack.square import SquareAttack

    kind = {"norm": "Linf" if norm == np.inf else "L2", "eps": eps, "seed": seed}
    kind |= {"device": "cpu", "verbose": False}
    made = {
        "AutoPGD": lambda m, n: APGDAttack(m, n_iter=n, **kind),
        "AutoPGD, targeted": lambda m, n: APGDAttack_targeted(
            m, n_iter=n, n_target_classes=N_TARGETS, **kind
        ),
        "FAB": lambda m, n: FABAttack_PT(
            m, n_iter=n, targeted=True, n_target_classes=N_TARGETS, **kind
        ),
        "Square": lambda m, n: SquareAttack(m, n_queries=n, n_restarts=1, **kind),
    }

    def run(build, n, x, y):
        attack = build(net.module_, n)
        found = attack.perturb(torch.from_numpy(x), torch.from_numpy(y))
        return found[1] if isinstance(found, tuple) else found

    return {name: partial(run, build) for name, build in made.items()}


def attacks_of(net, eps, norm, seed):
    """Yield the library, name and runner (steps, rows, labels) of each attack."""
    builders = of_skrobust, of_torchattacks, of_foolbox, of_art, of_pyautoattack
    for library, build in zip(LIBRARIES, builders, strict=True):
        try:
            made = build(net, eps, norm, seed)
        except ImportError as error:
            print(f"{library} is left out: {error}")
            continue
        for name, run in made.items():
            yield library, name, run


def steps_for(budget, tiny, net, x, y):
    """Return the steps that cost at most a number of passes, measured in a tiny ball.

    None where the budget does not pay for one step.
    """
    cost = {}
    for n in (5, 9):
        net.module_.restart()
        tiny(n, x[:4], y[:4])
        cost[n] = net.module_.calls
    n = int(5 + (budget - cost[5]) * 4 // (cost[9] - cost[5]))
    # Queries that confirm an example come only where there is one.
    return min(n, budget) if n >= 1 else None


def fooled(net, x, y, found, eps, norm):
    """Return which rows the net itself has wrong, within the ball and the box."""
    found = found.detach() if hasattr(found, "detach") else found
    found = np.asarray(found, dtype=np.float32)
    away = (found - x).reshape(len(y), -1)
    valid = np.linalg.norm(away, norm, axis=1) <= eps * 1.0001 + 1e-6
    flat = found.reshape(len(y), -1)
    valid &= (flat >= -1e-6).all(axis=1) & (flat <= 1 + 1e-6).all(axis=1)
    return valid & (net.predict(found) != y)


def compare(data, rows, budgets, seed):
    """Print, for each net and norm, what stands under each attack of each library."""
    for name, net, x, y, radii in load_nets(data, rows):
        for norm, eps in zip((np.inf, 2), radii, strict=True):
            tiny = {(a, b): run for a, b, run in attacks_of(net, 1e-6, norm, seed)}
            lost = {one: np.zeros((len(budgets), len(y)), bool) for one in LIBRARIES}
            cells, passes = {}, {}
            for library, kind, run in attacks_of(net, eps, norm, seed):
                for i, budget in enumerate(budgets):
                    n = steps_for(budget, tiny[library, kind], net, x, y)
                    cell = cells.setdefault((kind, library), [])
                    if n is None:
                        cell.append("-")
                        continue
                    net.module_.restart()
                    found = run(n, x, y)
                    most = passes.get((library, i), 0)
                    passes[library, i] = max(most, net.module_.calls)
                    gone = fooled(net, x, y, found, eps, norm)
                    lost[library][i] |= gone
                    cell.append(f"{1 - gone.mean():.3f}".removeprefix("0"))
            for library in LIBRARIES:
                if (library, 0) in passes:
                    cells["union", library] = [
                        f"{1 - one.mean():.3f}".removeprefix("0")
                        for one in lost[library]
                    ]
            size = "L-inf" if norm == np.inf else "L2"
            _print(f"{name}, {len(y)} rows, {size} {eps:g}", cells)
            theirs = np.any([lost[one] for one in LIBRARIES[1:]], axis=0)
            ours = lost[LIBRARIES[0]]
            for i, budget in enumerate(budgets):
                alone = (ours[i] & ~theirs[i]).sum(), (theirs[i] & ~ours[i]).sum()
                took = {one: passes.get((one, i), 0) for one in LIBRARIES}
                print(
                    f"{budget} passes: fooled by ours alone {alone[0]}, by others "
                    f"alone {alone[1]}; stands after all "
                    f"{1 - (ours[i] | theirs[i]).mean():.3f}; most passes {took}"
                )


def _print(title, cells):
    kinds = dict.fromkeys(kind for kind, _ in cells if kind != "union")
    print(f"\n| {title} | {' | '.join(LIBRARIES)} |")
    print("|---" * (1 + len(LIBRARIES)) + "|")
    for kind in [*kinds, "union"]:
        row = (" ".join(cells.get((kind, one), [])) for one in LIBRARIES)
        print(f"| {kind} | {' | '.join(row)} |", flush=True)
