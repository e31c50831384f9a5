"""Cases of ``coverage.py``: draws of data with a known truth, and their intervals.

``FAMILIES`` maps names to lists of ``(draw, cells)``. ``draw(rng, **cell)`` returns a
dictionary from the name of an interval to ``held(interval, truth)``.
"""

from coverage_cases.comparisons import COMPARISONS, DECISIONS, GROUPS, RESAMPLED
from coverage_cases.conditions import BANDS, INDICES, SUMMARIES
from coverage_cases.periods import OVER_PERIODS, PERIODS
from coverage_cases.shares import CLUSTERS, RATIOS, SHARES, WEIGHTS

__all__ = ["FAMILIES"]

FAMILIES = {
    "shares": SHARES,
    "weights": WEIGHTS,
    "clusters": CLUSTERS,
    "ratios": RATIOS,
    "indices": INDICES,
    "summaries": SUMMARIES,
    "bands": BANDS,
    "periods": PERIODS,
    "comparisons": COMPARISONS,
    "resampled comparisons": RESAMPLED,
    "comparisons over periods": OVER_PERIODS,
    "groups": GROUPS,
    "decisions": DECISIONS,
}
