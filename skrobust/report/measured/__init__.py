"""What a report measures of each model."""
