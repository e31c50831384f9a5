"""What reports share: results, verdicts, words, numbers and pictures."""
