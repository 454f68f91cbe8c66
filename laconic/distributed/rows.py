"""From matrices, Dask arrays or lists of parts to blocks of rows on workers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_array

from laconic.core.arrays import Array, Ints
from laconic.core.losses import Gold, Loss, Multinomial
from laconic.core.losses.bound import check_weights
from laconic.distributed.blocks import RowBlock
from laconic.distributed.cluster import Cluster
from laconic.distributed.parts import as_parts, feature_names
from laconic.distributed.problem import BlockProblem, BlockShape
from laconic.distributed.untyped import Given
from laconic.errors import InputError
from laconic.linear.base import KEPT, SparseLinear

NONE = np.zeros(0)
MOST_BYTES = 256 << 20  # of a block of rows that were in this process


class RawBlock(NamedTuple):
    """Rows as they were given, checked."""

    X: Given
    y: Given
    weight: Array
    offset: Array | None


class Known(NamedTuple):
    """What a block says of itself: its rows, features, total weight and labels or targets."""

    n_rows: int
    n_features: int
    weight: float
    labels: Any  # different labels with their weights, or None
    n_targets: int


class TargetCode(NamedTuple):
    """How targets become those of a loss: what all blocks share."""

    loss: Loss
    n_outputs: int
    classes: Any
    class_weight: Array
    intercept: bool


def read_block(X: Given, y: Given, weight: Given, offset: Given, number: int) -> RawBlock:
    """Return the rows of a block, checked like those of one matrix."""
    X = X.tocsr() if hasattr(X, "tocsr") and not sp.issparse(X) else X
    X = X.to_numpy() if hasattr(X, "to_numpy") else X
    try:
        X = check_array(X, accept_sparse=("csr", "csc"), dtype=KEPT, ensure_min_samples=0)
    except ValueError as error:
        raise InputError(f"block {number} of the rows: {error}") from None
    n = X.shape[0]
    for name, part in (("targets", y), ("weights", weight), ("offsets", offset)):
        if part is not None and len(part) != n:
            raise InputError(
                f"block {number} has {n} rows and {len(part)} {name}: expected as many."
            )
    weight = np.ones(n) if weight is None else np.asarray(weight, dtype=np.float64)
    check_weights(weight)
    return RawBlock(X, np.asarray(y), weight, None if offset is None else np.asarray(offset))


def describe(block: RawBlock, classifies: bool) -> Known:
    """Return what the other blocks need to know of a block."""
    labels = None
    if classifies:
        if block.y.ndim != 1:
            raise InputError("several labels per row do not go on a cluster: expected one.")
        values, codes = np.unique(block.y, return_inverse=True)
        labels = values, np.bincount(codes, minlength=len(values))
    elif len(block.y) and not np.all(np.isfinite(np.asarray(block.y, dtype=np.float64))):
        raise InputError("the targets hold numbers that are not finite.")
    n_targets = 1 if block.y.ndim == 1 else block.y.shape[1]
    n_rows, n_features = block.X.shape
    return Known(n_rows, n_features, float(block.weight.sum()), labels, n_targets)


def encode(block: RawBlock, how: TargetCode) -> RowBlock:
    """Return the block with targets as the loss takes them."""
    weight = block.weight
    if how.classes is not None:
        codes: Ints = np.asarray(np.searchsorted(how.classes, block.y))
        target = codes.astype(np.float64)
        weight = weight * how.class_weight[codes]
    else:
        target = np.asarray(how.loss.encode(block.y), dtype=np.float64).ravel()
    gold = Gold(np.ascontiguousarray(target), np.ascontiguousarray(weight), how.n_outputs)
    offset = None
    if block.offset is not None:
        offset = np.ascontiguousarray(block.offset, dtype=np.float64).ravel()
    return RowBlock(block.X, gold, how.loss, how.intercept, offset)


class ClusterRows:
    """The backend: poses the problems of linear models over blocks on a cluster.

    Parameters
    ----------
    cluster : Cluster
        The cluster.
    n_blocks : int or None, default=None
        Number of blocks that rows in this process are cut into; None is one per thread of the
        workers, or more where these would be large.
    """

    def __init__(self, cluster: Cluster, n_blocks: int | None = None):
        self.cluster = cluster
        self.n_blocks = n_blocks

    def pose(
        self, model: SparseLinear, X: Given, y: Given, sample_weight: Given, offset: Given
    ) -> BlockProblem:
        """See laconic.core.backend.Backend."""
        if model.standardize:
            raise ValueError("standardize=True does not go on a cluster: scale the features first")
        names = feature_names(X)
        sources = as_parts(X, y, sample_weight, offset, self._count)
        raw = self.cluster.place(read_block, sources)
        classifies = hasattr(model, "class_weight")
        known = self.cluster.apply(describe, raw, classifies)
        n_features = same_features(known)
        how = _encoding(model, known)
        blocks = self.cluster.place(encode, [(one,) for one in raw], how)
        model.n_features_in_ = n_features
        if names is not None:
            model.feature_names_in_ = names
        elif hasattr(model, "feature_names_in_"):
            del model.feature_names_in_
        n_rows = sum(one.n_rows for one in known)
        classes = NONE
        if isinstance(how.loss, Multinomial):
            (classes,) = self.cluster.total(blocks, "class_weights")
        return BlockProblem(
            self.cluster,
            blocks,
            BlockShape(n_rows, n_features, how.n_outputs, how.intercept),
            how.loss,
            model.chosen_penalty().spread(how.n_outputs),
            classes,
            float(sum(self.cluster.total(blocks, "total_weight"))),
            how.loss.kernel() is not None,
        )

    def _count(self, n_bytes: int) -> int:
        """Return the number of blocks for rows of this size."""
        if self.n_blocks is not None:
            return max(1, self.n_blocks)
        return max(self.cluster.n_threads, -(-n_bytes // MOST_BYTES))


def same_features(known: Sequence[Known]) -> int:
    """Return the number of features that all blocks have."""
    for number, one in enumerate(known):
        if one.n_features != known[0].n_features:
            raise InputError(
                f"block {number} has {one.n_features} columns, but block 0 has "
                f"{known[0].n_features}: expected the same columns in all blocks."
            )
    if not sum(one.n_rows for one in known):
        raise InputError("all blocks are empty: expected at least one row.")
    return known[0].n_features


def _encoding(model: Given, known: Sequence[Known]) -> TargetCode:
    """Return how targets are encoded, and set what the model knows of them."""
    filled = [one for one in known if one.n_rows]
    classes, class_weight = None, np.ones(0)
    if filled[0].labels is not None:
        classes = np.unique(np.concatenate([one.labels[0] for one in filled]))
        counts = np.zeros(len(classes))
        for one in filled:
            counts[np.searchsorted(classes, one.labels[0])] += one.labels[1]
        class_weight = _weights_of_classes(model.class_weight, classes, counts)
        model.labels_ = None
        given: Any = classes
    else:
        if len({one.n_targets for one in filled}) > 1:
            raise InputError("blocks differ in their number of targets: expected the same.")
        k = filled[0].n_targets
        given = np.zeros(1) if k == 1 else np.zeros((1, k))
    loss, _, n_outputs, _ = model._encode(given, np.ones(len(given)))
    if not loss.by_rows or not loss.smooth:
        reason = "couples rows" if not loss.by_rows else "has kinks"
        raise ValueError(
            f"{type(loss).__name__} {reason} and does not go on a cluster: use a smooth loss that "
            "is a sum over rows, such as Logistic, Squared or Huber"
        )
    intercept = model.fit_intercept and loss.takes_intercept
    return TargetCode(loss, n_outputs, classes, class_weight, intercept)


def _weights_of_classes(wanted: Given, classes: Given, counts: Array) -> Array:
    """Return the weight of each class, as scikit-learn's compute_sample_weight defines them."""
    if wanted is None:
        return np.ones(len(classes))
    if isinstance(wanted, str):
        if wanted != "balanced":
            raise ValueError(f"class_weight is a dict or 'balanced', got {wanted!r}")
        return np.asarray(counts.sum() / (len(classes) * counts))
    return np.array([float(wanted.get(one, 1.0)) for one in classes.tolist()])
