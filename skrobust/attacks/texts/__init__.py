"""Searches for the words of texts whose replacement fools a model."""
