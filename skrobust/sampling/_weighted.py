"""What samplers that draw in proportion to scores share."""

from skrobust._validation import check_number


class FloorMixin:
    """The part of a sampler that mixes a uniform part into its probabilities.

    ``_start`` sets ``_n_unreachable``, how many inputs can only be drawn last.
    """

    def _interval(self, answered, estimate, **options):
        low, high, name, notes = super()._interval(answered, estimate, **options)
        if self._n_unreachable:
            notes = [
                f"{self._n_unreachable} inputs have no weight and are drawn last: the "
                "estimate is biased if some of them fail; a floor above 0 is not.",
                *notes,
            ]
        return low, high, name, notes

    def _check_parameters(self):
        super()._check_parameters()
        check_number(self.floor, "floor", type(self).__name__, low=0, high=1)
