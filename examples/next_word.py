"""The next word, and sentences drawn from a model.

python examples/next_word.py
"""

from laconic import LanguageModel, LogLinear

text = ["the cat sleeps", "the dog sleeps", "the dog barks", "a dog barks", "the dog eats"] * 5
model = LanguageModel(order=3, learner=LogLinear()).fit(text)
print(model.complete("the dog", k=2))
print(f"perplexity {model.perplexity(text):.2f}")
print(model.sample(2, seed=1))
