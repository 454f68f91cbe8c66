"""Words as sparse codes: associations of words with contexts, and learners that factor them."""
