"""The Accuracy-Stability Index and the stability index over time."""
