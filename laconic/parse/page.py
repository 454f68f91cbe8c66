"""A page about one parser: templates kept and dropped, by family, weights held, features."""

from __future__ import annotations

from sklearn.utils.validation import check_is_fitted

from laconic.core.report import passes_of
from laconic.parse.explain import dropped_templates, families, kept_templates, parts, top_features
from laconic.parse.predict import ParsePredictor
from laconic.report.html import bar_cards, facts, page, section, text
from laconic.report.templates import held_section, learner_text, templates_section
from laconic.text.io import PathLike, atomic_writer

N_FEATURES = 15  # strongest features per kind of part, for and against
MOST_LABELS = 60


def write_parse_report(model: ParsePredictor, path: PathLike) -> None:
    """Write one self-contained HTML page about a fitted parser."""
    check_is_fitted(model)
    rows = [(row.template, row.features, row.features, row.norm) for row in kept_templates(model)]
    body = [
        _heading(model),
        _facts(model),
        _families(model),
        templates_section(rows, dropped_templates(model)),
    ]
    body += [held_section(passes_of(model.trace_)), _features(model)]
    with atomic_writer(path) as stream:
        stream.write(page(f"laconic: {_title(model)}", "\n".join(body)))


def _title(model: ParsePredictor) -> str:
    return f"a parser with {len(model.scorer_.templates)} templates of {model.model}"


def _heading(model: ParsePredictor) -> str:
    lead = f"From {', '.join(model.columns)} to trees. Learned by {learner_text(model.learner)}"
    if model.refit is not None:
        lead += f", refitted on the kept {model.refit_features} by {learner_text(model.refit)}"
    if model.labeler_ is not None:
        names = model.labeler_.tagger_.classes_.tolist()
        more = f" and {len(names) - MOST_LABELS} more" if len(names) > MOST_LABELS else ""
        lead += f". Labels: {', '.join(names[:MOST_LABELS])}{more}"
    return f'<h1>{text(_title(model).capitalize())}</h1>\n<p class="lead">{text(lead)}.</p>'


def _facts(model: ParsePredictor) -> str:
    kept, total = model.n_features_selected_, model.n_features_total_
    rows = [
        ("weights", f"{kept:,}", f"of {total:,} features ({kept / max(1, total):.1%})"),
        (
            "templates kept",
            f"{len(model.scorer_.templates):,}",
            f"of {len(model.templates_given_):,}",
        ),
        ("distinct weights", f"{model.weights_.n_distinct:,}", "degrees of freedom"),
        ("roots", "one" if model.shape_.single_root else "one or more", "of a sentence"),
        (
            "arcs",
            "may cross" if model.crossing else "projective",
            "" if model.crossing else "crossing ones are lifted and marked",
        ),
    ]
    if model.interrupted_:
        rows.append(("training", "interrupted", ""))
    return facts(rows)


def _families(model: ParsePredictor) -> str:
    head = (
        '<tr><th></th><th class="number">templates kept</th><th class="number">of</th>'
        '<th class="number">weights</th></tr>'
    )
    lines = [(row.part, row.kept, row.given, row.weights) for row in parts(model)]
    tables = []
    for title, rows in (("Kinds of parts", lines), ("Families", families(model))):
        body = "".join(
            f'<tr><td>{text(name)}</td><td class="number">{kept:,}</td>'
            f'<td class="number">{given:,}</td><td class="number">{weights:,}</td></tr>'
            for name, kept, given, weights in rows
        )
        tables.append(
            f'<section class="card"><h3>{title}</h3><table><thead>{head}</thead>'
            f"<tbody>{body}</tbody></table></section>"
        )
    note = "What the templates look at. A template may belong to several families."
    return section("Families of templates", note, f'<div class="cards">{"".join(tables)}</div>')


def _features(model: ParsePredictor) -> str:
    note = (
        "What a feature adds to the score of a tree that has the part; all bars have one scale. "
        "h is the head, m the modifier, s its sibling, g the head of h; left and right say where m "
        "stands. _B-1 lies before the sentence, _B+1 after it."
    )
    shown: dict[str, list[tuple[str, float]]] = {}
    for kind, rows in top_features(model, 2 * N_FEATURES).items():
        shown[f"{kind}: for it"] = [(row.feature, row.weight) for row in rows if row.weight > 0][
            :N_FEATURES
        ]
        shown[f"{kind}: against it"] = [
            (row.feature, -row.weight) for row in rows if row.weight < 0
        ][:N_FEATURES]
    return section(
        "Strongest features", note, f'<div class="features">{bar_cards(shown, "No feature.")}</div>'
    )
