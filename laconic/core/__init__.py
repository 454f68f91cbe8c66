"""Numerics: arrays in, arrays out; no text."""
