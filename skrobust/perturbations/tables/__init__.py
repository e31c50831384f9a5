"""Perturbations of tables."""
