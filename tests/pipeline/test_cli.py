"""Commands of pipelines as people run them."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import refused, result_of, run
from pipeline_treebanks import treebank_text

from laconic.pipeline import inputs
from laconic.text.conllu_files import parse_conllu

pytestmark = pytest.mark.slow


class Files:
    """The files of a test by their names, as commands take them."""

    def __init__(self, folder: Path):
        self.folder = folder

    def __truediv__(self, name: str) -> str:
        return str(self.folder / name)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    files = Files(tmp_path_factory.mktemp("pipeline"))
    folder = files.folder
    (folder / "train.conllu").write_text(treebank_text(60))
    (folder / "gold.conllu").write_text(treebank_text(15, seed=1))
    (folder / "text").write_text("Nora painted the lamp. Ivo won't need the birds?\n\nMira\n")
    (folder / "lines").write_text("Nora painted the lamp.\nIvo won't need the birds?\n")
    (folder / "tokens").write_text("Nora\npainted\n\nIvo\nwon't\n")
    assert run("train", "text", files / "train.conllu", "-o", files / "m").exit_code == 0
    return files


def test_a_file_is_evaluated_from_raw_text_and_from_words(files):
    for option in ([], ["--raw"]):
        found = result_of("evaluate", files / "m", files / "gold.conllu", *option)
        assert found["upos"] == found["las"] == found["blex"] == 1
        assert ("tokens" in found) == bool(option)


@pytest.mark.parametrize(
    ("name", "option", "n"),
    [("text", [], 3), ("lines", ["--sentences"], 2), ("tokens", ["--tokens"], 2)],
)
def test_each_kind_of_input_is_annotated(files, name, option, n):
    text = run("predict", files / "m", files / name, *option).stdout
    found = parse_conllu(text, trees=True)
    assert len(found) == n
    assert set(found.words(3)) <= {"PROPN", "VERB", "DET", "NOUN", "PUNCT", "AUX", "PART"}


def test_columns_of_conllu_are_filled_in(files):
    given = Path(files / "gold.conllu").read_text()
    assert run("predict", files / "m", files / "gold.conllu").stdout == given


def test_long_texts_are_read_in_parts(files, monkeypatch):
    import laconic

    model = laconic.load(files / "m")
    line = "Nora painted the lamp. Ivo won't need the birds?\n"
    whole = model.predict([line * 20]).to_text()
    monkeypatch.setattr(inputs, "MOST_CHARACTERS", 120)
    parts = list(inputs.annotated(model, [line] * 20, "text"))
    assert len(parts) > 5
    assert "".join(part.to_text() for part in parts) == whole


def test_parts_may_be_left_out_and_are_shown(files):
    run("train", "text", files / "train.conllu", "--no-parse", "--no-lemmas", "-o", files / "some")
    found = result_of("inspect", files / "some")
    assert [part["part"] for part in found["parts"]] == [
        "segment",
        "sentences",
        "split",
        "upos",
        "morphology",
    ]
    scores = result_of("evaluate", files / "some", files / "gold.conllu")
    assert "upos" in scores
    assert not {"lemmas", "las"} & scores.keys()


def test_a_page_shows_every_part(files):
    assert run("report", files / "m", "-o", files / "m.html").exit_code == 0
    page = Path(files / "m.html").read_text()
    for title in ("Tokens", "Sentences", "Multiword tokens", "Heads and relations", "suffix3[0]"):
        assert title in page


def test_few_values_are_enough_for_regular_sentences(files):
    gold = files / "gold.conllu"
    found = result_of("compress", files / "m", "-o", files / "tiny", "--dev", gold)
    assert found["bytes"] < found["bytes_before"]
    assert max(part["distinct"] for part in found["parts"]) <= 8
    assert found["dev"]["las"] > 0.95
    assert result_of("evaluate", files / "tiny", gold, "--raw")["las"] == found["dev"]["las"]
    refused(files, "--data", "compress", files / "m", "-o", files / "no", "--data", gold)


def test_mistakes_are_one_sentence(files):
    everything = ["--no-segment", "--no-tags", "--no-lemmas", "--no-parse"]
    train = ("train", "text", files / "train.conllu")
    refused(files, "nothing is left to learn", *train, *everything)
    both = ("--tokens", "--sentences")
    refused(files, "give one of them", "predict", files / "m", files / "text", *both)
    refused(files, "10 columns", "train", "text", files / "text")
