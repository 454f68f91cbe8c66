"""Sentences as groups: which sentences of a document decide its label.

python examples/sentences.py
"""

from laconic import TextClassifier
from laconic.classify.explain import sentence_effects
from laconic.text.docstrings import docstring_corpus

texts, labels = docstring_corpus(["numpy", "scipy"])
model = TextClassifier("sentence", strength=0.003, lasso=0.5).fit(texts[::2], labels[::2])
print(
    f"accuracy {model.score(texts[1::2], labels[1::2]):.3f} with "
    f"{model.n_features_selected_} of {model.n_features_total_} words"
)
print(f"relative duality gap {model.certificate_:.0e}")

document = sorted(texts[1:400:2], key=len)[60]
for effect in sorted(sentence_effects(model, document), key=lambda effect: -abs(effect.log_odds))[
    :5
]:
    print(f"{effect.log_odds:+.3f}  {' '.join(effect.text.split())[:100]}")
