"""Cases of evaluations."""

import tempfile
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.svm import SVC

from same_cases.data import CANCER, DIABETES, DIGITS


def evaluation(rec, se):
    """Store tables of evaluations, with groups, clusters and checkpoints."""
    import skrobust.attacks as sa
    import skrobust.perturbations as sp

    X, y = CANCER[0][300:420], CANCER[1][300:420]
    model = LogisticRegression().fit(CANCER[0][:300], CANCER[1][:300])
    who, units = np.array(list("abc"))[np.arange(120) // 4 % 3], np.arange(120) // 4
    grid = sp.tabular((2, 5), random_state=0)
    few = {"n_permutations": 99, "random_state": 0}
    for title, more in {
        "plain": {},
        "groups": {"groups": who, **few},
        "clusters": {"groups": who, "clusters": units, **few},
        "auc": {"scoring": "roc_auc"},
    }.items():
        rec(
            f"evaluation.evaluate_perturbations.{title}",
            se.evaluate_perturbations,
            model,
            X,
            y,
            grid,
            X_ref=CANCER[0][:300],
            **more,
        )
    flat = {"image_shape": (8, 8), "data_range": (0, 16), "random_state": 0}
    images = sp.two_factor_grid("asi68", **flat)
    rows, labels = DIGITS[0][:200], DIGITS[1][:200]
    svc = SVC().fit(DIGITS[0][200:600], DIGITS[1][200:600])
    found = rec(
        "evaluation.evaluate_perturbations.grid",
        se.evaluate_perturbations,
        svc,
        rows,
        labels,
        images,
    )
    levels = [sp.GaussianNoise(severity=s, **flat) for s in (1, 2, 3, 4, 5)]
    levels += [sp.Contrast(severity=s, **flat) for s in (1, 2, 3, 4, 5)]
    other = LogisticRegression(max_iter=50).fit(rows, labels)
    first = rec(
        "evaluation.evaluate_perturbations.levels",
        se.evaluate_perturbations,
        svc,
        rows,
        labels,
        levels,
    )
    rec(
        "evaluation.evaluate_perturbations.reference",
        se.evaluate_perturbations,
        other,
        rows,
        labels,
        levels,
        reference={"svc": first},
    )
    rec("evaluation.Results.to_frame", lambda: found.to_frame())
    with tempfile.TemporaryDirectory() as folder:
        for i in range(2):
            rec(
                f"evaluation.evaluate_perturbations.checkpoint {i}",
                se.evaluate_perturbations,
                svc,
                rows,
                labels,
                levels[:4],
                checkpoint=Path(folder) / "run",
            )
    rec(
        "evaluation.evaluate_perturbations.regression",
        se.evaluate_perturbations,
        Ridge().fit(*DIABETES),
        *DIABETES,
        grid[:4],
        X_ref=DIABETES[0],
    )
    attack_evaluations(rec, se, sa, model, X, y, who, units)
    for title, more in {
        "plain": {},
        "repeats": {"n_repeats": 2},
        "groups": {"groups": np.arange(200) // 5},
    }.items():
        rec(
            f"evaluation.cross_validate_perturbations.{title}",
            se.cross_validate_perturbations,
            SVC(),
            rows,
            labels,
            levels[:6],
            cv=3,
            **more,
        )
    rec(
        "evaluation.EvaluationWarning.new",
        lambda: str(
            se.EvaluationWarning("UNBOUNDED", "Accuracy stays.", {"accuracy": 0.8})
        ),
    )


def attack_evaluations(rec, se, sa, model, X, y, who, units):
    """Store evaluations of attacks, radii, bounds and distances."""
    pgd = sa.PGD(0.05, n_steps=6, data_range=(0, 1), random_state=0)
    shift = sa.ProbabilityShift(0.05, n_steps=6, random_state=0)
    few = {"n_permutations": 99, "random_state": 0}
    for title, (attack, more) in {
        "pgd": (pgd, {}),
        "shift": (shift, {"tolerances": [0.05, 0.1]}),
        "groups": (pgd, {"groups": who, "clusters": units, **few}),
        "ddn": (sa.DDN(n_steps=9, random_state=0), {}),
        "search": (sa.RandomSearch(0.05, n_steps=3, random_state=0), {}),
        "checks": (pgd, {"checks": True}),
    }.items():
        rec(
            f"evaluation.evaluate_attack.{title}",
            se.evaluate_attack,
            model,
            X,
            y,
            attack,
            **more,
        )
    radii = np.linspace(0.01, 0.2, 6)
    for title, attack in {
        "pgd": pgd,
        "exact": sa.ExactLinear(),
        "ddn": sa.DDN(n_steps=9, random_state=0),
    }.items():
        rec(
            f"evaluation.robust_accuracy_curve.{title}",
            se.robust_accuracy_curve,
            model,
            X,
            y,
            attack,
            radii,
        )
    rec(
        "evaluation.robust_ratio_bounds.two",
        se.robust_ratio_bounds,
        model,
        X,
        y,
        [pgd, shift],
        eps=0.05,
        data_range=(0, 1),
    )
    rec(
        "evaluation.robust_ratio_bounds.clusters",
        se.robust_ratio_bounds,
        model,
        X,
        y,
        pgd,
        clusters=units,
    )
    rec("evaluation.check_evaluation.pgd", se.check_evaluation, model, X, y, pgd)
    rec("evaluation.boundary_steps.all", se.boundary_steps, model, X, y, step=0.005)
    rec(
        "evaluation.empirical_boundary_distance.all",
        se.empirical_boundary_distance,
        model,
        X[:20],
        y[:20],
        n_directions=50,
        random_state=0,
    )
