"""Labels in a tree: paths that end where the model is not sure.

python examples/label_tree.py
"""

from laconic import TextClassifier

texts = ["disk and screen", "apple disk", "ball and goal", "bat and ball"] * 10
labels = ["comp.pc", "comp.mac", "sport.soccer", "sport.baseball"] * 10
model = TextClassifier(label_tree="dots", strength=0.05).fit(texts, labels)
for path in model.paths(["the disk", "a goal"], at_least=0.6):
    print(" > ".join(path))
