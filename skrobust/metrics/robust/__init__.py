"""Robust accuracy, robust ratio and other metrics of robustness."""
