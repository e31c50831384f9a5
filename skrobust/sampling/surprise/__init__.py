"""Measures of surprise from the activations of a model."""
