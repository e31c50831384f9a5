"""Perturbations of videos: encodings and the chains that clips pass."""
