"""All sections of a report for one model."""

import numpy as np

from skrobust.perturbations.presets import get_preset_names
from skrobust.report import gallery, measurements, optional_measurements


class ModelSections:
    """Measures one model; a section that fails leaves its reason in the log.

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
    """

    def __init__(self, name, model, kind, X, y, settings, work, log):
        self.name, self.model, self.kind, self.X, self.y = name, model, kind, X, y
        self.settings, self.work, self.log = settings, work, log

    def measure(self):
        """Return all sections as a dict."""
        name, model, y = self.name, self.model, self.y
        is_regressor = self.kind == "regressor"
        if not is_regressor and y.dtype.kind == "f" and (y != np.round(y)).any():
            raise ValueError(
                f"collect_report needs labels in y for {name!r}; it holds numbers."
            )
        clean = self._run(
            "clean score",
            measurements.clean_score,
            *(model, self.X, y, self.kind),
            required=True,
        )
        self.predicted = clean.pop("predicted")
        self.found = {
            "name": name,
            "estimator": " ".join(repr(model).split()),
            "kind": self.kind,
            "clean": clean,
            "n_unknown": 0 if is_regressor else self._count_unknown_labels(),
            **dict.fromkeys(("normalized", "stability", "curve", "doubts")),
            **dict.fromkeys(("gallery", "groups", "times")),
            **{"attacks": {}, "labelling": {}, "metrics": {}},
        }
        self.found["normalized"] = self._normalized()
        self.found["metrics"] = self._metrics()
        if is_regressor:
            self._measure_regressor()
        else:
            self._measure_classifier()
        return self.found

    def _run(self, section, function, *args, **kwargs):
        return self.log.run(self.name, section, function, *args, **kwargs)

    def _run_kept(self, section, parts, function, *args, **kwargs):
        data = (self.work["checkpoint"], self.model, self.X, self.y)
        return self._run(
            section, optional_measurements.kept, *data, parts, function, *args, **kwargs
        )

    def _skip(self, section, reason):
        self.log.skip(self.name, section, reason)

    def _pair(self, metric, values):
        self.work["paired"].setdefault(metric, {})[self.name] = values

    def _measure_classifier(self):
        found = self.found
        correct = {"clean": np.asarray(self.predicted == self.y)}
        self._pair("clean accuracy", correct["clean"])
        found["stability"] = self._stability()
        if found["stability"] is not None and "correct" in found["stability"]:
            by_condition = found["stability"]["correct"]
            self._pair("mean accuracy", by_condition.mean(axis=1))
            self._pair("stability", by_condition)
        found["attacks"] = self._attacks()
        for attack, results in found["attacks"].items():
            if results is None:
                continue
            after = correct["clean"] & ~results["per_sample"]["success"]
            # An attack that counts otherwise, such as one with a target, is not paired.
            if np.isclose(after.mean(), results["robust_accuracy"]):
                correct[attack] = after
                self._pair(f"robust accuracy, {attack}", after)
        found["curve"] = self._curve()
        found["gallery"] = self._gallery()
        found["doubts"] = self._doubts()
        found["groups"] = self._groups(correct)
        found["times"] = self._times()
        for sampler in measurements.SAMPLERS:
            found["labelling"][sampler] = self._run(
                f"operational testing, {sampler}",
                measurements.labelling,
                *(self.model, self.X, self.y, sampler),
                n_labels=self.settings["n_labels"],
                true_accuracy=found["clean"]["value"],
                random_state=self.settings["random_state"],
            )

    def _measure_regressor(self):
        self._pair("R2", self.predicted)
        left_out = "attacks and operational testing"
        if self.work["conditions"] is not None:
            self.found["stability"] = self._stability()
        else:
            left_out = f"stability, {left_out}"
        self._skip(
            left_out, "They count right and wrong labels; a regressor gives none."
        )
        if self.work["groups"]:
            self._skip("groups", "They compare proportions of correct labels.")
        self.found["times"] = self._times()

    def _normalized(self):
        settings = self.settings
        if settings["n_features"] is None:
            reason = "Text has no number of features to adapt the score to."
            return self._skip("normalized score", reason)
        given = settings["n_samples_given"] or settings["n_train"]
        return self._run(
            "normalized score",
            measurements.normalized_score,
            *(self.y, self.predicted, self.kind),
            n_samples=settings["n_samples"] if given else None,  # None: the score warns
            n_features=settings["n_features"],
            class_counts=settings["class_counts"],
        )

    def _metrics(self):
        return {
            name: self._run(
                name,
                measurements.metric_value,
                *(name, self.y, self.predicted, self.kind),
                random_state=self.settings["random_state"],
            )
            for name in self.work["metrics"]
        }

    def _stability(self):
        preset, work = self.settings["conditions"], self.work
        is_table = preset in get_preset_names("table")
        if is_table and work["X_train"] is None:
            return self._skip(
                "stability",
                "The perturbations of tables learn their scales from training rows: "
                "give X_train (or image_shape, if the rows are flat images).",
            )
        options = ("conditions", "X_train", "n_jobs", "verbose", "checkpoint")
        return self._run(
            "stability",
            measurements.stability,
            *(self.model, self.X, self.y, self.settings),
            **{option: work[option] for option in options},
        )

    def _attacks(self):
        made = measurements.make_attacks(self.work["attacks"], self.settings)
        if made is None:
            reason = "eps was not given: the size of the attack in raw input units."
            self._skip("attacks", reason)
            return {}
        found = {}
        for name, attack in made.items():
            found[name] = results = self._run(
                name,
                measurements.attack,
                *(self.model, self.X, self.y, attack),
                checkpoint=self.work["checkpoint"],
            )
            if results is not None and "skipped" in results:
                self._skip(f"{name}, robust ratio", results["skipped"])
        return found

    def _curve(self):
        radii = self.work["radii"]
        if radii is None:
            return None
        options = {k: self.settings[k] for k in ("norm", "data_range", "random_state")}
        return self._run_kept(
            "robust accuracy curve",
            [radii, *options.values()],
            optional_measurements.curve,
            radii,
            **options,
        )

    def _gallery(self):
        settings, work = self.settings, self.work
        parts = [settings, work["conditions"], work["attacks"], work["X_train"]]
        return self._run_kept(
            "gallery",
            [*parts, self.name],
            gallery.draw_gallery,
            *(self.found, settings, work),
        )

    def _doubts(self):
        attacks, settings = self.found["attacks"], self.settings
        done = [name for name, results in attacks.items() if results is not None]
        if not settings["checks"] or not done:
            return None
        chosen = "PGD" if "PGD" in done else done[-1]
        attack = measurements.make_attacks(self.work["attacks"], settings)[chosen]
        seed = settings["random_state"]
        return self._run_kept(
            "honest evaluation",
            [attack, seed],
            optional_measurements.doubts,
            *(attack, chosen),
            random_state=seed,
        )

    def _groups(self, correct):
        return {
            grouping: {
                measure: self._run(
                    f"groups by {grouping}, {measure}",
                    optional_measurements.group_table,
                    *(self.y, values, groups),
                    random_state=self.settings["random_state"],
                )
                for measure, values in correct.items()
            }
            for grouping, groups in self.work["groups"].items()
        } or None

    def _times(self):
        times = self.work["times"]
        if times is None:
            return None
        return self._run(
            "stability over time",
            optional_measurements.period_scores,
            *(self.y, self.predicted, times, self.kind),
        )

    def _count_unknown_labels(self):
        classes = getattr(self.model, "classes_", None)
        if classes is None:
            return 0
        known = set(np.asarray(classes).tolist())
        return sum(label not in known for label in self.y.tolist())
