"""All sections of a report for one model."""

from functools import partial

import numpy as np

from skrobust._containers import is_text
from skrobust._parallel import alone
from skrobust.evaluation import evaluate_attack
from skrobust.perturbations.presets import get_preset_names
from skrobust.report.core.summary_cells import headline_of
from skrobust.report.core.undefined_numbers import is_known
from skrobust.report.measured import gallery, measurements, optional_measurements
from skrobust.report.measured.estimator_text import estimator_text
from skrobust.report.measured.responsible import responsible_parts

_SECTIONS = ("normalized", "stability", "weakness", "curve", "doubts")
_SECTIONS += ("gallery", "groups", "times")
_APART = (measurements.stability, evaluate_attack)  # by condition and run


class ModelSections:
    """Measurement of one model; a section that fails leaves its reason in the log.

    Parameters
    ----------
    name : str
        Name of the model.
    model : fitted estimator
        The model.
    kind : {"classifier", "regressor"}
        Kind of the model.
    X, y : array-like
        Rows and their labels.
    settings : dict
        Settings that the report shows.
    work : dict
        Options of the measurement; ``paired`` is filled for the comparisons.
    log : Log
        Takes reasons and warnings.
    target : str, default=None
        Name of the target, where the model has several.
    """

    def __init__(self, name, model, kind, X, y, settings, work, log, target=None):
        self.target = target
        self.name, self.model, self.kind, self.X, self.y = name, model, kind, X, y
        self.settings, self.work, self.log = settings, work, log
        self.seed = {"random_state": settings["random_state"]}

    def measure(self):
        """Return all sections as a dict."""
        is_regressor, y = self.kind == "regressor", self.y
        if not is_regressor and y.dtype.kind == "f" and (y != np.round(y)).any():
            caller = self.work["caller"]
            text = f"{caller} needs labels in y for {self.name!r}; it holds numbers."
            raise ValueError(text)
        score = measurements.clean_score
        clean = self._on_rows("clean score", score, self.kind, required=True)
        self.predicted = clean.pop("predicted")
        self.found = {
            "name": self.name,
            "estimator": estimator_text(self.model),
            "kind": self.kind,
            "clean": clean,
            "n_unknown": 0 if is_regressor else self._count_unknown_labels(),
            **dict.fromkeys(_SECTIONS),
            "attacks": {},
            "labelling": {},
        }
        self.found["normalized"] = self._normalized()
        self.found["metrics"] = self._metrics()
        measure = self._measure_regressor if is_regressor else self._measure_classifier
        measure()
        return self.found

    def _run(self, section, function, *args, **kwargs):
        return self.log.run(self.name, section, function, *args, **kwargs)

    def _on_rows(self, section, function, *args, required=False, **kwargs):
        data, run = (self.model, self.X, self.y), partial(function, **kwargs)
        if function not in _APART:
            data, run = (run, *data), alone
        return self._run(section, run, *data, *args, required=required)

    def _on_predictions(self, section, function, *args, **kwargs):
        data = (self.y, self.predicted, self.kind)
        return self._run(section, function, *data, *args, **kwargs)

    def _kept(self, section, parts, function, *args, **kwargs):
        data = (self.work["store"], self.model, self.X, self.y, parts, function)
        run = partial(optional_measurements.kept, **kwargs)
        return self._run(section, alone, run, *data, *args)

    def _recorder(self, step):
        """Return what records an evaluation, or None."""
        recorder = self.work["recorder"]
        return recorder and recorder.called(step)

    def _skip(self, section, reason):
        self.log.skip(self.name, section, reason)

    def _pair(self, metric, values):
        key = metric, self.target
        self.work["paired"].setdefault(key, {})[self.name] = values

    def _measure_classifier(self):
        found = self.found
        correct = {"clean": np.asarray(self.predicted == self.y)}
        self._pair("clean accuracy", correct["clean"])
        found["stability"] = self._stability()
        is_whole = not any(measurements.failed_conditions(found["stability"]))
        if (
            found["stability"] is not None
            and is_whole
            and "correct" in found["stability"]
        ):
            by_condition = found["stability"]["correct"]
            self._pair("mean accuracy", by_condition.mean(axis=1))
            self._pair("stability", by_condition)
        found["weakness"] = self._weakness()
        found["attacks"] = self._attacks()
        done = {name: r for name, r in found["attacks"].items() if r is not None}
        for attack, results in done.items():
            after = correct["clean"] & ~results["per_sample"]["success"]
            # An attack that counts otherwise, such as one with a target, is not paired.
            if np.isclose(after.mean(), results["robust_accuracy"]):
                correct[attack] = after
                self._pair(f"robust accuracy, {attack}", after)
        found["curve"] = self._curve()
        found["gallery"] = self._gallery()
        found["groups"] = self._groups(correct)
        found["times"] = self._times()
        known = {"true_accuracy": found["clean"]["value"], **self.seed}
        known["n_labels"] = self.settings["n_labels"]
        for sampler in measurements.SAMPLERS:
            parts = f"operational testing, {sampler}", measurements.labelling, sampler
            found["labelling"][sampler] = self._on_rows(*parts, **known)

    def _measure_regressor(self):
        self._pair("R2", self.predicted)
        reason = "It estimates an accuracy; a regressor predicts no labels."
        self._skip("operational testing", reason)
        self.found["stability"] = self._stability()
        self.found["weakness"] = self._weakness()
        self.found["attacks"] = self._attacks()
        self.found["gallery"] = self._gallery()
        if self.work["groups"]:
            self._skip("groups", "They compare proportions of correct labels.")
        self.found["times"] = self._times()

    def _normalized(self):
        settings = self.settings
        if settings["n_features"] is None:
            reason = "Text has no number of features to adapt the score to."
            return self._skip("normalized score", reason)
        given = settings["n_samples_given"] or settings["n_train"]
        options = {name: settings[name] for name in ("n_features", "class_counts")}
        options["n_samples"] = settings["n_samples"] if given else None  # it warns
        function = measurements.normalized_score
        return self._on_predictions("normalized score", function, **options)

    def _metrics(self):
        function = measurements.metric_value
        return {
            name: self._on_predictions(name, function, name, **self.seed)
            for name in self.work["metrics"]
        }

    def _stability(self):
        is_table = self.settings["conditions"] in get_preset_names("table")
        if is_table and self.work["X_train"] is None:
            return self._skip(
                "stability",
                "The perturbations of tables learn their scales from training rows: "
                "give X_train (or image_shape, if the rows are flat images).",
            )
        names = ("conditions", "X_train", "n_jobs", "verbose", "checkpoint")
        options = {name: self.work[name] for name in names}
        options["record"] = self._recorder("perturbations")
        function = measurements.stability
        found = self._on_rows("stability", function, self.settings, **options)
        for name, reason in measurements.failed_conditions(found):
            self._skip(f"stability, {name}", reason)
        return found

    def _weakness(self):
        results = self.found["stability"]
        if results is None:
            return None
        if not is_known(results["worst"]["score"]):
            reason = "The worst condition is not known, since conditions failed."
            return self._skip("responsible part of the input", reason)
        worst = results["perturbations"][int(np.argmin(results["score"]))]
        more = worst, self.settings, is_text(self.X)
        function, section = responsible_parts, "responsible part of the input"
        return self._on_rows(section, function, self.kind, *more)

    def _make_attacks(self):
        X_train = self.work["X_train"]
        reference = self.X if X_train is None else X_train
        return measurements.make_attacks(self.work["attacks"], self.settings, reference)

    def _attacks(self):
        made = self._make_attacks()
        if made is None:
            reason = (
                "eps was not given: the size of the attack, as a number in the units "
                "of the input (images) or as '0.1 std' (tables)."
            )
            self._skip("attacks", reason)
            return {}
        found, options = {}, {"checkpoint": self.work["checkpoint"], **self.seed}
        of_labels = self.settings["checks"] and self.kind == "classifier"
        checked = headline_of(list(made)) if of_labels else None
        for name, attack in made.items():
            parts = name, evaluate_attack, attack
            options |= {"checks": name == checked, "record": self._recorder(name)}
            found[name] = results = self._on_rows(*parts, **options)
            if results is None:
                continue
            for run, reason in results.get("failed", {}).items():
                self._skip(f"{name}, {run.replace('_', ' ')}", f"It failed: {reason}")
            if "skipped" in results:
                self._skip(f"{name}, robust ratio", results["skipped"])
            if "not_certified" in results:
                self._skip(f"{name}, certificate", results["not_certified"])
            if "robust_accuracy" in results.get("failed", ()):
                found[name] = None
            if "warnings" in results:
                doubts = results.pop("warnings")
                self.found["doubts"] = optional_measurements.doubts(
                    doubts, name, self.y
                )
        return found

    def _curve(self):
        radii = self.work["radii"]
        if radii is None:
            return None
        names = ("norm", "data_range", "random_state")
        options = {name: self.settings[name] for name in names}
        parts, function = [radii, *options.values()], optional_measurements.curve
        return self._kept("robust accuracy curve", parts, function, radii, **options)

    def _gallery(self):
        settings, work = self.settings, self.work
        parts = [settings, work["conditions"], work["attacks"], work["X_train"]]
        own = {name: work[name] for name in ("attacks", "X_train")}
        data = (self.found, settings, own)
        return self._kept("gallery", [*parts, self.name], gallery.draw_gallery, *data)

    def _groups(self, correct):
        found, function = {}, optional_measurements.group_table
        for grouping, groups in self.work["groups"].items():
            found[grouping] = {}
            for name, values in correct.items():
                parts = function, self.y, values, groups
                section = f"groups by {grouping}, {name}"
                found[grouping][name] = self._run(section, *parts, **self.seed)
        return found or None

    def _times(self):
        if self.work["times"] is None:
            return None
        parts = optional_measurements.period_scores, self.work["times"]
        return self._on_predictions("stability over time", *parts)

    def _count_unknown_labels(self):
        classes = getattr(self.model, "classes_", None)
        if classes is None:
            return 0
        known = set(np.asarray(classes).tolist())
        return sum(label not in known for label in self.y.tolist())
