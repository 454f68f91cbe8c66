"""`laconic demo embed`: words of docstrings and their neighbours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from laconic.embed.model import WordVectors
from laconic.embed.online_dictionary import OnlineDictionary
from laconic.embed.svd import Svd
from laconic.models.demonstration import Demonstration, stored_bytes
from laconic.text.docstrings import docstring_sentences

if TYPE_CHECKING:
    from laconic.cli.console import Bar

SIZE, MIN_COUNT = 26, 20
WORDS = ("matrix", "sparse", "axis", "probability", "integer")


def demo(seed: int, bar: Bar) -> Demonstration:
    """Train vectors of words: dense ones, and ones most of whose numbers are zero."""
    text = [list(filter(str.isalpha, sentence)) for sentence in docstring_sentences()]
    rows, models = [], []
    learners = (
        ("dense: singular values", Svd(SIZE, random_state=seed)),
        ("sparse: a dictionary", OnlineDictionary(SIZE, strength=0.5, random_state=seed)),
    )
    for name, learner in learners:
        bar.describe(f"learning vectors: {name}")
        model = WordVectors(learner, min_count=MIN_COUNT).fit(text)
        models.append(model)
        zeros = 1 - model.report_.features_kept / model.report_.features_total
        rows.append(
            {
                "model": name,
                "words": len(model),
                "zeros": zeros,
                "bytes": stored_bytes(model, False),
            }
        )
    model = models[-1]
    known = [word for word in WORDS if word in model]
    nearest = {word: ", ".join(near for near, _ in model.most_similar(word, 5)) for word in known}
    return Demonstration(
        "Which words of docstrings are used alike? Dense vectors beside sparse ones, and the "
        "neighbours of some words:",
        {"sentences": len(text), "models": rows, "nearest": nearest},
        model,
        known[0] if known else model.words_[0],
        "laconic train embed YOURS.txt -o model.laconic",
    )
