"""Sampling designs, their variances and allocations."""
