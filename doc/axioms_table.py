"""The table of axioms in the guide, measured by ``metric_axioms``."""

from skrobust.metrics import metric_axioms
from skrobust.metrics.registry import metric_names

# Of the same formula as another metric, or of a formula of their own in scikit-learn.
SCIKIT_LEARN = {"balanced_accuracy_score": {}, "matthews_corrcoef": {}}


def tables(n_trials):
    """Return the audit of each metric of the registry and of some of scikit-learn."""
    import sklearn.metrics

    found = {name: metric_axioms(name, n_trials=n_trials) for name in metric_names()}
    for name, options in SCIKIT_LEARN.items():
        metric = getattr(sklearn.metrics, name)
        found[name] = metric_axioms(metric, n_trials=n_trials, **options)
    return found


def axioms_table(n_trials=50):
    """Return reStructuredText: which axioms hold, and a list of counter-examples."""
    found = tables(n_trials)
    axioms = list(next(iter(found.values())).axiom)
    lines = [".. list-table::", "   :header-rows: 1", "   :stub-columns: 1", ""]
    for i, name in enumerate(["metric", *axioms]):
        lines.append(f"   {'* -' if i == 0 else '  -'} {name}")
    for name, table in found.items():
        lines.append(f"   * - {name}")
        lines += [f"     - {'n/a' if holds == '-' else holds}" for holds in table.holds]
    lines += ["", "The counter-examples:", ""]
    for name, table in found.items():
        rows = zip(table.axiom, table.holds, table.counter_example, strict=True)
        worst = [f"{axiom} {text}" for axiom, holds, text in rows if holds == "no"]
        none = (
            "none found"
            if set(table.holds) != {"-"}
            else "needs other data, not tested"
        )
        lines.append(f"- **{name}**: {'; '.join(worst) or none}.")
    return "\n".join(lines) + "\n"
