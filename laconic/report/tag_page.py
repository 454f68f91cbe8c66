"""A page about one tagger: what it is, templates kept and dropped, weights held while it learned, features, label bigrams."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from laconic.estimators.tag import Tagger
from laconic.estimators.tag_explain import (
    BigramRow,
    TemplateRow,
    dropped_templates,
    kept_templates,
    label_bigrams,
    top_features,
)
from laconic.report.html import bar_cards, facts, page, section, text
from laconic.report.plots import held_lines
from laconic.text.io import PathLike, atomic_writer

N_FEATURES = 10  # strongest features a label
N_BIGRAMS = 12
MOST_DROPPED = 200  # names of dropped templates that are shown
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 960, 320, 64, 16, 14, 44  # pixels of the plot and its margins


def write_tag_report(model: Tagger, path: PathLike) -> None:
    """Write one self-contained HTML page about a fitted tagger."""
    check_is_fitted(model)
    parts = [_heading(model), _facts(model), _templates(model)]
    if any(epoch.held for epoch in model.trace_):
        parts.append(_held(model))
    parts += [_features(model), _bigrams(model)]
    with atomic_writer(path) as stream:
        stream.write(page(f"laconic: {_title(model)}", "\n".join(parts)))


def _title(model: Tagger) -> str:
    return f"a tagger with {len(model.templates_)} templates and {len(model.classes_)} labels"


def _heading(model: Tagger) -> str:
    names = model.classes_.tolist()
    shown = ", ".join(names[:30]) + (f" and {len(names) - 30} more" if len(names) > 30 else "")
    lead = f"From {', '.join(model.columns)} to {shown}. Learned by {_learner(model.learner)}"
    if model.refit is not None:
        lead += f", refitted on the kept {model.refit_features} by {_learner(model.refit)}"
    return f'<h1>{text(_title(model).capitalize())}</h1>\n<p class="lead">{text(lead)}.</p>'


def _learner(learner: Any) -> str:
    return "Mira()" if learner is None else " ".join(str(learner).split())


def _facts(model: Tagger) -> str:
    kept, total = model.n_features_selected_, model.n_features_total_
    rows = [
        ("weights", f"{kept:,}", f"of {total:,} ({kept / max(1, total):.1%})"),
        ("templates kept", f"{len(model.templates_):,}", f"of {len(model.templates_given_):,}"),
        ("distinct weights", f"{model.weights_.n_distinct:,}", "degrees of freedom"),
    ]
    learned_in = "" if model.scheme_ == model.given_scheme_ else f"learned as {model.scheme_}"
    rows.append(("labels are", model.given_scheme_, learned_in))
    if np.isfinite(model.objective_):
        rows.append(("objective", f"{model.objective_:.6g}", f"certificate {model.certificate_:.1e}"))
    if model.interrupted_:
        rows.append(("training", "interrupted", ""))
    return facts(rows)


def _templates(model: Tagger) -> str:
    kept, dropped = kept_templates(model), dropped_templates(model)
    longest = max((row.norm for row in kept), default=1.0)
    head = '<tr><th>template</th><th class="number">features</th><th class="number">weights</th><th></th><th class="number">norm</th></tr>'
    body = "".join(_template_line(row, longest) for row in kept)
    table = f'<table class="templates"><thead>{head}</thead><tbody>{body}</tbody></table>'
    more = [f"… {len(dropped) - MOST_DROPPED} more"] if len(dropped) > MOST_DROPPED else []
    names = "".join(f"<span>{text(name)}</span>" for name in [*dropped[:MOST_DROPPED], *more])
    lost = f'<p class="zero names">{names}</p>' if dropped else '<p class="empty">None.</p>'
    note = (
        f"Of {len(model.templates_given_):,} templates, {len(kept):,} have weights and {len(dropped):,} have none. "
        "The norm is the length of a template's vector of weights."
    )
    return section(
        "Templates kept and dropped",
        note,
        f'<section class="card">{table}</section><section class="card document"><h3>Dropped</h3>{lost}</section>',
    )


def _template_line(row: TemplateRow, longest: float) -> str:
    bar = f'<span class="bar" style="width:{100 * row.norm / longest:.1f}%"></span>'
    return (
        f'<tr><td>{text(row.template)}</td><td class="number">{row.features:,}</td><td class="number">{row.weights:,}</td>'
        f'<td class="wide">{bar}</td><td class="number">{row.norm:.3f}</td></tr>'
    )


def _held(model: Tagger) -> str:
    lines = held_lines(model.trace_)
    end = max(int(rounds.max()) for rounds, _ in lines) or 1
    most = max(int(held.max()) for _, held in lines) or 1
    note = f"Weights other than zero in memory after so many sentences; at most {most:,}."
    if len(lines) > 1:
        note += ' The <span class="key for">first</span> learner chose the templates, the <span class="key against">second</span> refitted.'
    ticks = [_tick(value, most, vertical=True) for value in _round_numbers(most)]
    ticks += [_tick(value, end, vertical=False) for value in _round_numbers(end)]
    drawn = []
    for step, (rounds, held) in enumerate(lines):
        x = LEFT + rounds / end * (WIDTH - LEFT - RIGHT)
        y = HEIGHT - BOTTOM - held / most * (HEIGHT - TOP - BOTTOM)
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x.tolist(), y.tolist(), strict=True))
        drawn.append(f'<polyline{" class=second" if step else ""} points="{points}"/>')
    axis = f'<path class="axis" d="M{LEFT} {HEIGHT - BOTTOM}H{WIDTH - RIGHT}"/>'
    label = f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 6}" text-anchor="middle">sentences seen</text>'
    svg = f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="Weights held by round">{"".join(ticks)}{axis}{label}{"".join(drawn)}</svg>'
    return section("Weights held while learning", note, f'<section class="card plot">{svg}</section>')


def _round_numbers(limit: int) -> list[int]:
    """Up to about six multiples of 1, 2 or 5 times a power of ten, from 0 to the limit."""
    step = 10 ** int(np.log10(limit))
    step = next((s for s in (step // 10 * 2, step // 2, step, 2 * step) if s >= 1 and limit / s <= 6), 2 * step)
    return list(range(0, limit + 1, step))


def _tick(value: int, limit: int, vertical: bool) -> str:
    shown = f"{value:,}"
    if vertical:
        y = HEIGHT - BOTTOM - value / limit * (HEIGHT - TOP - BOTTOM)
        line = f'<path class="grid" d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}"/>' if value else ""
        return f'{line}<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{shown}</text>'
    x = LEFT + value / limit * (WIDTH - LEFT - RIGHT)
    return f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 17}" text-anchor="middle">{shown}</text>'


def _features(model: Tagger) -> str:
    note = "What a feature adds to the score of a label; all bars have one scale. _B-1 lies before the sentence, _B+1 after it."
    cards = bar_cards(top_features(model, N_FEATURES), "No feature speaks for it.")
    return section("Strongest features", note, f'<div class="features">{cards}</div>')


def _bigrams(model: Tagger) -> str:
    likely, unlikely = label_bigrams(model, N_BIGRAMS)
    cards = _bigram_card("Largest weights", likely) + _bigram_card("Smallest weights", unlikely)
    return section("Label bigrams", "The weight of a label after another.", f'<div class="cards">{cards}</div>')


def _bigram_card(title: str, rows: Sequence[BigramRow]) -> str:
    lines = "".join(
        f'<tr><td>{text(row.before)}</td><td>{text(row.label)}</td><td class="number">{f"{row.weight:+.3f}".replace("-", "−")}</td></tr>'
        for row in rows
    )
    head = '<tr><th>after</th><th>label</th><th class="number">weight</th></tr>'
    table = f"<table><thead>{head}</thead><tbody>{lines}</tbody></table>" if rows else '<p class="empty">None.</p>'
    return f'<section class="card"><h3>{title}</h3>{table}</section>'
