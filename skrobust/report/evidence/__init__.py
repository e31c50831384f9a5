"""The clauses of frameworks, and the evidence a report gives for each."""
