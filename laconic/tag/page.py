"""A page about one tagger: templates kept and dropped, weights held, features, label bigrams."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sklearn.utils.validation import check_is_fitted

from laconic.core.report import passes_of
from laconic.report.html import bar_cards, facts, page, section, text
from laconic.report.templates import held_section, templates_section
from laconic.tag.explain import (
    BigramRow,
    dropped_templates,
    kept_templates,
    label_bigrams,
    top_features,
)
from laconic.tag.predict import TagPredictor
from laconic.text.io import PathLike, atomic_writer

N_FEATURES = 10  # strongest features per label
N_BIGRAMS = 12


def write_tag_report(model: TagPredictor, path: PathLike) -> None:
    """Write one self-contained HTML page about a fitted tagger."""
    check_is_fitted(model)
    rows = [(row.template, row.features, row.weights, row.norm) for row in kept_templates(model)]
    parts = [
        _heading(model),
        _facts(model),
        templates_section(rows, dropped_templates(model)),
        held_section(passes_of(model.trace_)),
    ]
    parts += [_features(model), _bigrams(model)]
    with atomic_writer(path) as stream:
        stream.write(page(f"laconic: {_title(model)}", "\n".join(parts)))


def _title(model: TagPredictor) -> str:
    return f"a tagger with {len(model.templates_)} templates and {len(model.classes_)} labels"


def _heading(model: TagPredictor) -> str:
    names = model.classes_.tolist()
    shown = ", ".join(names[:30]) + (f" and {len(names) - 30} more" if len(names) > 30 else "")
    lead = f"From {', '.join(model.columns_)} to {shown}. Learned by {model.report_.learner}"
    return f'<h1>{text(_title(model).capitalize())}</h1>\n<p class="lead">{text(lead)}.</p>'


def _facts(model: TagPredictor) -> str:
    kept, total = model.n_features_selected_, model.n_features_total_
    rows = [
        ("weights", f"{kept:,}", f"of {total:,} ({kept / max(1, total):.1%})"),
        ("templates kept", f"{len(model.templates_):,}", f"of {len(model.templates_given_):,}"),
        ("distinct weights", f"{model.weights_.n_distinct:,}", "degrees of freedom"),
    ]
    learned_in = "" if model.scheme_ == model.given_scheme_ else f"learned as {model.scheme_}"
    rows.append(("labels are", model.given_scheme_, learned_in))
    if np.isfinite(model.objective_):
        rows.append(
            ("objective", f"{model.objective_:.6g}", f"certificate {model.certificate_:.1e}")
        )
    if model.interrupted_:
        rows.append(("training", "interrupted", ""))
    return facts(rows)


def _features(model: TagPredictor) -> str:
    note = (
        "What a feature adds to the score of a label; all bars have one scale. "
        "_B-1 lies before the sentence, _B+1 after it."
    )
    cards = bar_cards(top_features(model, N_FEATURES), "No feature speaks for it.")
    return section("Strongest features", note, f'<div class="features">{cards}</div>')


def _bigrams(model: TagPredictor) -> str:
    likely, unlikely = label_bigrams(model, N_BIGRAMS)
    cards = _bigram_card("Largest weights", likely) + _bigram_card("Smallest weights", unlikely)
    return section(
        "Label bigrams", "The weight of a label after another.", f'<div class="cards">{cards}</div>'
    )


def _bigram_card(title: str, rows: Sequence[BigramRow]) -> str:
    lines = "".join(
        f"<tr><td>{text(row.before)}</td><td>{text(row.label)}</td>"
        f'<td class="number">{f"{row.weight:+.3f}".replace("-", "−")}</td></tr>'
        for row in rows
    )
    head = '<tr><th>after</th><th>label</th><th class="number">weight</th></tr>'
    table = (
        f"<table><thead>{head}</thead><tbody>{lines}</tbody></table>"
        if rows
        else '<p class="empty">None.</p>'
    )
    return f'<section class="card"><h3>{title}</h3>{table}</section>'
