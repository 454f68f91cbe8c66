"""Models with a handful of weight values."""
