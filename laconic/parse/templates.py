"""Templates of the parts of dependency trees: arcs, and arcs with siblings or the head's head.

    h.word|m.fine|dist        word of the head, tag of the modifier, side and distance between them
    m.fine[-1]|m.fine|dir     tags of the modifier and the token before it, and the modifier's side
    h.coarse|between.coarse|m.coarse      fires once per tag that occurs between head and modifier
    h.fine|s.fine|m.fine      with the sibling next to the modifier, towards the head

Roles: h the head, m the modifier, s the sibling next to m towards h, t the sibling next to s, g the
head of h. The roles that a template names determine the kind of part. Templates of parts larger
than arcs always include directions.
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

from laconic.core.arrays import Bools, Ints, Ints32
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
    """The conjunction of `atoms`, of direction or distance, and of the view `between`.

    With a view between, it fires once for each value that the view has between head and modifier.
    """

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
                f"no part has both the head's head (g) and a second sibling (t), "
                f"as {self.name} would"
            )
        if self.kind != ARC:
            if self.between is not None:
                raise ValueError(
                    "what stands between head and modifier is only seen with arcs, "
                    f"not in {self.name}"
                )
            if self.special == "dir":  # included anyway: equal templates must have equal names
                object.__setattr__(self, "special", "")

    @cached_property
    def roles(self) -> frozenset[str]:
        """The roles that the template names."""
        return frozenset(atom.role for atom in self.atoms)

    @property
    def name(self) -> str:
        """How the template is written, such as h.fine|m.fine[-1]|dir."""
        between = (f"{BETWEEN}.{self.between}",) if self.between is not None else ()
        return "|".join((*map(str, self.atoms), *between, *filter(None, (self.special,)))) or BIAS

    @property
    def key(self) -> tuple[frozenset[PartAtom], str, str | None]:
        """What distinguishes it from other templates."""
        return frozenset(self.atoms), self.special, self.between

    @cached_property
    def kind(self) -> int:
        """The kind of part, a number of KINDS."""
        if "t" in self.roles:
            return TRI_SIBLING
        if "g" in self.roles:
            return GRAND_SIBLING if "s" in self.roles else GRANDCHILD
        return SIBLING if "s" in self.roles else ARC

    @property
    def n_signs(self) -> int:
        """What it sees of direction and distance: 0 nothing, 1 direction, 2 distance."""
        return max(SPECIALS.index(self.special), int(self.kind != ARC))

    @property
    def value_views(self) -> tuple[str | None, ...]:
        """The views whose values name a feature: of the atoms, then of what lies between.

        None stands for the code of directions and distance, which comes before the latter.
        """
        shape = (None,) if self.n_signs else ()
        return (
            *(atom.view for atom in self.atoms),
            *shape,
            *((self.between,) if self.between is not None else ()),
        )


class PartArrays(NamedTuple):
    """Templates as the kernels read them: template m has the atoms atom_ptr[m]:atom_ptr[m+1].

    special is 0, or 1 for dir, or 2 for dist; between is the row of a view, or -1.
    """

    kind: Ints32
    special: Ints32
    between: Ints32
    atom_ptr: Ints
    atom_role: Ints32
    atom_view: Ints32
    atom_offset: Ints32


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
        """Return the templates as arrays; `view_index` has the row of each view in the columns."""
        if missing := sorted(set(self.views) - view_index.keys()):
            raise ValueError(
                f"templates use the views {', '.join(missing)}, "
                f"but the encoder has {', '.join(view_index)}"
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

    def order(self, coarse_to_fine: Sequence[str] = COARSE_TO_FINE) -> Bools:
        """Return whether template b refines template a, of shape (M, M).

        b then sees as much of direction and distance and of what stands between, and in each place
        every view of a has a view of b of its own that is at least as fine:
        nothing <= tag <= lemma <= word.
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
            # Several views of one place need different ones.
            if len({(atom.role, atom.offset) for atom in a.atoms}) < len(a.atoms):
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
    """Return whether each of `wanted` can have a member of `seen` of its own."""
    choices = [seen & some for some in wanted]
    useful = sorted(frozenset().union(*choices))
    orders = permutations(useful, len(wanted))
    return any(
        all(atom in some for atom, some in zip(given, choices, strict=True)) for given in orders
    )


def parse_part_templates(
    lines: Iterable[str], place: str = "templates", columns: Sequence[str] = COLUMNS
) -> PartTemplates:
    """Return the templates of lines, one per line; `#` opens a comment.

    An InputError names `place` and the line that cannot be understood.
    """
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
    """Return the one template that `text` names; a ValueError says what is wrong with it."""
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
                f"expected views of roles ({', '.join(ROLES)}) such as h.word m.fine[-1], "
                f"found {rest[:40]!r}"
            )
        rest = rest[(atom or word).end() :]  # type: ignore[union-attr]
    if len(words) > 1 or (BIAS in words and (atoms or between)):
        raise ValueError(
            "expected bias alone, or one of dir and dist (which includes the direction), "
            f"found {text[:60]!r}"
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
    """Return a ready set by its name, or the templates of a file, or templates as they are."""
    if isinstance(given, PartTemplates):
        return given
    if isinstance(given, str) and given in SETS:
        return parse_part_templates(SETS[given](), given, columns)
    if os.fspath(given) != STANDARD_STREAM and not os.path.exists(given):
        raise InputError(
            f"{name_of(given)}: is no file of templates, "
            f"nor one of the ready sets {', '.join(SETS)}."
        )
    with open_text(given) as stream:
        return parse_part_templates(stream, name_of(given), columns)
