"""Explanations of a TextClassifier: of one document, of the words, and of how far to trust both.

`contributions` takes the score of a document apart, exactly; `words` ranks what was learned;
`quality`, `stability` and `comparison` are the numbers a reader of a paper asks for; `views` shows
them as text and JSON, `tables` as CSV and LaTeX, `page` as HTML, and `cli` is `laconic explain`.
"""
