"""What pages about models share: the frame of a page, its style, plots."""
