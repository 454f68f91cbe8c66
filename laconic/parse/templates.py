"""Templates of the parts of dependency trees: arcs, and arcs with a sibling, a second sibling or the head's head.

    h.word|m.fine|dist        word of the head, tag of the modifier, and how far apart they stand on which side
    m.fine[-1]|m.fine|dir     the tags of the modifier and of the token before it, and the side of the head it stands on
    h.coarse|between.coarse|m.coarse      fires once for every tag that occurs between head and modifier
    h.fine|s.fine|m.fine      with the sibling next to the modifier, towards the head

Roles: h the head, m the modifier, s the sibling next to m towards h, t the sibling next to s, g the head of h. Which of them a
template names says what it is a template of. Parts larger than arcs always come with their directions.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from laconic.errors import InputError
from laconic.parse.template_sets import SETS
from laconic.text.io import STANDARD_STREAM, PathLike, name_of, open_text
from laconic.text.patterns import checked_view, without_comment
from laconic.text.templates import BIAS, MOST_STEPS, TemplateSet, view_at_or_below
from laconic.text.treebanks import COLUMNS
from laconic.text.views import VIEW_NAME

ROLES = ("h", "m", "s", "g", "t")
KINDS = ("arc", "sibling", "grandchild", "grand_sibling", "tri_sibling")
ARC, SIBLING, GRANDCHILD, GRAND_SIBLING, TRI_SIBLING = range(5)
SPECIALS = ("", "dir", "dist")
BETWEEN = "between"
# Of two views of one token, which is the coarser.
COARSE_TO_FINE = ("coarse", "fine", "lemma", "word")

_SEPARATOR = r"(?:[\s|]+|$)"
_ATOM = re.compile(
    rf"(?:([{''.join(ROLES)}])|{BETWEEN})\.({VIEW_NAME})(?:\[([+-]?\d+)\])?{_SEPARATOR}"
)
_WORD = re.compile(rf"({BIAS}|dir|dist){_SEPARATOR}")


class PartAtom(NamedTuple):
    """The value of `view` at the token `offset` steps after the one with `role`."""

    role: str
    view: str
    offset: int = 0

    def __str__(self) -> str:
        return f"{self.role}.{self.view}" + (f"[{self.offset:+d}]" if self.offset else "")


@dataclass(frozen=True)
class PartTemplate:
    """The conjunction of `atoms`, of direction or distance, and of the view `between`, which fires for each value it has there."""

    atoms: tuple[PartAtom, ...] = ()
    special: str = ""
    between: str | None = None

    def __post_init__(self) -> None:
        atoms = tuple(
            dict.fromkeys(PartAtom(role, view, int(offset)) for role, view, offset in self.atoms)
        )
        object.__setattr__(self, "atoms", atoms)
        for atom in atoms:
            if atom.role not in ROLES:
                raise ValueError(
                    f"there is no role {atom.role!r}; the roles are {', '.join(ROLES)}"
                )
            if abs(atom.offset) > MOST_STEPS:
                raise ValueError(f"the offset of {atom} lies outside -{MOST_STEPS}..{MOST_STEPS}")
        if self.special not in SPECIALS:
            raise ValueError(f"expected 'dir', 'dist' or neither, got {self.special!r}")
        if {"g", "t"} <= self.roles:
            raise ValueError(
                f"no part has both the head's head (g) and a second sibling (t), as {self.name} would"
            )
        if self.kind != ARC:
            if self.between is not None:
                raise ValueError(
                    f"what stands between head and modifier is only seen with arcs, not in {self.name}"
                )
            if (
                self.special == "dir"
            ):  # comes with these parts anyhow: equal templates are to have equal names
                object.__setattr__(self, "special", "")

    @cached_property
    def roles(self) -> frozenset[str]:
        """The roles that it names."""
        return frozenset(atom.role for atom in self.atoms)

    @property
    def name(self) -> str:
        """How the template is written, such as h.fine|m.fine[-1]|dir."""
        between = (f"{BETWEEN}.{self.between}",) if self.between is not None else ()
        return "|".join((*map(str, self.atoms), *between, *filter(None, (self.special,)))) or BIAS

    @property
    def key(self) -> tuple[frozenset[PartAtom], str, str | None]:
        """What tells it from other templates."""
        return frozenset(self.atoms), self.special, self.between

    @cached_property
    def kind(self) -> int:
        """What it is a template of: a number of KINDS."""
        if "t" in self.roles:
            return TRI_SIBLING
        if "g" in self.roles:
            return GRAND_SIBLING if "s" in self.roles else GRANDCHILD
        return SIBLING if "s" in self.roles else ARC

    @property
    def n_signs(self) -> int:
        """How much it knows of direction and distance: 0 nothing, 1 direction, 2 distance."""
        return max(SPECIALS.index(self.special), int(self.kind != ARC))

    @property
    def value_views(self) -> tuple[str | None, ...]:
        """The views whose values name a feature: of the atoms, None for the code of directions and distance, of what lies between."""
        shape = (None,) if self.n_signs else ()
        return (
            *(atom.view for atom in self.atoms),
            *shape,
            *((self.between,) if self.between is not None else ()),
        )

    @property
    def families(self) -> tuple[str, ...]:
        """The families it belongs to: what is seen of head and modifier, then everything else it sees."""
        return tuple(dict.fromkeys((*_pair_family(self), *_other_families(self))))


class PartArrays(NamedTuple):
    """Template m has the atoms atom_ptr[m]:atom_ptr[m+1]; special: 0, 1 dir, 2 dist; between: a row of views or -1."""

    kind: NDArray[np.int32]
    special: NDArray[np.int32]
    between: NDArray[np.int32]
    atom_ptr: NDArray[np.int64]
    atom_role: NDArray[np.int32]
    atom_view: NDArray[np.int32]
    atom_offset: NDArray[np.int32]


class PartTemplates(TemplateSet[PartTemplate]):
    """Templates of parts; `parse_part_templates` reads their names."""

    @property
    def views(self) -> tuple[str, ...]:
        """The views in use, in order of first use."""
        used = (
            view
            for t in self
            for view in (*(atom.view for atom in t.atoms), t.between)
            if view is not None
        )
        return tuple(dict.fromkeys(used))

    def arrays(self, view_index: Mapping[str, int]) -> PartArrays:
        """The templates as arrays for the kernels; `view_index` is the row of each view in the encoded columns."""
        if missing := sorted(set(self.views) - view_index.keys()):
            raise ValueError(
                f"templates use the views {', '.join(missing)}, but the encoder has {', '.join(view_index)}"
            )
        atoms = [atom for template in self for atom in template.atoms]
        return PartArrays(
            np.array([template.kind for template in self], dtype=np.int32),
            np.array([SPECIALS.index(template.special) for template in self], dtype=np.int32),
            np.array(
                [-1 if t.between is None else view_index[t.between] for t in self], dtype=np.int32
            ),
            np.cumsum([0, *(len(template.atoms) for template in self)], dtype=np.int64),
            np.array([ROLES.index(atom.role) for atom in atoms], dtype=np.int32),
            np.array([view_index[atom.view] for atom in atoms], dtype=np.int32),
            np.array([atom.offset for atom in atoms], dtype=np.int32),
        )

    def order(self, coarse_to_fine: Sequence[str] = COARSE_TO_FINE) -> NDArray[np.bool_]:
        """(M, M): entry [a, b] is True when b refines a.

        b then knows as much of direction and distance, of what stands between, and in each place every view of a has a view of b
        of its own that is at least as fine: nothing <= tag <= lemma <= word.
        """
        atoms = sorted({atom for template in self for atom in template.atoms})
        finer = {
            a: frozenset(b for b in atoms if _at_or_below(a, b, coarse_to_fine)) for a in atoms
        }
        has_finer = {
            a: np.array([not finer[a].isdisjoint(template.atoms) for template in self], dtype=bool)
            for a in atoms
        }
        signs = np.array([template.n_signs for template in self])
        below = signs[:, None] <= signs
        for row, a in zip(below, self, strict=True):
            for atom in a.atoms:
                row &= has_finer[atom]
            if a.between is not None:
                row &= [
                    b.between is not None and view_at_or_below(a.between, b.between, coarse_to_fine)
                    for b in self
                ]
            if len({(atom.role, atom.offset) for atom in a.atoms}) < len(
                a.atoms
            ):  # several views of one place
                for b in np.flatnonzero(row).tolist():
                    row[b] = _each_has_its_own(
                        [finer[atom] for atom in a.atoms], set(self[b].atoms)
                    )
        return below


def _at_or_below(a: PartAtom, b: PartAtom, coarse_to_fine: Sequence[str]) -> bool:
    return (a.role, a.offset) == (b.role, b.offset) and view_at_or_below(
        a.view, b.view, coarse_to_fine
    )


def _each_has_its_own(wanted: list[frozenset[PartAtom]], seen: set[PartAtom]) -> bool:
    """Whether each of `wanted` can be given a member of `seen` that no other one is given."""
    choices = [seen & some for some in wanted]
    useful = sorted(frozenset().union(*choices))
    orders = permutations(useful, len(wanted))
    return any(
        all(atom in some for atom, some in zip(given, choices, strict=True)) for given in orders
    )


def parse_part_templates(
    lines: Iterable[str], place: str = "templates", columns: Sequence[str] = COLUMNS
) -> PartTemplates:
    """One template a line, `#` opens a comment; InputError names `place` and the line of what cannot be understood."""
    found = []
    for number, line in enumerate(lines, 1):
        if text := without_comment(line):
            try:
                found.append(parse_part_template(text, columns))
            except ValueError as error:
                raise InputError(f"{place}:{number}: {error}.") from error
    if not found:
        raise InputError(f"{place}: holds no templates.")
    return PartTemplates(found)


def parse_part_template(text: str, columns: Sequence[str] = COLUMNS) -> PartTemplate:
    """The one template that `text` names; ValueError says what is wrong with it."""
    atoms, words, between = [], [], []
    rest = text.strip()
    while rest:
        atom, word = _ATOM.match(rest), _WORD.match(rest)
        if atom and atom[1]:
            atoms.append(PartAtom(atom[1], checked_view(atom[2], columns), int(atom[3] or 0)))
        elif atom and not atom[3]:
            between.append(checked_view(atom[2], columns))
        elif word:
            words.append(word[1])
        else:
            raise ValueError(
                f"expected views of roles ({', '.join(ROLES)}) such as h.word m.fine[-1], found {rest[:40]!r}"
            )
        rest = rest[(atom or word).end() :]  # type: ignore[union-attr]
    if len(words) > 1 or (BIAS in words and (atoms or between)):
        raise ValueError(
            f"expected bias alone, or one of dir and dist (which tells the direction too), found {text[:60]!r}"
        )
    if len(between) > 1:
        raise ValueError(
            f"expected at most one view between head and modifier, found {len(between)}"
        )
    special = "".join(word for word in words if word != BIAS)
    return PartTemplate(tuple(atoms), special, between[0] if between else None)


def part_templates_from(
    given: str | PathLike | PartTemplates, columns: Sequence[str] = COLUMNS
) -> PartTemplates:
    """A ready set by its name, or the templates of a file; sets of templates are returned as they are."""
    if isinstance(given, PartTemplates):
        return given
    if isinstance(given, str) and given in SETS:
        return parse_part_templates(SETS[given](), given, columns)
    if os.fspath(given) != STANDARD_STREAM and not os.path.exists(given):
        raise InputError(
            f"{name_of(given)}: is no file of templates, nor one of the ready sets {', '.join(SETS)}."
        )
    with open_text(given) as stream:
        return parse_part_templates(stream, name_of(given), columns)


_KIND_OF_VIEW = {
    **dict.fromkeys(("shape", "case", "punct", "digit", "class"), "shape"),
    **dict.fromkeys(("coarse", "fine", "pos"), "POS"),
    "morph": "morphology",
}


def _kind_of_view(view: str) -> str:
    """shape, POS, morphology, or lexical for all that is made of words and lemmas."""
    name = view.partition("(")[0]
    column = view[len(name) + 1 : -1].partition(",")[0]
    return _KIND_OF_VIEW.get(name) or _KIND_OF_VIEW.get(column, "lexical")


def _pair_family(template: PartTemplate) -> Iterable[str]:
    """Which of words and tags of head and modifier themselves are paired; several parts are named by their kind alone."""
    if template.kind != ARC:
        return [KINDS[template.kind].replace("_", "-")]
    of_role: dict[str, set[str]] = {"h": set(), "m": set()}
    for atom in template.atoms:
        if atom.offset == 0:
            of_role[atom.role].add(_kind_of_view(atom.view))
    head, modifier = (
        "lexical" if "lexical" in kinds else "POS" if "POS" in kinds else ""
        for kinds in of_role.values()
    )
    if head and modifier:
        return ["bilexical" if head == modifier == "lexical" else f"{head} x {modifier}"]
    return ["head alone"] if head else ["modifier alone"] if modifier else []


def _other_families(template: PartTemplate) -> Iterable[str]:
    kinds = {_kind_of_view(atom.view) for atom in template.atoms}
    if template.between is not None:
        yield "middle POS" if _kind_of_view(template.between) == "POS" else "middle words"
    if any(atom.offset for atom in template.atoms):
        yield (
            "context POS"
            if all(_kind_of_view(a.view) == "POS" for a in template.atoms if a.offset)
            else "context words"
        )
    yield from sorted(kinds & {"shape", "morphology"})
    if template.special:
        yield {"dir": "direction", "dist": "distance"}[template.special]
    elif not template.atoms and template.between is None:
        yield BIAS
