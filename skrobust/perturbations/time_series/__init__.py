"""Perturbations of time series and sound."""
