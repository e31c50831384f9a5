"""Parts that evaluations under perturbations and under attacks share."""
