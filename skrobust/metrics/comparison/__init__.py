"""Paired comparison of models."""
