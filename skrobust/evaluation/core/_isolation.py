"""Limits of a process in which a model runs apart."""

from dataclasses import dataclass

from skrobust._validation import check_count, check_number


@dataclass(frozen=True)
class Isolation:
    """Limits of a process in which a model runs apart.

    For ``isolate=`` of :func:`evaluate_perturbations`, :func:`evaluate_attack`,
    :func:`cross_validate_perturbations` and :func:`~skrobust.report.collect_report`.
    Model and rows are sent to the process once and must be picklable; functions and
    classes of a script or a notebook are. It stays from one condition to the next, and
    one that is lost is replaced. Linux and macOS.

    Parameters
    ----------
    timeout : float or None, default=3600
        Seconds for one condition, fit of a fold, run of an attack or section of a
        report, after which its process is ended. None is as long as it takes.
    memory : int or None, default=None
        Bytes that the process may take beyond what model and rows take in it; more is a
        MemoryError. On Linux it counts data and stacks, not mapped files, and not the
        memory of a GPU. None is no limit.

    Raises
    ------
    ValueError
        For limits that are not positive.

    Examples
    --------
    >>> from skrobust.evaluation import Isolation
    >>> Isolation(timeout=60, memory=4 * 2**30)
    Isolation(timeout=60, memory=4294967296)
    """

    timeout: float | None = 3600
    memory: int | None = None

    def __post_init__(self):
        if self.timeout is not None:
            how = {"low": 0, "low_open": True}
            check_number(self.timeout, "timeout", "Isolation", **how)
        if self.memory is not None:
            check_count(self.memory, "memory", "Isolation", most=2**63 - 1)
