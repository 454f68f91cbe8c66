"""Trees as the search of kernel spaces reads them: arcs with basic features from templates."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from laconic import _core
from laconic.core.arrays import Ints, Ints32
from laconic.core.ragged import pointers, ranges
from laconic.models.features import kept_templates, narrow
from laconic.parse.lists import TreeLists
from laconic.parse.templates import PartTemplates
from laconic.parse.weights import ParseWeights
from laconic.text.sequences import SequenceEncoder


class BasicFeatures(NamedTuple):
    """The template of every basic feature, and the values that name it, feature after feature."""

    template: Ints32
    value: Ints32

    def places(self, templates: PartTemplates) -> list[tuple[NDArray[np.intp], Ints]]:
        """Return the features of every template, and where their values are, one row each."""
        widths = np.array([len(template.value_views) for template in templates], dtype=np.int64)
        begins = pointers(widths[self.template])[:-1]
        found = [np.flatnonzero(self.template == m) for m in range(len(templates))]
        return [
            (rows, begins[rows][:, None] + np.arange(width))
            for rows, width in zip(found, widths.tolist(), strict=True)
        ]


class TreeSpace:
    """The basic features of arcs; they grow with training lists, later unknown ones are ignored."""

    def __init__(
        self,
        templates: PartTemplates,
        encoder: SequenceEncoder,
        features: BasicFeatures | None = None,
    ):
        self.templates = templates
        self.encoder = encoder
        self.kernel = _core.ArcFeatures(_core.PartTemplates(*templates.arrays(encoder.view_index)))
        if features is not None:
            self.kernel.add(*features)

    def __len__(self) -> int:
        return len(self.kernel)

    @property
    def features(self) -> BasicFeatures:
        """The basic features in the order of their numbers."""
        template, _, value = self.kernel.names()
        return BasicFeatures(template, value)

    def narrowed(self, used: NDArray[np.integer[Any]]) -> TreeSpace:
        """Return a space of these features alone, in this order.

        Templates and values that they do not mention are left out.
        """
        template, ptr, value = self.kernel.names()
        chosen = BasicFeatures(template[used], value[ranges(ptr[:-1][used], ptr[1:][used])])
        places = chosen.places(self.templates)
        atoms = [chosen.value[where] for _, where in places]
        found = ParseWeights(atoms, [np.ones((len(part), 1), np.float32) for part in atoms])
        templates, found = kept_templates(self.templates, found)
        encoder, found = narrow(templates, self.encoder, found)
        kept = [place for place in places if len(place[0])]
        for m, ((rows, where), part) in enumerate(zip(kept, found.atoms, strict=True)):
            chosen.template[rows], chosen.value[where] = m, part
        return TreeSpace(templates, encoder, chosen)

    def __reduce__(self) -> tuple[Any, ...]:
        return TreeSpace, (self.templates, self.encoder, self.features)

    def trees(self, lists: TreeLists, grow: bool = False) -> _core.TreeStructures:
        """Return the trees of lists, those of one sentence with shared arcs."""
        arc, basic_ptr, basic = self._arcs(lists, grow)
        return _core.TreeStructures(
            lists.tree_ptr, lists.heads, arc, basic_ptr, basic, max(1, len(self))
        )

    def sets(self, lists: TreeLists, grow: bool = False) -> _core.SetStructures:
        """Return the set of basic features of every tree's arcs.

        Arcs that all trees of a list have are left out.
        """
        arc, basic_ptr, basic = self._arcs(lists, grow)
        tree = np.repeat(np.arange(len(lists.scores)), np.diff(lists.tree_ptr))
        shared = (
            np.bincount(arc, minlength=len(basic_ptr) - 1)[arc]
            == np.diff(lists.ptr)[lists.sentence[tree]]
        )
        tree, arc = tree[~shared], arc[~shared]
        rows = np.repeat(tree, np.diff(basic_ptr)[arc])
        width = max(1, len(self))
        members = np.unique(rows * width + basic[ranges(basic_ptr[arc], basic_ptr[arc + 1])])
        ptr = pointers(np.bincount(members // width, minlength=len(lists.scores)))
        return _core.SetStructures(ptr, (members % width).astype(np.int32), width)

    def _arcs(self, lists: TreeLists, grow: bool) -> tuple[Ints, Ints, Ints32]:
        """Return the arc of every token of every tree, and the basic features of arcs."""
        token = ranges(lists.tokens.ptr[:-1][lists.sentence], lists.tokens.ptr[1:][lists.sentence])
        width = int(np.diff(lists.tokens.ptr).max(initial=0)) + 1
        arcs, arc = np.unique(token * width + lists.heads, return_inverse=True)
        columns, ptr = (
            self.encoder.grow(lists.tokens) if grow else self.encoder.encode(lists.tokens)
        )
        of_token = pointers(np.bincount(arcs // width, minlength=int(lists.tokens.ptr[-1])))
        basic_ptr, basic = self.kernel.number(
            columns, ptr, of_token, (arcs % width).astype(np.int32), grow
        )
        return arc.astype(np.int64), basic_ptr, basic
