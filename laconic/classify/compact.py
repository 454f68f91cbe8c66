"""Classifiers in compact files: a static map from words to codes, and rows of weights per code.

about                          compressed JSON: parameters, labels, and what the arrays do not say
word_words, _sizes, _widths    the map from words, n-grams and prefixes to codes
code_row, code_idf             row of weights of a code (0: none, k: row k - 1), index of its idf
cells, values, intercept       rows of weights and the values that their codes mean
idf                            different values of idf, with tf-idf alone
name_lengths, name_text        the words, sorted; only with names

Predicting reads these arrays as they are in the file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from laconic import _core
from laconic.classify.described import (
    DescribedText,
    classifier_meta,
    described,
    encoder_of,
    read_outputs,
)
from laconic.classify.parameters import ClassifierParameters
from laconic.classify.predict import TextPredictor
from laconic.classify.settings import Settings, Tried
from laconic.classify.summary import GroupSummary
from laconic.classify.weighting import TFIDF, lengths_of, weighted_values
from laconic.core.arrays import Array, Ints32
from laconic.core.report import Reported
from laconic.errors import InputError
from laconic.models.checks import (
    Arrays,
    Contents,
    check_names,
    check_storable,
    item,
    numbers,
    pack_json,
    typed,
    unpack_json,
)
from laconic.models.compact.rows import Cells, Codebook, equal_rows, row_tables
from laconic.models.compact.strings import (
    CompactVocab,
    Names,
    code_widths,
    join_maps,
    maps_of,
    pack_strings,
)
from laconic.models.loaded import Loaded
from laconic.models.save import Saved
from laconic.text.documents import DocumentLike, FeatureCounts
from laconic.text.vocab import Vocab

if TYPE_CHECKING:
    import scipy.sparse as sp
    from sklearn.utils import Tags

    from laconic.classify.model import TextClassifier

ARRAYS = {
    "about",
    "word_words",
    "word_sizes",
    "word_widths",
    "code_row",
    "cells",
    "values",
    "intercept",
}
IDF = {"code_idf", "idf"}
NAMES = {"name_lengths", "name_text"}


def pack(model: TextClassifier, names: bool) -> Contents:
    """Return arrays and JSON of a fitted model.

    Words without weights are kept only where they count towards the length of rows.
    """
    alive = model.alive()
    order = np.arange(len(alive)) if model.unit_rows_ else np.flatnonzero(alive)
    words = [model.encoder_.vocab.words[f] for f in order.tolist()]
    check_storable([*words, *map(str, model.classes_.tolist())])
    weights = model.coef_[:, np.flatnonzero(alive)].T
    cells = Cells.of_tables([weights])
    kinds, book = equal_rows(cells), Codebook.of(cells.value)
    rows = cells.take(kinds.first)
    packed, values = book.pack(rows, weights.shape[1])
    row = np.zeros(len(alive), np.int64)
    row[alive] = kinds.kind + 1
    row = row[order]
    idf, place = np.zeros(1), np.zeros(len(order), np.int64)
    if model.idf_ is not None:
        idf, place = np.unique(model.idf_[order], return_inverse=True)
    pair, kind, uses = np.unique(
        row * len(idf) + place.ravel(), return_inverse=True, return_counts=True
    )
    by_use = np.argsort(-uses, kind="stable")
    rank = np.empty(len(by_use), np.int64)
    rank[by_use] = np.arange(len(by_use))
    words_map, _ = pack_strings(
        words, rank[kind.ravel()].astype(np.uint32), code_widths(uses[by_use])
    )
    arrays: Arrays = {}
    about = {**classifier_meta(model, arrays), "n_cells": len(rows.label), "own_values": book.own}
    arrays |= {
        "about": pack_json(about),
        **dict(
            zip(("word_words", "word_sizes", "word_widths"), join_maps([words_map]), strict=True)
        ),
        "code_row": (pair[by_use] // len(idf)).astype(np.uint32),
        "cells": packed,
        "values": values,
        "intercept": np.asarray(model.intercept_, dtype=np.float64),
    }
    if model.idf_ is not None:
        arrays |= {"code_idf": (pair[by_use] % len(idf)).astype(np.uint32), "idf": idf}
    if names:
        arrays["name_lengths"], arrays["name_text"] = Names.pack([sorted(words)])
    return arrays, {"names": names}


def for_web(arrays: Arrays, meta: dict[str, Any]) -> Contents:
    """Return what predicting needs, without what else is known of a model and its training."""
    about = unpack_json(arrays["about"])
    if "columns" in about:
        raise InputError(
            "the model reads columns beside the text, which a web page does not have: leave out "
            "--numbers and --categories in training."
        )
    parameters = dict(about["parameters"])
    if parameters["stop_words"] == "english":
        from laconic.text.stop_words import stop_words_of  # most models have none

        parameters["stop_words"] = sorted(stop_words_of("english"))
    about |= {"parameters": parameters, "tried": [], "groups": {}}
    return {**arrays, "about": pack_json(about)}, meta


class CompactClassifier(Saved, Reported, TextPredictor, Loaded):
    """A classifier read from a compact file.

    It predicts and, if the file has names, can be inspected; it cannot learn.

    Parameters
    ----------
    plain_parameters : dict or None, default=None
        Parameters of the TextClassifier from which it was made.
    """

    groups_: dict[str, GroupSummary]
    settings_: Settings
    tried_: tuple[Tried, ...]
    _rows: _core.DoubleRows
    _strings: _core.CompactStrings
    _code_row: Ints32
    _code_idf: Ints32
    _contents: Contents

    def __init__(self, plain_parameters: dict[str, Any] | None = None) -> None:
        self.plain_parameters = plain_parameters

    def __getattr__(self, name: str) -> Any:
        # Parameters of the plain classifier, such as lowercase, can be read as if they were own.
        parameters = self.__dict__.get("plain_parameters") or {}
        if name not in parameters:
            raise AttributeError(f"a compact classifier has no attribute {name!r}")
        return parameters[name]

    @property
    def coef_(self) -> Array:  # type: ignore[override]
        """Weights (outputs, words), computed at each access: predicting does without them."""
        codes = self._strings.codes_of(0, np.arange(self.width_, dtype=np.int32))
        return np.ascontiguousarray(
            row_tables(self._rows, self._code_row[codes], len(self.intercept_), np.float64).T
        )

    def score_words(self, rows: Sequence[DocumentLike]) -> Array:
        """Return what words and the intercept add to the scores, by NumPy and the kernels alone."""
        encoded = self.encoder_.encode(rows)
        found = encoded.counted()
        values = self._values(found, lengths_of(encoded))
        return self._scores(found._replace(value=values))

    def weigh(self, counts: sp.csr_matrix, lengths: Array) -> sp.csr_matrix:
        """Weight counts of the vocabulary's words as in training."""
        X = counts.astype(np.float64)
        X.data = self._values(_cells_of(X), lengths)
        return X

    def score_rows(self, X: sp.csr_matrix) -> Array:
        """Return decision_function of vectorized documents."""
        scores = self._scores(_cells_of(X))
        return scores.ravel() if scores.shape[1] == 1 else scores

    def _values(self, found: FeatureCounts, lengths: Array) -> Array:
        """Return the value of each count as in training."""
        idf = None
        if self.idf_ is not None:
            idf = self.idf_[self._code_idf[self._strings.codes_of(0, found.feature)]]
        divisors = None if self.unit_rows_ else lengths
        return weighted_values(found.ptr, found.value, self.weighting_, idf, divisors)

    def _scores(self, found: FeatureCounts) -> Array:
        """Return the scores (documents, outputs) of weighted counts."""
        row = self._code_row[self._strings.codes_of(0, found.feature)]
        n = len(self.intercept_)
        added: Array = self._rows.score(found.ptr, row, found.value, n)
        scores: Array = added.reshape(-1, n) + self.intercept_
        return scores

    def plain(self) -> TextClassifier:
        """Return the same model as a TextClassifier; ValueError if it has no names."""
        from laconic.classify.model import TextClassifier

        model = TextClassifier(**(self.plain_parameters or {}))
        words = self.encoder_.vocab.words
        model.settings_, model.tried_ = self.settings_, self.tried_
        model.weighting_, model.unit_rows_ = self.weighting_, self.unit_rows_
        model.encoder_ = encoder_of(model)
        model.encoder_.vocab = Vocab(words).freeze()
        model.coef_, model.intercept_, model.classes_, model.width_ = (
            self.coef_,
            self.intercept_,
            self.classes_,
            self.width_,
        )
        codes = self._strings.codes_of(0, np.arange(self.width_, dtype=np.int32))
        model.idf_ = None if self.idf_ is None else self.idf_[self._code_idf[codes]]
        model.report_, model.groups_ = self.report_, self.groups_
        model.columns_, model.column_weights_ = self.columns_, self.column_weights_
        model.thresholds_, model.taxonomy_ = self.thresholds_, self.taxonomy_
        model.loss_ = self.loss_
        return model

    def __sklearn_tags__(self) -> Tags:
        from sklearn.utils import ClassifierTags

        tags = super().__sklearn_tags__()
        tags.estimator_type, tags.classifier_tags = "classifier", ClassifierTags()
        return tags

    def __reduce__(self) -> tuple[Callable[[Arrays, dict[str, Any]], CompactClassifier], Contents]:
        return unpack, self._contents


def _cells_of(X: sp.csr_matrix) -> FeatureCounts:
    """Return the cells of a matrix as kernels take them."""
    return FeatureCounts(X.indptr.astype(np.int64), X.indices.astype(np.int32), X.data)


def unpack(arrays: Arrays, meta: dict[str, Any]) -> CompactClassifier:
    """Return the model with these contents, or raise a ValueError that says what is wrong."""
    names = item(meta, "names", bool)
    contents, arrays = (arrays, meta), dict(arrays)
    about = unpack_json(arrays["about"]) if "about" in arrays else {}
    plain = described(DescribedText, about, arrays)
    tfidf = plain.weighting_ in TFIDF
    model = CompactClassifier({name: getattr(plain, name) for name in vars(ClassifierParameters())})
    n_outputs = read_outputs(model, arrays, about)
    check_names(arrays, ARRAYS | (IDF if tfidf else set()) | (NAMES if names else set()))
    model.report_, model.groups_ = plain.report_, plain.groups_
    model.settings_, model.tried_ = plain.settings_, plain.tried_
    model.weighting_, model.unit_rows_ = plain.weighting_, plain.unit_rows_
    model.intercept_ = numbers(arrays, "intercept", (n_outputs,))
    maps = maps_of(arrays, "word")
    if len(maps[1]) != 1:
        raise InputError(f"expected one map of words, found {len(maps[1])}")
    model._strings = _core.CompactStrings(*maps)
    model.width_ = model._strings.size(0)
    model._rows = _core.DoubleRows(
        typed(arrays, "cells", np.uint64),
        item(about, "n_cells", int),
        typed(arrays, "values", np.float64),
        n_outputs,
        item(about, "own_values", bool),
    )
    code_row = typed(arrays, "code_row", np.uint32).astype(np.int64)
    if np.any(code_row > model._rows.size):
        raise InputError("a code names a row that is not there")
    model._code_row = (code_row - 1).astype(np.int32)
    model._strings.check_codes(0, len(code_row))
    model.idf_ = None
    if tfidf:
        model.idf_ = numbers(arrays, "idf", (arrays["idf"].size,))
        code_idf = typed(arrays, "code_idf", np.uint32).astype(np.int64)
        if len(code_idf) != len(code_row) or np.any(code_idf >= len(model.idf_)):
            raise InputError("a code names an idf that is not there")
        model._code_idf = code_idf.astype(np.int32)
    listed = None
    if names:
        listed = Names(
            typed(arrays, "name_lengths", np.uint8),
            typed(arrays, "name_text", np.uint8),
            [model.width_],
        )
    model.encoder_ = encoder_of(plain)
    model.encoder_.vocab = CompactVocab(model._strings, listed)  # type: ignore[assignment]
    model._contents = contents
    return model
