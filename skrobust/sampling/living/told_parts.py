"""Answers to rows of several parts of a living pool."""

import numpy as np

from skrobust._validation import invalid
from skrobust.sampling.core.answer_checks import answer_list, id_array
from skrobust.sampling.core.answers import refuse_mixture


def told_parts(parts, starts, verb, ids, answers, caller):
    """Return the samplers of the parts after answers; those given stay as they are.

    Parameters
    ----------
    parts : list of sampler
        One for each part.
    starts : ndarray of shape (n_parts + 1,), int
        Id of the first row of each, and the number of all rows.
    verb : {"tell", "correct"}
        What is done with the answers.
    ids : int or array-like of shape (n,)
        Rows of any parts.
    answers : (str, array-like)
        Kind of the answers, and one for each id.
    caller : str
        Name of the public method, for messages.
    """
    kind, given = answers
    ids = id_array(ids, caller)
    if (ids < 0).any() or (ids >= starts[-1]).any():
        rule = f"positions that ask returned, below {starts[-1]}"
        raise invalid("ids", caller, rule, ids)
    ids = ids.astype(np.intp)
    rows = kind == "y_true" and np.ndim(parts[0].y_pred_) == 2
    answers = answer_list(given, kind, ids, caller, rows=rows)
    which = np.searchsorted(starts, ids, side="right") - 1
    new = list(parts)
    for k in np.unique(which).tolist():
        places = np.flatnonzero(which == k)
        # Copies, so that an error in a later part changes nothing.
        new[k] = parts[k].__copy__()
        some = [answers[place] for place in places]
        getattr(new[k], verb)(ids[places] - starts[k], **{kind: some})
    if len(ids):
        every = [part._answers for part in new]
        refuse_mixture(every, every[which[0]], kind, caller)
    return new
