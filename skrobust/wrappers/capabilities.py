"""What a wrapped model can do, as it is shown."""

from dataclasses import asdict, dataclass
from html import escape


@dataclass(frozen=True)
class Capabilities:
    """What a wrapped model is and can do.

    Parameters
    ----------
    kind : str
        Of the model inside.
    answers : str
        What it answers: ``"labels"``, ``"probabilities"``, ``"logits"`` or
        ``"values"``.
    gradients : bool
        Whether gradient attacks work.
    scores : bool
        Whether there are probabilities or decision values beside labels.
    n_classes : int or None
        None for a regressor.
    input_shape : tuple of int, "flat" or None
        Shape of one row at the model, where it is known.
    layout : str or None
        Order of the axes of images.
    dtype : str or None
        Of the input.
    batch_size : int or None
        Rows at once; None is all.
    """

    kind: str
    answers: str
    gradients: bool
    scores: bool
    n_classes: int | None
    input_shape: tuple | str | None
    layout: str | None
    dtype: str | None
    batch_size: int | None

    def words(self):
        """Return the facts as pairs of words, without what is not known."""
        facts = {k.replace("_", " "): v for k, v in asdict(self).items()}
        yes = {True: "yes", False: "no"}
        return {
            name: yes[value] if isinstance(value, bool) else str(value)
            for name, value in facts.items()
            if value is not None
        }

    def _repr_html_(self):
        rows = "".join(
            f"<tr><th style='text-align:left'>{escape(name)}</th>"
            f"<td style='text-align:left'>{escape(value)}</td></tr>"
            for name, value in self.words().items()
        )
        return f"<table>{rows}</table>"
