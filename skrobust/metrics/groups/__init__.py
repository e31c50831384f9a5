"""Metrics by group, with the gaps between groups."""
