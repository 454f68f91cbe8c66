"""Scores from raw text to trees, as in the CoNLL 2018 shared task.

    precision = correct / found,  recall = correct / gold,  F1 = 2 correct / (found + gold)

Tokens and sentences are correct if they begin and end where the gold ones do. All else is asked of
the words that `laconic.pipeline.alignment` matches: tags, lemma, relation, and whether the head is
the word matched with the gold head. Relations count without subtypes (`nsubj:pass` is `nsubj`),
features are the universal ones, and any lemma is right where the gold one is "_".
CLAS, MLAS and BLEX are of words with a content relation: CLAS their heads and relations; MLAS also
tag, features, and the same of all their function words; BLEX also the lemma.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from laconic.core.arrays import Bools, Ints
from laconic.pipeline.alignment import aligned_words, check_same_text, same_spans, spans_of
from laconic.text.conllu import DEPREL, FEATS, LEMMA, UPOS, XPOS, Conllu
from laconic.text.treebanks import NOTHING

# Keys of the scores and what tables call them.
TITLES = {
    "tokens": "Tokens",
    "sentences": "Sentences",
    "words": "Words",
    "upos": "UPOS",
    "xpos": "XPOS",
    "ufeats": "UFeats",
    "alltags": "AllTags",
    "lemmas": "Lemmas",
    "uas": "UAS",
    "las": "LAS",
    "clas": "CLAS",
    "mlas": "MLAS",
    "blex": "BLEX",
}
_CONTENT = """nsubj obj iobj csubj ccomp xcomp obl vocative expl dislocated advcl advmod discourse
nmod appos nummod acl amod conj fixed flat compound list parataxis orphan goeswith reparandum root
dep"""
_UNIVERSAL = """PronType NumType Poss Reflex Foreign Abbr Gender Animacy Number Case Definite Degree
VerbForm Mood Tense Aspect Voice Evident Polarity Person Polite"""
CONTENT = frozenset(_CONTENT.split())
FUNCTION = frozenset(["aux", "cop", "mark", "det", "clf", "case", "cc"])
UNIVERSAL = frozenset(_UNIVERSAL.split())
ROOT, MISSING, UNMATCHED = -1, -2, -3  # heads that are no gold word


class SpanScore(NamedTuple):
    """How many are correct, of how many in the gold analysis and the one found.

    `aligned` is the number of matched words that are asked about; None for tokens,
    sentences and words.
    """

    correct: int
    gold: int
    found: int
    aligned: int | None = None

    @property
    def precision(self) -> float:
        """Share of the found ones that are correct; 0 if there are none."""
        return self.correct / self.found if self.found else 0.0

    @property
    def recall(self) -> float:
        """Share of the gold ones that were found; 0 if there are none."""
        return self.correct / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        return 2 * self.correct / (self.found + self.gold) if self.found + self.gold else 0.0

    @property
    def accuracy(self) -> float | None:
        """Share of the matched words that are correct; None if there are none."""
        return self.correct / self.aligned if self.aligned else None


def shared_task_scores(gold: Conllu, found: Conllu) -> dict[str, SpanScore]:
    """Return the scores of an analysis by their keys, those of `TITLES`.

    InputError if the two are not of the same text, blanks aside. A head that is "_" is wrong.
    """
    theirs, ours = spans_of(gold), spans_of(found)
    check_same_text(theirs, ours)
    asked = _Asked(gold, found, *aligned_words(theirs, ours))
    plain = [asked.same(field) for field in (UPOS, XPOS)]
    feats, lemmas, relation = asked.same(FEATS), asked.lemmas(), asked.same(DEPREL)
    attached = asked.attached()
    labelled = attached & relation
    of_words = {
        "upos": plain[0],
        "xpos": plain[1],
        "ufeats": feats,
        "alltags": plain[0] & plain[1] & feats,
        "lemmas": lemmas,
        "uas": attached,
        "las": labelled,
    }
    tagged = relation & plain[0] & feats
    of_content = {
        "clas": labelled,
        "mlas": labelled & tagged & asked.same_function_words(attached & tagged),
        "blex": labelled & lemmas,
    }
    return {
        "tokens": _of_spans(theirs.tokens, ours.tokens),
        "sentences": _of_spans(theirs.sentences, ours.sentences),
        "words": asked.score(np.ones(len(asked.gold), bool))._replace(aligned=None),
        **{key: asked.score(right) for key, right in of_words.items()},
        **{key: asked.content_score(right) for key, right in of_content.items()},
    }


def _of_spans(gold: Ints, found: Ints) -> SpanScore:
    return SpanScore(same_spans(gold, found), len(gold), len(found))


class _Asked:
    """Two analyses and their matched words: gold[i] is found[i]."""

    def __init__(self, gold: Conllu, found: Conllu, matched: Ints, with_words: Ints) -> None:
        self.sides = gold, found
        self.gold, self.found = matched, with_words
        self.codes = {
            field: _codes([side.words(field) for side in self.sides], meaning)
            for field, meaning in _MEANING.items()
        }

    def same(self, field: int) -> Bools:
        """Return whether the matched words agree in a field."""
        gold, found = self.codes[field]
        agree: Bools = gold[self.gold] == found[self.found]
        return agree

    def lemmas(self) -> Bools:
        """Return whether the lemmas are right."""
        given = self.sides[0].words(LEMMA)
        unknown = np.fromiter((lemma == NOTHING for lemma in given), bool, len(given))
        right: Bools = self.same(LEMMA) | unknown[self.gold]
        return right

    def attached(self) -> Bools:
        """Return whether the heads are right: both roots, or words matched with each other."""
        gold, found = (_head_words(side) for side in self.sides)
        gold_of = np.full(len(found) + 3, UNMATCHED)  # the last three are heads that are no word
        gold_of[self.found] = self.gold
        gold_of[[ROOT, MISSING]] = ROOT, MISSING
        theirs = gold[self.gold]
        right: Bools = (gold_of[found[self.found]] == theirs) & (theirs != MISSING)
        return right

    def same_function_words(self, agree: Bools) -> Bools:
        """Return whether matched words have the same function words.

        They do if each side's are as many as there are matched ones that agree in head, relation,
        tag and features.
        """
        gold, found = (_head_words(side) for side in self.sides)
        function = [self._having(side, FUNCTION) for side in (0, 1)]
        pair = agree & function[0][self.gold] & function[1][self.found]
        of_gold = _counts(gold[function[0]], len(gold))[self.gold]
        of_found = _counts(found[function[1]], len(found))[self.found]
        agreed = _counts(gold[self.gold[pair]], len(gold))[self.gold]
        same: Bools = (of_gold == agreed) & (of_found == agreed)
        return same

    def score(self, right: Bools) -> SpanScore:
        """Return the score of all words."""
        n_gold, n_found = (len(side.word_rows) for side in self.sides)
        return SpanScore(int(right.sum()), n_gold, n_found, len(right))

    def content_score(self, right: Bools) -> SpanScore:
        """Return the score of the words with a content relation."""
        gold, found = (self._having(side, CONTENT) for side in (0, 1))
        asked = gold[self.gold]
        totals = int(gold.sum()), int(found.sum()), int(asked.sum())
        return SpanScore(int((right & asked).sum()), *totals)

    def _having(self, side: int, relations: frozenset[str]) -> Bools:
        """Return which words of a side have one of these relations."""
        given = self.sides[side].words(DEPREL)
        among = {value for value in set(given) if _plain_relation(value) in relations}
        return np.fromiter((value in among for value in given), bool, len(given))


def _plain_relation(relation: str) -> str:
    return relation.partition(":")[0]


def _universal_features(features: str) -> str:
    kept = (one for one in features.split("|") if one.partition("=")[0] in UNIVERSAL)
    return "|".join(sorted(kept))


# What of a field is compared.
_MEANING: dict[int, Callable[[str], str]] = {
    UPOS: str,
    XPOS: str,
    FEATS: _universal_features,
    LEMMA: str,
    DEPREL: _plain_relation,
}


def _codes(columns: Sequence[Sequence[str]], meaning: Callable[[str], str]) -> list[Ints]:
    """Return the strings of several columns as numbers that are equal where their meanings are."""
    number: dict[str, int] = {}
    of_string = {
        string: number.setdefault(meaning(string), len(number)) for string in set().union(*columns)
    }
    return [
        np.fromiter(map(of_string.__getitem__, column), np.int64, len(column)) for column in columns
    ]


def _head_words(side: Conllu) -> Ints:
    """Return the number of each word's head among all words, ROOT or MISSING."""
    heads, ptr = side.heads(), side.word_ptr
    first = np.repeat(ptr[:-1], np.diff(ptr))
    return np.where(heads > 0, first + heads - 1, np.where(heads == 0, ROOT, MISSING))


def _counts(heads: Ints, n_words: int) -> Ints:
    """Return how often each word is among these heads."""
    return np.bincount(heads[heads >= 0], minlength=n_words)
