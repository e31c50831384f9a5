"""Labelling sessions: pools of unlabelled inputs, answers and results."""
