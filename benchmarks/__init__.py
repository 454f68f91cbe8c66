"""laconic beside its peers: one run measures both, and writes a Markdown page of ratios and scores."""
