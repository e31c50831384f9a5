"""Metrics of robustness: robust accuracy, robust ratio and their relatives."""
