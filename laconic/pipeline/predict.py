"""What a fitted pipeline does with raw text, and with sentences whose words are known."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias, TypeVar, cast

import numpy as np

from laconic.core.report import Reported
from laconic.models.loaded import check_fitted
from laconic.models.save import Saved
from laconic.parse.predict import ParsePredictor
from laconic.pipeline.doc import Doc
from laconic.pipeline.lemmas import Lemmatizer
from laconic.pipeline.segment import Segmenter, Segments
from laconic.pipeline.splits import Splitter
from laconic.pipeline.tags import Tags, WordTags
from laconic.text.conllu import DEPREL, FEATS, FORM, HEAD, LEMMA, UPOS, XPOS, Conllu, conllu_of
from laconic.text.token_columns import TokenColumns
from laconic.text.treebanks import COLUMNS, NOTHING

if TYPE_CHECKING:
    from laconic.parse.compact import CompactParser
    from laconic.parse.model import Parser
    from laconic.tag.compact import CompactTagger
    from laconic.tag.model import Tagger

PipelinePart: TypeAlias = "Tagger | CompactTagger | Parser | CompactParser"


class PipelinePredictor(Reported, Saved):
    """The parameters of a pipeline (see Pipeline), and what it does once it is fitted."""

    segmenter_: Segmenter | None
    splitter_: Splitter | None
    tags_: WordTags | None
    lemmatizer_: Lemmatizer | None
    parser_: Parser | CompactParser | None

    def __init__(
        self,
        segment: bool = True,
        tags: bool = True,
        lemmas: bool = True,
        parse: bool = True,
        keep: float = 0.3,
        n_jobs: int | None = None,
    ):
        self.segment = segment
        self.tags = tags
        self.lemmas = lemmas
        self.parse = parse
        self.keep = keep
        self.n_jobs = n_jobs

    def __call__(self, text: str) -> Doc:
        """Return the sentences of one raw text as a Doc; see `predict`."""
        return Doc(self.predict([text]))

    def predict(self, texts: Sequence[str]) -> Conllu:
        """Return the annotated sentences of raw texts.

        Parameters
        ----------
        texts : list of str
            Raw texts; a sentence ends where its text does, and at blank lines.

        Returns
        -------
        Conllu
            The sentences of all texts.
        """
        return self.annotate(self.segmented(texts))

    def segmented(self, texts: Sequence[str]) -> Conllu:
        """Return the sentences of raw texts with their words, without annotation."""
        check_fitted(self)
        if self.segmenter_ is None:
            raise ValueError("this pipeline was trained without segmentation: give it sentences")
        paragraphs = [part for text in texts for part in paragraphs_of(text)]
        return self._with_words(self.segmenter_.segment(paragraphs))

    def sentences(self, lines: Sequence[str]) -> Conllu:
        """Return the words of sentences, one per line, without annotation."""
        check_fitted(self)
        if self.segmenter_ is None:
            raise ValueError("this pipeline was trained without segmentation: give it tokens")
        found = self.segmenter_.segment([line for line in lines if line.strip()])
        return self._with_words(found._replace(ptr=found.ptr[found.paragraphs]))

    def tokenized(self, sentences: Sequence[Sequence[str]]) -> Conllu:
        """Return the words of sentences whose tokens are known, without annotation."""
        check_fitted(self)
        given = TokenColumns.from_sentences(sentences, ("word",))
        tokens = list(given.values[0])
        everyone = np.arange(len(given) + 1)
        return self._with_words(Segments(tokens, np.ones(len(tokens), bool), given.ptr, everyone))

    def annotate(self, sentences: Conllu) -> Conllu:
        """Return sentences with tags, lemmas, heads and relations as predicted.

        Parameters
        ----------
        sentences : Conllu
            Sentences with words; comments, multiword tokens, empty nodes and MISC stay as they are,
            and so do the columns of the parts that the pipeline does not have.
        """
        check_fitted(self)
        if not len(sentences):
            return sentences
        self._share_jobs()
        columns: dict[int, Sequence[str]] = {}
        words = word_columns(sentences)
        tags = Tags(*map(sentences.words, (UPOS, XPOS, FEATS)))
        if self.tags_ is not None:
            tags = self.tags_.predict(words)
            columns |= zip((UPOS, XPOS, FEATS), tags, strict=True)
        lemmas = sentences.words(LEMMA)
        if self.lemmatizer_ is not None:
            lemmas = columns[LEMMA] = self.lemmatizer_.predict(list(words.values[0]), tags)
        if self.parser_ is not None:
            heads, relations = self.parser_.parse(parser_columns(words, lemmas, tags))
            columns[HEAD] = list(map(str, heads.tolist()))
            if relations is not None:
                columns[DEPREL] = relations
        return sentences.with_words(columns)

    def _share_jobs(self) -> None:
        """Let all parts use as many threads as the pipeline."""
        for _, part in parts_of(self):
            part.n_jobs = self.n_jobs
            if isinstance(part, ParsePredictor) and part.labeler_ is not None:
                part.labeler_.tagger_.n_jobs = self.n_jobs

    def _with_words(self, found: Segments) -> Conllu:
        """Return sentences of tokens, multiword tokens split, with their texts as comments."""
        self._share_jobs()
        words, word_ptr = found.tokens, np.arange(len(found.tokens) + 1)
        if self.splitter_ is not None:
            words, word_ptr = self.splitter_.split(found.tokens, found.ptr)
        made = conllu_of(found.tokens, words, word_ptr, found.ptr, found.space_after)
        before = [[f"# text = {text}"] for text in made.texts()]
        for first in np.unique(found.paragraphs[:-1]).tolist():
            if first < len(before):
                before[first].insert(0, "# newpar")
        return replace(made, before=before)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "parser_")


def parts_of(
    model: PipelinePredictor,
) -> Iterator[tuple[str, PipelinePart]]:
    """Yield the taggers and the parser of a fitted pipeline with their names, in order of work."""
    segmenter, splitter, tags, lemmas = (
        model.segmenter_,
        model.splitter_,
        model.tags_,
        model.lemmatizer_,
    )
    found = {
        "segment": None if segmenter is None else segmenter.tagger_,
        "sentences": None if segmenter is None else segmenter.sentence_tagger_,
        "split": None if splitter is None else splitter.tagger_,
        "upos": None if tags is None else tags.upos_,
        "morphology": None if tags is None else tags.morphology_,
        "lemma": None if lemmas is None else lemmas.tagger_,
        "parse": model.parser_,
    }
    yield from ((name, part) for name, part in found.items() if part is not None)


Piped = TypeVar("Piped", bound=PipelinePredictor)
Holder = TypeVar("Holder")


def changed(holder: Holder, change: Callable[[PipelinePart], PipelinePart]) -> Holder:
    """Return a copy of what holds taggers, these changed; of None, None."""
    found = copy.copy(holder)
    for held in ("tagger_", "sentence_tagger_", "upos_", "morphology_"):
        if getattr(found, held, None) is not None:
            setattr(found, held, change(getattr(found, held)))
    return found


def with_parts(
    given: PipelinePredictor, to: Piped, change: Callable[[PipelinePart], PipelinePart]
) -> Piped:
    """Give a model the parts of another one, its taggers and its parser changed."""
    to.report_ = given.report_
    for name in ("segmenter_", "splitter_", "tags_", "lemmatizer_"):
        setattr(to, name, changed(getattr(given, name), change))
    parser = None if given.parser_ is None else change(given.parser_)
    to.parser_ = cast("Parser | CompactParser | None", parser)
    return to


def word_columns(sentences: Conllu) -> TokenColumns:
    """Return the words of sentences as the one column of a tagger."""
    return TokenColumns(("word",), [sentences.words(FORM)], sentences.word_ptr)


def parser_columns(words: TokenColumns, lemmas: Sequence[str], tags: Tags) -> TokenColumns:
    """Return the columns that a parser reads; without XPOS, UPOS stands in its place."""
    fine = tags.upos if set(tags.xpos) == {NOTHING} else tags.xpos
    return TokenColumns(COLUMNS, [words.values[0], lemmas, tags.upos, fine, tags.feats], words.ptr)


def paragraphs_of(text: str) -> list[str]:
    """Return the parts of a text between blank lines."""
    parts: list[list[str]] = [[]]
    for line in text.splitlines():
        if line.strip():
            parts[-1].append(line)
        elif parts[-1]:
            parts.append([])
    return ["\n".join(part) for part in parts if part]
