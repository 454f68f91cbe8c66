"""Pipelines learn regular sentences by heart, and say alike what they learned from a file."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from pipeline_treebanks import treebank, treebank_text
from sklearn.base import clone

import laconic
from laconic import Pipeline
from laconic.pipeline.segment import raw_text
from laconic.pipeline.shared_task import shared_task_scores
from laconic.text.conllu import FORM, LEMMA, MISC, UPOS
from laconic.text.conllu_files import parse_conllu


@pytest.fixture(scope="module")
def fitted():
    return Pipeline().fit(treebank(60))


def test_regular_sentences_come_back_from_their_raw_text(fitted):
    gold = treebank(30, seed=1)
    found = fitted.predict(raw_text(gold).paragraphs)
    assert {
        key: score.f1 for key, score in shared_task_scores(gold, found).items()
    } == dict.fromkeys(shared_task_scores(gold, gold), 1.0)


def test_what_is_known_of_sentences_stays(fitted):
    gold = parse_conllu(treebank_text(3).replace("# newpar", "# newpar\n# source = a book"))
    blank = gold.with_words({UPOS: ["_"] * len(gold.word_rows), LEMMA: ["_"] * len(gold.word_rows)})
    assert fitted.annotate(blank).to_text() == gold.to_text()


def test_sentences_and_tokens_may_be_given(fitted):
    lines = ["Nora painted the lamp.", "Ivo won't follow the rivers?"]
    found = fitted.annotate(fitted.sentences(lines))
    assert found.texts() == lines
    tokens = [["Nora", "painted", "the", "lamp", "."], ["Ivo", "won't", "need", "the", "bird", "?"]]
    words = fitted.tokenized(tokens)
    assert words.words(FORM) == [*tokens[0], "Ivo", "wo", "n't", "need", "the", "bird", "?"]
    assert "SpaceAfter=No" not in words.fields[MISC]


@pytest.mark.parametrize("text", ["", " \n\n ", "\n"])
def test_a_text_without_words_has_no_sentences(fitted, text):
    assert len(fitted.predict([text])) == 0
    assert len(fitted.predict([])) == 0


def test_blanks_and_line_ends_are_blanks(fitted):
    found = fitted.predict(["Nora  painted\nthe \t lamp.\nOtto needed the bird?"])
    assert found.texts() == ["Nora painted the lamp.", "Otto needed the bird?"]


def test_strange_text_is_annotated_too(fitted):
    text = "Ünknown wörds\x00 😀 12:30 \u200d http://x.y/z 你好。"
    found = fitted.predict([text])
    assert "".join(found.texts()).replace(" ", "") == text.replace(" ", "").replace("\x00", "")


@pytest.mark.parametrize("part", ["segment", "tags", "lemmas", "parse"])
def test_each_part_may_be_left_out(part, tmp_path):
    gold = treebank(12)
    model = Pipeline(**{part: False}).fit(gold)
    model.save(tmp_path / "m")
    read = laconic.load(tmp_path / "m")
    found = read.annotate(gold)
    assert found.to_text() == model.annotate(gold).to_text()
    if part == "segment":
        with pytest.raises(ValueError, match="without segmentation"):
            read.predict(["Nora"])


def test_a_file_says_the_same(fitted, tmp_path):
    text = raw_text(treebank(20, seed=2)).paragraphs
    wanted = fitted.predict(text).to_text()
    fitted.save(tmp_path / "m")
    read = laconic.load(tmp_path / "m")
    assert read.predict(text).to_text() == wanted
    assert read.plain().predict(text).to_text() == wanted
    assert read.report_.features_kept == fitted.report_.features_kept
    assert read.report_.learner == fitted.report_.learner
    laconic.save_compact(fitted, tmp_path / "small", names=False)
    assert laconic.load(tmp_path / "small").predict(text).to_text() == wanted
    for model in (fitted, read):
        assert pickle.loads(pickle.dumps(model)).predict(text).to_text() == wanted


def test_fits_are_alike_and_clones_are_not_fitted(fitted):
    again = clone(fitted)
    assert not hasattr(again, "parser_")
    text = ["Mira won't watch the gardens."]
    assert again.fit(treebank(60)).predict(text).to_text() == fitted.predict(text).to_text()


def test_a_file_of_one_sentence_is_enough(tmp_path):
    path = tmp_path / "one.conllu"
    path.write_text(treebank_text(1))
    with pytest.warns(UserWarning):
        model = Pipeline().fit(path)
    assert len(model.predict(["Mira painted the lamp."])) == 1


def test_events_name_the_part():
    stages = []
    Pipeline().fit(treebank(8), callback=lambda event: stages.append(event.stage))
    parts = list(dict.fromkeys(stage.partition(",")[0] for stage in stages))
    assert parts == ["segmentation", "words", "tags", "lemmas", "trees"]


def test_threads_change_nothing(fitted):
    text = raw_text(treebank(40, seed=3)).paragraphs
    wanted = fitted.predict(text).to_text()
    try:
        assert fitted.set_params(n_jobs=2).predict(text).to_text() == wanted
    finally:
        fitted.set_params(n_jobs=None)


@pytest.mark.slow
def test_real_text_is_read_well(data):
    from laconic.text.conllu_files import read_conllu

    folder = data / "ud_raw" / "Tamil-TTB"
    model = Pipeline(parse=False).fit(folder / "train.conllu.gz")
    gold = read_conllu(folder / "dev.conllu.gz")
    found = model.predict(raw_text(gold).paragraphs)
    scores = shared_task_scores(gold, found)
    assert scores["tokens"].f1 > 0.98
    assert scores["words"].f1 > 0.91
    assert scores["upos"].f1 > 0.76
    assert np.mean(np.diff(found.word_ptr)) > 10
