"""Perturbations of images."""
