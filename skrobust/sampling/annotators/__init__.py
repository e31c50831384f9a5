"""Answers of several annotators, who err, and of judges that cost less."""
