"""Parts that reports share: results, verdicts, words, numbers and pictures."""
