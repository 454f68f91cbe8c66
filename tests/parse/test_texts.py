"""From plain text to trees: words of the text, trees of the parser, models that read texts too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from laconic import Mira, Parser, TextClassifier, WordTagger, text_trees
from laconic.classify.explain import group_tables, sentence_effects
from laconic.parse.templates import parse_part_templates
from laconic.text.documents import DocumentEncoder
from laconic.text.trees import Tree, leaves

WORDS = {
    "the": ("DET", "DT"),
    "a": ("DET", "DT"),
    "big": ("ADJ", "JJ"),
    "old": ("ADJ", "JJ"),
    "saw": ("VERB", "VBD"),
}
WORDS |= {
    "met": ("VERB", "VBD"),
    "dog": ("NOUN", "NN"),
    "cat": ("NOUN", "NN"),
    "bird": ("NOUN", "NN"),
    ".": ("PUNCT", "."),
}
TEXTS = [
    "The big dog saw a cat. The old bird met the dog!",
    "The old cat\n> met a bird. A dog saw the bird ...",
    "",
    "> A big bird\n> saw the old cat.\n\nThe dog's bird didn't -- x y z.",
]


def bank(n: int, seed: int = 0) -> tuple[list[list[tuple[str, ...]]], list[list[int]]]:
    """Sentences "the (big) dog saw a cat ." with their heads."""
    random = np.random.default_rng(seed)
    sentences, trees = [], []
    for _ in range(n):
        left, right = (["big"][: random.integers(2)] for _ in range(2))
        nouns = random.choice(["dog", "cat", "bird"], 2).tolist()
        words = ["the", *left, nouns[0], "saw", "a", *right, nouns[1], "."]
        subject, verb, thing = 2 + len(left), 3 + len(left), 5 + len(left) + len(right)
        heads = [subject] * (subject - 1) + [verb, 0] + [thing] * (thing - verb - 1) + [verb, verb]
        sentences.append([(word, word, *WORDS[word], "_") for word in words])
        trees.append(heads)
    return sentences, trees


@pytest.fixture(scope="module")
def parser() -> Parser:
    return Parser(learner=Mira(3), tagger=WordTagger(learner=Mira(3), folds=3)).fit(*bank(30))


def test_a_parser_with_its_own_tagger_needs_words_alone(parser: Parser) -> None:
    sentences, trees = bank(20, seed=1)
    words = [[token[0] for token in sentence] for sentence in sentences]
    assert [tree.heads for tree in parser.predict(words)] == trees
    assert parser.predict(
        [[(word, "?", "?", "?", "?") for word in sentence] for sentence in words]
    ) == parser.predict(words)
    assert [best[0][0] for best in parser.predict_k_best(words, 2)] == parser.predict(words)
    assert parser.score(sentences, trees) == 1
    assert parser.relearned(Mira(3), sentences, trees).score(words, trees) == 1


def test_tags_of_training_sentences_come_from_taggers_that_have_not_seen_them() -> None:
    sentences, trees = bank(30)
    sentences[7] = [("zyx", "zyx", "X", "FW", "_")]
    tokens = Parser()._bank(sentences, [*trees[:7], [0], *trees[8:]]).tokens
    tagger = WordTagger(learner=Mira(3), folds=3).fit(tokens)
    place = int(tokens.ptr[7])
    assert tagger.filled(tokens).column("fine")[place] == "FW"
    crossed = tagger.crossed(tokens)
    assert crossed.column("fine")[place] != "FW"
    assert crossed.column("word") == tokens.column("word")
    assert np.mean(np.array(crossed.column("fine")) == np.array(tokens.column("fine"))) > 0.95
    with pytest.raises(ValueError, match="folds must be at least 2"):
        WordTagger(folds=1).crossed(tokens)


def test_words_and_sentences_are_those_of_the_text(parser: Parser) -> None:
    trees = text_trees(parser, TEXTS)
    plain, parsed = DocumentEncoder(), DocumentEncoder()
    for a, b in zip(plain.grow(TEXTS), parsed.grow(trees), strict=True):
        assert np.array_equal(a, b)
    assert plain.vocab.words == parsed.vocab.words
    assert trees[2] == []


def test_subtrees_are_those_of_the_heads(parser: Parser) -> None:
    tree = text_trees(parser, TEXTS)[0][0]
    phrases = {" ".join(leaves(tree, node)) for node in range(len(tree.label))}
    assert {
        "The big dog",
        "big",
        "cat",
        "The big dog saw cat",
    } <= phrases  # a word has two letters or more
    assert all(
        0 <= start < end <= len(tree.words) for start, end in zip(tree.start, tree.end, strict=True)
    )


@pytest.mark.parametrize("most", [1, 3, 100])
def test_long_sentences_are_parsed_in_pieces(parser: Parser, most: int) -> None:
    text = " ".join(["the big dog saw the cat and"] * 40)
    (tree,) = text_trees(parser, [text], most_tokens=most)[0]
    assert tree.words == text.split()
    assert np.sum(tree.parent < 0) >= 280 // most
    for node in range(len(tree.label)):
        places = np.flatnonzero(np.isin(tree.owner, [node]))
        assert (
            tree.parent[node] < 0
            or places[0] // most == np.flatnonzero(tree.owner == tree.parent[node])[0] // most
        )


def test_a_model_of_trees_reads_texts(parser: Parser) -> None:
    texts = [
        "The big dog saw a cat. The old cat met the dog.",
        "A bird met the old bird. The bird saw a big bird.",
    ] * 5
    labels = ["pets", "birds"] * 5
    trees = text_trees(parser, texts)
    model = TextClassifier("tree", strength=0.01, lasso=0.1).fit(trees, labels)
    assert model.groups_["tree"].total == sum(
        np.sum(subtree_sizes(tree) > 1) for document in trees for tree in document
    )
    assert model.predict(texts).tolist() == labels
    assert np.array_equal(model.predict_proba(texts), model.predict_proba(trees))
    kept, _ = group_tables(model, "tree", documents=trees)
    assert any("bird" in row.words for row in kept)
    assert len(sentence_effects(model, trees[0])) == 2
    assert model.groups_["tree"].kept


def subtree_sizes(tree: Tree) -> Any:
    return np.array([len(leaves(tree, node)) for node in range(len(tree.label))])


def test_what_does_not_fit_is_refused(parser: Parser) -> None:
    tagged = Parser(learner=Mira(1)).fit(*bank(5))
    with pytest.raises(ValueError, match="needs tags, which plain text does not have"):
        text_trees(tagged, ["a dog"])
    with pytest.raises(ValueError, match="most_tokens must be at least 1"):
        text_trees(parser, ["a dog"], most_tokens=0)
    with pytest.raises(ValueError, match="a tagger fills the columns"):
        Parser(
            columns=("word", "pos"), templates=parse_part_templates(["bias"]), tagger=WordTagger()
        ).fit([[("a", "b")]], [[0]])
