"""Word vectors in model files: words, counts, and the non-zero entries of their codes.

word_data, word_ptr   the words
counts                number of occurrences of each word
values                non-zero coefficients, word by word, in single precision
mask                  one bit per coefficient, word by word: 1 where it is not zero; or, if smaller:
lengths, dimensions   number of coefficients per word, and the dimension of each coefficient
parents               of every dimension 0 at roots, or 1 + the dimension above it; only with a
                      forest

Whole numbers have the smallest type that holds them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from laconic.core.arrays import Ints32
from laconic.core.ragged import pointers
from laconic.core.report import FitReport
from laconic.embed.association import KINDS
from laconic.embed.model import WordVectors
from laconic.embed.word_counts import RARE
from laconic.errors import InputError
from laconic.models import file as files
from laconic.models.checks import (
    Arrays,
    Contents,
    certificate_kind,
    check_names,
    check_parameters,
    check_storable,
    converged,
    finite,
    is_count,
    is_number,
    item,
    number_or_nan,
    numbers,
    smallest,
    whole,
)
from laconic.version import __version__

ALWAYS = {"word_data", "word_ptr", "counts", "values"}
MASK, LISTS = {"mask"}, {"lengths", "dimensions"}
MOST_SIZE = 2**20


def _count_or_none(value: object) -> bool:
    return value is None or is_count(value)


def _positive(value: object) -> bool:
    return isinstance(value, int | float) and is_number(value) and 0 < value < 1e300


PARAMETERS = {
    "size": is_count,
    "window": is_count,
    "dynamic": lambda value: type(value) is bool,
    "n_contexts": _count_or_none,
    "subsample": lambda value: value is None or _positive(value),
    "min_count": is_count,
    "max_size": _count_or_none,
    "rare": lambda value: value in RARE,
    "association": lambda value: value in KINDS,
    "smoothing": lambda value: is_number(value) and 0 <= value <= 1,
    "shift": _positive,
    "exponent": lambda value: is_number(value) and 0 < value <= 1,
    "weighting": lambda value: is_number(value) and 0 <= value <= 1,
    "scale": lambda value: is_number(value) and 0 <= value <= 1,
}


def pack(model: WordVectors) -> Contents:
    """Return the arrays and the JSON of a fitted model."""
    check_is_fitted(model, "codes_")
    check_storable(model.words_)
    word_data, word_ptr = files.encode_strings(model.words_)
    codes = sparse.csr_matrix(model.codes_)
    codes.eliminate_zeros()
    arrays: Arrays = {
        "word_data": word_data,
        "word_ptr": word_ptr,
        "counts": smallest(model.counts_),
        "values": codes.data.astype(np.float32),
        **_places(codes),
    }
    if model.parents_ is not None:
        arrays["parents"] = smallest(model.parents_ + 1)
    parameters = {
        name: _plain(value)
        for name, value in model.get_params(deep=False).items()
        if name in PARAMETERS
    }
    meta = {
        "laconic": __version__,
        "parameters": {**parameters, "size": codes.shape[1]},
        "learned": _report_meta(model.report_) if model.report_.learner else None,
    }
    return arrays, meta


def unpack(arrays: Arrays, meta: dict[str, Any]) -> WordVectors:
    """Return the model of these arrays; a ValueError says what is wrong with them."""
    parents = {"parents"} & arrays.keys()
    check_names(arrays, ALWAYS | (MASK if "mask" in arrays else LISTS) | parents)
    parameters = item(meta, "parameters", dict)
    check_parameters(parameters, PARAMETERS)
    size = parameters["size"]
    if size > MOST_SIZE:
        raise InputError(f"vectors cannot have {size} dimensions")
    words = files.decode_strings(arrays["word_data"], arrays["word_ptr"])
    counts = whole(arrays, "counts", 2**62)
    if not words or len(counts) != len(words):
        raise InputError("the numbers of words and of counts do not agree")
    codes = _codes(arrays, len(words), size)
    model = WordVectors(**parameters)
    return model._adopt(
        words, counts, codes, _report(meta), _forest(arrays, size) if parents else None
    )


def _places(codes: sparse.csr_matrix) -> Arrays:
    """Return the places of the values, in the smaller of two forms."""
    lengths, dimensions = smallest(np.diff(codes.indptr)), smallest(codes.indices)
    n_bits = codes.shape[0] * codes.shape[1]
    if lengths.nbytes + dimensions.nbytes < n_bits // 8:
        return {"lengths": lengths, "dimensions": dimensions}
    bits = np.zeros(n_bits, bool)
    bits[
        np.repeat(np.arange(codes.shape[0]) * codes.shape[1], np.diff(codes.indptr)) + codes.indices
    ] = True
    return {"mask": np.packbits(bits)}


def _codes(arrays: Arrays, n_words: int, size: int) -> sparse.csr_matrix:
    """Return the codes of a file; an InputError says what does not agree."""
    values = arrays["values"]
    values = numbers(arrays, "values", (values.size,), np.float32)
    if "mask" in arrays:
        mask, n_bits = arrays["mask"], n_words * size
        if mask.dtype != np.uint8 or mask.shape != ((n_bits + 7) // 8,):
            raise InputError("the mask does not have one bit per coefficient")
        places = np.flatnonzero(np.unpackbits(mask))
        if len(places) != len(values) or (len(places) and places[-1] >= n_bits):
            raise InputError("the mask does not agree with the values")
        dimensions, lengths = places % size, np.bincount(places // size, minlength=n_words)
    else:
        dimensions, lengths = whole(arrays, "dimensions"), whole(arrays, "lengths")
        if (
            len(lengths) != n_words
            or int(lengths.sum()) != len(values)
            or len(dimensions) != len(values)
        ):
            raise InputError("the numbers of words, dimensions and values do not agree")
        if np.any(dimensions >= size):
            raise InputError("a coefficient has a dimension that does not exist")
        rises = np.diff(dimensions) > 0
        first = pointers(lengths)[1:-1]
        rises[first[(first > 0) & (first < len(dimensions))] - 1] = True
        if not rises.all():
            raise InputError("the dimensions of a word do not ascend")
    return sparse.csr_matrix(
        (values, dimensions.astype(np.int32), pointers(lengths)), (n_words, size)
    )


def _forest(arrays: Arrays, size: int) -> Ints32:
    """Return the parents of dimensions; an InputError if they are no forest."""
    parents = (whole(arrays, "parents") - 1).astype(np.int32)
    if len(parents) != size or np.any(parents >= size):
        raise InputError("the forest does not have the dimensions of the vectors")
    above = parents.copy()
    for _ in range(size):  # every step goes up: after at most `size` steps all are past their roots
        if np.all(above < 0):
            return parents
        above = np.where(above >= 0, parents[np.maximum(above, 0)], -1)
    if np.any(above >= 0):
        raise InputError("the forest has a cycle")
    return parents


def _report_meta(report: FitReport) -> dict[str, Any]:
    """Return what files keep of the fit report."""
    return {
        "learner": report.learner,
        "objective": finite(report.objective),
        "certificate": finite(report.certificate),
        "certificate_kind": report.certificate_kind,
        "converged": report.converged,
        "interrupted": report.interrupted,
    }


def _report(meta: dict[str, Any]) -> FitReport:
    """Return the fit report of a file; without one, the vectors came from another program."""
    if "learned" in meta and meta["learned"] is None:
        return FitReport()
    meta = item(meta, "learned", dict)
    return FitReport(
        objective=number_or_nan(meta, "objective"),
        certificate=number_or_nan(meta, "certificate"),
        certificate_kind=certificate_kind(meta),
        learner=item(meta, "learner", str),
        converged=converged(meta),
        interrupted=item(meta, "interrupted", bool),
    )


def _plain(value: object) -> object:
    """Return a parameter as JSON holds it."""
    return value.item() if isinstance(value, np.generic) else value
