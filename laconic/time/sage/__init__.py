"""Text over time."""
