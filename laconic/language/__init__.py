"""Language models: what is learned of words and the words before them, and the one form that all of it takes."""
