"""Gallery of some rows under some conditions, with the predictions of the model."""

import numpy as np

from skrobust._containers import is_text
from skrobust._guarded_rows import perturb_guarded
from skrobust._keyed_noise.rows import take_rows
from skrobust._responses import predict_labels
from skrobust.report.core.pictures import label, picture
from skrobust.report.measured import measurements

N_IMAGES, N_LINES = 5, 3


def draw_gallery(model, X, y, found, settings, work):
    """Draw rows as they are, under the middle and the worst condition and an attack.

    Parameters
    ----------
    model : fitted estimator
        The model.
    X, y : array-like
        Rows and labels.
    found : dict
        Sections measured of the model.
    settings, work : dict
        Settings and options of the report.

    Returns
    -------
    dict or None
        A picture; None where nothing was changed.
    """
    kind = _kind(X, settings)
    n_rows = N_IMAGES if kind == "image" else N_LINES
    rows = np.unique(np.linspace(0, len(y) - 1, n_rows).astype(int))
    shown = {"clean": take_rows(X, rows)}
    shown |= _perturbed(found["stability"], model, X, y, rows)
    X_ref = X if work["X_train"] is None else work["X_train"]
    made = measurements.make_attacks(work["attacks"], settings, X_ref) or {}
    done = [name for name in made if found["attacks"].get(name) is not None]
    if done:
        one = made[done[-1]]
        shown[done[-1]] = perturb_guarded(one, model, shown["clean"], y[rows])
    if len(shown) == 1:
        return None
    said = {name: predict_labels(model, values) for name, values in shown.items()}
    is_class = found["kind"] == "classifier"
    if not is_class:
        said = {k: np.array([f"{v:.3g}" for v in values]) for k, values in said.items()}
    options = {"rows": shown, "kind": kind, "predictions": said}
    options["y"] = y[rows] if is_class else None
    options["image_shape"] = settings["image_shape"]

    def draw(plots):
        return plots.PerturbationGalleryDisplay(**options).plot()

    alt = f"Rows {', '.join(map(str, rows))} as {found['name']} saw them: "
    alt += ", ".join(shown)
    if kind == "image":
        return picture(draw, alt, "png", (6.4, 1.25 * len(shown)))
    return picture(draw, alt, "svg", (7.0, 0.75 * len(shown)))


def _perturbed(results, model, X, y, rows):
    """Return the rows under the middle and the worst condition."""
    if results is None:
        return {}
    order, shown = np.argsort(results["score"], kind="stable"), {}
    for place in dict.fromkeys((order[len(order) // 2], order[0])):
        one = results["perturbations"][place]  # fitted
        # All rows, as in the measurement: the range of pixels may be theirs.
        changed = perturb_guarded(one, model, X, y)
        shown[label(results["name"][place])] = take_rows(changed, rows)
    return shown


def _kind(X, settings):
    if settings["sides"] is not None:
        return "image"
    return "text" if is_text(X) else "table"
