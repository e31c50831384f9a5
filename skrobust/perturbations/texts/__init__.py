"""Perturbations of text."""
