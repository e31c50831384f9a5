"""Scores under one condition, of whole sets and of folds."""
