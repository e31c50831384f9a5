"""Runs of attacks, what they find, and what may be wrong with them."""
