"""The component of spaCy, with a model whose answers are rules, and with one that was learned."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pipeline_treebanks import treebank

from laconic import Pipeline
from laconic.core.ragged import pointers
from laconic.text.conllu import DEPREL, FEATS, FORM, HEAD, LEMMA, UPOS, XPOS, Conllu, conllu_of

spacy = pytest.importorskip("spacy", reason="spaCy is not installed: pip install laconic[spacy]")

from laconic.pipeline import spacy_component  # noqa: E402 - which imports spaCy


class Rules:
    """Words of letters or single signs; a sentence ends at a full stop; `won't` and `zum` are two.

    Every word hangs on the one before it, the first of a sentence on none.
    """

    segmenter_ = "rules"
    parse = True
    parts = {"won't": ["wo", "n't"], "zum": ["zu", "dem"]}  # noqa: RUF012 - never written to

    def segmented(self, texts: Sequence[str]) -> Conllu:
        sentences = [
            re.findall(r"[\w']+|[^\w\s]", part)
            for text in texts
            for part in re.findall(r"[^.]+\.?", text)
            if part.strip()
        ]
        return self.tokenized(sentences)

    def tokenized(self, sentences: Sequence[Sequence[str]]) -> Conllu:
        tokens = [token for sentence in sentences for token in sentence]
        words = [self.parts.get(token, [token]) for token in tokens]
        flat = [word for part in words for word in part]
        space = np.ones(len(tokens), bool)
        return conllu_of(
            tokens, flat, pointers(map(len, words)), pointers(map(len, sentences)), space
        )

    def annotate(self, found: Conllu) -> Conllu:
        words = found.words(FORM)
        place = np.arange(len(words)) - np.repeat(found.word_ptr[:-1], np.diff(found.word_ptr))
        columns: dict[int, Sequence[str]] = {
            LEMMA: [word.lower() for word in words],
            UPOS: ["VERB" if word[0].isalpha() else "ODD" for word in words],
            XPOS: ["_" for _ in words],
            FEATS: ["Number=Sing|Case=Nom" if word.istitle() else "_" for word in words],
        }
        if self.parse:
            columns[HEAD] = [str(p) for p in place]
            columns[DEPREL] = ["root" if p == 0 else "dep" for p in place]
        return found.with_words(columns)


def pipeline(model: Any, **config: Any) -> Any:
    nlp = spacy.blank("xx")
    nlp.add_pipe("laconic", config=config)
    nlp.get_pipe("laconic")._loaded = model
    return nlp


def test_spacys_own_tokens_are_filled_in() -> None:
    doc = pipeline(Rules())("Mira  sings. Ivo won't.")
    assert [token.text for token in doc] == ["Mira", " ", "sings", ".", "Ivo", "won't", "."]
    assert [token.lemma_ for token in doc] == ["mira", "", "sings", ".", "ivo", "wo", "."]
    assert [token.pos_ for token in doc] == ["VERB", "SPACE", "VERB", "X", "VERB", "VERB", "X"]
    assert str(doc[0].morph) == "Case=Nom|Number=Sing" and not str(doc[2].morph)
    assert [token.head.i for token in doc] == [0, 0, 0, 2, 4, 4, 5]
    assert [token.dep_ for token in doc] == ["root", *["dep"] * 3, "root", "dep", "dep"]
    assert [sentence.text for sentence in doc.sents] == ["Mira  sings.", "Ivo won't."]
    assert doc.text == "Mira  sings. Ivo won't."


def test_the_models_tokens_replace_spacys() -> None:
    doc = pipeline(Rules(), tokens=True)("Mira won't  go\nzum See. Ja.")
    assert doc.text == "Mira won't  go\nzum See. Ja."
    written = [token for token in doc if not token.is_space]
    assert " ".join(token.text for token in written) == "Mira wo n't go zum See . Ja ."
    heads = " ".join(token.head.text for token in written)
    assert heads == "Mira Mira wo n't go zum See Ja Ja"
    assert [sentence.text for sentence in doc.sents] == ["Mira won't  go\nzum See.", "Ja."]


def test_sentences_of_an_earlier_component_stay() -> None:
    nlp = pipeline(Rules())

    def every_second(doc: Any) -> Any:
        for token in doc:
            token.is_sent_start = token.i % 2 == 0
        return doc

    spacy.language.Language.component("every_second", func=every_second)
    nlp.add_pipe("every_second", first=True)
    assert [sentence.text for sentence in nlp("aa bb. cc dd").sents] == ["aa bb", ". cc", "dd"]


def test_without_trees_sentences_are_marked() -> None:
    model = Rules()
    model.parse = False
    doc = pipeline(model)(" Mira sings. Ivo.")
    assert [sentence.text for sentence in doc.sents] == [" Mira sings.", "Ivo."]
    assert not doc.has_annotation("DEP") and doc[1].pos_ == "VERB"


@pytest.mark.parametrize("tokens", [False, True])
def test_batches_and_single_documents_agree(tokens: bool) -> None:
    nlp = pipeline(Rules(), tokens=tokens)
    texts = ["Mira won't go.", "", "  ", "Ja. Nein.", "\n\nx"]
    for one, many in zip(map(nlp, texts), nlp.pipe(texts, batch_size=2), strict=True):
        assert one.text == many.text
        assert [(t.text, t.head.i, t.pos_) for t in one] == [
            (t.text, t.head.i, t.pos_) for t in many
        ]


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    nlp = spacy.blank("xx")
    nlp.add_pipe("laconic")
    with pytest.raises(ValueError, match="has no model: give its file"):
        nlp("x")
    other = spacy.blank("xx")
    other.add_pipe("laconic", config={"model": str(tmp_path / "absent")})
    with pytest.raises(Exception, match="absent"):
        other("x")


def test_the_entry_point_names_the_factory() -> None:
    project = (Path(__file__).resolve().parents[2] / "pyproject.toml").read_text("utf-8")
    assert 'laconic = "laconic.pipeline.spacy_component:make"' in project
    assert spacy.language.Language.has_factory("laconic")
    assert callable(spacy_component.make)


def test_a_learned_pipeline_from_its_file(tmp_path: Path) -> None:
    """What spaCy's documents hold is what the model says, and a folder of spaCy keeps the model."""
    model = Pipeline().fit(treebank(60))
    path = tmp_path / "small.laconic"
    model.save(str(path))
    text = "Mira won't paint the birds. Otto followed the river?"
    nlp = spacy.blank("xx")
    nlp.add_pipe("laconic", config={"model": str(path), "tokens": True})
    doc, found = nlp(text), model(text)
    assert [token.text for token in doc if not token.is_space] == [
        part
        for token in found[0].tokens + found[1].tokens
        for part in (
            [word.form for word in token.words]
            if "".join(word.form for word in token.words) == token.text
            else [token.text]
        )
    ]
    assert [token.pos_ for token in doc] == [word.upos for word in found.words]
    assert [token.lemma_ for token in doc] == [word.lemma for word in found.words]
    nlp.to_disk(tmp_path / "spacy")
    path.unlink()
    again = spacy.load(tmp_path / "spacy")(text)
    assert again.to_json() == doc.to_json()
