"""Answers of annotators that the sampler has, among all of theirs."""

from skrobust.sampling.core.answer_checks import FAILED, PASSED


def refuse_corrected(sampler, answers, first, caller):
    """Raise where a sampler has other outcomes than those that it was given.

    Parameters
    ----------
    sampler : sampler
        With its answers.
    answers : list of (int, str, object, bool)
        Id, annotator, label and whether the prediction failed.
    first : dict of int to int
        Place in it of the answer that the sampler was given, by id.
    caller : str
        Name for messages.
    """
    status = sampler._answers.status
    other = [
        i
        for i, at in first.items()
        if status[i] == (PASSED if answers[at][3] else FAILED)
    ]
    if other:
        raise ValueError(
            f"{caller} corrects first answers for the errors of annotators, but the "
            f"sampler has another outcome than the first answer for {len(other)} of "
            f"them (id {other[0]} is one): use result of the sampler if all of its "
            "answers are right now, or put the first answers back with its correct."
        )
