"""Evaluation records: one sealed file that a third party verifies and replays."""
