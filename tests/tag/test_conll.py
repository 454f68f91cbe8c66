"""Column files: what is read, what is dropped, what is refused, what is written."""

from __future__ import annotations

import gzip
import time
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.errors import InputError
from laconic.tag.conll import column_writer, iterate_lines, read_columns
from laconic.tag.layout import Wanted
from laconic.text.labels import detect_scheme, spans
from laconic.text.vocab import Vocab

NAMES = ("word", "pos", "label")


def write(folder: Path, text: str | bytes) -> Path:
    path = folder / "file.txt"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_blanks_tabs_line_ends_and_gzip(tmp_path: Path, end: str, pack) -> None:
    lines = ["", "The DT B-NP", "d\u00e9j\u00e0\u00a0vu \tNN\t I-NP ", "  ", "", "goes VBZ B-VP"]
    tokens = read_columns(write(tmp_path, pack(end.join(lines).encode())), NAMES)
    assert tokens.names == NAMES and tokens.ptr.tolist() == [0, 2, 3]
    assert tokens.values == [
        ["The", "d\u00e9j\u00e0\u00a0vu", "goes"],
        ["DT", "NN", "VBZ"],
        ["B-NP", "I-NP", "B-VP"],
    ]


def test_document_starts_are_dropped_in_both_forms(tmp_path: Path) -> None:
    alone = "-DOCSTART- -X- O\n\na A O\n\n-DOCSTART- -X- O O\n\nb B O\n"
    opening = "-DOCSTART- -DOCSTART- O\na A O\n\n-DOCSTART- -DOCSTART- O\nb B O\n"
    for text in (alone, opening):
        tokens = read_columns(write(tmp_path, text), NAMES)
        assert tokens.values[0] == ["a", "b"] and tokens.ptr.tolist() == [0, 1, 2]


def test_columns_that_may_be_absent(tmp_path: Path) -> None:
    path = write(tmp_path, "a A\nb B\n")
    assert read_columns(path, NAMES, optional=1).names == ("word", "pos")
    with pytest.raises(
        InputError, match=r"file\.txt:1: expected the columns word, pos, label, found 2: 'a A'"
    ):
        read_columns(path, NAMES)
    with pytest.raises(InputError, match="expected the columns word and perhaps pos, found 3"):
        read_columns(write(tmp_path, "a b c\n"), NAMES[:2], optional=1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "a A O\n\nb B\n",
            r"file\.txt:3: expected 3 columns \(word, pos, label\) as in the lines before, "
            r"found 2: 'b B'",
        ),
        ("a A O\n-DOCSTART-\nb B O x\n", r"file\.txt:3: .*found 4"),
        ("", r"file\.txt: holds no tokens"),
        ("\n \n-DOCSTART- O\n", r"file\.txt: holds no tokens"),
        (
            b"a A O\ncaf\xe9 B O\n",
            r"file\.txt:2: expected UTF-8 text, found other bytes; "
            r"older files are often in .*'latin-1'",
        ),
    ],
)
def test_files_that_are_refused(tmp_path: Path, text: str | bytes, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_columns(write(tmp_path, text), NAMES)


def test_other_encodings(tmp_path: Path) -> None:
    path = write(tmp_path, b"caf\xe9 B O\n")
    assert read_columns(path, NAMES, encoding="latin-1").values[0] == ["café"]
    with pytest.raises(ValueError, match="there is no encoding 'latin-99'"):
        read_columns(path, NAMES, encoding="latin-99")


WORDS = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=4).filter(
    lambda w: w != "-DOCSTART-"
)
SENTENCES = st.lists(
    st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=4), min_size=1, max_size=7
)


@pytest.mark.slow
@given(SENTENCES, st.integers(1, 4))
def test_what_is_written_is_read_in_batches_of_any_size(
    tmp_path_factory, sentences: list, size: int
) -> None:
    folder = tmp_path_factory.mktemp("columns")
    path = write(
        folder, "\n\n".join("\n".join(map(" ".join, sentence)) for sentence in sentences) + "\n"
    )
    n_tokens = sum(map(len, sentences))
    added = iter([f"L{t}" for t in range(n_tokens)])
    with column_writer(folder / "out") as writer:
        for batch in iterate_lines(path, NAMES[:2], batch_sentences=size):
            writer.write(batch, [list(islice(added, int(batch.tokens.ptr[-1])))], "O")
    batches = [b.tokens for b in iterate_lines(folder / "out", NAMES, batch_sentences=size)]
    assert all(len(batch) == size for batch in batches[:-1]) and 1 <= len(batches[-1]) <= size
    again = [sentence for batch in batches for sentence in batch.sentences()]
    assert [[token[:2] for token in sentence] for sentence in again] == sentences
    whole = read_columns(folder / "out", NAMES)
    assert (
        list(whole.values[2]) == [f"L{t}" for t in range(n_tokens)]
        and list(whole.sentences()) == again
    )


@pytest.mark.parametrize("size", [1, 2, 100])
def test_every_line_is_written_again(tmp_path: Path, size: int) -> None:
    lines = [
        "-DOCSTART- -X-",
        "",
        "a A",
        " ",
        "",
        "b\tB",
        "-DOCSTART-\t-X-",
        "c C",
        "",
        "-DOCSTART- -X- O",
        "",
        "",
    ]
    path = write(tmp_path, "\r\n".join([*lines, ""]))
    with column_writer(tmp_path / "out") as writer:
        for batch in iterate_lines(path, NAMES[:2], batch_sentences=size):
            labels = [f"={word}" for word in batch.tokens.values[0]]
            writer.write(
                batch, [labels, labels], "O", [f"# {s[0][0]}" for s in batch.tokens.sentences()]
            )
    expected = [
        "-DOCSTART- -X- O O",
        "",
        "# a",
        "a A =a =a",
        "",
        "",
        "# b",
        "b\tB\t=b\t=b",
        "-DOCSTART-\t-X-\tO\tO",
        "c C =c =c",
        "",
    ]
    assert (tmp_path / "out").read_text() == "\n".join(
        [*expected, "-DOCSTART- -X- O O O", "", "", ""]
    )


def test_writer_refuses_columns_of_another_length(tmp_path: Path) -> None:
    (batch,) = iterate_lines(write(tmp_path, "a\nb\n"), ("word",))
    for added in ([["x"]], [["x"] * 3], [["x"] * 2, ["x"]]):
        with (
            pytest.raises(ValueError, match="there are 2 tokens"),
            column_writer(tmp_path / "out") as writer,
        ):
            writer.write(batch, added, "O")
        assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("name", "n_sentences", "n_tokens", "n_chunks", "scheme"),
    [
        ("conll2000/test.txt.gz", 2012, 47_377, 23_852, "IOB2"),
        ("conll2002/ned.testa.gz", 2895, 37_761 - 74, 2616, "IOB2"),
        (
            "conll2002/esp.testa.gz",
            1915,
            52_923,
            4352,
            "IOB2",
        ),  # 4,351 open with B, one breaks the rules with an I
        ("conll2003/eng.testa.gz", 3250, 51_362, 5942, "IOB1"),
    ],
)
def test_published_counts(
    data: Path, name: str, n_sentences: int, n_tokens: int, n_chunks: int, scheme: str
) -> None:
    columns = ("word", "pos", "chunk", "label") if "2003" in name else NAMES
    start = time.process_time()
    tokens = read_columns(data / name, columns)
    assert time.process_time() - start < 2
    assert (len(tokens), int(tokens.ptr[-1])) == (n_sentences, n_tokens)
    labels, vocab = tokens.column("label"), Vocab()
    assert detect_scheme(labels, tokens.ptr) == scheme
    assert len(spans(vocab.grow(labels), tokens.ptr, vocab.words).start) == n_chunks


CONLLU = """\
# sent_id = 1
# text = 34 470 vámonos
# one two three four five six seven eight nine
1\t34 470\t34470\tNUM\tn\tNumType=Card\t2\tnummod\t_\t_
2-3\tvámonos\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
2\tvamos\tir\tVERB\tv\t_\t0\troot\t_\t_
3\tnos\tnosotros\tPRON\tp\t_\t2\tobj\t_\t_
3.1\tya\tya\tADV\t_\t_\t_\t_\t_\t_

# text = #
1\t#\t#\tSYM\ts\t_\t0\troot\t_\t_

"""


def test_conllu_is_read_by_the_names_of_its_columns(tmp_path: Path) -> None:
    path = write(tmp_path, CONLLU)
    tokens = read_columns(path, None)
    assert tokens.names == ("word", "upos") and tokens.ptr.tolist() == [0, 3, 4]
    assert tokens.values == [["34 470", "vamos", "nos", "#"], ["NUM", "VERB", "PRON", "SYM"]]
    assert read_columns(path, None, label="feats").names == ("word", "feats")
    tokens = read_columns(path, ("form", "pos", "xpos"))
    assert tokens.names == ("form", "pos", "xpos")
    assert tokens.values[1:] == [["NUM", "VERB", "PRON", "SYM"], ["n", "v", "p", "s"]]
    with pytest.raises(InputError, match=r"file\.txt:4: CoNLL-U has no column 'chunk', only id,"):
        read_columns(path, ("word", "chunk"))


@pytest.mark.parametrize("size", [1, 2])
def test_labels_are_written_into_their_column_of_conllu(tmp_path: Path, size: int) -> None:
    wanted = Wanted(("word", "feats"), 1)
    with column_writer(tmp_path / "out") as writer:
        for batch in iterate_lines(write(tmp_path, CONLLU), wanted, batch_sentences=size):
            labels = [f"={word}" for word in batch.tokens.values[0]]
            writer.write(batch, [labels], "_")
    before, after = CONLLU.splitlines(), (tmp_path / "out").read_text().splitlines()
    assert len(before) == len(after)
    for old, new in zip(before, after, strict=True):
        cells = old.split("\t")
        if cells[0].isdigit():
            cells[5] = f"={cells[1]}"
        assert new == "\t".join(cells)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("\n2\tvamos", "\n4\tvamos", r":6: expected token number 2, found '4'; a blank line ends"),
        ("\tv\t_\t0", "\tv 0", r":6: expected the 10 columns of CoNLL-U, separated by tabs,"),
        ("\tPRON\t", "\t\t", ":7: .* found an empty one"),
    ],
)
def test_conllu_that_is_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_columns(write(tmp_path, CONLLU.replace(old, new)), None)


def test_comments_and_tokens_that_look_like_them(tmp_path: Path) -> None:
    text = "# id = 1\n# # B-NP\n4 CD I-NP\n# # I-NP\n\n# a b c d\nbu NN B-NP\n"
    for names in (NAMES, None):
        tokens = read_columns(write(tmp_path, text), names)
        assert tokens.values[0] == ["#", "4", "#", "bu"]
    text = "# id = 1\n# a b c d\nbu NN B-NP\n\n# # O\n\n#\nbu NN O\n"
    assert read_columns(write(tmp_path, text), None).values[0] == ["bu", "#", "bu"]


def test_lines_with_tabs_are_cut_at_tabs_alone(tmp_path: Path) -> None:
    tokens = read_columns(write(tmp_path, "34 470\tNUM\nde facto\tADV\r\n\nla NOUN\n"), None)
    assert tokens.values == [["34 470", "de facto", "la"], ["NUM", "ADV", "NOUN"]]
    with pytest.raises(InputError, match=r":2: .* found an empty one"):
        read_columns(write(tmp_path, "a\tb\tc\na\t\tc\n"), None)
