"""Scorers for ``cross_val_score`` and ``GridSearchCV``."""
