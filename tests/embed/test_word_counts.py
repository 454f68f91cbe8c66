"""Running text of any length as ids of its frequent words."""

from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic import InputError
from laconic.embed import word_counts
from laconic.embed.word_counts import END, GAP, Subsampling, read_text

WORDS = st.text("abcdé", min_size=1, max_size=2)
SENTENCES = st.lists(st.lists(WORDS, max_size=8), min_size=1, max_size=30)


def decoded(text: Any, size: int = 5) -> list[list[str | None]]:
    """Return the sentences of a text; None is a gap."""
    sentences: list[list[str | None]] = [[]]
    for ids in text.ids(size):
        for i in ids.tolist():
            if i == END:
                sentences.append([])
            else:
                sentences[-1].append(None if i == GAP else text.words[i])
    return [sentence for sentence in sentences if sentence]


@settings(max_examples=50)
@given(SENTENCES, st.integers(1, 3), st.sampled_from([None, 1, 3]))
def test_counts_are_those_of_a_counter(
    sentences: list[list[str]], min_count: int, max_size: int | None
) -> None:
    counts = Counter(word for sentence in sentences for word in sentence)
    frequent = [(word, n) for word, n in counts.most_common(max_size) if n >= min_count]
    if not frequent:
        with pytest.raises(InputError, match=r"holds no words|no word occurs"):
            read_text(sentences, min_count, max_size)
        return
    with read_text(sentences, min_count, max_size) as text:
        assert list(zip(text.words, text.counts.tolist(), strict=True)) == frequent
        assert (text.n_tokens, text.n_types) == (counts.total(), len(counts))
        assert text.n_sentences == sum(map(bool, sentences))
        known = {word for word, _ in frequent}
        assert decoded(text) == [
            [word if word in known else None for word in words] for words in sentences if words
        ]


@settings(max_examples=30)
@given(SENTENCES.filter(lambda sentences: any(sentences)), st.integers(1, 40))
def test_files_are_read_in_pieces(
    tmp_path_factory: pytest.TempPathFactory, sentences: list[list[str]], chunk: int
) -> None:
    folder = tmp_path_factory.mktemp("text")
    lines = [" ".join(words) for words in sentences]
    (folder / "a.txt").write_text("\n".join(lines), encoding="utf-8")
    (folder / "b.gz").write_bytes(gzip.compress("\r\n".join([*lines, ""]).encode()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(word_counts, "CHUNK", chunk)
        with (
            read_text([folder / "a.txt", str(folder / "b.gz")], 1) as text,
            read_text(sentences * 2, 1) as same,
        ):
            assert text.words == same.words and text.counts.tolist() == same.counts.tolist()
            assert decoded(text) == decoded(same)


def test_ids_beyond_the_memory_go_to_a_file() -> None:
    sentences = [["a", "b", "c"], ["b"]] * 100
    with read_text(sentences, memory=0) as text:
        assert text._ids._rolled  # type: ignore[attr-defined]
        assert decoded(text, 7) == sentences


def test_rare_words() -> None:
    sentences = [["a", "b", "a", "c", "d"], ["c", "x", "a"]]
    assert decoded(read_text(sentences, 2, rare="gap")) == [
        ["a", None, "a", "c", None],
        ["c", None, "a"],
    ]
    assert decoded(read_text(sentences, 2, rare="drop")) == [["a", "a", "c"], ["c", "a"]]
    text = read_text(sentences, 2, rare="mark")
    assert decoded(text) == [["a", "#rare#", "a", "c", "#rare#"], ["c", "#rare#", "a"]]
    assert text.words == ["a", "#rare#", "c"] and text.counts.tolist() == [3, 3, 2]
    assert read_text(sentences, 1, rare="mark").words == ["a", "c", "b", "d", "x"]
    marked = read_text([["#rare#", "#rare#", "a", "b"], ["b", "b", "b"]], 2, rare="mark")
    assert marked.words == ["b", "#rare#"] and marked.counts.tolist() == [4, 3]


def test_lists_may_hold_words_with_blanks() -> None:
    text = read_text([["New York", "is", "", "big"], ("New York",), iter(["big"])], 2)
    assert text.words == ["New York", "big"] and decoded(text) == [
        ["New York", None, "big"],
        ["New York"],
        ["big"],
    ]


def test_subsampling_leaves_frequent_words_out() -> None:
    text = read_text([["a"] * 90 + ["b"] * 10] * 100, 1)
    share = Subsampling(0.1, 0).kept_share(text.counts, text.n_tokens)
    assert share.tolist() == pytest.approx([1 / 3, 1.0])
    for size in (100, 10**6):  # the same occurrences, however the text is cut
        ids = np.concatenate(list(text.ids(size, Subsampling(0.1, 7))))
        assert np.count_nonzero(ids == 1) == 1000 and abs(np.count_nonzero(ids == 0) - 3000) < 200
        assert np.count_nonzero(ids == END) == 100
    assert ids.tolist() == np.concatenate(list(text.ids(33, Subsampling(0.1, 7)))).tolist()


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "text.txt: holds no words"),
        (b" \n\t\n", "text.txt: holds no words"),
        (b"a b c\n", "no word occurs 2 times or more, the most frequent one 1 times"),
        (b"a a\nb\0b\n", "text.txt:2: expected text, one sentence per line, found a zero"),
        (b"a a\n\xff\xfe\n", "text.txt:2: expected UTF-8 text"),
        (b"\x1f\x8bnonsense", "text.txt: the gzip file is damaged"),
    ],
)
def test_bad_files(tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "text.txt"
    path.write_bytes(content)
    with pytest.raises(InputError, match=says):
        read_text(path, 2)


def test_bad_input(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_text(tmp_path / "absent.txt")
    with pytest.raises(InputError, match="can be given only once"):
        read_text(["-", "-"])
    for sentences, says in [
        ([["a"], "a b"], "sentence 2 must be a list of words"),
        ([["a", 1]], "sentence 1 must be a list of words, which are strings"),
        ([["a\x1fb"]], "sentence 1: words must not hold"),
        ([["a\x1eb"]], "words must not hold"),
        (5, "expected a path"),
    ]:
        with pytest.raises(ValueError, match=says):
            read_text(sentences, 1)
    for options in ({"min_count": 0}, {"min_count": 1.5}, {"max_size": 0}, {"rare": "keep"}):
        with pytest.raises(ValueError, match=next(iter(options))):
            read_text([["a"]], **options)
