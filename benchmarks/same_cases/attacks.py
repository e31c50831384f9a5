"""Cases of attacks."""

import warnings

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from same_cases.data import CANCER, DIABETES, DIGITS, IRIS, signature


def attack_models():
    """Return fitted models with the rows that are attacked."""
    cancer, digits = CANCER, (DIGITS[0] / 16, DIGITS[1])
    logistic = LogisticRegression().fit(*cancer)
    three = make_pipeline(StandardScaler(), LogisticRegression()).fit(*IRIS)
    mlp = MLPClassifier((12,), max_iter=60, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mlp.fit(*digits)
        wave = MLPRegressor(hidden_layer_sizes=(9,), max_iter=200, random_state=0).fit(
            *IRIS_LENGTH
        )
    return {
        "logistic": (logistic, cancer[0][:30], cancer[1][:30]),
        "pipeline": (three, IRIS[0][40:70], IRIS[1][40:70]),
        "mlp": (mlp, digits[0][:20], digits[1][:20]),
        "svc": (SVC(gamma=2.0).fit(*cancer), cancer[0][:15], cancer[1][:15]),
        "ridge": (Ridge().fit(*DIABETES), DIABETES[0][:20], DIABETES[1][:20]),
        "wave": (wave, IRIS_LENGTH[0][:20], IRIS_LENGTH[1][:20]),
    }


IRIS_LENGTH = (IRIS[0][:, :3], IRIS[0][:, 3])
GRADIENT = ("FGSM", "BIM", "MomentumPGD", "PGD", "AutoPGD", "ProbabilityShift")
MINIMAL = ("CarliniWagner", "DDN", "DeepFool", "FAB", "FMN")
BLACK_BOX = ("HopSkipJump", "RandomSearch", "Square", "ZOO")
SHORT = {
    "n_steps": {"HopSkipJump": 3, "RandomSearch": 4, "Square": 20, "ZOO": 8},
    "n_searches": {"CarliniWagner": 3},
    "n_directions": {"HopSkipJump": 20},
}


def attack_of(sa, name, eps, norm, **options):
    """Return an attack of few steps."""
    cls = getattr(sa, name)
    known = signature(cls)
    given = {"random_state": 3, **options}
    for option, values in SHORT.items():
        if name in values:
            given.setdefault(option, values[name])
    if "n_steps" in known:
        given.setdefault("n_steps", 7)
    given = {k: v for k, v in given.items() if k in known}
    return cls(eps, norm=norm, **given)


def run(rec, key, attack, model, X, y):
    """Store the examples of an attack and all its counts."""
    result = rec(key, attack.run, model, X, y)
    if result is not None:
        rec(f"{key}.n_successes", lambda: result.n_successes)
        rec(f"{key}.n_passes", lambda: result.n_passes)
        rec(f"{key}.to_frame", result.to_frame)


def attacks(rec, sa):
    """Store results of every attack: norms, models, objectives, targets, units."""
    models = attack_models()
    for name in GRADIENT + MINIMAL + BLACK_BOX:
        for norm in (np.inf, 2, 1):
            eps = {np.inf: 0.15, 2: 0.5, 1: 1.5}[norm]
            if name in MINIMAL + ("HopSkipJump",):
                eps = np.inf
            for model, X, y in [models["logistic"], models["mlp"]]:
                key = f"attacks.{name}.{type(model).__name__} {norm}"
                run(
                    rec,
                    key,
                    attack_of(sa, name, eps, norm, data_range=(0, 1)),
                    model,
                    X,
                    y,
                )
        options_of_attack(rec, sa, name, models)
    for name in MINIMAL + ("HopSkipJump",):
        model, X, y = models["pipeline"]
        attack = attack_of(sa, name, np.inf, 2)
        if hasattr(attack, "minimal_norms"):
            rec(f"attacks.{name}.minimal_norms", attack.minimal_norms, model, X, y)
    exact_attacks(rec, sa, models)
    ensembles(rec, sa, models)
    net_attacks(rec, sa)
    rec("attacks.Constraints.repr", repr, sa.Constraints(frozen=[1], integer=True))


def options_of_attack(rec, sa, name, models):
    """Store results under targets, constraints, batches, objectives and containers."""
    model, X, y = models["pipeline"]
    eps = np.inf if name in MINIMAL + ("HopSkipJump",) else 0.6
    norm = 2 if name in MINIMAL + ("HopSkipJump",) else np.inf
    base = {"data_range": (0, 8)}
    variants = {
        "plain": {},
        "no y": {},
        "limited": {},
        "target": {"target": (y + 1) % 3},
        "one target": {"target": 2},
        "batches": {"batch_size": 7},
        "loss objective": {"objective": "loss"},
        "shift objective": {"objective": "probability_shift"},
        "margin": {"loss": "margin"},
        "dlr": {"loss": "dlr"},
        "entropy": {"loss": "cross_entropy"},
        "targeted dlr": {"loss": "targeted_dlr"},
        "restarts": {"n_restarts": 2},
        "fixed start": {"random_start": False},
        "step": {"step_size": 0.1},
        "label": {"response": "predict"},
        "queries": {"max_queries": 40},
        "uniform": {"draws": "uniform"},
        "starts": {"starts": X if name == "HopSkipJump" else None},
        "frozen": {"constraints": sa.Constraints(frozen=[0, 2])},
        "levels": {"constraints": sa.Constraints(scale=np.array([1, 0.5, 2, 1.0]))},
    }
    known = signature(getattr(sa, name))
    for title, options in variants.items():
        if all(option in known for option in options):
            radius = 0.8 if title == "limited" else eps
            attack = attack_of(sa, name, radius, norm, **{**base, **options})
            label = None if title == "no y" else y
            run(rec, f"attacks.{name}.{title}", attack, model, X, label)
    whole = np.round(X * 10)
    tens = make_pipeline(StandardScaler(), LogisticRegression())
    tens.fit(np.round(IRIS[0] * 10), IRIS[1])
    rules = sa.Constraints(integer=True, frozen=[1])
    attack = attack_of(sa, name, eps * 10, norm, constraints=rules)
    run(rec, f"attacks.{name}.whole numbers", attack, tens, whole, y)
    frame = pd.DataFrame(X, columns=list("abcd"))
    framed = LogisticRegression(max_iter=500).fit(
        pd.DataFrame(IRIS[0], columns=list("abcd")), IRIS[1]
    )
    attack = attack_of(sa, name, eps, norm, constraints=sa.Constraints(frozen=["b"]))
    rec(f"attacks.{name}.frame", attack.perturb, framed, frame, y)
    rec(
        f"attacks.{name}.singles",
        attack_of(sa, name, eps, norm).perturb,
        model,
        X.astype(np.float32),
        y,
    )
    for other in ("ridge", "wave"):
        model, X, y = models[other]
        radius = eps if eps == np.inf else 0.02 if other == "ridge" else 0.4
        for objective in (None, "prediction_error"):
            attack = attack_of(sa, name, radius, norm, objective=objective)
            rec(f"attacks.{name}.{other} {objective}", attack.perturb, model, X, y)
    model, X, y = models["svc"]
    attack = attack_of(sa, name, eps if eps == np.inf else 0.1, norm)
    rec(f"attacks.{name}.svc", attack.perturb, model, X, y)


def exact_attacks(rec, sa, models):
    """Store results of the exact attacks of linear models and trees."""
    tree = DecisionTreeClassifier(max_depth=4, random_state=0).fit(*IRIS)
    forest = RandomForestClassifier(5, max_depth=3, random_state=0).fit(*IRIS)
    X, y = IRIS[0][40:70], IRIS[1][40:70]
    for norm in (np.inf, 2, 1):
        linear = sa.ExactLinear(0.4, norm=norm)
        for name in ("logistic", "ridge"):
            model, rows, labels = models[name]
            run(rec, f"attacks.ExactLinear.{name} {norm}", linear, model, rows, labels)
        rec(
            f"attacks.ExactLinear.norms {norm}",
            linear.minimal_norms,
            *models["pipeline"],
        )
        exact = sa.ExactTree(0.3, norm=norm)
        for model in (tree, forest):
            key = f"attacks.ExactTree.{type(model).__name__} {norm}"
            run(rec, key, exact, model, X, y)
            rec(f"{key} norms", exact.minimal_norms, model, X, y)


def ensembles(rec, sa, models):
    """Store results of ensembles and of adversarial resampling."""
    for norm, eps in ((np.inf, 0.15), (2, 0.5), (1, 1.0)):
        model, X, y = models["mlp"]
        short = [attack_of(sa, "PGD", eps, norm), attack_of(sa, "FAB", np.inf, norm)]
        ensemble = sa.AutoAttack(eps, norm=norm, attacks=short, random_state=0)
        run(rec, f"attacks.AutoAttack.{norm}", ensemble, model, X, y)
    model, X, y = models["logistic"]
    standard = sa.AutoAttack(0.05, data_range=(0, 1), random_state=0)
    run(rec, "attacks.AutoAttack.standard", standard, model, X[:8], y[:8])
    targeted = sa.AutoAttack(0.1, attacks=[sa.PGD(n_steps=5)], target=0, random_state=0)
    run(rec, "attacks.AutoAttack.target", targeted, model, X, y)
    for mode in ("add", "replace"):
        sampler = sa.AdversarialSampler(
            LogisticRegression(),
            sa.FGSM(0.05),
            mode=mode,
            share=0.5,
            n_rounds=2,
            random_state=0,
        )
        rec(
            f"attacks.AdversarialSampler.{mode}",
            sampler.fit_resample,
            CANCER[0][:80],
            CANCER[1][:80],
        )


def small_net():
    """Return a fitted convolutional net of the digits."""
    import torch

    from skrobust.nets import small_cnn_classifier

    torch.manual_seed(0)
    net = small_cnn_classifier((8, 8), 10, epochs=2)
    return net.fit(DIGITS[0][:400] / 16, DIGITS[1][:400])


def net_attacks(rec, sa):
    """Store results of attacks on a net, where the gradient is torch's."""
    net = small_net()
    X, y = DIGITS[0][400:412] / 16, DIGITS[1][400:412]
    for name in GRADIENT + MINIMAL + BLACK_BOX:
        norm = np.inf if name in GRADIENT + BLACK_BOX[1:] else 2
        eps = np.inf if name in MINIMAL + ("HopSkipJump",) else 0.1
        attack = attack_of(sa, name, eps, norm, data_range=(0, 1), n_steps=4)
        run(rec, f"attacks.{name}.net", attack, net, X, y)
    for options in ({"batch_size": 5}, {"precision": "bfloat16"}, {"target": 3}):
        attack = attack_of(sa, "PGD", 0.1, np.inf, n_steps=4, **options)
        rec(f"attacks.PGD.net {options}", attack.perturb, net, X, y)
