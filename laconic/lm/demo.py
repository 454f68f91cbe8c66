"""`laconic demo lm`: the next word of a docstring."""

from __future__ import annotations

from typing import TYPE_CHECKING

from laconic.lm.log_linear import LogLinear
from laconic.lm.model import LanguageModel
from laconic.models.demonstration import Demonstration, stored_bytes
from laconic.text.docstrings import docstring_sentences
from laconic.text.held_out import hold_out, split_sizes

if TYPE_CHECKING:
    from laconic.cli.console import Bar

ORDER, MIN_COUNT = 3, 2
FEW = 5  # of as many n-grams one is kept
START = "this function returns"


def demo(seed: int, bar: Bar) -> Demonstration:
    """Train a language model of docstrings, and keep a fifth of its n-grams."""
    sentences = docstring_sentences()
    split = hold_out(sentences, sentences, seed)
    bar.describe("training a log-linear model of words")
    model = LanguageModel(ORDER, LogLinear(), min_count=MIN_COUNT).fit(split.train[0])
    bar.describe("keeping the n-grams that matter most")
    size = max(len(model.encoder_) + 1, sum(model.n_ngrams_) // FEW)
    small = model.prune(size)
    rows = [
        {
            "model": name,
            "perplexity": own.perplexity(split.test[0]),
            "ngrams": sum(own.n_ngrams_),
            "bytes": stored_bytes(own),
        }
        for name, own in (("all n-grams", model), (f"1 of {FEW}", small))
    ]
    answer = ", ".join(word for word, _ in small.complete(START, 5))
    return Demonstration(
        "What is the next word of a docstring? A model of n-grams, and one with a fifth of "
        "them, on sentences held out:",
        {**split_sizes("sentences", split), "models": rows, f"{START} ..": answer},
        small,
        f"{START} ",
        "laconic train lm YOURS.txt -o model.laconic",
    )
