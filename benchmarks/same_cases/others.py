"""Cases of checks, records of the base and reports."""

import inspect
import tempfile
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.tree import DecisionTreeClassifier

from same_cases.data import CANCER, DIABETES, IRIS, signature


def testing(rec, st):
    """Store the verdicts of the checks and of the assertion."""
    import skrobust.attacks as sa
    import skrobust.metrics as sm
    import skrobust.perturbations as sp
    import skrobust.sampling as ss

    X, y = IRIS
    model = LogisticRegression(max_iter=500).fit(X[::2], y[::2])
    noise = sp.FeatureNoise(severity=5, random_state=0).fit(X[::2])
    for title, more in {
        "passes": {"perturbation": noise, "max_drop": 0.9},
        "fails": {"perturbation": noise, "min_accuracy": 0.999},
        "bound": {
            "perturbation": noise,
            "min_accuracy": 0.9,
            "decide": "only_if_shown",
        },
        "ratio": {"perturbation": noise, "min_robust_ratio": 0.99},
        "attack": {"attack": sa.PGD(0.5, random_state=0), "min_accuracy": 0.9},
        "conditions": {"conditions": [noise, noise], "min_accuracy": 0.99},
    }.items():
        rec(
            f"testing.assert_robust.{title}",
            st.assert_robust,
            model,
            X[1::2],
            y[1::2],
            **more,
        )
    rec("testing.check_attack.fgsm", st.check_attack, sa.FGSM(0.1))
    rec(
        "testing.check_perturbation.noise",
        st.check_perturbation,
        sp.GaussianNoise(std=0.1),
    )
    rec(
        "testing.check_sampler.random",
        st.check_sampler,
        ss.SimpleRandomSampler(),
        n_repeats=50,
    )
    rec(
        "testing.check_scorer.robust",
        st.check_scorer,
        sm.make_robust_scorer(sp.GaussianNoise(std=0.1, random_state=0)),
    )


def base(rec, sb):
    """Store results of the public records of the floor."""
    rules = sb.Constraints(frozen=["b"], integer=[0], scale={"a": 2.0, "b": 1, "c": 3})
    rec("base.Constraints.by_position", rules.by_position, ["a", "b", "c"])
    for name in sb._module.__all__:
        thing = getattr(sb, name)
        rec(
            f"base.{name}.fields",
            lambda t=thing: list(signature(t)) if inspect.isclass(t) else [],
        )


def report(rec, sr):
    """Store the JSON twin, the page and the rows of reports."""
    import json

    X, y = CANCER
    train = X[:300], y[:300]
    models = {
        "logistic": LogisticRegression().fit(*train),
        "tree": DecisionTreeClassifier(max_depth=3, random_state=0).fit(*train),
    }
    who = np.array(list("abc"))[np.arange(100) // 4 % 3]
    more = {
        "X_train": X[:300],
        "groups": who,
        "times": np.arange(100) // 10,
        "n_labels": 20,
        "eps": 0.05,
        "data_range": (0, 1),
    }
    ridge = Ridge().fit(*DIABETES)
    cases = {
        "classifiers": (models, X[300:400], y[300:400], more),
        "regressor": (
            {"ridge": ridge},
            DIABETES[0][:60],
            DIABETES[1][:60],
            {"X_train": DIABETES[0]},
        ),
    }
    for title, (fitted, rows, labels, options) in cases.items():
        collected = rec(
            f"report.collect_report.{title}",
            sr.collect_report,
            fitted,
            rows,
            labels,
            **options,
        )
        if collected is None:
            continue
        rec(f"report.summary_rows.{title}", sr.summary_rows, collected)
        rec(f"report.build_markdown.{title}", sr.build_markdown, collected)
        rec(f"report.build_report.{title}", lambda c=collected: len(sr.build_report(c)))
        with tempfile.TemporaryDirectory() as folder:
            out, twin = Path(folder) / "r.html", Path(folder) / "r.json"
            written = rec(
                f"report.write_report.{title}",
                sr.write_report,
                collected,
                out,
                json_out=twin,
            )
            rec(f"report.Report.{title}", lambda w=written: json.loads(w.to_json()))
            again = rec(f"report.report_from_json.{title}", sr.report_from_json, twin)
            rec(f"report.report_from_json.{title} same", lambda a=again: a is not None)
    rec("report.report_schema.all", sr.report_schema)
