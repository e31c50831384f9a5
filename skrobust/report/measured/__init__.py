"""Measurements of each model in a report."""
