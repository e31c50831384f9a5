"""Confidence intervals of metrics."""
