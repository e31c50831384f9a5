"""Meanings and cures of the doubts about an evaluation."""

MEANINGS = {
    "STOCHASTIC": (
        "The model gives different answers to the same rows, so an attack follows "
        "noise and every score is one draw of many.",
        "Put the model in evaluation mode, fix its seed, or average over passes.",
    ),
    "BATCH_DEPENDENT": (
        "The prediction of a row depends on the other rows of its batch, so no score "
        "here is a property of the model alone.",
        "Put batch normalisation in evaluation mode (for torch: module.eval()).",
    ),
    "INPUT_SCALE": (
        "Input, eps and data_range seem to be in different units, so the attack is "
        "much weaker or stronger than its eps says.",
        "Put the scaling inside the model (a Pipeline), and give raw input, eps and "
        "data_range in raw units.",
    ),
    "ZERO_GRADIENT": (
        "The attack has no gradient to follow and cannot move the rows, so robust "
        "accuracy is too high.",
        "Attack the logits, remove rounding and hard thresholds, or use an attack "
        "without gradients (Square, HopSkipJump).",
    ),
    "WRONG_GRADIENT": (
        "The gradient that the attack follows is not that of the answers of the model, "
        "so the attack goes nowhere and robust accuracy is too high.",
        "Remove what stands in for the gradient, or use an attack without gradients "
        "(Square, HopSkipJump).",
    ),
    "UNCHECKED": (
        "The checks stopped with an error, so nothing is known of how honest the "
        "attack is.",
        "Run check_evaluation on the model, the rows and the attack, and look at the "
        "error.",
    ),
    "ATTACK_RAISES": (
        "The attack could not run, so nothing is known of the model under it.",
        "Let gradients reach the input (no detach, argmax or numpy inside forward), or "
        "use an attack without gradients (Square, HopSkipJump).",
    ),
    "PROBABILITIES_AS_LOGITS": (
        "The loss takes probabilities for logits; its slope nearly vanishes and the "
        "attack stalls.",
        "Let the module return logits, or give it a loss for probabilities.",
    ),
    "SATURATED_LOSS": (
        "The model is so sure that the loss is rounded to 0 and its slope with it.",
        "Use a loss on the logits: log_odds or dlr (AutoPGD).",
    ),
    "OUT_OF_RANGE": (
        "Some examples are no valid input, so robust accuracy is lower than any real "
        "input could make it.",
        "Give the attack data_range.",
    ),
    "OUT_OF_BALL": (
        "Some examples are farther away than eps allows, so robust accuracy is too "
        "low for the eps stated.",
        "Project the examples into the ball; look at the norm of your own attack.",
    ),
    "NOT_FALLING": (
        "Accuracy rises with eps, which is impossible for an attack that converges.",
        "Use more steps, more restarts, or AutoAttack.",
    ),
    "UNBOUNDED": (
        "With a practically unlimited radius the attack still does not fool the "
        "model, so its results at small eps are not reliable.",
        "Look for masked gradients; try an attack without gradients.",
    ),
    "ONE_STEP_BEATS_ATTACK": (
        "One step finds examples that the full attack misses, so robust accuracy is "
        "overstated.",
        "Use a smaller step size, more steps, a random start, or AutoPGD.",
    ),
    "BLACK_BOX_BEATS_ATTACK": (
        "A search without gradients finds examples that the attack misses, the usual "
        "sign of masked gradients. Robust accuracy is overstated.",
        "Use Square or AutoAttack and report the lowest robust accuracy.",
    ),
    "TRANSFER_BEATS_ATTACK": (
        "Examples made for an imitation of the model fool it where the attack does "
        "not, a sign of masked gradients. Robust accuracy is overstated.",
        "Use Square or AutoAttack and report the lowest robust accuracy.",
    ),
}


def explained(models):
    """Return the doubts about all models, each kind once with what it means.

    Parameters
    ----------
    models : list of dict
        The ``models`` of a collected report.

    Returns
    -------
    list of dict
        ``code``, ``meaning``, ``cure`` and ``seen``: the ``sentence`` that was said and
        the names of the ``models``.
    """
    kinds = {}
    for model in models:
        doubts = model.get("doubts") or {}
        for doubt in doubts.get("found", ()):
            seen = kinds.setdefault(doubt["code"], {})
            name = f"{model['name']}, {doubts['attack']}"
            seen.setdefault(doubt["sentence"], []).append(name)
    rows = []
    for code, seen in kinds.items():
        meaning, cure = MEANINGS.get(code, ("", ""))
        said = [{"sentence": s, "models": names} for s, names in seen.items()]
        rows.append({"code": code, "meaning": meaning, "cure": cure, "seen": said})
    return rows
