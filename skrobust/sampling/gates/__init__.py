"""Sequential tests of whether an accuracy is reached."""
