"""Penalties stated in names of features, before a learner knows the numbers of these.

    GroupLasso({"sports": ["ball", "goal"], "food": ["bread"]})    OverlapGroupLasso("sentence")
    L1(factors={"the": 3.0})                                       SparseGroupLasso("templates")

Constructors store what they are given; a learner that knows its features makes numbers of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from laconic.core.arrays import Array
from laconic.core.groups import Groups
from laconic.core.penalties.base import Penalty


class FeatureNames(NamedTuple):
    """What a learner knows of its features.

    Parameters
    ----------
    n_features : int
        Number of features.
    number_of : callable
        Returns the number of a feature by its name; -1 if there is none.
    ready : mapping from str to callable
        Groups that go by a name, such as "sentence", and the function that makes them.
    """

    n_features: int
    number_of: Callable[[str], int]
    ready: Mapping[str, Callable[[], Groups]]


def is_numbered(penalty: Penalty) -> bool:
    """Return whether all groups and factors of a penalty are of numbered features."""
    given = penalty.get_params(deep=False)
    return (
        not (isinstance(given.get("groups"), str) or _holds_names(given.get("groups")))
        and not isinstance(given.get("factors"), Mapping)
        and all(map(is_numbered, given.get("terms", ())))
    )


def numbered(penalty: Penalty, features: FeatureNames) -> Penalty:
    """Return a penalty over numbered features, checked; the penalty itself if it is one already.

    Words that are no features of the training data are left out of groups, and their factors are
    ignored. A ValueError if a name of groups is unknown, or no group has a feature.
    """
    if is_numbered(penalty):
        return penalty.check()
    given = penalty.get_params(deep=False)
    changed: dict[str, Any] = {}
    groups = given.get("groups")
    if isinstance(groups, str):
        changed["groups"] = _ready(groups, features)
    elif groups is not None and _holds_names(groups):
        changed["groups"] = _numbered_groups(groups, features)
    if isinstance(given.get("factors"), Mapping):
        changed["factors"] = factors_by_name(given["factors"], features)
    if "terms" in given:
        changed["terms"] = [numbered(term, features) for term in given["terms"]]
    return penalty.replace(**changed).check()


def _ready(name: str, features: FeatureNames) -> Groups:
    if name not in features.ready:
        known = ", ".join(map(repr, features.ready)) or "none"
        raise ValueError(
            f"there are no groups called {name!r}: expected one of {known}, or lists of features"
        )
    return features.ready[name]()


def _lists(groups: Iterable[Any]) -> Iterable[Any]:
    return groups.values() if isinstance(groups, Mapping) else groups


def _holds_names(groups: object) -> bool:
    """Return whether groups are lists of names of features."""
    if not isinstance(groups, Mapping | Sequence) or isinstance(groups, str):
        return False
    return any(
        not isinstance(members, str)
        and isinstance(members, Iterable)
        and any(isinstance(member, str) for member in members)
        for members in _lists(groups)
    )


def _numbered_groups(
    groups: Iterable[Any], features: FeatureNames
) -> dict[Any, list[int]] | list[list[int]]:
    """Return lists of numbers for lists of names, under the same names if groups have any."""
    numbers = [
        sorted(
            {
                place
                for member in members
                if (place := features.number_of(member) if isinstance(member, str) else member) >= 0
            }
        )
        for members in _lists(groups)
    ]
    if not any(numbers):
        raise ValueError(
            f"none of the features in the groups {groups!r:.80} is in the training data"
        )
    return dict(zip(groups, numbers, strict=True)) if isinstance(groups, Mapping) else numbers


def factors_by_name(factors: Mapping[str, float], features: FeatureNames) -> Array:
    """Return one factor per feature: those given by name, and 1 for all others."""
    found = np.ones(features.n_features)
    for name, factor in factors.items():
        place = features.number_of(name)
        if place >= 0:
            found[place] = factor
    return found


def over_more(penalty: Penalty, n_features: int, n_all: int) -> Penalty:
    """Return a penalty of numbered features over more features, which are in none of its groups.

    Parameters
    ----------
    penalty : Penalty
        A penalty over n_features features.
    n_features : int
        Number of features that arrays of factors and groups are over.
    n_all : int
        Number of all features; factors of the further ones are 1.
    """
    given = penalty.get_params(deep=False)
    changed: dict[str, Any] = {}
    groups, factors = given.get("groups"), given.get("factors")
    if isinstance(groups, Groups):
        changed["groups"] = Groups(groups.index, groups.ptr, groups.weight, n_all, groups.parent)
    if factors is not None:
        changed["factors"] = np.append(np.ravel(factors), np.ones(n_all - n_features))
    if "terms" in given:
        changed["terms"] = [over_more(term, n_features, n_all) for term in given["terms"]]
    return penalty.replace(**changed) if changed else penalty
