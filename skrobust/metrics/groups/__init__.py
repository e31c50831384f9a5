"""Metrics by group, and the gaps between groups."""
