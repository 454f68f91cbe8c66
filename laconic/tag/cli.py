"""The commands for taggers of tokens."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any

from laconic.cli.compression import Compression, compress_model
from laconic.cli.console import Bar
from laconic.cli.options import COLUMNS_HELP, UTF8, Encoding
from laconic.cli.training import fit_facts
from laconic.errors import InputError
from laconic.models.option import Option
from laconic.tag.conll import column_writer, iterate_lines, read_columns
from laconic.tag.layout import CONLLU, LineLayout, Wanted
from laconic.tag.scores import scores
from laconic.tag.train import CONSTRAINED_HELP, labelled, tagger_facts
from laconic.tag.train import train as train
from laconic.text.token_columns import TokenColumns, token_list

if TYPE_CHECKING:
    from laconic.tag.model import Tagger

LEAST_SHOWN = 0.0005  # probabilities below this would be printed as 0.000
NOTHING = "_"
OUTSIDE = "O"
Constrained = Annotated[bool, Option(CONSTRAINED_HELP)]
LabelColumn = Annotated[
    str | None,
    Option("The column of CoNLL-U with the labels, if not that of the training.", metavar="NAME"),
]


def predict(
    model: Tagger,
    input_path: Annotated[str, Option(COLUMNS_HELP)],
    output: str,
    bar: Bar,
    *,
    marginals: Annotated[
        bool, Option("Add a column with the probable labels and their probabilities.")
    ] = False,
    k_best: Annotated[
        int | None,
        Option(
            "Number of best label sequences: one column each, their scores in a line `# score` "
            "before each sentence.",
            metavar="K",
            minimum=1,
        ),
    ] = None,
    label: LabelColumn = None,
    constrained: Constrained = False,
    encoding: Encoding = UTF8,
) -> dict[str, Any]:
    """Write the lines of the input with the predicted labels in an added column.

    In CoNLL-U they are written into the column that the model has learned, or into --label.
    A line that starts a document has O in the added columns (_ if labels do not mark chunks).
    """
    if marginals and k_best is not None:
        raise InputError(
            "--marginals and --k-best each add columns of their own: give one of them."
        )
    model.set_params(constrained=constrained or model.constrained)
    outside = NOTHING if model.given_scheme_ == "plain" else OUTSIDE
    n_sentences = n_tokens = 0
    with column_writer(output) as writer:
        wanted = Wanted((*model.columns_, label or model.label), 1)
        for batch in iterate_lines(input_path, wanted, encoding):
            tokens = batch.tokens
            if batch.layout.fields is not None:
                _check_conllu(batch.layout, wanted, marginals or k_best is not None)
            added, scores = (
                _sequences(model, tokens, k_best)
                if k_best
                else (_labels(model, tokens, marginals), [])
            )
            writer.write(batch, added, outside, scores)
            n_sentences, n_tokens = n_sentences + len(tokens), n_tokens + int(tokens.ptr[-1])
            bar.describe(f"predicting: {n_sentences:,} sentences, {n_tokens:,} tokens")
    return {"sentences": n_sentences, "tokens": n_tokens}


def _check_conllu(layout: LineLayout, wanted: Wanted, added: bool) -> None:
    """Raise an InputError unless CoNLL-U has a place for the labels, and nothing is added."""
    if added:
        raise InputError(
            "--marginals and --k-best add columns, which CoNLL-U has no place for: give columns "
            f"of {', '.join(layout.names)} separated by tabs."
        )
    if layout.label < 0:
        raise InputError(
            f"the model's labels have the name {(wanted.names or [''])[-1]!r}, which is no column "
            f"of CoNLL-U: name one by --label, such as {CONLLU[3]}, {CONLLU[5]} or {CONLLU[9]}."
        )


def _labels(model: Tagger, batch: TokenColumns, marginals: bool) -> list[Sequence[str]]:
    """Return the best labels and, if asked for, the probable ones as label/probability,.."""
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
    """Return one column per sequence, of the k best of each sentence, and their scores as text.

    Short sentences may have fewer.
    """
    columns: list[list[str]] = [[] for _ in range(k)]
    scores = []
    lengths = (batch.ptr[1:] - batch.ptr[:-1]).tolist()
    for ranked, length in zip(model.predict_k_best(batch, k), lengths, strict=True):
        scores.append(" ".join(["# score", *(f"{sequence.score:.4f}" for sequence in ranked)]))
        for place, column in enumerate(columns):
            column += ranked[place].labels if place < len(ranked) else [NOTHING] * length
    return columns, scores


def evaluate(
    model: Tagger,
    gold: Annotated[str, Option(f"Labelled sentences. {COLUMNS_HELP}")],
    bar: Bar,
    *,
    label: LabelColumn = None,
    constrained: Constrained = False,
    encoding: Encoding = UTF8,
) -> dict[str, Any]:
    """Return precision, recall and F1 of chunks as conlleval counts them, or of labels."""
    model.set_params(constrained=constrained or model.constrained)
    bar.describe("reading")
    data = read_columns(gold, (*model.columns_, label or model.label), encoding=encoding)
    bar.describe("predicting")
    size = {
        "features_kept": model.n_features_selected_,
        "degrees_of_freedom": model.weights_.n_distinct,
    }
    return {**scores(model, data, gold), **size}


def compress(
    model: Tagger, output: str, settings: Compression, bar: Bar, *, encoding: Encoding = UTF8
) -> dict[str, Any]:
    """Choose the values on labelled sentences."""

    def read(path: str) -> tuple[TokenColumns, list[list[str]]]:
        return labelled(read_columns(path, (*model.columns_, model.label), encoding=encoding))

    return compress_model(model, output, settings, read, bar)


def inspect(model: Tagger, n: int, as_json: bool) -> dict[str, Any]:
    """Show templates kept and dropped, the strongest features of each label, and label bigrams."""
    from laconic.tag.selection import selection

    facts = {"columns": list(model.columns_), "labels": model.classes_.tolist()}
    return {**facts, **tagger_facts(model), **fit_facts(model), **selection(model, n, as_json)}


def answer(model: Tagger, given: Any) -> list[str]:
    """Return the labels of a sentence: a list of words, or of lists with a string per column."""
    return model.predict([token_list(given, len(model.columns_))])[0]
