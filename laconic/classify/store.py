"""Classifiers in model files: what a model needs to predict and to be inspected, and no more.

A feature whose weights are all zero is dropped, since it cannot change a prediction. In files of
version 0.1 tf-idf divides a row by its length over *all* words of the training vocabulary
(`unit_rows`): spelling and idf of dropped words follow the others there, without weights. A loaded
model predicts what the saved one did.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from laconic.classify.described import classifier_meta, described, encoder_of, read_outputs
from laconic.classify.model import TextClassifier
from laconic.classify.weighting import TFIDF
from laconic.models import file as files
from laconic.models.checks import Arrays, Contents, check_names, check_storable, numbers
from laconic.text.vocab import Vocab


def pack(model: TextClassifier) -> Contents:
    """Return arrays and JSON of a fitted model."""
    check_is_fitted(model, "coef_")
    alive = np.any(model.coef_ != 0, axis=0)
    order = np.flatnonzero(alive)
    arrays: Arrays = {
        "weight": model.coef_[:, order],
        "intercept": np.asarray(model.intercept_, dtype=np.float64),
    }
    if model.idf_ is not None:
        if model.unit_rows_:
            order = np.concatenate([order, np.setdiff1d(np.arange(len(model.idf_)), order)])
        arrays["idf"] = model.idf_[order]
    words = model.encoder_.vocab.words
    check_storable([*words, *map(str, model.classes_.tolist())])
    arrays["word_data"], arrays["word_ptr"] = files.encode_strings(
        [words[f] for f in order.tolist()]
    )
    return arrays, classifier_meta(model, arrays)


def unpack(arrays: Arrays, meta: dict[str, Any]) -> TextClassifier:
    """Return the model with these contents, or raise a ValueError that says what is wrong."""
    model = described(TextClassifier, meta, arrays)
    n_outputs = read_outputs(model, arrays, meta)
    tfidf = model.weighting_ in TFIDF
    wanted = {"weight", "intercept", "word_data", "word_ptr"} | ({"idf"} if tfidf else set())
    check_names(arrays, wanted)
    words = files.decode_strings(arrays["word_data"], arrays["word_ptr"])
    width = len(words)
    if model.unit_rows_ and arrays["weight"].ndim == 2:
        width = min(width, arrays["weight"].shape[1])
    model.coef_ = numbers(arrays, "weight", (n_outputs, width))
    model.intercept_ = numbers(arrays, "intercept", (n_outputs,))
    model.idf_ = numbers(arrays, "idf", (len(words),)) if tfidf else None
    model.width_ = width
    model.encoder_ = encoder_of(model)
    model.encoder_.vocab = Vocab(words).freeze()
    return model
