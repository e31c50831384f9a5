"""Ensembles of trees as boxes: readers of each library, and exact searches."""
