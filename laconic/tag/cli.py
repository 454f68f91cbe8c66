"""The verbs for taggers of tokens."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any

from laconic.cli.compression import Compression, compress_model
from laconic.cli.console import Bar
from laconic.cli.training import learned, learner_text
from laconic.errors import InputError
from laconic.tag.conll import column_writer, iterate_lines, read_columns
from laconic.text.io import name_of
from laconic.text.sequences import TokenColumns

if TYPE_CHECKING:
    from laconic.tag.model import Tagger

UTF8 = "utf-8"
LABEL = "label"
LEAST_SHOWN = 0.0005  # probabilities below this would be printed as 0.000
NOTHING = "_"
OUTSIDE = "O"


def predict(
    model: Tagger,
    input_path: str,
    output: str,
    bar: Bar,
    *,
    marginals: bool = False,
    k_best: int | None = None,
    constrained: bool = False,
    encoding: str = UTF8,
) -> dict[str, Any]:
    """Write the lines of the input, and after the columns of each token what is predicted.

    A line that starts a document has O in the added columns (_ if labels are not of chunks). With k_best a line `# score ..` stands
    before each sentence: the scores of its sequences, best first.
    """
    if marginals and k_best is not None:
        raise InputError(
            "--marginals and --k-best each add columns of their own: give one of them."
        )
    model.set_params(constrained=constrained or model.constrained)
    outside = NOTHING if model.given_scheme_ == "plain" else OUTSIDE
    n_sentences = n_tokens = 0
    with column_writer(output) as writer:
        for batch in iterate_lines(input_path, (*model.columns, LABEL), 1, encoding):
            tokens = batch.tokens
            added, scores = (
                _sequences(model, tokens, k_best)
                if k_best
                else (_labels(model, tokens, marginals), [])
            )
            writer.write(batch, added, outside, scores)
            n_sentences, n_tokens = n_sentences + len(tokens), n_tokens + int(tokens.ptr[-1])
            bar.describe(f"predicting: {n_sentences:,} sentences, {n_tokens:,} tokens")
    return {"sentences": n_sentences, "tokens": n_tokens}


def _labels(model: Tagger, batch: TokenColumns, marginals: bool) -> list[Sequence[str]]:
    """The best labels and, if asked for, the probable ones as label/probability,.. in the scheme in which they were learned."""
    best = model.predict_flat(batch)
    if not marginals:
        return [best]
    names = model.classes_.tolist()
    shown = []
    for row in chain.from_iterable(model.predict_marginals(batch)):
        order = [k for k in (-row).argsort(kind="stable").tolist() if row[k] >= LEAST_SHOWN]
        shown.append(",".join(f"{names[k]}/{row[k]:.3f}" for k in order))
    return [best, shown]


def _sequences(model: Tagger, batch: TokenColumns, k: int) -> tuple[list[list[str]], list[str]]:
    """A column for each of the k best sequences of a sentence (short sentences may have fewer), and their scores as text."""
    columns: list[list[str]] = [[] for _ in range(k)]
    scores = []
    for ranked, length in zip(
        model.predict_k_best(batch, k), (batch.ptr[1:] - batch.ptr[:-1]).tolist(), strict=True
    ):
        scores.append(" ".join(["# score", *(f"{sequence.score:.4f}" for sequence in ranked)]))
        for place, column in enumerate(columns):
            column += ranked[place].labels if place < len(ranked) else [NOTHING] * length
    return columns, scores


def evaluate(
    model: Tagger, gold_path: str, bar: Bar, *, constrained: bool = False, encoding: str = UTF8
) -> dict[str, Any]:
    """Scores as conlleval counts them, and the size of the model."""
    model.set_params(constrained=constrained or model.constrained)
    bar.describe("reading")
    gold = read_columns(gold_path, (*model.columns, LABEL), encoding=encoding)
    bar.describe("predicting")
    found = scores(model, gold, gold_path)
    size = {
        "features_nonzero": model.n_features_selected_,
        "degrees_of_freedom": model.weights_.n_distinct,
    }
    return {**found, **size}


def scores(model: Tagger, gold: TokenColumns, path: str) -> dict[str, Any]:
    """Of chunks: precision, recall and F1, overall and by type; of other labels: by label. Of both: tokens and whole sentences."""
    from laconic.text import metrics

    labels, predicted = gold.values[-1], model.predict_flat(gold)
    counts = {"sentences": len(gold), "tokens": len(labels)}
    if model.given_scheme_ == "plain":
        of_labels = metrics.label_scores(labels, predicted)
        whole = {
            "accuracy": metrics.accuracy(labels, predicted),
            "complete": metrics.complete(labels, predicted, gold.ptr),
        }
        return {**counts, **whole, "labels": _table("label", of_labels)}
    try:
        found = metrics.chunk_scores(labels, predicted, gold.ptr)
    except ValueError as error:
        raise InputError(f"{name_of(path)}: {error}.") from None
    counts |= {
        "chunks_gold": found.n_gold,
        "chunks_predicted": found.n_predicted,
        "chunks_right": found.n_right,
    }
    ratios = {
        name: getattr(found, name) for name in ("precision", "recall", "f1", "accuracy", "complete")
    }
    return {**counts, **ratios, "types": _table("type", found.by_type)}


def _table(name: str, scores: Any) -> list[dict[str, Any]]:
    names = (name, *scores._fields[1:])
    return [
        dict(zip(names, row, strict=True))
        for row in zip(*(column.tolist() for column in scores), strict=True)
    ]


def account(model: Tagger) -> dict[str, Any]:
    """What was learned: by whom, how well solved, and how much of what there was."""
    return {
        "learner": learner_text(model.learner),
        "refit": learner_text(model.refit),
        "scheme": model.scheme_,
        "objective": model.objective_,
        "certificate": model.certificate_,
        **learned(model),
        "groups_selected": len(model.templates_),
    }


def compress(
    model: Tagger, wishes: Compression, bar: Bar, *, encoding: str = UTF8
) -> dict[str, Any]:
    """Write the model with few weight values, and account for it."""

    def read(path: str) -> tuple[TokenColumns, list[list[str]]]:
        gold = read_columns(path, (*model.columns, LABEL), encoding=encoding)
        labels = gold.values[-1]
        by_sentence = [list(labels[a:b]) for a, b in pairwise(gold.ptr.tolist())]
        return TokenColumns(gold.names[:-1], gold.values[:-1], gold.ptr), by_sentence

    return compress_model(model, wishes, read, bar)


def inspect(model: Tagger, n: int, as_json: bool) -> dict[str, Any]:
    """Templates kept and dropped, the strongest features of each label, and label bigrams."""
    from laconic.tag.explain import dropped_templates, kept_templates, label_bigrams, top_features

    facts = {"columns": list(model.columns), "labels": model.classes_.tolist(), **account(model)}
    kept, dropped = [row._asdict() for row in kept_templates(model)], dropped_templates(model)
    features = {
        label: [row._asdict() for row in rows] for label, rows in top_features(model, n).items()
    }
    likely, unlikely = ([row._asdict() for row in rows] for rows in label_bigrams(model, n))
    if as_json:
        bigrams = {"likely": likely, "unlikely": unlikely}
        return {
            **facts,
            "templates": {"kept": kept, "dropped": dropped},
            "features": features,
            "bigrams": bigrams,
        }
    lines = [
        {
            "label": label,
            "strongest first": "  ".join(f"{row['feature']} {row['weight']:.2f}" for row in rows),
        }
        for label, rows in features.items()
    ]
    more = [f"and {len(dropped) - n} more"] if len(dropped) > n else []
    return {
        **facts,
        "templates dropped": ", ".join([*dropped[:n], *more]),
        "templates kept": kept,
        "features": lines,
        "label bigrams with the largest weights": likely,
        "label bigrams with the smallest weights": unlikely,
    }


def report(model: Tagger, output: str) -> dict[str, Any]:
    """Write the page."""
    from laconic.tag.page import write_tag_report

    write_tag_report(model, output)
    return {}
