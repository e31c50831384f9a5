"""Simulated worlds behind the figures of two guides, one run each.

A function returns, for one seed, figures as pairs of how to summarise them and a value:
whether an interval holds the truth ("share"), a width ("mean"), or two errors whose
sizes are compared ("ratio").
"""

import numpy as np

from skrobust.sampling import (
    Annotations,
    DeepESTSampler,
    LivingPool,
    OperationalSampler,
    ProportionalSampler,
    SimpleRandomSampler,
    StratifiedSampler,
)

SAMPLERS = (
    SimpleRandomSampler,
    StratifiedSampler,
    ProportionalSampler,
    DeepESTSampler,
    OperationalSampler,
)


def covers(interval, truth):
    low, high = interval
    return "share", low - 1e-12 <= truth <= high + 1e-12


def width(interval):
    low, high = interval
    return "mean", high - low


# Losses


def judged(seed):
    """Answers of a language model, graded by a judge and by a person."""
    rng = np.random.default_rng([0, seed])
    quality = rng.random(3000)
    judge, person = (
        np.clip(np.round(5 * quality + rng.normal(0, noise, 3000)), 1, 5)
        for noise in (0.6, 0.4)
    )
    test = SimpleRandomSampler(loss_range=(0, 4), random_state=seed).fit(judge)
    test.sample(100, lambda ids: 5 - person[ids], kind="loss")
    return learned(test, judge, (5 - person).mean())


def uninformative(seed, n_features):
    """Features of pure noise."""
    rng = np.random.default_rng([1, seed])
    loss, features = rng.beta(0.5, 2, 2000), rng.normal(size=(2000, n_features))
    test = SimpleRandomSampler(random_state=seed).fit(np.full(2000, 0.2))
    test.sample(50, loss.take, kind="loss")
    return learned(test, features, loss.mean())


def learned(test, features, truth):
    plain = test.result(method="t")
    found = test.result(estimator="learned", features=features)
    errors = found.mean_loss - truth, plain.mean_loss - truth
    return {
        "RMSE of learned / plain mean": ("ratio", errors),
        "coverage of learned": covers(found.interval, truth),
    }


def uniform_losses(seed, kind, n):
    """Losses of four shapes, for uniform draws."""
    rng = np.random.default_rng([2, seed])
    loss = {
        "spread": lambda: rng.beta(0.5, 2, 1500),
        "rare and large": lambda: np.where(rng.random(1500) < 0.02, 1.0, 0.01),
        "half are 0": lambda: np.where(rng.random(1500) < 0.5, rng.random(1500), 0),
    }[kind]()
    test = SimpleRandomSampler(random_state=seed).fit(np.ones(1500))
    default = test.sample(n, loss.take, kind="loss").interval
    t = test.result(method="t").interval
    return {
        "coverage, default": covers(default, loss.mean()),
        "width, default": width(default),
        "coverage, t": covers(t, loss.mean()),
        "width, t": width(t),
    }


def overlaps(seed, kind):
    """One minus the overlap of boxes, by their doubt."""
    rng = np.random.default_rng([3, seed])
    doubt = rng.beta(1, 4, 2000)
    loss = 1 - np.clip(1 - doubt * rng.random(2000) - 0.1, 0, 1)
    found = kind(random_state=seed).fit(doubt).sample(120, loss.take, kind="loss")
    return {
        f"{kind.__name__}: coverage": covers(found.interval, loss.mean()),
        f"{kind.__name__}: width": width(found.interval),
    }


def recalls(seed, kind, informative):
    """Recall of three classes, assisted by probabilities or by noise."""
    rng = np.random.default_rng([4, seed])
    part = np.array([0.6, 0.3, 0.1])
    y = rng.choice(3, 3000, p=part)
    if informative:
        X = 1.8 * np.eye(3)[y] + rng.normal(size=(3000, 3))
        p = np.exp(1.8 * X + np.log(part))
        p /= p.sum(axis=1, keepdims=True)
        doubt, y_pred = 1 - p.max(axis=1), p.argmax(axis=1)
    else:
        errs = rng.random(3000) < 0.15
        y_pred = np.where(errs, rng.integers(0, 3, 3000), y)
        doubt = rng.beta(1, 6, 3000)
    test = kind(random_state=seed).fit(doubt, y_pred=y_pred)
    test.sample(200, y.take)
    found, name = {}, kind.__name__
    for label in range(3):
        truth = (y_pred[y == label] == label).mean()
        assisted = test.metric("recall", label=label)
        plain = test.metric("recall", label=label, predictor=None)
        errors = assisted.value - truth, plain.value - truth
        found[f"{name}, class {label}: RMSE of assisted / not"] = "ratio", errors
        text = f"{name}, class {label}: coverage"
        found[text] = covers(assisted.interval, truth)
    return found


LOSSES = [
    {"world": "grades of a judge, 100 labels", "one": judged},
    *(
        {
            "world": f"{n} features of noise, 50 labels",
            "one": uninformative,
            "settings": {"n_features": n},
        }
        for n in (10, 30)
    ),
    *(
        {
            "world": f"losses {kind}, {n} uniform labels",
            "one": uniform_losses,
            "settings": {"kind": kind, "n": n},
            "times": 2,
        }
        for kind in ("spread", "rare and large", "half are 0")
        for n in (20, 100)
    ),
    *(
        {"world": "overlaps, 120 labels", "one": overlaps, "settings": {"kind": kind}}
        for kind in SAMPLERS
    ),
    *(
        {
            "world": f"recall, {text}, 200 labels",
            "one": recalls,
            "settings": {"kind": kind, "informative": informative},
        }
        for text, informative in [("probabilities", True), ("scores of noise", False)]
        for kind in (SimpleRandomSampler, OperationalSampler)
    ),
]


# Models, people and pools


def versions(seed):
    """A new version that predicts something else for 14 % of the inputs."""
    rng = np.random.default_rng([5, seed])
    y = rng.integers(0, 2, 1500)
    old = np.where(rng.random(1500) < 0.12, 1 - y, y)
    new = np.where(rng.random(1500) < 0.14, 1 - old, old)
    truth, found = (new == y).mean() - (old == y).mean(), {}
    one = ProportionalSampler(floor=0, random_state=seed).fit(old != new, y_pred=old)
    two = SimpleRandomSampler(random_state=seed).fit(np.ones(1500), y_pred=old)
    for name, test, n in [
        ("50 labels where they differ", one, 50),
        ("200 uniform", two, 200),
    ]:
        test.sample(n, y.take)
        interval = test.add_model("new", y_pred=new).compare("new").interval
        found[f"{name}: coverage"] = covers(interval, truth)
        found[f"{name}: width"] = width(interval)
    return found


def careless(seed):
    """Answers of which 5 % are wrong, a quarter of the inputs answered twice."""
    rng = np.random.default_rng([6, seed])
    failed = np.arange(1000) >= 950

    def answer(ids):
        return failed[ids] ^ (rng.random(len(ids)) < 0.05)

    test = SimpleRandomSampler(random_state=seed).fit(np.ones(1000))
    notes, ids = Annotations(test, random_state=seed), test.ask(200)
    notes.tell(ids, failed=answer(ids), annotator="ann")
    again = notes.to_repeat(50)
    notes.tell(again, failed=answer(again), annotator="bob")
    return {
        "coverage, corrected": covers(notes.result().interval, 0.95),
        "coverage, not corrected": covers(test.result().interval, 0.95),
    }


def of_different_care(seed, kind):
    """Three annotators who err in 2, 10 and 20 % of the cases."""
    rng, care = np.random.default_rng([10, seed]), {"a": 0.02, "b": 0.1, "c": 0.2}
    scores = rng.beta(0.5, 4.5, 2000)
    failed = rng.random(2000) < scores
    test = kind(random_state=seed).fit(scores)
    notes, first = Annotations(test, random_state=seed), {}

    def tell(ids, who):
        says = failed[ids] ^ (rng.random(len(ids)) < care[who])
        notes.tell(ids, failed=says, annotator=who)

    for _ in range(3):
        for who, ids in zip(care, np.array_split(test.ask(100), 3), strict=True):
            tell(ids, who)
            first |= dict.fromkeys(ids.tolist(), who)
    again = notes.to_repeat(60)
    for who in care:
        tell(np.array([i for i in again if first[i] != who]), who)
    truth, name = 1 - failed.mean(), kind.__name__
    return {
        f"{name}: coverage, a rate each": covers(
            notes.result(rates="annotator").interval, truth
        ),
        f"{name}: coverage, a common rate": covers(notes.result().interval, truth),
        f"{name}: coverage, not corrected": covers(test.result().interval, truth),
    }


def operation(seed):
    """A pool of 300 with 240 labels, drawn from an operation of accuracy .9."""
    rng = np.random.default_rng([7, seed])
    failed = rng.random(300) < 0.1
    test = SimpleRandomSampler(random_state=seed).fit(np.ones(300))
    found = test.sample(240, failed.take)
    return {
        "accuracy in operation, interval of the pool": covers(found.interval, 0.9),
        "accuracy in operation, operation_interval": covers(
            found.operation_interval, 0.9
        ),
    }


def arriving_losses(seed):
    """Losses from 0 to 4 in three parts, of which the last is worse."""
    rng, parts = np.random.default_rng([9, seed]), []
    pool = LivingPool(SimpleRandomSampler(loss_range=(0, 4)), random_state=seed)
    for rows, mean in ((500, 0.2), (500, 0.2), (250, 0.35)):
        parts.append(4 * rng.beta(4 * mean, 4 * (1 - mean), rows))
        start = pool.starts_[-1]
        ids = pool.extend(np.ones(rows)).ask(80, part=-1)
        pool.tell(ids, loss=parts[-1][ids - start])
    truth = np.concatenate(parts).mean()
    return {"coverage, mean loss": covers(pool.result().interval, truth)}


def costly(seed, kind):
    """Labels of very different cost: three rounds of the same expected cost."""
    rng = np.random.default_rng([11, seed])
    scores = rng.beta(2, 6, 3000)
    failed, costs = rng.random(3000) < scores, np.exp(rng.normal(0, 1.3, 3000))
    truth, errors, found = 1 - failed.mean(), [], {}
    for knows in (True, False):
        test = kind(random_state=seed).fit(scores, costs=costs if knows else None)
        for _ in range(3):
            n = {"budget": 80 * costs.mean()} if knows else {"n": 80}
            ids = test.ask(**n)
            test.tell(ids, failed=failed[ids])
        result = test.result()
        errors.append(result.accuracy - truth)
        if knows:
            found[f"{kind.__name__}: coverage"] = covers(result.interval, truth)
    return {**found, f"{kind.__name__}: RMSE of costs / none": ("ratio", errors)}


PEOPLE = [
    {"world": "two versions, 14 % predicted differently", "one": versions},
    {"world": "errors of 5 %, 200 labels, 50 twice", "one": careless},
    *(
        {
            "world": "errors of 2, 10, 20 %, 300 labels, 60 by all",
            "one": of_different_care,
            "settings": {"kind": kind},
        }
        for kind in (SimpleRandomSampler, StratifiedSampler, OperationalSampler)
    ),
    {"world": "240 of 300 labelled", "one": operation, "times": 2},
    *(
        {
            "world": "costs of 0.1 to 13 (95 %), equal budgets",
            "one": costly,
            "settings": {"kind": kind},
        }
        for kind in (StratifiedSampler, OperationalSampler)
    ),
    {"world": "losses in three parts, 80 labels each", "one": arriving_losses},
]
