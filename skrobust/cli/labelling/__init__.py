"""Labelling sessions: pools of unlabelled inputs, answers, and what they tell."""
