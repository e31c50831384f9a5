"""Choice of a sampler from what is known before the first label, with the reason."""

from dataclasses import dataclass, field

from skrobust.sampling.designs.score_curves import as_probabilities

FIXED_QUANTILE = 1.96
# Labels of a fixed size that would do; below it uniform draws stop sooner, as measured
# by benchmarks/operational_stopping.py.
FEW_LABELS = 60
GOALS = ("accuracy", "balanced", "failures")


@dataclass(frozen=True)
class SamplerChoice:
    """Sampler that fits.

    Attributes
    ----------
    name : str
        On the command line.
    reason : str
        One or two sentences.
    settings : dict
        Settings of the sampler.
    """

    name: str
    reason: str
    settings: dict = field(default_factory=dict)

    @property
    def text(self):
        """The choice and its reason."""
        settings = "".join(f" --set {k}={v}" for k, v in self.settings.items())
        return f"--sampler {self.name}{settings}: {self.reason}"


def choose_sampler(
    scores=None,
    *,
    n_pool,
    n=None,
    until=None,
    goal="accuracy",
    has_features=False,
    has_costs=False,
):
    """Choose a sampler.

    Parameters
    ----------
    scores : ndarray of shape (n_pool,), default=None
        Suspicion of each input, where there is one.
    n_pool : int
        Size of the pool.
    n : int, default=None
        Number of labels.
    until : float, default=None
        Half-width of the interval at which labelling stops.
    goal : {"accuracy", "balanced", "failures"}, default="accuracy"
        Whether a small error of the accuracy or many failures are wanted.
    has_features : bool, default=False
        Whether features may tell which inputs fail.
    has_costs : bool, default=False
        Whether labels cost differently.

    Returns
    -------
    SamplerChoice
        Rules are tried in this order; the first that applies decides.
    """
    uniform = "simple-random"
    if (has_features or has_costs) and (n is None or n < n_pool):
        learns = "learns from the answers what features and scores say about errors"
        saves = "draws inputs whose labels are dear less often"
        said = [learns] * has_features + [saves] * has_costs
        return SamplerChoice(
            "operational",
            f"it {', and '.join(said)}.",
            {} if goal == "accuracy" else {"failure_emphasis": goal},
        )
    if scores is None or scores.min() == scores.max():
        why = "there are no scores" if scores is None else "all scores are equal"
        return SamplerChoice(
            uniform,
            f"{why}, so nothing says which inputs are suspicious; the interval is "
            "exact. With --model or --scores fewer labels would be enough.",
        )
    if n is not None and n >= n_pool:
        return SamplerChoice(uniform, "the whole pool is labelled, in any order.")
    if goal in ("failures", "balanced"):
        less = " The interval is wider for it." if goal == "failures" else ""
        return SamplerChoice(
            "operational",
            f"it draws many of the likely failures ({goal}), and the estimate stays "
            f"unbiased.{less}",
            {"failure_emphasis": goal},
        )
    if until is not None:
        expected = min(float(as_probabilities(scores).mean()), 0.5)
        if (FIXED_QUANTILE / until) ** 2 * expected * (1 - expected) < FEW_LABELS:
            return SamplerChoice(
                uniform,
                "to stop at a width, the interval must hold whenever you stop; where "
                "few labels will do, uniform draws take the fewest, and it is exact.",
            )
        return SamplerChoice(
            "operational",
            "it learns from the answers where errors are likely; its interval holds "
            "whenever you stop, as an approximation that begins at 30 labels.",
        )
    if scores.max() > 1:
        return SamplerChoice(
            "operational",
            "suspicious inputs are drawn more often, and the estimate stays unbiased. "
            "Scores above 1 are no probabilities, so their order alone counts.",
        )
    return SamplerChoice(
        "operational",
        "it learns from the answers where errors are likely, which takes the fewest "
        "labels for a small error of the estimate when their number is fixed.",
    )
