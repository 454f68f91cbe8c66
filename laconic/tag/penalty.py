"""The penalty of a Crf over the weights of a chain: by name, by templates, or an object.

    "ridge", "l1+ridge", "slope", ..   weights one by one
    "group", "sparse-group"            the weights of a template      GroupLasso("templates")
    "label-group"                      those of a feature, all labels  GroupLasso("rows")
    "tree"                             both, a feature inside its template
    "coarse-to-fine"                   a template and all that refine it

Groups of templates go by their names: OverlapGroupLasso({"left": ["word[-1]", "word[-2]"]}).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from laconic.core.arrays import Array
from laconic.core.designs.chain import Chain
from laconic.core.groups import Groups
from laconic.core.groups_like import as_groups
from laconic.core.penalties import OverlapGroupLasso, Penalty
from laconic.core.penalties.blocks import BlockNorms
from laconic.core.penalties.grouped import OverGroups
from laconic.core.penalties.naming import FeatureNames, factors_by_name, numbered
from laconic.core.penalties.templates import COARSE
from laconic.core.solvers.budget import Order, group_weights

DEFAULT = "ridge"


class TemplatePenalties:
    """Penalties over the weights of a chain design.

    Parameters
    ----------
    design : Chain
        The design; without a penalty of groups of templates its twins may be merged.
    names : list of str
        Names of the templates in the order of the design.
    rule : str
        Rule for the weight of a group by its size, see `group_weights`.
    order : callable
        Returns which template refines which, at [a, b] whether b is a or refines it.
    """

    def __init__(self, design: Chain, names: list[str], rule: str, order: Callable[[], Order]):
        self.design = design
        self.rule = rule
        self.order = order
        place = {name: number for number, name in enumerate(names)}
        self.templates = FeatureNames(len(names), lambda name: place.get(name, -1), {})

    def over_weights(self, penalty: Penalty) -> Penalty:
        """Return a penalty of templates or of weights as one of the design's weights."""
        given = penalty.get_params(deep=False)
        changed: dict[str, Any] = {}
        if "terms" in given:
            changed["terms"] = [self.over_weights(term) for term in given["terms"]]
        if given.get("factors") is not None:
            changed["factors"] = self._factors(penalty)
        if isinstance(penalty, OverGroups) and "groups" in given:
            if given["groups"] == COARSE or (
                isinstance(penalty, OverlapGroupLasso) and self._of_templates(given["groups"])
            ):
                return self._of_norms(penalty)
            changed["groups"] = self._groups(penalty)
        return (penalty.replace(**changed) if changed else penalty).check()

    def _of_templates(self, groups: object) -> bool:
        """Return whether groups are of templates, not of weights."""
        if isinstance(groups, Groups):
            return groups.n_features == self.templates.n_features
        return not isinstance(groups, str)

    def _named(self) -> Mapping[str, Callable[[Array], Groups]]:
        return {
            "templates": self.design.by_template,
            "rows": self.design.by_row,
            "tree": self.design.by_tree,
        }

    def _groups(self, penalty: OverGroups) -> Groups:
        """Return the groups of a penalty over weights; those by name are weighted by their size."""
        given = penalty.groups
        if isinstance(given, str):
            named = self._named()
            if given not in named:
                raise ValueError(
                    f"there are no groups called {given!r}: expected one of "
                    f"{', '.join(map(repr, (*named, COARSE)))}, or lists of names of templates"
                )
            templates, rows = np.diff(self.design.template_ptr), np.diff(self.design.row_ptr)
            sizes = {
                "templates": templates,
                "rows": rows,
                "tree": np.concatenate([templates, rows]),
            }
            return named[given](group_weights(sizes[given], self.rule))
        if not self._of_templates(given):
            assert isinstance(given, Groups)
            return given
        return self._spread(self._template_groups(penalty))

    def _template_groups(self, penalty: OverGroups) -> Groups:
        """Return groups of templates from names, lists or Groups."""
        found = numbered(penalty, self.templates)
        assert isinstance(found, OverGroups)  # it is of the same class
        return as_groups(found.groups, self.templates.n_features, found.nested)

    def _spread(self, groups: Groups) -> Groups:
        """Return groups of templates as groups of all of their weights."""
        ptr = self.design.template_ptr
        parts = [np.arange(ptr[m], ptr[m + 1]) for m in groups.index.tolist()]
        index = np.concatenate(parts) if parts else np.zeros(0, np.int64)
        ends = np.concatenate([[0], np.cumsum(np.diff(ptr)[groups.index])])
        return Groups(index, ends[groups.ptr], groups.weight, self.design.n_state, groups.parent)

    def _of_norms(self, penalty: OverGroups) -> Penalty:
        """Return overlapping groups of templates as a penalty of the templates' norms."""
        if penalty.groups == COARSE:
            finer = self.order()
            lists = [np.flatnonzero(row) for row in finer]
            sizes = finer.astype(np.int64) @ np.diff(self.design.template_ptr)
            weight = group_weights(sizes, self.rule)
            groups = Groups.from_lists(lists, self.templates.n_features, weight)
        else:
            groups = self._template_groups(penalty)
        if getattr(penalty, "norm", 2) not in (2, "2"):  # it is none of the templates' 2-norms
            return penalty.replace(groups=self._spread(groups)).check()
        return BlockNorms(penalty.replace(groups=groups), self.design.by_template()).check()

    def _factors(self, penalty: Penalty) -> Array:
        """Return factors of weights from those of templates."""
        given = penalty.get_params(deep=False)["factors"]
        factors = factors_by_name(given, self.templates) if isinstance(given, Mapping) else given
        factors = np.ravel(factors).astype(np.float64)
        if len(factors) == self.templates.n_features:
            factors = np.repeat(factors, np.diff(self.design.template_ptr))
        return factors
