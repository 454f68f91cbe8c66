"""Estimators: the doors people use."""
