"""The verbs for classifiers of documents."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from laconic.cli.compression import Compression, compress_model
from laconic.cli.console import Bar
from laconic.cli.options import LABEL_FIELD, TEXT_FIELD, read_labelled
from laconic.text.jsonl import Document, read_documents, write_jsonl

if TYPE_CHECKING:
    from laconic.classify.model import TextClassifier


def predict(
    model: TextClassifier,
    input_path: str,
    output: str,
    bar: Bar,
    *,
    proba: bool = False,
    text_field: str = TEXT_FIELD,
) -> dict[str, Any]:
    """Write a JSON object a document."""
    bar.describe("reading")
    documents = read_documents(input_path, text_field, label_field=None).documents
    bar.describe("predicting")
    write_jsonl(output, list(_rows(model, documents, proba)))
    return {"documents": len(documents)}


def _rows(
    model: TextClassifier, documents: list[Document], proba: bool
) -> Iterator[dict[str, Any]]:
    if not proba:
        yield from ({"label": label} for label in model.predict(documents).tolist())
        return
    labels = model.classes_.tolist()
    for row in model.predict_proba(documents):
        yield {
            "label": labels[int(row.argmax())],
            "probabilities": dict(zip(map(str, labels), row.tolist(), strict=True)),
        }


def evaluate(
    model: TextClassifier,
    gold_path: str,
    bar: Bar,
    *,
    text_field: str = TEXT_FIELD,
    label_field: str = LABEL_FIELD,
) -> dict[str, Any]:
    """Accuracy, and precision, recall and F1 of each label."""
    from laconic.text import metrics

    bar.describe("reading")
    documents, gold = read_labelled(gold_path, text_field, label_field)
    bar.describe("predicting")
    predicted = [str(label) for label in model.predict(documents).tolist()]
    scores = metrics.label_scores(gold, predicted)
    names = ("label", *scores._fields[1:])
    return {
        "documents": len(documents),
        "accuracy": metrics.accuracy(gold, predicted),
        "macro_f1": float(scores.f1.mean()),
        "labels": [
            dict(zip(names, row, strict=True))
            for row in zip(*(column.tolist() for column in scores), strict=True)
        ],
    }


def compress(
    model: TextClassifier,
    wishes: Compression,
    bar: Bar,
    *,
    text_field: str = TEXT_FIELD,
    label_field: str = LABEL_FIELD,
) -> dict[str, Any]:
    """Write the model with few weight values, and account for it."""
    return compress_model(
        model, wishes, lambda path: read_labelled(path, text_field, label_field), bar
    )


def inspect(model: TextClassifier, n: int, as_json: bool) -> dict[str, Any]:
    """What the model is, its strongest words, and groups that were kept and dropped."""
    facts = {
        "penalty": model.penalty,
        "strength": model.strength,
        "lasso": model.lasso,
        "weighting": model.weighting,
        "ngrams": model.ngrams,
        "prefixes": list(model.prefixes),
        "labels": model.classes_.tolist(),
        "features_total": model.n_features_total_,
        "features_nonzero": model.n_features_selected_,
        "objective": model.objective_,
        "certificate": model.certificate_,
        "converged": model.converged_,
        "interrupted": model.interrupted_,
    }
    return {**facts, **selection(model, n, as_json)}


def report(
    model: TextClassifier,
    output: str,
    *,
    documents: str | None = None,
    text_field: str = TEXT_FIELD,
    label_field: str = LABEL_FIELD,
) -> dict[str, Any]:
    """Write the page."""
    from laconic.classify.page import write_report

    shown = (None, None) if documents is None else read_labelled(documents, text_field, label_field)
    write_report(model, output, *shown)
    return {}


def selection(model: TextClassifier, n: int, as_json: bool) -> dict[str, Any]:
    """The n strongest words of each label, and n kept and n dropped groups of each regularizer."""
    from laconic.classify.explain import top_words

    words = {
        str(label): [word._asdict() for word in strongest]
        for label, strongest in top_words(model, n).items()
    }
    groups = {
        name: {
            "total": s.total,
            "selected": s.selected,
            "kept": s.kept[:n],
            "dropped": s.dropped[:n],
        }
        for name, s in model.groups_.items()
    }
    return {"words": words, "groups": groups} if as_json else _for_people(words, groups)


def _for_people(
    words: dict[str, list[dict[str, Any]]], groups: dict[str, dict[str, Any]]
) -> dict[str, Any]:
    """Words on one line a label, examples of groups on one line each."""
    shown: dict[str, Any] = {}
    for name, group in groups.items():
        shown[f"{name} groups"] = (
            f"{group['selected']} of {group['total']} hold a word with a weight"
        )
    shown["words"] = [
        {
            "label": label,
            "strongest first": "  ".join(
                f"{entry['word']} {entry['weight']:.2f}" for entry in entries
            ),
        }
        for label, entries in words.items()
    ]
    for name, group in groups.items():
        for fate in ("kept", "dropped"):
            if group[fate]:
                shown[f"{name} groups {fate}, for example"] = [{name: text} for text in group[fate]]
    return shown
