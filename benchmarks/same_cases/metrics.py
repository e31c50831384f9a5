"""Cases of metrics, intervals, comparisons and scorers."""

import numpy as np
import pandas as pd
from sklearn.cluster import KMeans
from sklearn.linear_model import LogisticRegression, Ridge

from same_cases.data import CANCER, DIABETES, rng


def metrics(rec, sm):
    """Store values of every metric, interval, comparison and scorer."""
    r = rng(0)
    n = 120
    y = r.integers(0, 3, n)
    y_prob = r.dirichlet(np.ones(3) + 0.0, n) * 0.4 + np.eye(3)[y] * 0.6
    moved = r.dirichlet(np.ones(3), n) * 0.3 + y_prob * 0.7
    several = np.stack([moved, y_prob[::-1] * 0.2 + y_prob * 0.8])
    pred, pred2 = y_prob.argmax(1), moved.argmax(1)
    conditions = np.stack(
        [np.where(r.random(n) < q, y, (y + 1) % 3) for q in (0.95, 0.9, 0.8, 0.7)]
    )
    weights = r.random(n)
    groups, clusters = np.array(list("abcd"))[r.integers(0, 4, n)], np.arange(n) // 6
    # Clusters lie within one group.
    group_of = np.array(list("abcd"))[np.arange(n) // 6 % 4]
    tolerances = np.linspace(0, 0.5, 11)
    m = {"weights": {"sample_weight": weights}, "plain": {}}
    for title, more in m.items():
        rec(
            f"metrics.robust_accuracy_score.{title}",
            sm.robust_accuracy_score,
            y,
            conditions,
            **more,
        )
        for reference in ("predicted", "true", "max"):
            given = {**more, "reference": reference}
            if reference == "true":
                given |= {"y_true": y, "labels": [0, 1, 2]}
            rec(
                f"metrics.robust_ratio_score.{title} {reference}",
                sm.robust_ratio_score,
                y_prob,
                moved,
                tolerance=0.1,
                **given,
            )
            rec(
                f"metrics.robust_ratio_score.{title} {reference} several",
                sm.robust_ratio_score,
                y_prob,
                several,
                tolerance=0.1,
                **given,
            )
            rec(
                f"metrics.robust_ratio_curve.{title} {reference}",
                sm.robust_ratio_curve,
                y_prob,
                moved,
                **given,
            )
        v, w = y_prob[:, 0] * 9, moved[:, 0] * 9
        rec(
            f"metrics.regression_robust_ratio_score.{title}",
            sm.regression_robust_ratio_score,
            v,
            w,
            tolerance=0.5,
            **more,
        )
        rec(
            f"metrics.regression_robust_ratio_curve.{title}",
            sm.regression_robust_ratio_curve,
            v,
            w,
            **more,
        )
        rec(
            f"metrics.normalized_accuracy_score.{title}",
            sm.normalized_accuracy_score,
            y,
            pred,
            n_features=9,
            n_samples=n,
            **more,
        )
        rec(
            f"metrics.normalized_r2_score.{title}",
            sm.normalized_r2_score,
            v + 1,
            w + 1,
            n_features=3,
            n_samples=n,
            **more,
        )
        rec(f"metrics.imbalance_factor.{title}", sm.imbalance_factor, y, **more)
        rec(
            f"metrics.signal_to_noise_ratio.{title}",
            sm.signal_to_noise_ratio,
            y,
            pred,
            **more,
        )
        rec(
            f"metrics.period_stability_index.{title}",
            sm.period_stability_index,
            y,
            pred2,
            np.arange(n) // 12,
            return_periods=True,
            **more,
        )
        rec(
            f"metrics.gini_stability.{title}",
            sm.gini_stability,
            y > 0,
            moved[:, 1] + moved[:, 2],
            np.arange(n) // 20,
            return_periods=True,
            **more,
        )
    shift_metrics(rec, sm, y, y_prob, moved, several, tolerances)
    stability_metrics(rec, sm, y, pred2)
    normalized_metrics(rec, sm, y, pred, y_prob)
    adversarial_metrics(rec, sm, y, pred2, moved)
    interval_metrics(rec, sm, y, y_prob, moved, conditions, clusters, weights)
    group_metrics(rec, sm, y, y_prob, moved, pred2, groups, group_of, clusters)
    scorers(rec, sm)


def shift_metrics(rec, sm, y, y_prob, moved, several, tolerances):
    """Store shifts of probabilities and predictions, and what curves make of them."""
    for reference in ("predicted", "true", "max", "any"):
        given = (
            {"reference": reference, "y_true": y}
            if reference == "true"
            else {"reference": reference}
        )
        for title, other in {"one": moved, "several": several}.items():
            rec(
                f"metrics.probability_shift.{reference} {title}",
                sm.probability_shift,
                y_prob,
                other,
                **given,
            )
    v, w = y_prob[:, 0] * 9, moved[:, 0] * 9
    rec("metrics.prediction_shift.one", sm.prediction_shift, v, w)
    rec(
        "metrics.prediction_shift.true",
        sm.prediction_shift,
        v,
        w,
        reference="true",
        y_true=v + 1,
    )
    rec(
        "metrics.prediction_shift.several", sm.prediction_shift, v, np.stack([w, w / 2])
    )
    _, ratios = sm.robust_ratio_curve(y_prob, moved, tolerances=tolerances)
    for method in ("trapezoid", "mean"):
        rec(
            f"metrics.area_under_robust_ratio_curve.{method}",
            sm.area_under_robust_ratio_curve,
            tolerances,
            ratios,
            method=method,
        )
    rec("metrics.rr_linearity.curve", sm.rr_linearity, tolerances, ratios)
    clusters = np.arange(len(y)) // 6
    for title, more in {"rows": {}, "clusters": {"clusters": clusters}}.items():
        rec(
            f"metrics.robust_ratio_band.{title}",
            sm.robust_ratio_band,
            y_prob,
            moved,
            tolerances=tolerances,
            **more,
        )
    for how in ("mean", "median", "vote", "max"):
        rec(
            f"metrics.aggregate_clips.{how}",
            sm.aggregate_clips,
            y_prob,
            clusters,
            how=how,
            positive=1 if how == "max" else None,
        )
    fake = np.repeat(np.arange(20) % 2, 6)
    two, other = (np.column_stack([1 - p, p]) for p in (y_prob[:, 0], moved[:, 0]))
    for how in ("mean", "vote"):
        rec(
            f"metrics.clip_robustness.{how}",
            sm.clip_robustness,
            fake,
            two,
            other,
            clusters,
            how=how,
            random_state=0,
            n_resamples=99,
        )


def stability_metrics(rec, sm, y, pred):
    """Store indices of stability under conditions and over time."""
    scores = 0.9 - 0.02 * np.arange(12) % 5 + rng(3).normal(size=12) * 0.01
    for name in (
        "accuracy_stability_index",
        "coefficient_of_variation",
        "stability_index",
        "stability_summary",
    ):
        rec(f"metrics.{name}.scores", getattr(sm, name), scores)
    rec("metrics.accuracy_stability_index.zeros", sm.accuracy_stability_index, [0, 0.0])
    rec(
        "metrics.accuracy_stability_index.zero division",
        sm.accuracy_stability_index,
        [0, 0.0],
        zero_division=0.0,
    )
    rec(
        "metrics.stability_index.weights",
        sm.stability_index,
        scores,
        falling_rate_weight=3,
        variability_weight=1,
    )
    rec(
        "metrics.stability_index.times",
        sm.stability_index,
        scores,
        times=np.arange(12) ** 1.5,
    )
    rec(
        "metrics.stability_index.dates",
        sm.stability_index,
        scores,
        times=pd.date_range("2024-01-01", periods=12, freq="MS"),
    )
    rec(
        "metrics.stability_summary.reference",
        sm.stability_summary,
        scores,
        reference=scores[::-1] ** 2,
    )
    rec(
        "metrics.stability_quadrant.all",
        lambda: [
            sm.stability_quadrant(a, b, reference_mean=0.8, reference_cv=0.1)
            for a in (0.7, 0.9)
            for b in (0.05, 0.2)
        ],
    )
    days = pd.date_range("2024-01-01", periods=len(y), freq="D")
    times = {
        "dates": days.to_numpy().astype("datetime64[M]"),
        "months": days.to_period("M"),
        "iso": days.strftime("%Y-%m").to_numpy(),
        "numbers": np.arange(len(y)) // 10,
    }
    for title, when in times.items():
        for more in ({}, {"slope_per": "time"}, {"undefined": "raise"}):
            key = f"metrics.period_stability_index.{title} {more}"
            rec(key, sm.period_stability_index, y, pred, when, **more)
        rec(f"metrics.gini_stability.{title}", sm.gini_stability, y > 0, pred, when)
        rec(
            f"metrics.confidence_interval.periods {title}",
            sm.confidence_interval,
            "stability_index",
            y == pred,
            periods=when,
            random_state=0,
        )
    rec(
        "metrics.period_stability_index.text",
        sm.period_stability_index,
        y,
        pred,
        np.array(["spring", "autumn"] * 60),
    )
    flips = rng(8).integers(0, 3, (9, 6))
    for against in ("previous", "first"):
        rec(f"metrics.flip_rate.{against}", sm.flip_rate, flips, against=against)
    rec(
        "metrics.mean_flip_rate.values",
        sm.mean_flip_rate,
        [0.1, 0.3, 0.2],
        [0.2, 0.4, 0.3],
        reference="one",
    )
    rec("metrics.mean_flip_rate.alone", sm.mean_flip_rate, [0.1, 0.3, 0.2])
    errors, others = rng(9).random((4, 5)), rng(10).random((4, 5)) + 0.1
    for title, more in {
        "alone": {},
        "reference": {"reference_errors": others, "reference": "net"},
        "relative": {
            "reference_errors": others,
            "clean_error": 0.1,
            "reference_clean_error": 0.05,
            "relative": True,
            "reference": "net",
        },
    }.items():
        rec(
            f"metrics.mean_corruption_error.{title}",
            sm.mean_corruption_error,
            errors,
            **more,
        )
    for kind in ("ratio", "drop"):
        rec(
            f"metrics.robustness_score.{kind}",
            sm.robustness_score,
            [0.72, 0.45, 0.9],
            0.9,
            kind=kind,
        )
    for link in ("logit", "linear", "probit"):
        rec(
            f"metrics.effective_robustness.{link}",
            sm.effective_robustness,
            0.7,
            0.8,
            reference_clean=[0.7, 0.8, 0.9],
            reference_shifted=[0.5, 0.6, 0.7],
            link=link,
        )


def normalized_metrics(rec, sm, y, pred, y_prob):
    """Store normalized scores and their factors."""
    X = rng(4).normal(size=(len(y), 4)) + y[:, None]
    labels = KMeans(3, n_init=1, random_state=0).fit_predict(X)
    rec(
        "metrics.normalized_clustering_score.X",
        sm.normalized_clustering_score,
        y,
        labels,
        n_features=4,
        X=X,
    )
    for task, data, more in [
        ("classification", (y, pred), {"y_prob": y_prob}),
        ("classification", (y, pred), {}),
        ("regression", (y + 1.0, pred + 0.9), {"center": True}),
        ("clustering", (y, labels), {"X": X}),
    ]:
        key = f"metrics.normalized_score_parts.{task} {sorted(more)}"
        rec(key, sm.normalized_score_parts, *data, task=task, n_features=4, **more)
    for n in (3, 30, 300):
        rec(f"metrics.dimensionality_factor.{n}", sm.dimensionality_factor, n, 100)
        rec(f"metrics.signal_factor.{n}", sm.signal_factor, n / 7)
    rec("metrics.imbalance_factor.counts", sm.imbalance_factor, class_counts=[9, 3, 1])
    for kind in ("auto", "linear", "squared"):
        rec(
            f"metrics.signal_to_noise_ratio.{kind}",
            sm.signal_to_noise_ratio,
            y,
            pred,
            kind=kind,
            y_prob=y_prob,
        )


def adversarial_metrics(rec, sm, y, pred, moved):
    """Store metrics of adversarial examples and of defences."""
    r = rng(11)
    X = r.random((30, 12, 12))
    X_adv = np.clip(X + r.normal(size=X.shape) * 0.05, 0, 1)
    for norm in (0, 2, np.inf):
        for scale in ("absolute", "relative"):
            rec(
                f"metrics.average_distortion.{norm} {scale}",
                sm.average_distortion,
                X,
                X_adv,
                norm=norm,
                scale=scale,
                successful=np.arange(30) % 3 > 0,
            )
    rec(
        "metrics.average_structural_similarity.grey",
        sm.average_structural_similarity,
        X,
        X_adv,
        data_range=(0, 1),
    )
    rec(
        "metrics.average_structural_similarity.colour",
        sm.average_structural_similarity,
        r.random((3, 12, 12, 3)),
        r.random((3, 12, 12, 3)),
        data_range=(0, 1),
        channel_axis=-1,
    )
    for name in (
        "true_class_confidence",
        "adversarial_class_confidence",
        "noise_tolerance_estimate",
    ):
        rec(f"metrics.{name}.plain", getattr(sm, name), y, moved)
        rec(f"metrics.{name}.target", getattr(sm, name), y, moved, target=(y + 1) % 3)
    rec("metrics.misclassification_rate.plain", sm.misclassification_rate, y, pred)
    rec(
        "metrics.misclassification_rate.target",
        sm.misclassification_rate,
        y,
        pred,
        target=(y + 1) % 3,
    )
    for average in ("per_sample", "pooled"):
        rec(
            f"metrics.noise_insensitivity.{average}",
            sm.noise_insensitivity,
            r.random(30),
            r.random(30) + 0.2,
            X,
            X_adv,
            average=average,
        )
    other = moved[:, [1, 2, 0]] * 0.3 + moved * 0.7
    for confidence in ("max", "true"):
        for over in ("correct", "wrong"):
            rec(
                f"metrics.defense_comparison.{confidence} {over}",
                sm.defense_comparison,
                y,
                moved,
                other,
                confidence=confidence,
                over=over,
            )


def interval_metrics(rec, sm, y, y_prob, moved, conditions, clusters, weights):
    """Store intervals and comparisons of models."""
    from sklearn.metrics import balanced_accuracy_score

    pred = moved.argmax(1)
    for name, data, more in [
        ("accuracy", (y, pred), {}),
        ("robust_accuracy", (y, conditions), {}),
        ("robust_accuracy", (y, conditions), {"method": "exact"}),
        ("robust_accuracy", (y, conditions), {"sample_weight": weights}),
        ("robust_ratio", (y_prob, moved), {"tolerance": 0.1}),
        ("accuracy_stability_index", (y, conditions), {}),
        ("accuracy_stability_index", (y, conditions), {"resample_conditions": True}),
        ("stability_index", (0.9 - 0.01 * (np.arange(15) % 4),), {}),
        ("stability_index", (0.9 - 0.01 * (np.arange(40) % 7),), {}),
        ("stability_index", (y == pred,), {"periods": np.arange(len(y)) // 12}),
        ("normalized_accuracy", (y, pred), {"n_features": 5}),
        ("normalized_r2", (y + 1.0, pred + 1.1), {"n_features": 5}),
        ("regression_robust_ratio", (y_prob[:, 0], moved[:, 0]), {"tolerance": 0.1}),
        (sm.robust_ratio_score, (y_prob, moved), {"tolerance": 0.2}),
        (balanced_accuracy_score, (y, pred), {}),
        (balanced_accuracy_score, (y, pred), {"method": "percentile"}),
        (balanced_accuracy_score, (y, pred), {"method": "jackknife"}),
        ("nothing", (y, pred), {}),
    ]:
        title = getattr(name, "__name__", name)
        for over, units in {"rows": None, "clusters": clusters}.items():
            key = f"metrics.confidence_interval.{len(CALLS)} {title} {over}"
            CALLS.append(key)
            result = rec(
                key,
                sm.confidence_interval,
                name,
                *data,
                clusters=units,
                n_resamples=200,
                random_state=0,
                **more,
            )
            if result is not None:
                rec(f"{key} unpacked", list, result)
    for method in ("wilson", "exact"):
        rec(
            f"metrics.proportion_interval.{method}",
            sm.proportion_interval,
            8,
            30,
            method=method,
        )
    rec("metrics.proportion_interval.zero", sm.proportion_interval, 0, 9)
    labels = {"a": conditions[0], "b": conditions[2], "c": conditions[3]}
    correct = {k: v == y for k, v in labels.items()}
    shifts = {"a": (y_prob, moved), "b": (moved, y_prob[::-1])}
    grid = {"a": conditions, "b": conditions[::-1] * 0 + conditions[1]}
    few = {"n_resamples": 200, "random_state": 0}
    for over, units in {"rows": None, "clusters": clusters}.items():
        few["clusters"] = units
        rec(f"metrics.compare_models.correct {over}", sm.compare_models, correct, **few)
        rec(
            f"metrics.compare_models.labels {over}",
            sm.compare_models,
            labels,
            y_true=y,
            **few,
        )
        rec(
            f"metrics.compare_models.ratio {over}",
            sm.compare_models,
            shifts,
            metric="robust_ratio",
            tolerance=0.1,
            **few,
        )
        rec(
            f"metrics.compare_models.curves {over}",
            sm.compare_models,
            shifts,
            metric="robust_ratio",
            tolerance=[0.1, 0.2, 0.3],
            **few,
        )
        rec(
            f"metrics.compare_models.asi {over}",
            sm.compare_models,
            grid,
            y_true=y,
            metric="accuracy_stability_index",
            **few,
        )
        rec(
            f"metrics.compare_models.callable {over}",
            sm.compare_models,
            labels,
            y_true=y,
            metric=balanced_accuracy_score,
            **few,
        )


CALLS = []


def group_metrics(rec, sm, y, y_prob, moved, pred, groups, group_of, clusters):
    """Store robustness by groups, their gaps and tests."""
    few = {"n_permutations": 99, "random_state": 0}
    for title, (who, units) in {
        "rows": (groups, None),
        "clusters": (group_of, clusters),
    }.items():
        more = {"clusters": units, **few}
        rec(
            f"metrics.group_robustness.{title}",
            sm.group_robustness,
            y,
            pred,
            who,
            **more,
        )
        rec(
            f"metrics.group_robust_ratio.{title}",
            sm.group_robust_ratio,
            y_prob,
            moved,
            who,
            tolerance=0.1,
            **more,
        )
        rec(
            f"metrics.group_robust_ratio.{title} true",
            sm.group_robust_ratio,
            y_prob,
            moved,
            who,
            tolerance=0.1,
            reference="true",
            y_true=y,
            **more,
        )
        rec(
            f"metrics.group_robust_ratio_curve.{title}",
            sm.group_robust_ratio_curve,
            y_prob,
            moved,
            who,
            tolerances=[0.05, 0.1, 0.2],
            **more,
        )


def scorers(rec, sm):
    """Store the values of every scorer, by name and by factory."""
    import skrobust.attacks as sa
    import skrobust.perturbations as sp

    X, y = CANCER[0][:150], CANCER[1][:150]
    model = LogisticRegression().fit(*CANCER)
    ridge = Ridge().fit(*DIABETES)
    noise = sp.FeatureNoise(severity=4, random_state=0).fit(X)
    rough = sp.FeatureNoise(severity=2, random_state=0).fit(DIABETES[0])
    pgd = sa.PGD(0.05, n_steps=5, data_range=(0, 1), random_state=0)
    names = rec("metrics.get_scorer_names.all", sm.get_scorer_names)
    for name in names or ():
        for title, options in {
            "none": {},
            "noise": {"perturbation": noise},
            "ratio": {"perturbation": noise, "tolerance": 0.1},
            "attack": {"perturbation": pgd, "tolerance": 0.1},
            "conditions": {"conditions": [noise, noise]},
            "samples": {"n_samples": 569},
        }.items():
            scorer = rec(
                f"metrics.get_scorer.{name} {title}", sm.get_scorer, name, **options
            )
            if scorer is not None:
                rec(f"metrics.get_scorer.{name} {title} value", scorer, model, X, y)
    weights = rng(2).random(len(y))
    for metric in ("robust_accuracy", "robust_ratio", "accuracy"):
        for title, p in {"noise": noise, "attack": pgd}.items():
            more = {"tolerance": 0.1} if metric == "robust_ratio" else {}
            key = f"metrics.make_robust_scorer.{metric} {title}"
            rec(
                key,
                lambda p=p, k=metric, o=more: sm.make_robust_scorer(p, k, **o)(
                    model, X, y
                ),
            )
            rec(
                f"{key} weights",
                lambda p=p, k=metric, o=more: sm.make_robust_scorer(p, k, **o)(
                    model, X, y, sample_weight=weights
                ),
            )
    rec(
        "metrics.make_robust_scorer.regression",
        lambda: sm.make_robust_scorer(rough, "regression_robust_ratio", tolerance=3.0)(
            ridge, *DIABETES
        ),
    )
    rec(
        "metrics.make_robust_scorer.X_ref",
        lambda: sm.make_robust_scorer(
            sp.FeatureNoise(severity=4, random_state=0), X_ref=X
        )(model, X, y),
    )
    grid = sp.tabular((2, 4), random_state=0)
    for name in ("make_stability_scorer", "make_asi_scorer"):
        rec(
            f"metrics.{name}.value",
            lambda n=name: getattr(sm, n)(grid, X_ref=X)(model, X, y),
        )
    rec(
        "metrics.make_stability_index_scorer.value",
        lambda: sm.make_stability_index_scorer(5)(model, X, y),
    )
    for metric, fitted, data in [
        ("accuracy", model, (X, y)),
        ("r2", ridge, DIABETES),
        ("clustering", KMeans(2, n_init=1, random_state=0).fit(X), (X, y)),
    ]:
        rec(
            f"metrics.make_normalized_scorer.{metric}",
            lambda a=metric, f=fitted, d=data: sm.make_normalized_scorer(
                a, n_samples=569
            )(f, *d),
        )
