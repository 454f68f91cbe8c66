"""Rerankers in model files: the parser, the basic features of arcs, and the sub-trees with weights.

base.*    the arrays of the parser's file
space.*   template and atom: the template of each basic feature and the values that name it;
          value_*: the strings of each view
rank.*    part: which feature each extends (0 is none); extension: by what (depth of the head *
          number of basic features + basic feature); weight
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from laconic.core.report import FitReport, in_one_line
from laconic.errors import InputError
from laconic.mine.narrowing import Narrowed
from laconic.mine.polynomial import Polynomial
from laconic.mine.rounds import OrderCount, Round
from laconic.mine.sub_trees import SubTrees
from laconic.models.checks import (
    Arrays,
    Contents,
    check_names,
    check_parameters,
    check_storable,
    is_count,
    is_number,
    item,
    numbers,
)
from laconic.parse.described import checked_templates, kept_of, part_of, prefixed
from laconic.parse.parameters import as_text
from laconic.parse.store import check_atoms
from laconic.parse.store import pack as pack_parser
from laconic.parse.store import unpack as unpack_parser
from laconic.parse.templates import PartTemplates
from laconic.rerank.model import MOST_TREES, Reranker
from laconic.rerank.tree_space import BasicFeatures, TreeSpace
from laconic.tag.arrays import VALUES, pack_values, unpack_values
from laconic.version import __version__

KERNELS: dict[str, type[SubTrees] | type[Polynomial]] = {"trees": SubTrees, "products": Polynomial}
MOST_ORDER = 255
ORDER_NUMBERS = 6  # the order, what was counted, and seconds


def pack(model: Reranker) -> Contents:
    """Return the arrays and the JSON of a fitted model."""
    check_is_fitted(model)
    base, base_meta = pack_parser(model.parser_)
    given, kept = model.templates_given_.names, model.space_.templates.names
    check_storable(given)
    part, extension = model.miner_.features()
    space: Arrays = {
        "template": model.space_.features.template,
        "atom": model.space_.features.value,
    }
    rank: Arrays = {"part": part[1:], "extension": extension[1:], "weight": model.weights_[1:]}
    meta = {
        "laconic": __version__,
        "parameters": _parameters(model),
        "base": base_meta,
        "templates": given,
        "kept": [given.index(name) for name in kept],
        "beta": float(model.beta_),
        "features_total": int(model.report_.features_total),
        "wrong": model.wrong_,
        "rounds": [
            [
                round_.done,
                round_.wrong,
                round_.features,
                [[order.done, *order.numbers] for order in round_.orders],
            ]
            for round_ in model.rounds_
        ],
    }
    values = pack_values(model.space_.encoder.to_state())
    return {
        **prefixed("base", base),
        **prefixed("space", {**space, **values}),
        **prefixed("rank", rank),
    }, meta


def unpack(arrays: Arrays, meta: dict[str, Any]) -> Reranker:
    """Return the model of these, or raise a ValueError that says what is wrong with them."""
    if {name.partition(".")[0] for name in arrays} - {"base", "space", "rank"}:
        raise InputError(
            "expected arrays of the parser, of the basic features and of the features with weights"
        )
    model = Reranker(**_checked_parameters(item(meta, "parameters", dict)))
    model.parser_ = unpack_parser(part_of(arrays, "base"), item(meta, "base", dict))
    model.templates = model.templates_given_ = checked_templates(
        item(meta, "templates", list), model.parser_.columns
    )
    kept = kept_of(meta, model.templates_given_)
    model.space_ = _unpack_space(part_of(arrays, "space"), kept, model.parser_.columns)
    _unpack_features(model, part_of(arrays, "rank"))
    if not _is_finite(meta.get("beta")):
        raise InputError("'beta' is missing or not a number")
    model.beta_ = float(meta["beta"])
    model.wrong_ = item(meta, "wrong", list)
    if not all(type(n) is int for n in model.wrong_):
        raise InputError("expected the wrong trees of each pass as numbers")
    model.report_ = model._completed(
        FitReport(
            in_one_line(model),
            n_iter=model.epochs,
            converged=True,
            features_total=item(meta, "features_total", int),
            trace=tuple(_round(entry) for entry in item(meta, "rounds", list)),
        )
    )
    return model


def _unpack_space(arrays: Arrays, templates: PartTemplates, columns: Sequence[str]) -> TreeSpace:
    check_names(arrays, {"template", "atom"} | VALUES)
    encoder = unpack_values(arrays, templates, columns)
    template, atom = arrays["template"], arrays["atom"]
    if (
        template.dtype != np.int32
        or template.ndim != 1
        or np.any((template < 0) | (template >= len(templates)))
    ):
        raise InputError("expected the template of each basic feature")
    widths = np.array([len(of.value_views) for of in templates], dtype=np.int64)
    if atom.dtype != np.int32 or atom.shape != (int(widths[template].sum()),):
        raise InputError("expected the values of all basic features as a row of int32")
    features = BasicFeatures(template, atom)
    for of, (_, where) in zip(templates, features.places(templates), strict=True):
        check_atoms(atom[where], of, encoder)
    return TreeSpace(templates, encoder, features)


def _unpack_features(model: Reranker, arrays: Arrays) -> None:
    """Set the features of a model; InputError unless they are such as a search finds."""
    check_names(arrays, {"part", "extension", "weight"})
    part, extension = arrays["part"], arrays["extension"]
    if (
        part.dtype != np.uint32
        or part.ndim != 1
        or extension.dtype != np.uint32
        or extension.shape != part.shape
    ):
        raise InputError(
            "expected what features extend, and their extensions, as two rows of uint32"
        )
    weight = numbers(arrays, "weight", part.shape)
    if np.any(part > np.arange(len(part))):
        raise InputError("a feature extends one that comes later")
    root = np.zeros(1, np.uint32)
    found = Narrowed(
        np.concatenate([root, part]), np.concatenate([root, extension]), np.arange(len(part) + 1)
    )
    n_basic = len(model.space_)
    depth, basic = np.divmod(found.extension.astype(np.int64), max(1, n_basic))
    above = found.part.astype(np.int64)
    if n_basic == 0 < len(part):
        raise InputError("there are features, but no basic features that they are made of")
    if isinstance(model.kernel, Polynomial):
        possible = (depth == 0) & ((above == 0) | (basic > basic[above]))
    else:
        possible = depth <= np.where(above == 0, 0, depth[above] + 1)
    if not np.all(possible[1:]):
        raise InputError("a feature is extended as none can be")
    for _ in range(model.used_kernel.most_order - 1):
        above = found.part[above].astype(np.int64)
    if above.any():
        raise InputError(f"a feature is of a larger order than {model.used_kernel.most_order}")
    model.miner_, model.weights_ = found.miner(), np.concatenate([[0.0], weight])
    if len(model.miner_) != len(found.part):
        raise InputError("a feature occurs twice")


def _round(entry: object) -> Round:
    """Return a round of the search, or raise an InputError."""
    if not (isinstance(entry, list) and len(entry) == 4 and isinstance(entry[3], list)):
        raise InputError("expected rounds of the search as numbers")
    n_iter, wrong, features, rows = entry
    widths_ok = all(isinstance(row, list) and len(row) == ORDER_NUMBERS for row in rows)
    if not (
        widths_ok
        and all(type(n) is int for n in (*entry[:3], *(n for row in rows for n in row[:-1])))
    ):
        raise InputError("expected rounds of the search as numbers")
    if not all(is_number(row[-1]) for row in rows):
        raise InputError("expected the seconds of each order")
    orders = tuple(OrderCount.of(row[0], row[1:]) for row in rows)
    return Round("round", n_iter, features=features, wrong=wrong, orders=orders)


def _parameters(model: Reranker) -> dict[str, Any]:
    seed, kernel = model.random_state, None
    if model.kernel is not None:
        name = next(name for name, kind in KERNELS.items() if isinstance(model.kernel, kind))
        kernel = [name, int(model.kernel.most_order)]
    return {
        "parser": as_text(model.parser),
        "kernel": kernel,
        "beta": None if model.beta is None else float(model.beta),
        "random_state": int(seed) if isinstance(seed, int | np.integer) else None,
        **{
            name: int(getattr(model, name))
            for name in ("k", "folds", "threshold", "rounds", "epochs", "pretrain_epochs")
        },
        **{name: float(getattr(model, name)) for name in ("decay", "memory")},
    }


def _is_finite(value: object) -> bool:
    return isinstance(value, int | float) and is_number(value) and math.isfinite(value)


def _is_kernel(value: object) -> bool:
    if value is None:
        return True
    if not (isinstance(value, list) and len(value) == 2):
        return False
    name, order = value
    return isinstance(name, str) and name in KERNELS and is_count(order) and order <= MOST_ORDER


_PARAMETERS: dict[str, Callable[[Any], bool]] = {
    "parser": lambda value: value is None or isinstance(value, str),
    "kernel": _is_kernel,
    "beta": lambda value: value is None or _is_finite(value),
    "random_state": lambda value: value is None or (type(value) is int and abs(value) < 2**63),
    "k": lambda value: is_count(value) and value <= MOST_TREES,
    **dict.fromkeys(("folds", "rounds", "epochs"), is_count),
    "pretrain_epochs": lambda value: value == 0 or is_count(value),
    "threshold": lambda value: type(value) is int and 0 <= value < 2**32,
    "decay": lambda value: _is_finite(value) and 0 < value <= 1,
    "memory": lambda value: _is_finite(value) and value > 0,
}


def _checked_parameters(given: dict[str, Any]) -> dict[str, Any]:
    check_parameters(given, _PARAMETERS)
    kernel = given["kernel"]
    return {**given, "kernel": None if kernel is None else KERNELS[kernel[0]](kernel[1])}
