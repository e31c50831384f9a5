"""Keyed noise: draws that depend on the seed and on the content of each row."""
