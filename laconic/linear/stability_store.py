"""Stability selections in model files.

entered_place, entered_index, entered_ptr   at which place of its path each half selected which
                                            features, row by row as in CSR matrices
name_data, name_ptr                         names of the features, where the training data had names

The estimator is kept as it was given, without its solver; frequencies and bounds follow from the
places. A seed is kept if it is a number: a RandomState becomes None.
"""

from __future__ import annotations

import math

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from laconic.errors import InputError
from laconic.linear.settings import (
    pack_names,
    pack_settings,
    plain,
    read_names,
    read_settings,
    set_names,
)
from laconic.linear.stability import StabilitySelection
from laconic.models.checks import (
    Arrays,
    Contents,
    Meta,
    check_names,
    check_parameters,
    is_count,
    is_number,
    item,
    smallest,
    whole,
)
from laconic.version import __version__

MOST = 2**31 - 1  # features, and entries of entered_
PARAMETERS = {
    "threshold": lambda value: is_number(value) and 0.5 < value <= 1,
    "max_false": lambda value: is_number(value) and 0 < value < math.inf,
    "n_first": lambda value: value is None or is_count(value),
    "n_pairs": is_count,
    "n_strengths": is_count,
    "ratio": lambda value: value is None or is_number(value),
    "n_jobs": lambda value: value is None or type(value) is int,
    "random_state": lambda value: value is None or (type(value) is int and 0 <= value < 2**32),
}


def pack(model: StabilitySelection) -> Contents:
    """Return arrays and JSON of a fitted selection."""
    check_is_fitted(model, "entered_")
    entered = model.entered_
    arrays: Arrays = {
        "entered_place": smallest(entered.data),
        "entered_index": smallest(entered.indices),
        "entered_ptr": smallest(entered.indptr),
    }
    pack_names(model, arrays)
    parameters = {name: plain(getattr(model, name)) for name in PARAMETERS}
    if isinstance(model.random_state, np.random.RandomState):
        parameters["random_state"] = None
    check_parameters(parameters, PARAMETERS)
    meta = {
        "laconic": __version__,
        "parameters": parameters,
        "estimator": pack_settings(model.estimator, arrays),
        "features": int(model.n_features_in_),
        "n_first": int(model.n_first_),
    }
    return arrays, meta


def unpack(arrays: Arrays, meta: Meta) -> StabilitySelection:
    """Return the selection with these contents, or raise a ValueError that says what is wrong."""
    parameters = item(meta, "parameters", dict)
    check_parameters(parameters, PARAMETERS)
    estimator = read_settings(item(meta, "estimator", dict), arrays)
    names = read_names(arrays)
    check_names(arrays, {"entered_place", "entered_index", "entered_ptr"})
    n_features, n_first = item(meta, "features", int), item(meta, "n_first", int)
    if not is_count(n_features) or not is_count(n_first):
        raise InputError("'features' and 'n_first' are numbers of features, at least 1")
    model = StabilitySelection(estimator, **parameters)
    model.n_features_in_, model.n_first_ = n_features, n_first
    set_names(model, names, n_features)
    return model.adopt(_entered(arrays, n_features, n_first))


def _entered(arrays: Arrays, n_features: int, n_first: int) -> sp.csr_matrix:
    """Return entered_ from arrays that may hold anything."""
    place = whole(arrays, "entered_place", MOST)
    index = whole(arrays, "entered_index", n_features - 1)
    ptr = whole(arrays, "entered_ptr", MOST)
    n_halves = len(ptr) - 1
    if n_halves < 2 or n_halves % 2:
        raise InputError(f"halves come in pairs, found {max(0, n_halves)} of them")
    sizes = np.diff(ptr)
    if ptr[0] != 0 or np.any(sizes < 0) or not ptr[-1] == len(place) == len(index):
        raise InputError("the halves do not take the selected features one after the other")
    if sizes.max() > n_first:
        raise InputError(f"a half selected more than {n_first} features")
    row = np.repeat(np.arange(n_halves), sizes)
    if np.any(np.diff(row * np.int64(n_features) + index) <= 0):
        raise InputError("the numbers of features do not ascend")
    if np.any(place == 0):
        raise InputError("places on the path begin with 1")
    parts = (place.astype(np.int32), index.astype(np.int32), ptr.astype(np.int32))
    return sp.csr_matrix(parts, shape=(n_halves, n_features))
