"""Doubts about an evaluation, with their messages."""

from dataclasses import dataclass


@dataclass(frozen=True)
class EvaluationWarning:
    """Doubt about an evaluation, with the numbers behind it.

    Parameters
    ----------
    code : str
        Short name of the check.
    sentence : str
        What was seen and what to do.
    numbers : dict
        The numbers behind it.

    Examples
    --------
    >>> from skrobust.evaluation import EvaluationWarning
    >>> print(EvaluationWarning("UNBOUNDED", "Accuracy stays.", {"accuracy": 0.8}))
    UNBOUNDED: Accuracy stays.
    """

    code: str
    sentence: str
    numbers: dict

    def __str__(self):
        return f"{self.code}: {self.sentence}"


_MESSAGES = {
    "STOCHASTIC": "Two clean passes differ by up to {largest_difference:.3g}: the "
    "model draws random numbers or is in training mode. Disable this, or average "
    "over passes.",
    "BATCH_DEPENDENT": "Predictions of rows in pairs and in a batch differ by up to "
    "{largest_difference:.3g}: batch normalisation in training mode? Every number then "
    "depends on the batch.",
    "INPUT_SCALE": "X looks standardised (mean 0, standard deviation 1 per feature), "
    "so eps is in standard deviations and not in raw units. Put the scaler into the "
    "pipeline and attack the raw input.",
    "INPUT_SCALE of eps": "X holds whole numbers from {low:g} to {high:g} and "
    "eps={eps:g} is less than one step. Is eps meant for input in [0, 1]?",
    "INPUT_SCALE of data_range": "X lies in [{low:g}, {high:g}], a small part of "
    "data_range (width {width:g}). Was X scaled before, and data_range not?",
    "ZERO_GRADIENT": "The gradient of {share:.0%} of the samples is zero or not "
    "finite: attacks that follow gradients cannot move them, which is not robustness. "
    "Use a black-box attack, or a differentiable replacement of the step.",
    "WRONG_GRADIENT": "For {share:.0%} of the samples the loss does not rise along its "
    "own gradient (finite differences): the gradient is a stand-in, or masked. Attacks "
    "that follow it cannot move these rows; use a black-box attack.",
    "UNCHECKED": "The checks could not be made: {message}",
    "ATTACK_RAISES": "The attack stops with an error: {message}",
    "TRANSFER_BEATS_ATTACK": "Examples made for a small net that imitates the model "
    "fool {share:.0%} of the samples that the attack misses: robust accuracy is "
    "overstated. Look for masked gradients.",
    "PROBABILITIES_AS_LOGITS": "The outputs that the loss takes as logits are "
    "probabilities (softmax or sigmoid twice): gradients vanish and probabilities are "
    "wrong. Return logits, or use the loss for probabilities.",
    "SATURATED_LOSS": "For {share:.0%} of the samples the log odds exceed 100: the "
    "gradient of cross entropy underflows there, and attacks that follow it call the "
    "model robust. Use a margin loss, or the log odds.",
    "OUT_OF_RANGE": "{share:.0%} of the examples leave data_range.",
    "OUT_OF_RANGE of X": "{share:.0%} of the examples leave the range in which all of "
    "X lies. Declare data_range if those are its bounds.",
    "OUT_OF_BALL": "Examples are up to {largest_norm:.4g} away; eps is {eps:g}.",
    "NOT_FALLING": "Accuracy rises by {rise:.0%} between radii: a larger ball holds "
    "the smaller one, so the attack misses what it could find. Use more steps or "
    "restarts.",
    "UNBOUNDED": "With a radius as wide as the data ({eps:.3g}) accuracy is still "
    "{accuracy:.0%}, above chance ({chance:.0%}): the attack fails, and its "
    "results at smaller radii are not reliable.",
    "ONE_STEP_BEATS_ATTACK": "One step of FGSM fools {share:.0%} of the samples that "
    "the attack misses: robust accuracy is overstated. Look for masked gradients, too "
    "few steps or a wrong step size.",
    "BLACK_BOX_BEATS_ATTACK": "A random search fools {share:.0%} of the samples that "
    "the attack misses: robust accuracy is overstated. Look for masked gradients, too "
    "few steps or a wrong step size.",
}


def doubt(code, numbers, variant="", **words):
    """Return a doubt with its message.

    Parameters
    ----------
    code : str
        Its code.
    numbers : dict
        The numbers behind it.
    variant : str, default=""
        Which message of the code, such as "of eps".
    **words : dict
        What the message says beside the numbers.
    """
    message = _MESSAGES[f"{code} {variant}".rstrip()].format(**numbers, **words)
    return EvaluationWarning(code, message, numbers)
