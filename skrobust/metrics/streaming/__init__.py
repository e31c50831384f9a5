"""Metrics of rows that come in batches."""
