"""laconic beside its peers: one run measures both and writes a page of ratios and scores."""
