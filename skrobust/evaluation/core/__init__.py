"""What evaluations under perturbations and under attacks share."""
