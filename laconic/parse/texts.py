"""Plain texts to dependency trees: sentences and tokens by rule, tags and heads by a parser."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from laconic.core.ragged import cut, pointers
from laconic.parse.tokens import treebank_tokens
from laconic.text.token_columns import TokenColumns
from laconic.text.tokens import Boundary, Span, sentences, without_quote_marks, word_spans
from laconic.text.trees import Tree, over_words, tree_from_heads

if TYPE_CHECKING:
    from laconic.parse.predict import ParsePredictor

# What is longer is more often a table or a list than a sentence, and parsing takes cubic time.
MOST_TOKENS = 100
BATCH_SENTENCES = 10_000


class _Sentence(NamedTuple):
    """A sentence of a text, and the spans of its tokens in it."""

    text: str
    tokens: list[Span]


def text_trees(
    parser: ParsePredictor,
    texts: Sequence[str],
    boundary: Boundary = "auto",
    most_tokens: int = MOST_TOKENS,
) -> list[list[Tree]]:
    """Return the dependency trees of plain texts, as documents of TextClassifier.

    A node is a token with all that hangs on it, and its label is a relation. Sentences and words
    are those that TextClassifier finds in the text itself, so that a model learned from trees reads
    plain texts too.

    Parameters
    ----------
    parser : Parser
        A fitted parser with a tagger of its own.
    texts : sequence of str
        The texts.
    boundary : {"auto", "line", "double-space"}, default="auto"
        Where sentences end, see TextClassifier.
    most_tokens : int, default=100
        Number of tokens that are parsed at once, at most. A longer sentence is parsed in pieces and
        becomes a forest.

    Returns
    -------
    list of list of Tree
        For each text the trees of its sentences.

    Examples
    --------
    >>> from laconic import Mira, Parser, WordTagger, text_trees
    >>> from laconic.text.trees import to_bracketed
    >>> we, eat = ("we", "we", "PRON", "PRP", "_"), ("eat", "eat", "VERB", "VBP", "_")
    >>> parser = Parser(learner=Mira(2), tagger=WordTagger(learner=Mira(2)))
    >>> parser = parser.fit([[we, eat]] * 4, [[2, 0]] * 4)
    >>> [[to_bracketed(tree) for tree in trees] for trees in text_trees(parser, ["we eat"])]
    [['(_ (_ we) eat)']]
    """
    if getattr(parser, "tagger_", None) is None:
        raise ValueError(
            "this parser needs tags, which plain text does not have: "
            "learn one with Parser(tagger=WordTagger()) or --own-tags"
        )
    if most_tokens < 1:
        raise ValueError(f"most_tokens must be at least 1, got {most_tokens!r}")
    by_text = [[text[start:end] for start, end in sentences(text, boundary)] for text in texts]
    # Quotations occur again and again: each sentence is parsed once.
    distinct = list(dict.fromkeys(sentence for document in by_text for sentence in document))
    tree_of: dict[str, Tree] = {}
    for first in range(0, len(distinct), BATCH_SENTENCES):
        tree_of.update(_parsed(parser, distinct[first : first + BATCH_SENTENCES], most_tokens))
    return [[tree_of[sentence] for sentence in document] for document in by_text]


def _parsed(
    parser: ParsePredictor, texts: Sequence[str], most_tokens: int
) -> Iterator[tuple[str, Tree]]:
    """Yield each sentence with its tree."""
    every = [_Sentence(text, treebank_tokens(without_quote_marks(text))) for text in texts]
    sizes = [size for sentence in every for size in _pieces(len(sentence.tokens), most_tokens)]
    words = [sentence.text[start:end] for sentence in every for start, end in sentence.tokens]
    heads, labels = parser.parse(TokenColumns(("word",), [words], pointers(sizes)))
    ptr = pointers([len(sentence.tokens) for sentence in every])
    names = [None] * len(every) if labels is None else list(cut(labels, ptr))
    for sentence, own, name in zip(every, cut(heads.tolist(), ptr), names, strict=True):
        yield sentence.text, _tree(sentence, own, name, most_tokens)


def _pieces(n_tokens: int, most_tokens: int) -> list[int]:
    return [min(most_tokens, n_tokens - first) for first in range(0, n_tokens, most_tokens)]


def _tree(
    sentence: _Sentence, heads: list[int], labels: list[str] | None, most_tokens: int
) -> Tree:
    """Return the pieces of a sentence as one forest over the words of classifiers.

    A word belongs to the last token that does not begin after it.
    """
    begins = accumulate(_pieces(len(heads), most_tokens), initial=0)
    own = [
        head + begin if head else 0
        for begin in begins
        for head in heads[begin : begin + most_tokens]
    ]
    spans = word_spans(sentence.text)
    starts = [start for start, _ in sentence.tokens]
    place = np.maximum(
        np.searchsorted(starts, [start for start, _ in spans], side="right") - 1, 0
    ).tolist()
    tokens = [sentence.text[start:end] for start, end in sentence.tokens]
    return over_words(
        tree_from_heads(tokens, own, labels),
        [sentence.text[start:end] for start, end in spans],
        place,
    )
