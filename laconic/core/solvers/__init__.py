"""Solvers: one algorithm per file; init, step, run, and a certificate with every result."""
