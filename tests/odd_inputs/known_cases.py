"""Odd inputs that are not yet refused in one sentence, by name, argument and case."""

KNOWN = set()
