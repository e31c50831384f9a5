"""Cases of samplers, predictors and surprises."""

import numpy as np
from sklearn.neural_network import MLPClassifier

from same_cases.data import IRIS, rng


def sampling(rec, ss):
    """Store draws, estimates and states of every sampler."""
    scores = rng(0).beta(0.5, 2, 300)
    failed = rng(1).random(300) < scores
    predictions = rng(2).integers(0, 3, 300)
    options = {
        "DeepESTSampler": [{}, {"rule": "released"}, {"threshold": 0.3}],
        "OperationalSampler": [
            {},
            {"failure_emphasis": 0.7, "n_batches": 3},
            {"recalibrate": False},
        ],
        "SimpleRandomSampler": [{}, {"interval": "wilson"}],
        "ProportionalSampler": [{}, {"replacement": True}],
        "StratifiedSampler": [{}, {"strata": "quantile", "allocation": "proportional"}],
        "GradientSampler": [{}, {"strata": "quantile"}],
        "TwoStageSampler": [{}, {"n_strata": 5}],
        "CrossEntropySampler": [{}, {"n_groups": 10}],
    }
    base = getattr(ss._module, "BaseSampler", None)
    for name in ss._module.__all__:
        if not name.endswith("Sampler") or getattr(ss._module, name) is base:
            continue
        for number, given in enumerate(options.get(name, [{}])):
            key = f"sampling.{name}.{number}"
            sampler = getattr(ss, name)(random_state=3, **given)
            use_sampler(rec, key, sampler, scores, failed, predictions)
    predictors(rec, ss, scores, failed)
    surprises(rec, ss)
    samplers = {"a": ss.SimpleRandomSampler(), "b": ss.OperationalSampler()}
    for title, more in {"plain": {}, "labels": {"y_pred": predictions}}.items():
        rec(
            f"sampling.simulate.{title}",
            ss.simulate,
            samplers,
            scores,
            failed,
            n_labels=[30, 60],
            n_repeats=5,
            random_state=0,
            **more,
        )


def use_sampler(rec, key, sampler, scores, failed, predictions):
    """Store one session: rounds of labels, skips, results, metrics, JSON."""
    sampler.fit(scores, y_pred=predictions)
    truth = np.where(failed, (predictions + 1) % 3, predictions)
    for i, n in enumerate((20, 15, 5)):
        ids = rec(f"{key} ask {i}", sampler.ask, n)
        if ids is None:
            return
        rec(f"{key} tell {i}", lambda d=ids: sampler.tell(d, truth[d]).result())
    rec(f"{key} skip", lambda: sampler.ask(4))
    text = rec(f"{key} json", sampler.to_json)
    if text is not None:
        again = type(sampler).from_json(text)
        rec(f"{key} again", lambda: again.ask(6))
        rec.keep(f"{key} pending", np.asarray(again.pending_))
    rec(f"{key} ids", lambda: np.asarray(sampler.ids_))
    rec(f"{key} draws", lambda: np.asarray(sampler.draw_probabilities_))
    for estimator in ("default", "published", "difference", "lure", "ppi"):
        rec(
            f"{key} result {estimator}", lambda e=estimator: sampler.result(estimator=e)
        )
    for method in ("t", "bootstrap", "anytime", "wilson", "hypergeometric"):
        rec(f"{key} interval {method}", lambda m=method: sampler.result(method=m))
    for metric, more in [
        ("accuracy", {}),
        ("precision", {"label": 1}),
        ("recall", {"label": 1}),
        ("f1", {"label": 1}),
    ]:
        rec(f"{key} metric {metric}", sampler.metric, metric, **more)
    rec(f"{key} estimate", sampler.estimate, lambda a, b: abs(a - b))
    rec(
        f"{key} ratio",
        sampler.estimate,
        lambda a, b: abs(a - b) * 1.0,
        lambda a, b: a + 1.0,
    )
    groups = np.arange(300) % 2
    rec(f"{key} groups", lambda: sampler.metric("accuracy", groups=groups))
    rec(f"{key} plan", sampler.plan, 0.05)
    rec(
        f"{key} corrected",
        lambda: sampler.correct(
            sampler.ids_[:3], predictions[sampler.ids_[:3]]
        ).result(),
    )
    rec(f"{key} stop", sampler.should_stop, half_width=0.1)


def predictors(rec, ss, scores, failed):
    """Store predicted failure rates of the two predictors."""
    for calibration in ("isotonic", "logistic"):
        predictor = ss.ConfidencePredictor(calibration=calibration)
        predictor.fit(scores, failed)
        rec(
            f"sampling.ConfidencePredictor.{calibration}",
            predictor.predict_failure,
            np.linspace(0, 1, 21),
        )
        rec(
            f"sampling.ConfidencePredictor.{calibration} rate",
            predictor.predicted_failure_rate,
            scores[:50],
        )
    threshold = ss.ThresholdPredictor().fit(scores, failed)
    rec("sampling.ThresholdPredictor.threshold", lambda: threshold.threshold_)
    rec("sampling.ThresholdPredictor.rate", threshold.predicted_failure_rate, scores)


def surprises(rec, ss):
    """Store surprises on plain rows and on activations of a small net."""
    X, y = IRIS
    mlp = MLPClassifier((8, 4), max_iter=2000, random_state=0).fit(X[::2], y[::2])
    rec("sampling.extract_activations.last", ss.extract_activations, mlp, X)
    rec("sampling.extract_activations.first", ss.extract_activations, mlp, X, layer=0)
    for name, variants in {
        "DistanceSurprise": [{}],
        "LikelihoodSurprise": [{}, {"jitter": 0.1}],
        "MahalanobisSurprise": [{}, {"covariance": "tied"}, {"covariance": "global"}],
    }.items():
        for number, options in enumerate(variants):
            for title, model in {"rows": None, "mlp": mlp}.items():
                key = f"sampling.{name}.{number} {title}"
                surprise = getattr(ss, name)(model, **options)
                rec(
                    key,
                    lambda s=surprise, m=model: s.fit(X[::2], y[::2]).score_samples(
                        X[1::2], *([y[1::2]] if m is None else [])
                    ),
                )
