"""Groups in every form in which they may be given: objects, lists, names, labels of features."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from laconic.core.arrays import Ints
from laconic.core.groups import Groups
from laconic.core.ragged import pointers


@dataclass(frozen=True)
class SpreadGroups:
    """Groups whose features have n_outputs weights each, before their number is known."""

    given: GroupsLike
    n_outputs: int


# Groups; one list of features per group; a name and a list of features per group; or, for each
# feature, the label of its group (None or a negative number: in no group).
GroupsLike: TypeAlias = Groups | SpreadGroups | Mapping[Any, ArrayLike] | Sequence[Any] | Ints


def as_groups(given: GroupsLike, n_weights: int, nested: bool = False) -> Groups:
    """Return groups over n_weights weights from any form.

    Parameters
    ----------
    given : Groups, list of lists, dict or array
        Groups as they are, one list of features per group, a name and a list of features per
        group, or one label per feature; None or a negative label is in no group.
    n_weights : int
        Number of weights that the groups are over.
    nested : bool, default=False
        Whether lists are nested sets that become a forest: of two lists that share a feature one
        must hold the other.

    Returns
    -------
    Groups
        The groups, those of lists and labels weighted by the square root of their sizes.

    Examples
    --------
    >>> from laconic.core.groups_like import as_groups
    >>> as_groups([[0, 1], [2]], 4)
    Groups(2 groups, 3 entries, 4 features)
    >>> as_groups(["noun", "verb", "noun"], 3).members(0).tolist()
    [0, 2]
    >>> as_groups([[0, 1, 2], [1, 2]], 3, nested=True).parent.tolist()
    [-1, 0]
    """
    if isinstance(given, Groups):
        if given.n_features != n_weights:
            raise ValueError(
                f"the groups are over {given.n_features} features, but there are {n_weights} "
                "weights"
            )
        return given
    if isinstance(given, SpreadGroups):
        inner = as_groups(given.given, n_weights // given.n_outputs, nested)
        return inner.spread(given.n_outputs)
    if isinstance(given, Mapping):
        groups = Groups.from_lists(given.values(), n_weights)
    elif _holds_labels(given):
        groups = _from_labels(given, n_weights)
    else:
        groups = Groups.from_lists(given, n_weights)
    return as_forest(groups) if nested else groups


def group_names(given: GroupsLike, n_groups: int) -> list[Any]:
    """Return the names of groups in their order: keys or labels, else numbers from 0."""
    if isinstance(given, SpreadGroups):
        return group_names(given.given, n_groups)
    if isinstance(given, Mapping):
        return list(given)
    if not isinstance(given, Groups) and _holds_labels(given):
        return _distinct_labels(given)
    return list(range(n_groups))


def spread_groups(given: GroupsLike, n_outputs: int) -> GroupsLike:
    """Return groups in which a group holds the weights of its features for all outputs."""
    if n_outputs == 1:
        return given
    return given.spread(n_outputs) if isinstance(given, Groups) else SpreadGroups(given, n_outputs)


def as_forest(groups: Groups) -> Groups:
    """Return nested flat groups as a forest: from the largest, each into the innermost around it.

    Sets that overlap without one holding the other are a ValueError.
    """
    owner = np.full(groups.n_features, -1, dtype=np.int64)
    parent = np.full(len(groups), -1, dtype=np.int64)
    for g in np.argsort(-groups.sizes, kind="stable"):
        members = groups.members(g)
        around = owner[members]
        if np.any(around != around[:1]):
            other = int(around[around >= 0][0])
            raise ValueError(
                f"groups {min(g, other)} and {max(g, other)} overlap, but none holds the other: "
                "use OverlapGroupLasso"
            )
        if len(members):
            parent[g] = around[0]
            owner[members] = g
    inside = np.flatnonzero(owner >= 0)
    order = inside[np.argsort(owner[inside], kind="stable")]
    ptr = pointers(np.bincount(owner[inside], minlength=len(groups)))
    own = [order[ptr[g] : ptr[g + 1]] for g in range(len(groups))]
    return Groups.forest(parent, own, groups.n_features, groups.weight)


def _holds_labels(given: Iterable[Any]) -> bool:
    """Return whether entries are labels of features, not lists of features."""
    entries = list(given)
    return bool(entries) and all(
        entry is None or isinstance(entry, str) or np.ndim(entry) == 0 for entry in entries
    )


def _is_label(label: Any) -> bool:
    return label is not None and (isinstance(label, str) or bool(label >= 0))


def _distinct_labels(given: Iterable[Any]) -> list[Any]:
    return sorted({label for label in given if _is_label(label)})


def _from_labels(labels: Iterable[Any], n_features: int) -> Groups:
    """Return one group per label, in the order of the labels."""
    labels = list(labels)
    if len(labels) != n_features:
        raise ValueError(
            f"there are labels of groups for {len(labels)} features, but there are {n_features} "
            "weights"
        )
    number = {label: g for g, label in enumerate(_distinct_labels(labels))}
    group = np.array([number[label] if _is_label(label) else -1 for label in labels], np.int64)
    order = np.argsort(group, kind="stable")[np.count_nonzero(group < 0) :]
    sizes = np.bincount(group[group >= 0], minlength=len(number))
    return Groups(order, pointers(sizes), np.sqrt(sizes), n_features)
