"""Preset of sensor faults in tables."""

from skrobust.perturbations.presets import register_preset
from skrobust.perturbations.severity_grid import severity_grid
from skrobust.perturbations.tables._feature_loss import FeatureLoss
from skrobust.perturbations.tables._feature_noise import FeatureNoise


@register_preset("table")
def sensor_faults(severities=(1, 3, 5), *, columns=None, random_state=None):
    """Return conditions of noisy and of lost sensors.

    Parameters
    ----------
    severities : sequence of floats in [0, 5], default=(1, 3, 5)
        One condition of each perturbation for each severity.
    columns : list, str, dtype or callable, default=None
        Columns to act on; None is every numeric column.
    random_state : int, RandomState, Generator or None, default=None
        Seed of all conditions.

    Returns
    -------
    conditions : list of PerturbationSequence
        First the clean one.
    """
    kinds = {
        "noisy_sensor": FeatureNoise(columns=columns),
        "lost_sensor": FeatureLoss(fill="mean", columns=columns),
    }
    return severity_grid(kinds, severities, "sensor_faults", random_state)
