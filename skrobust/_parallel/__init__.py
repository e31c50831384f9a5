"""Parallel tasks on any backend of joblib, their threads, and progress bars."""

from skrobust._parallel.progress import (
    ScaledBar,
    StepBar,
    count,
    counting,
    progress_bar,
)
from skrobust._parallel.tasks import run_tasks

__all__ = ["ScaledBar", "StepBar", "count", "counting", "progress_bar", "run_tasks"]
