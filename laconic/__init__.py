"""Small, readable, fast linear models of text."""

__version__ = "0.1.0"
