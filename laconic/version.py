"""The version, in one place: the package, its metadata and its model files read it here."""

__version__ = "0.1.0"
