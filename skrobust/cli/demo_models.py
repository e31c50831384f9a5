"""Models of the demo: trained on the spot, and measured."""

from threadpoolctl import threadpool_limits

from skrobust.cli.demo_digits import digits_demo
from skrobust.cli.demo_table import table_demo
from skrobust.report import collect_report

DEMOS = {"table": table_demo, "digits": digits_demo}


def run_demo(data, seed, quick, call, say, checkpoint):
    """Train two models, and collect their report.

    Parameters
    ----------
    data : {"table", "digits"}
        What they are trained on.
    seed : int
        Seed of the split, the models and the report.
    quick : bool
        Less training and fewer rows scored.
    call : str
        Call that reproduces the report.
    say : Progress
        Called with a line before each step.
    checkpoint : str or None
        Folder of finished measurements; the models are trained again, to the same
        weights.

    Returns
    -------
    collected : dict
        For :func:`~skrobust.report.write_report`.
    """
    made, (X_train, X_test, y_train, y_test), settings = DEMOS[data](seed, quick)
    skipped = {name: model for name, model in made.items() if isinstance(model, str)}
    models = {name: model for name, model in made.items() if name not in skipped}
    # Models this small gain nothing from a second thread, and where other programs
    # want the cores, threads that wait for one another take many times as long.
    with threadpool_limits(1):
        for name, model in models.items():
            say(f"training the {name}")
            model.fit(X_train, y_train)
            # skorch takes Ctrl-C as the wish to end training, and goes on.
            if _ended_early(model[-1]):
                raise KeyboardInterrupt
        for name, reason in skipped.items():
            say(f"skipped the {name}: {reason}")
        return collect_report(
            models,
            X_test,
            y_test,
            X_train=X_train,
            n_labels=40 if quick else 100,
            random_state=seed,
            verbose=int(say.has_bars),
            checkpoint=checkpoint,
            call=call,
            skipped=skipped,
            progress=say,
            **settings,
        )


def _ended_early(last):
    history = getattr(last, "history", None)
    return history is not None and len(history) < last.max_epochs
