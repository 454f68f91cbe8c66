"""Pages that explain a classifier: one document after the other, or the model as a whole."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from laconic.classify.explanation.contributions import Explanation
from laconic.classify.explanation.material import Material, records
from laconic.classify.explanation.views import marked_sentences, score_line, signed
from laconic.report.html import bar, page, section, text
from laconic.report.html import drawn as svg
from laconic.report.html import facts as boxes
from laconic.text.io import PathLike, atomic_writer

if TYPE_CHECKING:
    from laconic.classify.model import TextClassifier
    from laconic.classify.predict import TextPredictor

MOST_DOCUMENTS = 100  # on one page
N_FEATURES = 12  # strongest features of a document
N_CHOICES = 15  # words per label of the figure of stability
MOST_FIGURES = 20  # labels with a figure of stability
STRONG = 0.6  # opacity of the largest contribution
MINUS = "\N{MINUS SIGN}"


def write_explanations(
    explanations: Sequence[Explanation], path: PathLike, label: object = None
) -> None:
    """Write a page of documents whose words and sentences are coloured by what they add."""
    shown = explanations[:MOST_DOCUMENTS]
    note = (
        'Words are <span class="key for">blue</span> where they raise the score of the label and '
        '<span class="key against">orange</span> where they lower it; the number before a sentence '
        "is the sum of its words. All numbers add up to the score."
    )
    if len(explanations) > len(shown):
        note += f" These are the first {len(shown)} of {len(explanations):,} documents."
    cards = "".join(
        f'<section class="card document"><h3>{_title(one, number, label)}</h3>'
        f"{fragment(one, label)}</section>"
        for number, one in enumerate(shown, 1)
    )
    _write(path, "Why these labels", f"<h1>Why these labels</h1><p class='lead'>{note}</p>{cards}")


def _title(explanation: Explanation, number: int, label: object) -> str:
    k = explanation.place(label)
    name = text(explanation.labels.tolist()[k])
    return f"Document {number}: {name} ({explanation.probabilities[k]:.1%})"


def fragment(explanation: Explanation, label: object = None) -> str:
    """Return one document as HTML: coloured sentences, and a table of its features."""
    k = explanation.place(label)
    sentences = marked_sentences(explanation, explanation.labels.tolist()[k])
    lines = [
        f'<div class="sentence"><span class="effect">{_number(sentence.contribution)}</span>'
        f"<span>{''.join(_word(*piece) for piece in sentence.pieces)}</span></div>"
        for sentence in sentences
    ]
    body = "".join(lines) or '<p class="empty">It has no sentence.</p>'
    lead = f'<p class="note">{text(score_line(explanation, label))}</p>'
    return f"{lead}{body}{_features(explanation, label)}"


def _word(piece: str, share: float) -> str:
    if abs(share) < 0.02:
        return text(piece)
    side = "for" if share > 0 else "against"
    opacity = f"{STRONG * abs(share):.3f}"
    return f'<span style="background:rgba(var(--{side}),{opacity})">{text(piece)}</span>'


def _number(value: float, digits: int = 2) -> str:
    return signed(value, digits).replace("-", MINUS)


def _features(explanation: Explanation, label: object) -> str:
    rows = explanation.features(explanation.labels.tolist()[explanation.place(label)])
    cells = [
        [text(name), str(times), f"{value:.3g}", _number(weight), _number(added)]
        for name, times, value, weight, added in rows[:N_FEATURES]
    ]
    head = ["feature", "times", "value of one", "weight", "adds"]
    return f"<details><summary>Features</summary>{_table(head, cells)}</details>"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> str:
    """Return a table of HTML cells whose first `left` columns are text and the others numbers."""
    mark = ["" if k < left else ' class="number"' for k in range(len(head))]
    if left > 1:
        mark[left - 1] = ' class="wide"'  # a bar
    top = "".join(f"<th{m}>{text(name)}</th>" for m, name in zip(mark, head, strict=True))
    body = "".join(
        "<tr>" + "".join(f"<td{m}>{cell}</td>" for m, cell in zip(mark, row, strict=True)) + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


def write_material(model: TextClassifier, material: Material, path: PathLike) -> None:
    """Write a page of what a model has learned and how far to trust it."""
    title = f"A classifier of {len(model.classes_)} classes"
    kept, total = int(model.report_.features_kept), int(model.report_.features_total or 0)
    parts = [
        f"<h1>{title}</h1>",
        boxes(
            [
                ("words with a weight", f"{kept:,}", f"of {total:,}"),
                ("penalty", str(model.settings_["penalty"]), ""),
                ("features are", model.weighting_, "of words"),
                *_scores(material),
            ]
        ),
        _class_sizes(material),
        _words(model, material),
        _stability(model, material),
        _quality(material),
        _curve(material),
        _tried(material),
        _comparison(material),
    ]
    _write(path, title, "\n".join(filter(None, parts)))


def _write(path: PathLike, title: str, body: str) -> None:
    content = page(f"laconic: {title}", body)
    with atomic_writer(path) as stream:
        stream.write(content)


def _scores(material: Material) -> list[tuple[str, str, str]]:
    quality = material.quality
    if quality is None:
        return []
    documents = int(quality.confusion.sum())
    return [
        ("accuracy", f"{quality.accuracy:.1%}", f"of {documents:,} documents"),
        ("log-loss", f"{quality.log_loss:.3f}", ""),
        ("expected calibration error", f"{quality.reliability.error:.3f}", ""),
    ]


def _figure(draw: str, *given: object) -> str:
    """Return a figure as SVG; without matplotlib its numbers stand in tables alone."""
    if find_spec("matplotlib") is None:
        return '<p class="empty">Figures need matplotlib: pip install "laconic[report]".</p>'
    from laconic.classify.explanation import plots

    figure = getattr(plots, draw)(*given)
    # As large as it was drawn, so that letters have one size on all of the page.
    return f'<div style="max-width:{figure.get_figwidth():.1f}in">{svg(figure)}</div>'


def _class_sizes(material: Material) -> str:
    if not material.class_sizes:
        return ""
    largest = max(material.class_sizes.values())
    rows = "".join(
        f'<tr><td>{text(label)}</td><td>{bar(count / largest)}</td><td class="number">{count:,}'
        "</td></tr>"
        for label, count in material.class_sizes.items()
    )
    return section("Documents per class", "", f'<table class="bars">{rows}</table>')


def _words(model: TextPredictor, material: Material) -> str:
    measured = bool(material.class_sizes)
    note = "Words by weight; with <code>--data</code>, by effect, with counts and contexts."
    if measured:
        note = (
            "Words by effect: weight times the standard deviation of the word in the data. "
            "<i>In class</i> counts the documents of the class among those with the word."
        )
    size = abs(material.words["effect" if measured else "weight"])
    largest = float(size.max(initial=0.0)) or 1.0
    cards = []
    for label in model.classes_.tolist():
        rows = material.words[material.words["label"] == label]
        cells = [_word_cells(row, largest, measured, material) for row in records(rows)]
        head = ["word", "", "effect", "weight", "times", "documents", "in class"]
        table = _table(head if measured else ["word", "", "weight"], cells, 2)
        empty = '<p class="empty">No word speaks for it.</p>'
        cards.append(
            f'<section class="card document"><h3>{text(label)}</h3>{table if cells else empty}'
            "</section>"
        )
    return section("Words", note, "".join(cards))


def _word_cells(
    row: dict[str, Any], largest: float, measured: bool, material: Material
) -> list[str]:
    drawn = bar(abs(row["effect" if measured else "weight"]) / largest)
    if not measured:
        return [text(row["word"]), drawn, _number(row["weight"])]
    lines = "".join(
        f"<div>{text(c.left)}<mark>{text(c.keyword)}</mark>{text(c.right)}</div>"
        for c in material.contexts.get((row["label"], row["word"]), [])
    )
    word = f"<details><summary>{text(row['word'])}</summary>{lines}</details>"
    counts = [f"{row[name]:,}" for name in ("occurrences", "documents", "in_label")]
    return [word, drawn, _number(row["effect"], 3), _number(row["weight"]), *counts]


def _stability(model: TextPredictor, material: Material) -> str:
    found = material.stability
    if found is None:
        return ""
    note = (
        f"Fits to {found.n_samples} resamples of the documents, drawn with replacement. "
        f"Consistency {found.consistency:.2f}: 1 if all choose the same words, 0 if by chance."
    )
    labels = [k for k in model.classes_.tolist() if (found.words["label"] == k).any()]
    figures = "".join(
        f'<section class="card document"><h3>{text(label)}</h3>'
        f"{_figure('plot_stability', found, label, N_CHOICES)}</section>"
        for label in labels[:MOST_FIGURES]
    )
    return section("How sure the words are", note, figures)


def _quality(material: Material) -> str:
    quality = material.quality
    if quality is None:
        return ""
    scores = quality.by_label
    cells = [
        [text(label), *(f"{value:.3f}" for value in values), f"{n:,}"]
        for label, *values, n in zip(*(column.tolist() for column in scores), strict=True)
    ]
    table = _table(["class", "precision", "recall", "F1", "documents"], cells)
    parts = [
        section("Scores by class", "On the test documents.", table),
        section(
            "Confusion",
            "Documents by gold class (rows) and prediction; shaded by the share of the row.",
            _figure("plot_confusion", quality),
        ),
    ]
    full = quality.reliability
    bins = [
        [f"{low:.1f}\N{EN DASH}{high:.1f}", f"{n:,}", f"{mean:.3f}", f"{share:.3f}"]
        for low, high, n, mean, share in zip(*(c.tolist() for c in full), strict=True)
        if n
    ]
    head = ["probability", "documents", "mean probability", "right"]
    note = (
        "Whether probabilities are what they say: the expected calibration error, the mean gap "
        f"between probability and share of right predictions, is {full.error:.3f}."
    )
    drawing = _figure("plot_calibration", full) + _table(head, bins)
    return "\n".join([*parts, section("Calibration", note, drawing)])


def _curve(material: Material) -> str:
    if not material.curve:
        return ""
    rows = [[f"{p.documents:,}", f"{p.accuracy:.3f}", f"{p.features:,}"] for p in material.curve]
    table = _table(["training documents", "accuracy", "words"], rows, 0)
    note = "Fits to growing shares of the documents, all at the setting of the model."
    return section("Learning curve", note, _figure("plot_learning_curve", material.curve) + table)


def _tried(material: Material) -> str:
    if not material.tried:
        return ""
    names = list(dict.fromkeys(name for row in material.tried for name in row))
    rows = [[_plain(row.get(name)) for name in names] for row in material.tried]
    return section("What was tried", "Settings in the order of the search.", _table(names, rows))


def _plain(value: object) -> str:
    return text(f"{value:.4g}" if isinstance(value, float) else "" if value is None else value)


def _comparison(material: Material) -> str:
    found = material.comparison
    if found is None:
        return ""
    rows = [
        ["agreement", f"{found.agreement:.1%}"],
        ["accuracy of this model", f"{found.accuracy[0]:.1%}"],
        ["accuracy of the other", f"{found.accuracy[1]:.1%}"],
        ["only this one right", f"{found.first_right:,}"],
        ["only the other right", f"{found.second_right:,}"],
        ["p (McNemar, exact)", f"{found.p_value:.3g}"],
        ["words of both", f"{found.shared:,}"],
    ]
    cards = _table(["", ""], rows)
    for title, words in (
        ("Words of this model alone", found.only_first),
        ("Words of the other alone", found.only_second),
    ):
        shown = " ".join(text(word) for word in words[:MOST_DOCUMENTS])
        cards += f'<section class="card document"><h3>{title}: {len(words):,}</h3>{shown}</section>'
    note = f"Both models on {found.documents:,} documents."
    return section("Beside another model", note, cards)
