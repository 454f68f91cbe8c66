"""The words of a model as a table: effect = weight x spread, with how often and where they stand.

spread_f is the standard deviation of feature f over the documents, so that the effect of a word is
the change of the score when the word goes from usual to one standard deviation above: a large
weight on a word that hardly occurs is a small effect.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from laconic.classify.multilabel import as_labels, indicator
from laconic.core.arrays import Array, Ints
from laconic.text.documents import DocumentLike, sentence_text, sentences_of

if TYPE_CHECKING:
    from laconic.classify.predict import TextPredictor

COLUMNS = np.dtype(
    [
        ("label", object),
        ("word", object),
        ("weight", np.float64),
        ("spread", np.float64),
        ("effect", np.float64),
        ("occurrences", np.int64),
        ("documents", np.int64),
        ("in_label", np.int64),
    ]
)
UNKNOWN = -1  # counts of a model that is not shown its data
WINDOW = 40  # characters on either side of a keyword


class WordStatistics(NamedTuple):
    """Of each feature: standard deviation, number of occurrences and of documents with it.

    in_label (K, n_features) counts the documents of each label.
    """

    spread: Array
    occurrences: Ints
    documents: Ints
    in_label: Ints


class Context(NamedTuple):
    """A keyword in its sentence, with the number and the label of its document."""

    left: str
    keyword: str
    right: str
    document: int
    label: object


def word_statistics(
    model: TextPredictor, documents: Sequence[DocumentLike], labels: Sequence[object]
) -> WordStatistics:
    """Return the spread and the counts of the features of a model in documents."""
    check_is_fitted(model, "coef_")
    width = model.coef_.shape[1]
    counts = model.encoder_.encode(model.read(documents)).counts(len(model.encoder_.vocab))
    counts.sum_duplicates()
    gold = as_labels(labels)
    if len(gold) != counts.shape[0]:
        raise ValueError(f"there are {counts.shape[0]} documents but {len(gold)} labels")
    member = sp.csr_matrix(indicator(gold, model.classes_).T)
    narrow = counts[:, :width]
    return WordStatistics(
        spread_of(model.vectorize(documents)[:, :width]),
        np.asarray(narrow.sum(axis=0)).ravel().astype(np.int64),
        np.bincount(narrow.indices, minlength=width),
        (member @ (narrow > 0).astype(np.float64)).toarray().astype(np.int64),
    )


def _plain(labels: Sequence[object]) -> list[object]:
    listed: list[object] = np.asarray(labels, dtype=object).tolist()
    return [label.item() if isinstance(label, np.generic) else label for label in listed]


def spread_of(X: sp.csr_matrix) -> Array:
    """Return the standard deviation of every column."""
    n = max(1, X.shape[0])
    mean = np.asarray(X.sum(axis=0)).ravel() / n
    square = np.asarray(X.multiply(X).sum(axis=0)).ravel() / n
    return np.asarray(np.sqrt(np.maximum(0.0, square - mean**2)))


def word_table(
    model: TextPredictor, statistics: WordStatistics | None = None, n: int | None = None
) -> NDArray[Any]:
    """Return the words with a weight per label, by the size of their effect.

    Of two labels a word stands at the one that it speaks for; of more, at every label for which its
    weight is not zero. Without `statistics` the effect and counts are unknown (NaN and -1), and
    words are ordered by the size of their weights.

    Parameters
    ----------
    model : TextClassifier or CompactClassifier
        A fitted model.
    statistics : WordStatistics, optional
        Spread and counts in some documents, see `word_statistics`.
    n : int, optional
        Number of words per label, at most.

    Returns
    -------
    ndarray
        Structured: label, word, weight, spread, effect, occurrences, documents, in_label.
    """
    check_is_fitted(model, "coef_")
    coef, words = model.coef_, model.encoder_.vocab.words
    if len(coef) == 1:
        coef = np.concatenate([np.maximum(-coef, 0), np.maximum(coef, 0)])
    tables = []
    for k, label in enumerate(model.classes_.tolist()):
        alive = np.flatnonzero(coef[k])
        size = np.abs(coef[k, alive]) * (1.0 if statistics is None else statistics.spread[alive])
        chosen = alive[np.argsort(-size, kind="stable")[:n]]
        table = np.empty(len(chosen), dtype=COLUMNS)
        table["label"] = label
        table["word"] = [words[f] for f in chosen.tolist()]
        table["weight"] = coef[k, chosen]
        if statistics is None:
            table["spread"] = table["effect"] = np.nan
            table["occurrences"] = table["documents"] = table["in_label"] = UNKNOWN
        else:
            table["spread"] = statistics.spread[chosen]
            table["effect"] = table["weight"] * table["spread"]
            table["occurrences"] = statistics.occurrences[chosen]
            table["documents"] = statistics.documents[chosen]
            in_label = statistics.in_label
            table["in_label"] = in_label[k, chosen] if len(in_label) else UNKNOWN
        tables.append(table)
    return np.concatenate(tables)


def contexts(
    model: TextPredictor,
    words: Sequence[str],
    documents: Sequence[DocumentLike],
    labels: Sequence[object] | None = None,
    n: int = 3,
) -> dict[str, list[Context]]:
    """Return up to `n` occurrences of each word, n-gram or prefix in its sentence.

    They are from different documents while there are any.
    """
    encoder, documents = model.encoder_, list(documents)
    encoded = encoder.encode(documents)
    wanted = encoder.vocab.ids(words)
    places = np.flatnonzero(np.isin(encoded.feature, wanted[wanted >= 0]))
    order = places[np.argsort(encoded.feature[places], kind="stable")]
    found = encoded.feature[order]
    sentence = np.searchsorted(encoded.sentence_ptr, order, side="right") - 1
    document = np.searchsorted(encoded.document_ptr, sentence, side="right") - 1
    gold = None if labels is None else _plain(labels)
    shown: dict[str, list[Context]] = {}
    for word, feature in zip(words, wanted.tolist(), strict=True):
        low, high = np.searchsorted(found, [feature, feature + 1]) if feature >= 0 else (0, 0)
        first = low + np.unique(document[low:high], return_index=True)[1]
        others = np.setdiff1d(np.arange(low, high), first)
        rows = []
        for k in np.concatenate([first, others])[:n].tolist():
            d, s = int(document[k]), int(sentence[k])
            unit = sentences_of(documents[d], encoder.boundary)[s - int(encoded.document_ptr[d])]
            tokens = encoder.sentence_words([unit])[0]
            span = encoder.spans_of(tokens)[int(order[k] - encoded.sentence_ptr[s])]
            label = None if gold is None else gold[d]
            rows.append(Context(*_window(sentence_text(unit), tokens, span), d, label))
        shown[word] = rows
    return shown


def _window(text: str, tokens: list[str], span: Ints) -> tuple[str, str, str]:
    """Return what stands before, in and behind a span of words, on one line."""
    from laconic.classify.explanation.contributions import spans_in

    spans = spans_in(text, tokens)
    if spans is None:
        parts = tokens[: span[0]], tokens[span[0] : span[1]], tokens[span[1] :]
        left, keyword, right = (" ".join(part) for part in parts)
        left, right = f"{left} ", f" {right}"
    else:
        start, end = spans[int(span[0])][0], spans[int(span[1]) - 1][1]
        left, keyword, right = text[:start], text[start:end], text[end:]
    left, right = _one_line(left), _one_line(right)
    if len(left) > WINDOW:
        left = "…" + left[-WINDOW:]
    return left, _one_line(keyword), right if len(right) <= WINDOW else right[:WINDOW] + "…"


def _one_line(text: str) -> str:
    """Return text with every run of white space as one blank."""
    inner = " ".join(text.split())
    before = " " if text[:1].isspace() and inner else ""
    return before + inner + (" " if text[-1:].isspace() else "")
