"""A page about one classifier: facts, words, kept and dropped groups, and documents it reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from sklearn.utils.validation import check_is_fitted

from laconic.classify.compact import CompactClassifier
from laconic.classify.explain import (
    GroupRow,
    group_tables,
    live_words,
    removed_phrases,
    sentence_effects,
    top_words,
)
from laconic.classify.model import TextClassifier
from laconic.classify.multilabel import as_labels, indicator
from laconic.classify.penalty import LASSO, has_lasso
from laconic.classify.structure import LATENT
from laconic.core.arrays import Array, Bools, Ints
from laconic.report.html import bar_cards, page, section, text
from laconic.report.html import facts as boxes
from laconic.report.plots import tree_layout
from laconic.text.documents import DocumentLike, sentence_text
from laconic.text.io import PathLike, atomic_writer
from laconic.text.trees import Tree

N_WORDS = 12  # strongest words per class
N_GROUPS = 10  # kept groups, and as many dropped ones
GROUP_WORDS = 24  # words of a group that are shown
N_DOCUMENTS = 6
N_SENTENCES = 40  # sentences of a document that are shown
# Documents of about this probability are preferred: where the model is surer, no single sentence
# matters.
INFORMATIVE = 0.9
SHORT_TEXT = 2500  # characters; short documents are preferred
SHORT_TREE = 25  # words
CHARACTER, LEVEL = 8.2, 34.0  # pixels of a drawn tree

GROUP_NAMES = {"sentence": "sentences", "tree": "phrases", "topics": "topics", "brown": "clusters"}


def write_report(
    model: TextClassifier,
    path: PathLike,
    documents: Sequence[DocumentLike] | None = None,
    labels: Sequence[object] | None = None,
    training: Sequence[DocumentLike] | None = None,
) -> None:
    """Write one self-contained HTML page about a fitted model.

    It needs nothing from the network.

    Parameters
    ----------
    model : TextClassifier or CompactClassifier
        A fitted model.
    path : str or Path
        The file to write.
    documents, labels : sequence, optional
        A few of these are shown, with sentences coloured by their effect.
    training : sequence, optional
        The training documents, to show kept and dropped sentences and phrases as in the text.
    """
    check_is_fitted(model, "coef_")
    if isinstance(model, CompactClassifier):
        model = model.plain()
    if labels is not None and (documents is None or len(documents) != len(labels)):
        raise ValueError(
            f"there are {len(labels)} labels "
            f"but {0 if documents is None else len(documents)} documents"
        )
    parts = [_heading(model), _facts(model), _words(model)]
    fresh = [family.name for family in getattr(model, "families_", ())]
    parts += [
        _groups(model, name, training) if name in fresh else _group_examples(model, name)
        for name in model.groups_
    ]
    if documents is not None and len(documents):
        parts.append(_documents(model, documents, labels))
    content = page(f"laconic: {_title(model)}", "\n".join(parts))
    with atomic_writer(path) as stream:
        stream.write(content)


def _title(model: TextClassifier) -> str:
    return f"Classifier of {len(model.classes_)} classes: {' + '.join(model.parts())}"


def _heading(model: TextClassifier) -> str:
    names = [str(label) for label in model.classes_]
    shown = ", ".join(names[:20]) + (f" and {len(names) - 20} more" if len(names) > 20 else "")
    title = f"<h1>{text(_title(model))}</h1>"
    return f'{title}\n<p class="lead">It tells apart {text(shown)}.</p>'


def _plural(family: str) -> str:
    """Return what the groups of a penalty are called."""
    return GROUP_NAMES.get(LATENT.get(family, family), f"groups of {family}")


def _held(family: str) -> str:
    """Return what is true of kept groups: latent ones are chosen, others hold a weight."""
    return "are chosen" if family in LATENT else "hold a weight"


def _facts(model: TextClassifier) -> str:
    kept, total = int(model.n_features_selected_), int(model.n_features_total_ or 0)
    facts = [("features kept", f"{kept:,}", f"of {total:,} ({kept / max(1, total):.1%})")]
    for name, s in model.groups_.items():
        what = GROUP_NAMES.get(LATENT.get(name, name), "groups")
        facts.append((f"{what} kept", f"{s.selected:,}", f"of {s.total:,}"))
    facts.append(("penalty", " + ".join(model.parts()), ""))
    settings = model.settings_
    strength = settings["strength"]
    strengths = strength if isinstance(strength, Mapping) else {"strength": strength}
    strengths = {name: value for name, value in strengths.items() if value is not None}
    facts += [
        (name if name == "strength" else f"strength of {name}", f"{value:g}", "")
        for name, value in strengths.items()
    ]
    if has_lasso(settings["penalty"]):
        lasso = LASSO if settings["lasso"] is None else settings["lasso"]
        facts.append(("strength of the extra lasso", f"{lasso:g}", ""))
    ngrams, prefixes = settings["ngrams"], settings["prefixes"]
    further = [f"n-grams up to {ngrams}"] if ngrams > 1 else []
    further += [f"prefixes of {' and '.join(map(str, prefixes))} letters"] if prefixes else []
    facts.append(
        (
            "features are",
            f"{settings['weighting']} of words",
            f"and {', '.join(further)}" if further else "",
        )
    )
    facts.append(("objective", f"{model.objective_:.6g}", ""))
    state = (
        "converged"
        if model.converged_
        else "interrupted"
        if model.interrupted_
        else "not converged"
    )
    known = ", ".join(filter(None, (model.report_.certificate_kind, state)))
    facts.append(("certificate", f"{model.certificate_:.1e}", known))
    return boxes(facts)


def _words(model: TextClassifier) -> str:
    top = top_words(model, N_WORDS)
    adds = "What one occurrence of a word adds to the score of the class"
    if model.weighting_ != "count":
        adds = "A word adds this, times its value in the document, to the score of the class"
    note = f"{adds}; all bars have one scale."
    return section("Strongest words", note, bar_cards(top, "No word speaks for it."))


def _groups(model: TextClassifier, name: str, training: Sequence[DocumentLike] | None) -> str:
    kept, dropped = group_tables(model, name, N_GROUPS, training)
    summary, what = model.groups_[name], _plural(name)
    n_zero = summary.total - summary.selected
    note = (
        f"Of {summary.total:,} {what}, {summary.selected:,} {_held(name)} and {n_zero:,} are not."
    )
    if name in ("tree", "brown"):
        note += (
            " Kept: the strongest for their size."
            " Dropped: the largest that lie in no larger dropped one."
        )
    else:
        note += " Kept: the strongest. Dropped: the largest."
    cards = _group_card(model, "Kept", kept) + _group_card(model, "Dropped", dropped)
    return _group_section(what, f"{note} Words without weight are grey.", cards)


def _group_section(what: str, note: str, cards: str) -> str:
    title = f"{what.capitalize()} kept and dropped"
    return section(title, note, f'<div class="cards">{cards}</div>')


def _group_examples(model: TextClassifier, name: str) -> str:
    """Show the groups of a model read from a file, which keeps a few of them in words."""
    summary, what = model.groups_[name], _plural(name)
    cards = []
    for title, examples in (("Kept", summary.kept), ("Dropped", summary.dropped)):
        lines = "".join(f"<tr><td>{text(example)}</td></tr>" for example in examples[:N_GROUPS])
        shown = f"<table>{lines}</table>" if examples else '<p class="empty">No example.</p>'
        cards.append(f'<section class="card"><h3>{title}</h3>{shown}</section>')
    note = f"Of {summary.total:,} {what}, {summary.selected:,} {_held(name)}; these are examples."
    return _group_section(what, note, "".join(cards))


def _group_card(model: TextClassifier, title: str, rows: Sequence[GroupRow]) -> str:
    lines = "".join(
        f'<tr><td>{_marked(model, row.words)}</td><td class="number">{row.size:,}</td>'
        f'<td class="number">{f"{row.norm:.3f}" if row.norm else "0"}</td></tr>'
        for row in rows
    )
    head = '<tr><th>words</th><th class="number">size</th><th class="number">norm</th></tr>'
    table = (
        f"<table><thead>{head}</thead><tbody>{lines}</tbody></table>"
        if rows
        else '<p class="empty">None.</p>'
    )
    return f'<section class="card"><h3>{title}</h3>{table}</section>'


def _marked(model: TextClassifier, words: Sequence[str]) -> str:
    """Mark words with weight bold and those without grey; a long group is cut."""
    shown = words[:GROUP_WORDS]
    marks = ("live" if alive else "zero" for alive in live_words(model, shown))
    spans = (
        f'<span class="{mark}">{text(word)}</span>' for mark, word in zip(marks, shown, strict=True)
    )
    return " ".join(spans) + (
        f' <span class="zero">… {len(words) - len(shown):,} more</span>'
        if len(words) > len(shown)
        else ""
    )


def _documents(
    model: TextClassifier, documents: Sequence[DocumentLike], labels: Sequence[object] | None
) -> str:
    log_proba = model.predict_log_proba(documents)
    predicted = log_proba.argmax(axis=1)
    place = {label: k for k, label in enumerate(model.classes_.tolist())}
    gold = None
    if labels is not None and model.thresholds_ is not None:  # the surest label is one of its own
        own = indicator(as_labels(labels), model.classes_)[np.arange(len(labels)), predicted]
        gold = np.where(own > 0, predicted, -1)
    elif labels is not None:
        gold = np.array([place.get(_plain(label), -1) for label in labels])
    note = (
        "The number before a sentence is the log-odds of leaving it out: "
        'the <span class="key for">blue</span> ones speak for the predicted label, '
        'the <span class="key against">orange</span> ones against it, '
        "grey ones hold no weight at all."
    )
    if gold is not None:
        right = int(np.sum(gold == predicted))
        note += (
            f" Of {len(documents):,} documents {right:,} are right ({right / len(documents):.1%})."
        )
    cards = []
    for d in _choice(documents, log_proba.max(axis=1), predicted, gold):
        title = f"{model.classes_[predicted[d]]} ({np.exp(log_proba[d, predicted[d]]):.1%})"
        if labels is not None and gold is not None:
            title += ", which is right" if gold[d] == predicted[d] else f", but it is {labels[d]}"
        document = documents[d]
        drawn = _sentences(model, document)
        if isinstance(document, Tree):
            drawn += _tree(document, removed_phrases(model, document).zero)
        head = f"<h3>Document {d + 1}: {text(title)}</h3>"
        cards.append(f'<section class="card document">{head}{drawn}</section>')
    return section("How it reads documents", note, "".join(cards))


def _plain(label: object) -> object:
    return label.item() if isinstance(label, np.generic) else label


def _choice(
    documents: Sequence[DocumentLike], sureness: Array, predicted: Ints, gold: Ints | None
) -> list[int]:
    """Return up to N_DOCUMENTS documents, short ones if possible.

    With gold labels they are right ones of each class, then wrong ones; else the first ones.
    """
    everything = range(len(documents))
    few = [d for d in everything if _is_short(documents[d])] or list(everything)
    if gold is None or len(documents) <= N_DOCUMENTS:
        return (few if len(documents) > N_DOCUMENTS else list(everything))[:N_DOCUMENTS]
    ordered = sorted(few, key=lambda d: abs(float(sureness[d]) - np.log(INFORMATIVE)))
    wrong = [d for d in ordered if gold[d] != predicted[d]][: N_DOCUMENTS // 3]
    first_of_class: dict[int, int] = {}
    for d in ordered:
        if gold[d] == predicted[d]:
            first_of_class.setdefault(int(predicted[d]), d)
    right = [*first_of_class.values(), *(d for d in ordered if gold[d] == predicted[d])]
    return list(dict.fromkeys(right))[: N_DOCUMENTS - len(wrong)] + wrong


def _is_short(document: DocumentLike) -> bool:
    if isinstance(document, Tree):
        return len(document.words) <= SHORT_TREE
    if isinstance(document, str):
        return len(document) <= SHORT_TEXT
    return sum(len(sentence_text(sentence)) + 1 for sentence in document) <= SHORT_TEXT


def _sentences(model: TextClassifier, document: DocumentLike) -> str:
    effects = sentence_effects(model, document)
    largest = max((abs(effect.log_odds) for effect in effects), default=0.0) or 1.0
    lines = []
    for effect in effects[:N_SENTENCES]:
        share = abs(effect.log_odds) / largest
        side = ("for" if effect.log_odds > 0 else "against") if share > 0.005 else ""
        mark = "" if effect.kept else " zero"
        number = f"{effect.log_odds:+.3f}".replace("-", "−") if effect.kept else "0"
        lines.append(
            f'<div class="sentence {side}{mark}" style="--share:{share:.3f}">'
            f'<span class="effect">{number}</span>'
            f"<span>{text(' '.join(effect.text.split()))}</span></div>"
        )
    if len(effects) > N_SENTENCES:
        lines.append(f'<p class="empty">… and {len(effects) - N_SENTENCES:,} more sentences.</p>')
    return "".join(lines) or '<p class="empty">It has no sentence.</p>'


def _tree(tree: Tree, removed: Bools) -> str:
    """Draw the tree as SVG in the colours of the page; removed phrases have dotted grey edges."""
    layout = tree_layout(tree)
    width, height = layout.width * CHARACTER, (layout.height + 1) * LEVEL
    x, y = layout.node_x * CHARACTER, height - (layout.node_y + 0.5) * LEVEL
    ground = height - LEVEL / 2
    edges: list[str] = []
    names: list[str] = []

    def edge(above: int, right: float, down: float, grey: bool) -> None:
        mark = ' class="removed"' if grey else ""
        edges.append(f'<path{mark} d="M{x[above]:.1f} {y[above]:.1f}H{right:.1f}V{down:.1f}"/>')

    for node, above in enumerate(tree.parent.tolist()):
        if above >= 0:
            edge(above, x[node], y[node], bool(removed[node]))
        mark = "label removed" if removed[node] else "label"
        names.append(
            f'<text class="{mark}" x="{x[node]:.1f}" y="{y[node]:.1f}">'
            f"{text(tree.label[node])}</text>"
        )
    for word, node, right in zip(
        tree.words, tree.owner.tolist(), (layout.word_x * CHARACTER).tolist(), strict=True
    ):
        edge(node, right, ground, bool(removed[node]))
        mark = "word removed" if removed[node] else "word"
        names.append(f'<text class="{mark}" x="{right:.1f}" y="{ground:.1f}">{text(word)}</text>')
    described = f"Parse tree of: {' '.join(tree.words)}"
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    drawing = "".join(edges + names)
    svg = f'<svg {size} role="img" aria-label="{text(described)}">{drawing}</svg>'
    return f'<div class="tree">{svg}</div>'
