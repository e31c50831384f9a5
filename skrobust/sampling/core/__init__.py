"""Machinery shared by the samplers: pool, draws, answers, estimates, state."""
