"""Parsers in model files: templates, values and weights of parser, pruner, labeler and tagger.

A loaded model predicts what the saved one did; learners are kept as text for people to read. The
names of arrays begin with the part they belong to: parser.*, pruner.*, labels.*, tags.*
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from laconic.errors import InputError
from laconic.models.checks import (
    Arrays,
    Contents,
    check_names,
    item,
    numbers,
)
from laconic.parse.described import (
    NOBODY,
    ROOT,
    TRACE,
    check_columns,
    check_parts,
    checked_templates,
    described,
    parser_meta,
    parser_report,
    part_of,
    prefixed,
)
from laconic.parse.labels import labeler_of, plain_tagger
from laconic.parse.model import Parser
from laconic.parse.scorer import Scorer
from laconic.parse.tags import word_tagger_of
from laconic.parse.templates import PartTemplate, PartTemplates
from laconic.parse.weights import PRUNER, ParseWeights, TreeShape
from laconic.tag import store as tag_store
from laconic.tag.arrays import (
    CLUSTERS,
    VALUES,
    pack_trace,
    pack_values,
    unpack_trace,
    unpack_values,
)
from laconic.text.sequences import AFTER_BASE, BEFORE_BASE, SequenceEncoder

CODES = 256  # number of codes of directions and distances
MOST_STEPS = 100
FEATURES = {"feature_count", "atom", "weight"}


def pack(model: Parser) -> Contents:
    """Return the arrays and the JSON of a fitted model."""
    check_is_fitted(model)
    arrays = {
        **prefixed("parser", pack_scorer(model.scorer_)),
        **prefixed("parser", pack_trace(model.report_.trace)),
    }
    meta = {
        **parser_meta(model),
        "pruner": None if model.pruner_ is None else model.pruner_.templates.names,
        "labels": None,
        "tags": None,
    }
    if model.pruner_ is not None:
        arrays |= prefixed("pruner", pack_scorer(model.pruner_))
    if model.labeler_ is not None:
        of_labels, meta["labels"] = tag_store.pack(plain_tagger(model.labeler_.tagger_))
        arrays |= prefixed("labels", of_labels)
    if model.tagger_ is not None:
        of_tags, meta["tags"] = tag_store.pack(plain_tagger(model.tagger_.tagger_))
        arrays |= prefixed("tags", of_tags)
    return arrays, meta


def unpack(arrays: Arrays, meta: dict[str, Any]) -> Parser:
    """Return the model of these, or raise a ValueError that says what is wrong with them."""
    check_parts(arrays)
    model, kept = described(Parser, meta)
    own = part_of(arrays, "parser")
    model.scorer_ = unpack_scorer(own, kept, model.columns, model.shape_, TRACE)
    model.report_ = parser_report(model, meta, unpack_trace(own))
    if meta.get("pruner") is not None:
        names = checked_templates(item(meta, "pruner", list), model.columns)
        model.pruner_ = unpack_scorer(part_of(arrays, "pruner"), names, model.columns, PRUNER)
    elif part_of(arrays, "pruner"):
        raise InputError("there are arrays of a pruner, but no templates for it")
    if meta.get("labels") is not None:
        model.labeler_ = labeler_of(
            tag_store.unpack(part_of(arrays, "labels"), item(meta, "labels", dict))
        )
    elif part_of(arrays, "labels"):
        raise InputError("there are arrays of labels, but no description of them")
    if meta.get("tags") is not None:
        check_columns(model)
        model.tagger_ = word_tagger_of(
            tag_store.unpack(part_of(arrays, "tags"), item(meta, "tags", dict))
        )
    elif part_of(arrays, "tags"):
        raise InputError("there are arrays of tags, but no description of them")
    return model


def pack_scorer(scorer: Scorer) -> Arrays:
    """Return the features, their weights and the values that they mention."""
    found = scorer.weights
    return {
        "feature_count": np.array([len(part) for part in found.atoms], dtype=np.int64),
        "atom": np.concatenate([np.zeros(0, np.int32), *(part.ravel() for part in found.atoms)]),
        "weight": np.concatenate(
            [np.zeros(0, np.float32), *(part.ravel() for part in found.weights)]
        ),
        **pack_values(scorer.encoder.to_state()),
    }


def unpack_scorer(
    arrays: Arrays,
    templates: PartTemplates,
    columns: Sequence[str],
    shape: TreeShape,
    also: set[str] | None = None,
) -> Scorer:
    """Return what `pack_scorer` packed; `also` are the names of other arrays that are there."""
    check_names(
        arrays,
        FEATURES | VALUES | (CLUSTERS if CLUSTERS & arrays.keys() else set()) | (also or set()),
    )
    encoder = unpack_values(arrays, templates, columns)
    scorer = Scorer.of(templates, encoder, _unpack_weights(arrays, templates, encoder), shape)
    if scorer.kernel.sizes.tolist() != [len(part) for part in scorer.weights.atoms]:
        raise InputError("a feature occurs twice")
    return scorer


def _unpack_weights(
    arrays: Arrays, templates: PartTemplates, encoder: SequenceEncoder
) -> ParseWeights:
    counts, atom = arrays["feature_count"], arrays["atom"]
    if (
        counts.dtype != np.int64
        or counts.shape != (len(templates),)
        or np.any((counts < 0) | (counts >= 2**31))
    ):
        raise InputError("expected a number of features for each template")
    widths = [len(template.value_views) for template in templates]
    if atom.dtype != np.int32 or atom.shape != (int(counts @ np.array(widths, dtype=np.int64)),):
        raise InputError("expected the values of all features as a row of int32")
    weight = numbers(arrays, "weight", (int(counts.sum()),), np.float32)
    if np.any(weight == 0):
        raise InputError("a weight is zero")
    atoms, weights = [], []
    for template, width, count in zip(templates, widths, counts.tolist(), strict=True):
        part, atom = atom[: width * count].reshape(count, width), atom[width * count :]
        check_atoms(part, template, encoder)
        atoms.append(part)
        weights.append(weight[:count].reshape(-1, 1))
        weight = weight[count:]
    return ParseWeights(atoms, weights)


def check_atoms(atoms: NDArray[np.int32], template: PartTemplate, encoder: SequenceEncoder) -> None:
    """Raise an InputError unless the rows are values that may name features of the template."""
    for column, view in zip(atoms.T, template.value_views, strict=True):
        _check_values(
            column, CODES if view is None else int(encoder.n_values[encoder.view_index[view]])
        )


def _check_values(values: NDArray[np.int32], n_values: int) -> None:
    """Raise an InputError unless these are values, the root, nobody or outside the sentence."""
    before, after = values.astype(np.int64) - BEFORE_BASE, values.astype(np.int64) - AFTER_BASE
    outside = ((before >= 1) & (before <= MOST_STEPS)) | ((after >= 1) & (after <= MOST_STEPS))
    if not np.all(
        outside | (values == ROOT) | (values == NOBODY) | ((values >= 0) & (values < n_values))
    ):
        raise InputError("a feature mentions a value that is not there")
