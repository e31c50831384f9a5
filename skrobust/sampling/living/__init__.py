"""Pools that rows keep arriving in, and accuracies that change."""
