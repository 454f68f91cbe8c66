"""Which package is a docstring from?

Words, penalty and strength are chosen from the documents; what was kept can be read.

python examples/docstrings.py
"""

from laconic import TextClassifier
from laconic.text.docstrings import docstring_corpus

texts, labels = docstring_corpus(["json", "email"])
model = TextClassifier("lasso", strength=0.5).fit(texts[::2], labels[::2])
print(f"accuracy {model.score(texts[1::2], labels[1::2]):.2f}")
words = model.get_feature_names_out()
for feature in abs(model.coef_[0]).argsort()[::-1][:5]:
    print(f"{words[feature]:12} {model.coef_[0, feature]:+.2f} for {model.classes_[1]}")
