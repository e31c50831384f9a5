"""Machinery shared by the attacks: goals, losses, budgets and searches."""
