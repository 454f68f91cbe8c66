"""Inference: scores -> best output, k best outputs, or log Z and marginals."""
