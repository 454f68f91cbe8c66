"""A tagger with a budget of templates.

Two templates of the ready set are kept; the others cost neither memory nor time.

python examples/tagger.py
"""

from laconic import Sparseptron, Tagger

sentences = [["the", "cat", "sleeps"], ["a", "dog", "barks"], ["the", "dog", "sleeps"]] * 10
tags = [["DET", "NOUN", "VERB"]] * len(sentences)
tagger = Tagger("tagging", Sparseptron(budget=2, epochs=3)).fit(sentences, tags)
print(tagger.templates_.names)
print(tagger.predict([["a", "cat", "barks"]]))
