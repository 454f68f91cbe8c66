"""From raw text to trees: one model per language."""
