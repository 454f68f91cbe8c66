"""Scores from raw text to trees: worked by hand, and laws."""

from __future__ import annotations

import time
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.errors import InputError
from laconic.pipeline.alignment import _common, aligned_words, spans_of
from laconic.pipeline.shared_task import TITLES, SpanScore, shared_task_scores
from laconic.text.conllu import FEATS, HEAD, LEMMA, UPOS, Conllu
from laconic.text.conllu_files import parse_conllu, read_conllu


def analysis(*sentences: str) -> Conllu:
    """Sentences of rows `id form lemma upos feats head relation`, one per line."""
    lines = []
    for sentence in sentences:
        for row in sentence.strip().splitlines():
            number, form, *more = row.split()
            lemma, upos, feats, head, relation = more or "_" * 5
            fields = (number, form, lemma, upos, "x", feats, head, relation, "_", "_")
            lines.append("\t".join(fields))
        lines.append("")
    return parse_conllu("\n".join(lines) + "\n", trees=False)


GOLD = """
1 the the DET _ 2 det
2 dog dog NOUN Number=Sing 4 nsubj:pass
3 was be AUX _ 4 aux:pass
4 fed feed VERB _ 0 root
5 by by ADP _ 6 case
6 us _ PRON _ 4 obl:agent
"""


def test_tags_and_trees_of_the_same_words() -> None:
    """One tag and one head of a function word are wrong, and one lemma.

    The wrong tag of `by` is an error of the MLAS of `us`, whose function word it is; the wrong
    head of `was` one of `fed`, which it leaves, and of `us`, where it is too many.
    """
    found = """
1 the A DET _ 2 det
2 dog dog NOUN Number=Sing|Odd=Yes 4 nsubj
3 was be AUX _ 6 aux
4 fed feed VERB _ 0 root
5 by by PART _ 6 case
6 us we PRON _ 4 obl
"""
    scores = shared_task_scores(analysis(GOLD), analysis(found))
    assert list(scores) == list(TITLES)
    assert scores == {
        "tokens": SpanScore(6, 6, 6),
        "sentences": SpanScore(1, 1, 1),
        "words": SpanScore(6, 6, 6),
        "upos": SpanScore(5, 6, 6, 6),
        "xpos": SpanScore(6, 6, 6, 6),
        "ufeats": SpanScore(6, 6, 6, 6),
        "alltags": SpanScore(5, 6, 6, 6),
        "lemmas": SpanScore(5, 6, 6, 6),
        "uas": SpanScore(5, 6, 6, 6),
        "las": SpanScore(5, 6, 6, 6),
        "clas": SpanScore(3, 3, 3, 3),
        "mlas": SpanScore(1, 3, 3, 3),
        "blex": SpanScore(3, 3, 3, 3),
    }


def test_other_tokens_and_sentences() -> None:
    """`al` is split as in the gold analysis, `Vámonos` is not, `mar.` is one token, and a break.

    Matched are a, el and nothing else: `mar` has other characters than `mar.`, and `Vámonos` is
    none of `Vamos` and `nos`. The head of `el` is `mar`, which is matched with nothing.
    """
    gold = """
1-2 Vámonos
1 Vamos ir VERB _ 0 root
2 nos nos PRON _ 1 obj
3-4 al
3 a a ADP _ 4 case
4 el el DET _ 5 det
5 mar mar NOUN _ 1 obl
6 . . PUNCT _ 1 punct
"""
    first, second = "1 Vámonos ir VERB _ 0 root", "\n1-2 al\n1 a a ADP _ 2 case\n"
    found = analysis(first, second + "2 el el DET _ 3 det\n3 mar. mar NOUN _ 0 root")
    scores = shared_task_scores(analysis(gold), found)
    assert scores["tokens"] == SpanScore(2, 4, 3)
    assert scores["sentences"] == SpanScore(0, 1, 2)
    assert scores["words"] == SpanScore(2, 6, 4)
    assert scores["upos"] == scores["lemmas"] == SpanScore(2, 6, 4, 2)
    assert scores["uas"] == scores["las"] == SpanScore(1, 6, 4, 2)  # a's head is el on both sides
    assert scores["clas"] == SpanScore(
        0, 3, 2, 0
    )  # root, obj, obl; root, root; a and el are neither
    assert scores["tokens"].precision == 2 / 3 and scores["tokens"].recall == 2 / 4
    assert scores["tokens"].f1 == 4 / 7 and scores["tokens"].accuracy is None
    assert scores["las"].accuracy == 0.5 and scores["clas"].accuracy is None
    assert SpanScore(0, 0, 0).f1 == SpanScore(0, 0, 0).precision == SpanScore(0, 0, 0).recall == 0


def test_blanks_within_tokens_do_not_matter() -> None:
    gold = analysis("1 34_470 n NUM _ 0 root\n2 m m X _ 1 dep")
    spaced = parse_conllu(gold.to_text().replace("34_470", "34 470"))
    glued = parse_conllu(gold.to_text().replace("34_470", "34470"))
    assert all(score.f1 == 1 for score in shared_task_scores(spaced, glued).values())


def test_missing_heads_are_wrong() -> None:
    gold = analysis(GOLD)
    none = gold.with_words({HEAD: ["_"] * 6})
    assert shared_task_scores(gold, none)["uas"].correct == 0
    assert shared_task_scores(none, none)["las"].correct == 0


def test_overlapping_multiword_tokens_are_one_span() -> None:
    """ab|cd beside a|bc|d: all of them are one span, in which b and d match."""
    gold = analysis("1-2 ab\n1 a\n2 b\n3-4 cd\n3 c\n4 d")
    found = analysis("1 a\n2-3 bc\n2 b\n3 x\n4 d")
    first, second = aligned_words(spans_of(gold), spans_of(found))
    assert list(zip(first.tolist(), second.tolist(), strict=True)) == [(0, 0), (1, 1), (3, 3)]


def test_other_texts_are_refused() -> None:
    gold = analysis(GOLD, "1 yes yes X _ 0 root")
    other = analysis(GOLD, "1 yet yes X _ 0 root")
    with pytest.raises(InputError, match=r"in sentence 2 of the gold one 's' stands where .* 't'"):
        shared_task_scores(gold, other)
    with pytest.raises(InputError, match=r"in sentence 2 of the gold one 'yes' .* 'its end'"):
        shared_task_scores(gold, analysis(GOLD))
    with pytest.raises(InputError, match="sentence 2: a token is white space alone"):
        spans_of(parse_conllu(gold.to_text().replace("\tyes\tyes", "\t\u00a0\tyes")))


SHORT = st.lists(st.sampled_from("abc"), max_size=6)


@given(SHORT, SHORT)
def test_common_words_are_a_longest_subsequence(gold: list[str], found: list[str]) -> None:
    pairs = _common(gold, found)
    assert [gold[i] for i, _ in pairs] == [found[j] for _, j in pairs]
    for side in zip(*pairs, strict=True):
        assert list(side) == sorted(set(side))
    parts = (set(combinations(gold, n)) & set(combinations(found, n)) for n in range(7))
    assert len(pairs) == max(n for n, part in enumerate(parts) if part)


@st.composite
def segmentations(draw: st.DrawFn) -> tuple[Conllu, Conllu]:
    """Two analyses of one text: cuts anywhere, some tokens made of one word per letter."""
    text = draw(st.text("ab", min_size=1, max_size=12))
    both = []
    for _ in range(2):
        sentences: list[list[str]] = [[]]
        word = 0
        last = 0
        for end in [*(i for i in range(1, len(text)) if draw(st.booleans())), len(text)]:
            token, last = text[last:end], end
            if len(token) > 1 and draw(st.booleans()):
                sentences[-1].append(f"{word + 1}-{word + len(token)} {token}")
                parts = list(token)
            else:
                parts = [token]
            sentences[-1] += [f"{word + i} {part}" for i, part in enumerate(parts, 1)]
            word += len(parts)
            if draw(st.booleans()):
                sentences.append([])
                word = 0
        both.append(analysis(*("\n".join(rows) for rows in sentences if rows)))
    return both[0], both[1]


@given(segmentations())
def test_laws_of_segmentation(both: tuple[Conllu, Conllu]) -> None:
    one, other = (shared_task_scores(*pair) for pair in (both, both[::-1]))
    for key in ("tokens", "sentences", "words"):
        assert one[key].correct == other[key].correct
        assert one[key].precision == other[key].recall
    first, second = aligned_words(*map(spans_of, both))
    assert (np.diff(first) > 0).all() and (np.diff(second) > 0).all()
    same = shared_task_scores(both[0], both[0])
    assert all(same[key].f1 == 1 for key in ("tokens", "sentences", "words", "upos", "lemmas"))


@pytest.mark.parametrize("language", ["Tamil-TTB", "Turkish-IMST"])
def test_a_treebank_with_known_mistakes(data: Path, language: str) -> None:
    gold = read_conllu(data / "ud_raw" / language / "test.conllu.gz")
    n = len(gold.word_rows)
    assert all(score.f1 == 1 for score in shared_task_scores(gold, gold).values())
    wrong = np.arange(n) % 4 == 0
    found = gold.with_words(
        {
            field: [
                "wrong" if bad else value
                for bad, value in zip(wrong, gold.words(field), strict=True)
            ]
            for field in (UPOS, LEMMA)
        }
        | {FEATS: [f"{value}|Own=Yes" for value in gold.words(FEATS)]}
    )
    scores = shared_task_scores(gold, found)
    given = np.array([lemma != "_" for lemma in gold.words(LEMMA)])
    assert scores["upos"] == SpanScore(n - wrong.sum(), n, n, n)
    assert scores["lemmas"] == SpanScore(n - (wrong & given).sum(), n, n, n)
    assert scores["ufeats"].f1 == scores["las"].f1 == 1
    assert scores["mlas"].f1 < scores["blex"].f1 < scores["clas"].f1 == 1


@pytest.mark.slow
def test_two_hundred_thousand_words_take_seconds(data: Path) -> None:
    gold = read_conllu(data / "ud_raw" / "English-EWT" / "train.conllu.gz")
    began = time.process_time()
    shared_task_scores(gold, gold)
    assert len(gold.word_rows) > 200_000 and time.process_time() - began < 10
