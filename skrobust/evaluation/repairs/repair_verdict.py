"""Verdict on the repairs of a model, in words."""


def verdict_of(columns, name, helps, criterion, n_rows, confidence, clean_loss):
    """Return the outcome as a sentence.

    Parameters
    ----------
    columns : dict of str to ndarray
        The table, the original first.
    name : str or None
        The best repair where it was chosen.
    helps : bool
        Whether it does.
    criterion : {"mean", "attack"}
        What it was chosen by.
    n_rows : int
        Rows that report.
    confidence : float
        Level of the intervals.
    clean_loss : float or None
        What a repair may cost, where the best one costs more.

    Returns
    -------
    str
        The verdict.
    """
    n = len(columns["name"]) - 1
    what = "accuracy under attack" if criterion == "attack" else "mean accuracy"
    if not n:
        return "No repair helps: none suits this model and these rows."
    if name is None:
        kinds = "the one kind that was tried" if n == 1 else f"{n} kinds"
        return (
            f"No repair helps: of {kinds}, none had a higher {what} than the original "
            "where it was chosen."
        )
    place = columns["name"].tolist().index(name)
    row = {key: values[place] for key, values in columns.items()}
    limits = f"{100 * confidence:g} % interval {row['difference_low']:.3f} to "
    limits += f"{row['difference_high']:.3f}, p = {row['p_value']:.2g}"
    rows = f"on {n_rows} rows that had no part in its choice"
    before = f"{columns['clean'][0]:.3f}"
    if clean_loss is not None:
        return (
            f"No repair helps at a clean accuracy that is lower by {clean_loss:g} at "
            f"most: the best one, {name!r}, changes the {what} by "
            f"{row['difference']:+.3f} ({limits}), at a clean accuracy of "
            f"{row['clean']:.3f} in place of {before}, {rows}."
        )
    if not helps:
        return (
            f"No repair helps: the best where it was chosen, {name!r}, changes the "
            f"{what} by {row['difference']:+.3f} ({limits}) {rows}."
        )
    return (
        f"{name!r} raises the {what} from {columns['robust'][0]:.3f} to "
        f"{row['robust']:.3f} (difference {row['difference']:.3f}, {limits}), at a "
        f"clean accuracy of {row['clean']:.3f} in place of {before}, {rows}."
    )
