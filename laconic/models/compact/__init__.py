"""Compact model files: small files that are searched where they lie."""
