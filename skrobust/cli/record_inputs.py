"""Model and data of a record, from files."""

from skrobust.cli import options as shared
from skrobust.cli.exit_codes import UserError

RECORD_OPTIONS = (
    shared.option("--model", "The model, a skops file.", metavar="FILE"),
    shared.option(
        "--data",
        "CSV or parquet file, or a built-in data set, as the report had it; it "
        "needs --model, whose features choose the columns.",
        metavar="TABLE",
    ),
    shared.option("--target", "Column of the labels; needed for a table of your own."),
    shared.TRAIN,
    shared.columns(
        "--aside",
        "A column of the data that is no feature, such as those of --groups and "
        "--times of the report; may be repeated.",
    ),
    *shared.TRUST,
    shared.JSON,
    shared.QUIET,
)


def load_inputs(options, say):
    """Return model, rows, labels and training rows; None for what is not named.

    Parameters
    ----------
    options : dict
        Those of ``RECORD_OPTIONS``.
    say : callable
        Called with a line before a file is opened.

    Returns
    -------
    dict
        ``model``, ``X``, ``y`` and ``X_train``.
    """
    from skrobust.cli.model_file import load_model
    from skrobust.cli.rows_file import check_columns, load_data, load_train

    found = dict.fromkeys(("model", "X", "y", "X_train"))
    data, beside = options["data"], list(options["aside"])
    for name in ("data", "x_train"):
        if options[name] and not options["model"]:
            option = "--" + name.replace("_", "-")
            raise UserError(f"{option} needs --model, whose features choose columns.")
    if data:
        check_columns(data, options["target"], beside)
    if options["model"]:
        found["model"] = model = load_model(options["model"], options, say)
    if data:
        parts = data, options["target"], model
        found["X"], found["y"], _ = load_data(*parts, beside=beside)
    if options["x_train"]:
        found["X_train"] = load_train(options, model, beside=beside)
    return found


def columns_of(results):
    """Return the rows of a table of results as lists of plain values."""
    columns = [results[name].tolist() for name in results["columns"]]
    return [list(row) for row in zip(*columns, strict=True)]
