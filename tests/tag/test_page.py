"""The page about a tagger, the plot of weights held, and the tables both are made of."""

from __future__ import annotations

import io
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from laconic import Crf, Mira, Sparseptron, Tagger
from laconic.report.plots import held_lines, plot_held
from laconic.report.templates import _round_numbers
from laconic.tag.explain import (
    BEGINNING,
    dropped_templates,
    kept_templates,
    label_bigrams,
    top_features,
)
from laconic.tag.page import write_tag_report
from laconic.text.patterns import parse_templates

SENTENCES = [
    [("<b>", "DT"), ("dog", "NN"), ("barks", "VBZ")],
    [("dogs", "NNS"), ("bark", "VBP"), ("&c", ".")],
] * 3
LABELS = [["B-NP", "I-NP", "B-VP"], ["B-NP", "B-VP", "O"]] * 3
TEMPLATES = "word[0]\npos[0]\npos[-1]|pos[0]\nshape[0]\npairs:pos[0]"


def fitted(templates: str = TEMPLATES, **parameters: object) -> Tagger:
    chosen = parse_templates(templates, ("word", "pos"))
    return Tagger(chosen, **{"learner": Sparseptron(2, every=2, epochs=2), **parameters}).fit(
        SENTENCES, LABELS
    )


class Tags(HTMLParser):
    """Names of all elements, and whether each that opens also closes."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.seen.add(tag)
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        self.seen.add(tag)


@pytest.mark.parametrize("refit", [None, Mira(2)])
def test_the_page_shows_what_was_kept(tmp_path: Path, refit: Mira | None) -> None:
    model = fitted(refit=refit)
    write_tag_report(model, tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text("utf-8")
    tags = Tags()
    tags.feed(page)
    assert tags.open == [] and "link" not in tags.seen
    assert page.count("<polyline") == (1 if refit is None else 2)
    assert all(name in page for name in (*model.templates_.names, *dropped_templates(model)))
    assert "<b>" not in page and f"{model.n_features_selected_:,}" in page


def test_a_model_without_a_trace_has_a_page_without_a_plot(tmp_path: Path) -> None:
    model = fitted(learner=Crf())
    write_tag_report(model, tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text("utf-8")
    assert "<polyline" not in page and "certificate" in page


def test_tables_agree_with_the_weights() -> None:
    model = fitted(learner=Mira(3))
    rows = kept_templates(model)
    assert sum(row.weights for row in rows) == sum(
        np.count_nonzero(part) for part in model.weights_.weights
    )
    assert [row.norm for row in rows] == sorted((row.norm for row in rows), reverse=True)
    names = model.get_feature_names_out().tolist()
    plain = [
        (t, part)
        for t, part in zip(model.templates_, model.weights_.weights, strict=True)
        if not t.pairs
    ]
    for k, (label, features) in enumerate(top_features(model, 100).items()):
        of_pairs = [row for row in features if row.feature.startswith("pairs:")]
        assert len(features) - len(of_pairs) == sum(
            int((part[:, k] > 0).sum()) for _, part in plain
        )
        assert {row.feature for row in features if row not in of_pairs} <= set(names)
        assert all(re.search(r" after \S+$", row.feature) for row in of_pairs)
        assert [row.weight for row in features] == sorted(
            (row.weight for row in features), reverse=True
        )
        assert top_features(model, 1)[label] == features[:1]
    assert all(rows == [] for rows in top_features(model, 0).values())


def test_bigrams_are_those_of_the_model() -> None:
    model = fitted(learner=Mira(3))
    likely, unlikely = label_bigrams(model, 100)
    labels = model.classes_.tolist()
    assert len(likely) == np.count_nonzero(model.weights_.edge) + np.count_nonzero(
        model.weights_.start
    )
    assert likely == unlikely[::-1]
    for before, label, weight in likely:
        row = (
            model.weights_.start
            if before == BEGINNING
            else model.weights_.edge[labels.index(before)]
        )
        assert weight == row[labels.index(label)]


def test_lines_of_weights_held() -> None:
    model = fitted(refit=Mira(2))
    first, second = held_lines(model.trace_)
    assert (
        first[0][0] == first[1][0] == 0
        and first[0][-1] == second[0][0] == 12
        and second[0][-1] == 24
    )
    assert np.all(np.diff(first[0]) >= 0) and np.all(np.diff(second[0]) >= 0)
    assert second[1].tolist() == [0, *(epoch.features for epoch in model.trace_[-2:])]
    assert first[1].max() == max(held for epoch in model.trace_[:2] for _, held in epoch.held)


def test_the_plot_has_a_line_for_each_learner() -> None:
    model = fitted(refit=Mira(2))
    figure = plot_held(
        {"B = $2$": model.trace_, "mira": fitted(learner=Mira(2)).trace_}, title="held"
    )
    (axes,) = figure.axes
    assert len(axes.lines) == 3 and [text.get_text() for text in axes.get_legend().get_texts()] == [
        "B = \\$2\\$",
        "mira",
    ]
    figure.savefig(io.BytesIO(), format="svg")


@pytest.mark.parametrize("limit", [1, 2, 7, 10, 12, 19, 59, 61, 99, 100, 101, 12345, 5_300_396])
def test_ticks_are_few_and_round(limit: int) -> None:
    ticks = _round_numbers(limit)
    assert ticks[0] == 0 and ticks[-1] <= limit and 2 <= len(ticks) <= 7
    assert {str(step).rstrip("0") for step in np.diff(ticks).tolist()} <= {"1", "2", "5"}
