"""Forecasts from dated documents."""
