"""Attacks of the deepfake study, with their probabilities stored on disk."""

import warnings

import numpy as np
import torch
from sklearn.base import BaseEstimator, clone

from skrobust.attacks import FGSM, PGD, CarliniWagner, ProbabilityShift
from skrobust.evaluation import check_evaluation
from skrobust.metrics import robust_accuracy_score, robust_ratio_score

BOX = {"data_range": (0, 1)}


class Detector:
    """A model, the rows it is tested on, and what it says of them."""

    def __init__(self, name, model, part, store):
        self.name, self.model, self.part, self.store = name, model, part, store
        self.prefix = store.prefix(model, part.X, part.y)
        self.p = np.asarray(model.predict_proba(part.X), dtype=np.float64)
        self.right = self.p.argmax(axis=1) == part.y

    def log_odds(self):
        """Return the log odds of being real; probabilities round them away."""
        out = self.model.forward(self.part.X).detach().cpu().numpy().astype(np.float64)
        out = out.reshape(len(out), -1)
        return out[:, 1] - out[:, 0] if out.shape[1] == 2 else out[:, 0]

    def keep(self, function, *parts):
        """Return the array of a function of no argument, from disk if it is there."""
        return self.store.run(self.store.key(self.prefix, *parts), function)

    def attacked(self, attack):
        """Return probabilities on the examples of an attack."""

        def run():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # on masked gradients
                found = attack.perturb(self.model, self.part.X, self.part.y)
            return self.model.predict_proba(found)

        return np.asarray(self.keep(run, "probabilities", attack), dtype=np.float64)


def budgets_of(plan):
    """Return (norm, eps) of each budget, in the units of pixels in [0, 1]."""
    linf = [(np.inf, eps / 255) for eps in plan["linf"]]
    return linf + [(2, eps) for eps in plan["l2"]]


def is_iterated(plan, norm, eps):
    """Say whether the attacks of many steps run at this budget."""
    values, unit = (plan["l2_steps"], 1) if norm == 2 else (plan["linf_steps"], 255)
    return any(np.isclose(value / unit, eps) for value in values)


def cells_of(detector, plan, batch_size):
    """Yield one dictionary per attack and budget: probabilities by mode, and RA.

    The modes of the robust ratio are "loss" (the published loss in full), "minimal"
    (minimal-norm examples, cut to the ball) and "probability_shift". Robust accuracy
    has a run of its own, which may stop at success; the ratio never sees that run.
    """
    size = {"batch_size": batch_size, **BOX}
    for norm, eps in budgets_of(plan):
        ball = {"eps": eps, "norm": norm, **size}
        steps = {"n_steps": plan["steps"], "random_state": 0}
        attacks = {"FGSM": FGSM(**ball)}
        iterated = is_iterated(plan, norm, eps)
        if iterated:
            attacks["PGD"] = PGD(**ball, **steps)
        for name, attack in attacks.items():
            runs = {
                mode: detector.attacked(clone(attack).set_params(objective=mode))
                for mode in ("misclassification", "loss", "probability_shift")
            }
            yield cell(detector, name, norm, eps, runs)
        if iterated:
            q = detector.attacked(ProbabilityShift(**ball, **steps, n_restarts=1))
            runs = {"misclassification": q, "probability_shift": q}
            yield cell(detector, "ProbabilityShift", norm, eps, runs)
    for norm in plan["cw_norms"]:
        yield from carlini_wagner(detector, plan, norm, size)


def carlini_wagner(detector, plan, norm, size):
    """Yield the cells of Carlini-Wagner: one search serves all budgets of a norm."""
    attack = CarliniWagner(
        norm=norm,
        n_steps=plan["cw_steps"],
        n_searches=plan["cw_searches"],
        initial_const=10,  # few searches: start where nearly all are fooled
        objective="minimal",
        **size,
    )
    X, y = detector.part.X, detector.part.y
    epss = [eps for which, eps in budgets_of(plan) if which == norm]

    def run():
        delta = attack.perturb(detector.model, X, y) - X
        flat = np.abs(delta.reshape(len(X), -1)).astype(np.float64)
        long = flat.max(axis=1) if norm == np.inf else np.sqrt((flat**2).sum(axis=1))
        fooled = detector.model.predict(X + delta) != detector.p.argmax(axis=1)
        out = [np.column_stack([long, fooled])]
        for eps in epss:
            if norm == np.inf:
                cut = np.clip(delta, -eps, eps)
            else:
                share = np.minimum(1, eps / np.maximum(long, 1e-30))
                cut = delta * share.astype(np.float32)[:, None, None, None]
            out.append(detector.model.predict_proba(X + cut))
        return np.stack(out)

    found = np.asarray(detector.keep(run, "cut", attack, epss), dtype=np.float64)
    (long, fooled), probabilities = found[0].T, found[1:]
    for eps, q in zip(epss, probabilities, strict=True):
        # For rows that are right the predicted class is the label, so the same search
        # serves robust accuracy.
        beaten = (fooled == 1) & (long <= eps)
        made = cell(detector, "CarliniWagner", norm, eps, {"minimal": q})
        made["robust"] = detector.right & ~beaten & (q.argmax(1) == detector.part.y)
        yield made


def cell(detector, attack, norm, eps, runs):
    """Return what the tables need of one attack at one budget."""
    stopped = runs.pop("misclassification", None)
    judged = runs["minimal"] if stopped is None else stopped
    robust = judged.argmax(axis=1) == detector.part.y
    return {
        "detector": detector.name,
        "attack": attack,
        "norm": "inf" if norm == np.inf else "2",
        "eps": float(eps),
        "robust": robust & detector.right,
        "judged": judged,
        "modes": runs,
    }


class PlainPGD(BaseEstimator):
    """Projected gradient as it is mostly written: signs of cross entropy.

    For the finding on masked gradients only; attacks of skrobust do better.
    """

    norm, data_range = np.inf, (0, 1)

    def __init__(self, eps=1 / 255, n_steps=10):
        self.eps, self.n_steps = eps, n_steps

    def perturb(self, estimator, X, y):
        """Return examples inside the ball and in [0, 1]."""
        parts = [slice(i, i + 16) for i in range(0, len(X), 16)]
        return np.concatenate([self._part(estimator, X[s], y[s])[0] for s in parts])

    def dead(self, estimator, X, y):
        """Return for which rows the gradient at the clean image is exactly zero."""
        parts = [slice(i, i + 16) for i in range(0, len(X), 16)]
        return np.concatenate([self._part(estimator, X[s], y[s])[1] for s in parts])

    def _part(self, estimator, X, y):
        net, device = estimator.module_, estimator.device
        x = torch.as_tensor(X).to(device)
        label = torch.as_tensor(y).to(device)
        z, dead = x.clone(), None
        for _ in range(self.n_steps):
            z = z.detach().requires_grad_(True)
            logits = net(z)
            if logits.shape[1] == 1:
                target = label[:, None].to(logits.dtype)
                loss = nn_loss(logits, target)
            else:
                loss = torch.nn.functional.cross_entropy(logits, label, reduction="sum")
            slope = torch.autograd.grad(loss, z)[0]
            if dead is None:
                dead = ~slope.flatten(1).any(dim=1)
            z = z + 2.5 * self.eps / self.n_steps * slope.sign()
            z = torch.minimum(torch.maximum(z, x - self.eps), x + self.eps).clamp(0, 1)
        return z.detach().cpu().numpy(), dead.cpu().numpy()


def nn_loss(logits, target):
    """Return the cross entropy of one logit, summed."""
    loss = torch.nn.functional.binary_cross_entropy_with_logits
    return loss(logits, target, reduction="sum")


def masking(detector, plan, eps, batch_size, n_checked):
    """Return what plain cross entropy, ours, and the margin find on one detector."""
    model, X, y = detector.model, detector.part.X, detector.part.y
    plain = PlainPGD(eps, plan["steps"])
    settings = {"n_steps": plan["steps"], "random_state": 0, "objective": "loss"}
    settings |= {"eps": eps, "batch_size": batch_size, **BOX}
    attacks = {
        "cross entropy, plain loop": plain,
        "cross entropy, skrobust": PGD(loss="cross_entropy", **settings),
        "margin": PGD(loss="margin", **settings),
        "log odds (default)": PGD(**settings),
    }
    rows = []
    for name, attack in attacks.items():
        q = detector.attacked(attack)
        row = {"loss": name, "robust_accuracy": score(y, q)}
        for b in (0.05, 0.2):
            row[f"robust_ratio_{b}"] = robust_ratio_score(detector.p, q, tolerance=b)
        rows.append(row)
    dead = detector.keep(lambda: plain.dead(model, X, y), "dead", plain)
    step = max(1, len(y) // n_checked)
    doubts = check_evaluation(model, X[::step], y[::step], plain, n_samples=n_checked)
    logit = detector.log_odds()
    return {
        "eps": eps,
        "zero_gradient_share": float(np.mean(dead)),
        "logit_range": [float(logit.min()), float(logit.max())],
        "rows": rows,
        "codes": [doubt.code for doubt in doubts],
        "doubts": [str(doubt) for doubt in doubts],
    }


def score(y, q):
    """Return the robust accuracy of probabilities."""
    return robust_accuracy_score(y, q.argmax(axis=1))


def warm_start(detector, plan, eps, batch_size):
    """Return RA and RR of attacks that start where the frame before ended, and cold."""
    part, order = detector.part, []
    for clip in np.unique(part.clip):
        rows = np.flatnonzero(part.clip == clip)
        order.append(rows[np.argsort(part.frame[rows], kind="stable")])
    steps = max(1, plan["steps"] // 2)
    settings = {"n_steps": steps, "random_state": 0, "objective": "loss"}
    attack = PGD(eps, batch_size=batch_size, **settings, **BOX)

    def run():
        moved = np.zeros_like(part.X)
        q = np.zeros((2, len(part), 2))
        for place in range(max(map(len, order))):
            rows = np.array([c[place] for c in order if len(c) > place])
            X, y = part.X[rows], part.y[rows]
            for kind in (0, 1):
                start = None
                if kind == 1 and place:
                    before = [c[place - 1] for c in order if len(c) > place]
                    start = X + moved[before]
                if kind == 1 and not place:
                    q[1, rows] = q[0, rows]
                    continue
                found = attack.run(detector.model, X, y, start=start).X_adv
                q[kind, rows] = detector.model.predict_proba(found)
                if kind == 1 or not place:
                    moved[rows] = found - X
        return q

    q = detector.keep(run, "warm", attack)
    later = np.concatenate([c[1:] for c in order])
    if not len(later):
        return None
    p, y = detector.p[later], part.y[later]
    out = {"detector": detector.name, "eps": eps, "n_steps": steps, "n": len(later)}
    for kind, name in enumerate(("cold", "warm")):
        found = q[kind, later]
        out[f"robust_accuracy_{name}"] = score(y, found)
        out[f"robust_ratio_{name}"] = robust_ratio_score(p, found, tolerance=0.1)
    return out
