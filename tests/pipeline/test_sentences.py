"""What a tagger of sentence ends reads of tokens."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from laconic.core.ragged import pointers
from laconic.pipeline.segment import Segmenter, raw_text
from laconic.pipeline.sentences import COLUMNS, FAR, STOPS, lower_case_words, token_columns
from laconic.text.conllu import DOCUMENT, PARAGRAPH
from laconic.text.conllu_files import parse_conllu


def columns(paragraphs, words=frozenset()):
    """Return the columns of tokens with blanks between them; `~` glues two of them."""
    glued = [text.replace("~ ", " ~").split() for text in paragraphs]
    tokens = [token.lstrip("~") for text in glued for token in text]
    after = [token.startswith("~") for text in glued for token in text]
    space = ~np.array([*after[1:], False], bool)
    ptr = pointers(map(len, glued))
    return dict(zip(COLUMNS, token_columns(tokens, space, ptr, words).values, strict=True))


def test_distances_are_to_stops_that_a_blank_follows_or_to_ends():
    found = columns(["No 1 ~. ~5 l ~. So it is ~. x"])
    assert list(found["token"]) == ["No", "1", ".", "5", "l", ".", "So", "it", "is", ".", "x"]
    assert " ".join(found["since"]) == "$0 $1 $2 $3 $3 $5 .0 .1 .2 .3 .0"
    assert " ".join(found["until"]) == ".3 .3 .2 .1 .0 .3 .2 .1 .0 $0 $0"


@given(st.lists(st.lists(st.sampled_from(["a", "Mr.", ".", "?"]), max_size=40), max_size=4))
def test_distances_are_counted_within_paragraphs(paragraphs):
    found = columns([" ".join(tokens) for tokens in paragraphs])
    stops = [token[-1] in STOPS for tokens in paragraphs for token in tokens]
    ptr = pointers(map(len, paragraphs)).tolist()
    for begin, end in pairwise(ptr):
        for at in range(begin, end):
            before = [k for k in range(begin, at) if stops[k]]
            after = [k for k in range(at + 1, end) if stops[k]]
            distance = at - (before[-1] if before else begin - 1)
            assert found["since"][at] == ("." if before else "$") + step(distance)
            distance = (after[0] if after else end - 1) - at
            assert found["until"][at] == ("." if after else "$") + step(distance)


def step(distance):
    return str(max((far for far in FAR if far < distance), default=0))


def test_capitals_are_compared_with_the_words_of_the_training_text():
    words = lower_case_words({"the", "The", "7", "و", "you"})
    assert words == {"the", "you"}
    assert columns(["The YOU Ann the 7"], words)["known"] == ["1", "1", "0", "l", "-"]


MARKED = """# newdoc id = a
1 Go go VERB _ _ 0 root _ _

# newpar id = b
1 On on ADV _ _ 0 root _ _

1 Now now ADV _ _ 0 root _ _

# newdocument = no
#newpar
1 on on ADV _ _ 0 root _ _
2 Go go VERB _ _ 0 root _ _
"""


def marked():
    lines = [
        line if line.startswith("#") else line.replace(" ", "\t") for line in MARKED.split("\n")
    ]
    return parse_conllu("\n".join(lines), trees=False)


def test_paragraphs_and_documents_open_with_or_without_an_id():
    found = marked()
    assert found.opens().tolist() == [True, True, False, True]
    assert found.opens(DOCUMENT).tolist() == [True, False, False, False]
    assert found.opens(PARAGRAPH).tolist() == [True, True, False, True]
    assert raw_text(found).paragraphs == ["Go", "On Now", "on Go"]


def test_a_treebank_of_one_token_per_sentence_has_a_sentence_per_token():
    bank = marked().some(np.arange(3))
    model = Segmenter().fit(bank)
    assert model.tagger_ is None
    assert model.sentence_tagger_ is None
    found = model.segment(["Go on.", "", "Now"])
    assert found.tokens == ["Go", "on", ".", "Now"]
    assert found.ptr.tolist() == [0, 1, 2, 3, 4]
    assert found.paragraphs.tolist() == [0, 3, 3, 4]
