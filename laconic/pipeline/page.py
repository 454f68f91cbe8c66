"""A page about one pipeline: its parts, what each kept, and its strongest templates."""

from __future__ import annotations

from sklearn.utils.validation import check_is_fitted

from laconic.parse.explain import kept_templates as kept_by_parser
from laconic.pipeline.predict import PipelinePart, PipelinePredictor, parts_of
from laconic.report.html import bar_cards, facts, page, section, text
from laconic.tag.explain import kept_templates as kept_by_tagger
from laconic.tag.predict import TagPredictor
from laconic.text.io import PathLike, atomic_writer

N_TEMPLATES = 12
TITLES = {
    "segment": "Tokens",
    "sentences": "Sentences",
    "split": "Multiword tokens",
    "upos": "Parts of speech",
    "morphology": "UPOS, XPOS and FEATS together",
    "lemma": "Lemmas of unknown forms",
    "parse": "Heads and relations",
}


def write_pipeline_report(model: PipelinePredictor, path: PathLike) -> None:
    """Write one self-contained HTML page about a fitted pipeline."""
    check_is_fitted(model)
    parts = list(parts_of(model))
    rows = [(TITLES[name], f"{part.weights_.n_nonzero:,}", _labels(part)) for name, part in parts]
    lead = "From raw text to CoNLL-U. Each part learned from what the one before it predicts."
    title = f"A pipeline of {len(rows)} parts"
    note = "The templates of each part with the longest vectors of weights, and their lengths."
    cards = bar_cards({TITLES[name]: _strongest(part) for name, part in parts}, "None.")
    body = f'<h1>{title}</h1>\n<p class="lead">{text(lead)}</p>\n{facts(rows)}'
    with atomic_writer(path) as stream:
        stream.write(page(f"laconic: {title}", f"{body}\n{section('Templates', note, cards)}"))


def _labels(part: PipelinePart) -> str:
    return f"weights, {len(part.classes_)} labels" if isinstance(part, TagPredictor) else "weights"


def _strongest(part: PipelinePart) -> list[tuple[str, float]]:
    """Return the templates with the longest vectors of weights."""
    if isinstance(part, TagPredictor):
        return [(row.template, row.norm) for row in kept_by_tagger(part)[:N_TEMPLATES]]
    return [(row.template, row.norm) for row in kept_by_parser(part)[:N_TEMPLATES]]
