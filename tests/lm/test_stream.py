"""Kneser-Ney through temporary files: the same model, whatever the memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from commands import refused, result_of

from laconic import KneserNey, LanguageModel
from laconic.errors import InputError
from laconic.lm.stream import write_kneser_ney

pytestmark = pytest.mark.filterwarnings("ignore:the text has too few")
WORDS = [f"w{i}" for i in range(40)]


class Texts:
    """Two files of sentences."""

    def __init__(self, folder: Path):
        self.folder = folder
        rng = np.random.default_rng(0)
        drawn = [
            [
                " ".join(WORDS[int(i)] for i in rng.zipf(1.5, rng.integers(1, 15)) % len(WORDS))
                for _ in range(150)
            ]
            for _ in range(2)
        ]
        self.paths = [str(folder / name) for name in ("a.txt", "b.txt")]
        for path, lines in zip(self.paths, drawn, strict=True):
            Path(path).write_text("\n\n".join(lines))
        self.sentences = [line for lines in drawn for line in lines]
        self.arpa = str(folder / "m.arpa")


@pytest.fixture
def texts(tmp_path: Path) -> Texts:
    return Texts(tmp_path)


@pytest.mark.parametrize("min_count", [1, 4])
@pytest.mark.parametrize("order", [1, 2, 4])
def test_any_memory_gives_the_same_file(texts: Texts, order: int, min_count: int) -> None:
    expected = LanguageModel(order, KneserNey(), min_count).fit(texts.sentences)
    files = []
    for memory in (2**30, 20_000, 1):
        given = write_kneser_ney(texts.paths, texts.arpa, KneserNey(), order, min_count, memory)
        assert given.n_ngrams_ == expected.n_ngrams_
        assert given.report_.features_total == expected.report_.features_total
        files.append(Path(texts.arpa).read_bytes())
    assert files[0] == files[1] == files[2]
    found = LanguageModel.from_arpa(texts.arpa)
    assert found.n_ngrams_ == expected.n_ngrams_
    for ours, theirs in zip(
        found.log_probs(texts.sentences), expected.log_probs(texts.sentences), strict=True
    ):
        assert ours == pytest.approx(theirs, abs=2e-6)


def test_files_without_words_leave_nothing_behind(texts: Texts) -> None:
    Path(texts.paths[1]).write_text("\n \n")
    with pytest.raises(InputError, match=r"b\.txt: holds no words"):
        write_kneser_ney(texts.paths, texts.arpa, KneserNey())
    assert not Path(texts.arpa).exists()


@pytest.mark.slow
def test_on_the_command_line(texts: Texts) -> None:
    command = ("train", "lm", *texts.paths, "--learner", "kneser-ney", "--memory", "1M")
    found = result_of(*command, "--arpa", texts.arpa, "--order", "3")
    assert found["sentences"] == 300 and [row["order"] for row in found["orders"]] == [1, 2, 3]
    assert result_of("evaluate", texts.arpa, texts.paths[0])["ngrams"] == found["features_total"]
    for options in ([], ["--arpa", texts.arpa, "-o", texts.arpa + "x"]):
        refused(texts, "it goes with --arpa, without -o", *command, *options)
    refused(texts, "takes a number of bytes", *command[:-1], "much")
