"""Audit of the laws that a metric keeps."""
