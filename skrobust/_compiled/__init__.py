"""Loops that numba compiles where it is installed; they change the speed alone."""
