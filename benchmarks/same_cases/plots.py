"""Cases of displays."""

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

from same_cases.data import CANCER, DIGITS


def plots(rec, sp):
    """Store the frames of all displays."""
    import skrobust.attacks as sa
    import skrobust.evaluation as se
    import skrobust.metrics as sm
    import skrobust.perturbations as st
    import skrobust.sampling as ss

    X, y = CANCER[0][300:400], CANCER[1][300:400]
    model = LogisticRegression().fit(CANCER[0][:300], CANCER[1][:300])
    rows, labels = DIGITS[0][:100], DIGITS[1][:100]
    svc = SVC().fit(DIGITS[0][200:600], DIGITS[1][200:600])
    flat = {"image_shape": (8, 8), "data_range": (0, 16), "random_state": 0}
    grid = se.evaluate_perturbations(
        svc, rows, labels, st.two_factor_grid("asi68", **flat)
    )
    levels = [st.GaussianNoise(severity=s, **flat) for s in (1, 3, 5)]
    table = se.evaluate_perturbations(svc, rows, labels, levels)
    pgd = sa.PGD(0.05, n_steps=5, data_range=(0, 1), random_state=0)
    sampler = ss.OperationalSampler(random_state=0).fit(np.linspace(0, 0.5, 200))
    sampler.sample(40, lambda ids: ids % 7 == 0)
    who = np.array(list("abc"))[np.arange(100) % 3]
    parts = sm.group_robustness(
        y, model.predict(X), who, n_permutations=99, random_state=0
    )
    right = {"svc": np.arange(90) % 10 > 0, "tree": np.arange(90) % 3 > 0}
    made = {
        "GroupGapDisplay": lambda d: d.from_results(parts),
        "LabelBudgetDisplay": lambda d: d.from_sampler(sampler),
        "MinimalNormDisplay": lambda d: d.from_estimator(
            model, X, y, sa.ExactLinear(norm=2)
        ),
        "ModelComparisonDisplay": lambda d: d.from_results(
            sm.compare_models(right, random_state=0)
        ),
        "NormalizedScoreDisplay": lambda d: d.from_estimator(
            model, X, y, n_samples=300
        ),
        "PerturbationGalleryDisplay": lambda d: d.from_estimator(
            svc, rows, labels, levels, n_samples=3
        ),
        "PerturbationGridDisplay": lambda d: d.from_results(grid),
        "RobustAccuracyCurveDisplay": lambda d: d.from_estimator(
            model, X, y, pgd, np.linspace(0.01, 0.1, 4)
        ),
        "RobustRatioDisplay": lambda d: d.from_estimator(model, X, y, pgd),
        "SeverityCurveDisplay": lambda d: d.from_results(table),
        "StabilityPatternDisplay": lambda d: d.from_predictions(
            y, model.predict(X), np.arange(100) // 10
        ),
        "StabilitySurfaceDisplay": lambda d: d.from_results(grid, name="SVC"),
    }
    for name, make in made.items():
        display = rec(f"plots.{name}", make, getattr(sp, name))
        if display is not None:
            rec(f"plots.{name}.frame", display.frame)
            rec(f"plots.{name}.drawn", lambda d=display: drawn(d.plot()))


def drawn(display):
    """Return the data and the words of a drawn figure."""
    from matplotlib import pyplot

    figure = pyplot.gcf()
    lines = [line.get_xydata() for ax in figure.axes for line in ax.get_lines()]
    texts = [
        t.get_text()
        for ax in figure.axes
        for t in (ax.title, ax.xaxis.label, ax.yaxis.label)
    ]
    pyplot.close("all")
    return {"lines": lines, "texts": "\n".join(texts)}
