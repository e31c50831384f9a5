"""Perturbations of other perturbations, and estimators around them."""
