"""How the parts of a pipeline are learned, each from what the one before it predicts."""

from __future__ import annotations

from dataclasses import replace

from laconic.core.report import Callback, Event
from laconic.core.solvers.online import Mira
from laconic.parse.model import Parser
from laconic.pipeline.lemmas import Lemmatizer
from laconic.pipeline.predict import (
    PipelinePart,
    PipelinePredictor,
    changed,
    parser_columns,
    word_columns,
)
from laconic.pipeline.segment import Segmenter
from laconic.pipeline.splits import Splitter
from laconic.pipeline.tags import Tags, WordTags
from laconic.pipeline.trimming import trimmed
from laconic.text.conllu import DEPREL, FEATS, FORM, LEMMA, UPOS, XPOS, Conllu
from laconic.text.treebanks import Treebank

# What the parser predicts with: half the usual heads per word give trees as good in half the time.
# It learns with the usual number.
PRUNE, MOST_HEADS = 1e-3, 6


def learn_parts(model: PipelinePredictor, sentences: Conllu, callback: Callback | None) -> None:
    """Learn the parts that the parameters of a model name, and set them.

    Tags and lemmas that the parser learns from are such as the model predicts for other sentences.
    """
    words = word_columns(sentences)
    forms, n_jobs = sentences.words(FORM), model.n_jobs

    def small(part: PipelinePart) -> PipelinePart:
        return trimmed(part, model.keep)

    # Each part is trimmed as soon as it is learned: whole ones are the most of the memory.
    model.segmenter_ = model.splitter_ = model.tags_ = model.lemmatizer_ = model.parser_ = None
    if model.segment:
        segmenter = Segmenter(n_jobs).fit(sentences, _named(callback, "segmentation"))
        model.segmenter_ = changed(segmenter, small)
        splitter = Splitter(n_jobs).fit(sentences, _named(callback, "words"))
        model.splitter_ = changed(splitter, small)
    gold = predicted = Tags(*map(sentences.words, (UPOS, XPOS, FEATS)))
    if model.tags:
        tags = WordTags(n_jobs)
        wanted = model.lemmas or model.parse
        predicted = tags.fit_crossed(words, gold, _named(callback, "tags"), wanted)
        model.tags_ = changed(tags, small)
    lemmas = sentences.words(LEMMA)
    if model.lemmas:
        lemmatizer = Lemmatizer(n_jobs)
        lemmatizer.fit(forms, gold, lemmas, predicted, _named(callback, "lemmas"))
        model.lemmatizer_ = changed(lemmatizer, small)
        lemmas = lemmatizer.predict(forms, predicted)
    if model.parse:
        parser = Parser("carreras", learner=Mira(), n_jobs=n_jobs)
        bank = Treebank(
            parser_columns(words, lemmas, predicted), sentences.heads(), sentences.words(DEPREL)
        )
        parser.fit(bank, callback=_named(callback, "trees"))
        parser.set_params(prune=PRUNE, most_heads=MOST_HEADS)
        found = trimmed(parser, model.keep)
        assert isinstance(found, Parser)
        model.parser_ = found


def _named(callback: Callback | None, part: str) -> Callback | None:
    """Return a callback that tells another one which part of a pipeline an event is of."""
    if callback is None:
        return None

    def named(event: Event) -> bool | None:
        return callback(replace(event, stage=f"{part}, {event.stage}"))

    return named
