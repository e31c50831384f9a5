"""Repairs of a model, tried against the conditions that hurt it."""
