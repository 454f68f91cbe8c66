"""Why this label: what every word of a document adds.

python examples/one_decision.py
"""

from laconic import TextClassifier

texts = ["a good plot and a good cast", "nice music", "dull plot, poor cast", "a poor film"] * 8
model = TextClassifier("lasso", strength=0.1).fit(texts, ["good", "good", "bad", "bad"] * 8)
found = model.explain("Nice music, but a dull film.")
print(found.predicted, found.probabilities.round(2).tolist())
for share in found.features("bad"):
    print(f"{share.feature:8} {share.total:+.2f}")
