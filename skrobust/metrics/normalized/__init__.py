"""The dataset-adaptive normalized metric."""
