"""Feature templates: conjunctions of views at offsets from a token, and their order.

word[-1]|pos[0]            the word before, together with the tag here
pairs:word[0]              the same for pairs of neighbouring labels
ngrams(pos, 1..5, -5..5)   all n-grams of one to five tags inside a window
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar, overload

import numpy as np
import numpy.typing as npt

from laconic.core.arrays import Bools, Ints, Ints32

if TYPE_CHECKING:
    from typing_extensions import Self  # of typing itself from Python 3.11 on

MOST_STEPS = 4095  # how far outside a sentence a position still has a value of its own
AUTO = "auto"  # templates that suit the columns, see laconic.text.auto_templates
MOST_ATOMS = 100_000  # that one line of n-grams may have: sizes times places
PAIRS = "pairs:"
BIAS = "bias"
# Of two views of one position, which is the coarser: a tag before the word.
COARSE_TO_FINE = ("pos", "word")


class Atom(NamedTuple):
    """The value of `view` at position t + `offset`."""

    view: str
    offset: int

    def __str__(self) -> str:
        return f"{self.view}[{self.offset}]"


@dataclass(frozen=True)
class Template:
    """The conjunction of `atoms`; without any, it fires everywhere.

    With `pairs`, its features are seen with pairs of labels, not with single ones.
    """

    atoms: tuple[Atom, ...]
    pairs: bool = False

    def __post_init__(self) -> None:
        atoms = tuple(dict.fromkeys(Atom(view, int(offset)) for view, offset in self.atoms))
        for atom in atoms:
            if abs(atom.offset) > MOST_STEPS:
                raise ValueError(f"the offset of {atom} lies outside -{MOST_STEPS}..{MOST_STEPS}")
        object.__setattr__(self, "atoms", atoms)

    @property
    def value_views(self) -> tuple[str | None, ...]:
        """The views whose values name a feature, in the order of the values."""
        return tuple(atom.view for atom in self.atoms)

    @property
    def name(self) -> str:
        """The template as text, such as word[-1]|pos[0]."""
        return (PAIRS if self.pairs else "") + ("|".join(map(str, self.atoms)) or BIAS)

    @property
    def key(self) -> tuple[frozenset[Atom], bool]:
        """What distinguishes it from other templates."""
        return frozenset(self.atoms), self.pairs


class TemplateArrays(NamedTuple):
    """Template m is the atoms atom_ptr[m]:atom_ptr[m+1].

    Atom a is view atom_view[a] at offset atom_offset[a].
    """

    atom_ptr: Ints
    atom_view: Ints32
    atom_offset: Ints32
    pairs: npt.NDArray[np.uint8]


class Named(Hashable, Protocol):
    """What a set of templates needs: each as text, and what distinguishes it from others."""

    @property
    def name(self) -> str: ...
    @property
    def key(self) -> Hashable: ...


T = TypeVar("T", bound=Named)


class TemplateSet(Sequence[T]):
    """Templates in the order given; of equal ones (in any order of atoms) the first is kept."""

    def __init__(self, templates: Iterable[T]) -> None:
        distinct: dict[Hashable, T] = {}
        for template in templates:
            distinct.setdefault(template.key, template)
        self._templates = tuple(distinct.values())

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Self: ...
    def __getitem__(self, index: int | slice) -> T | Self:
        return (
            type(self)(self._templates[index])
            if isinstance(index, slice)
            else self._templates[index]
        )

    def __len__(self) -> int:
        return len(self._templates)

    def __iter__(self) -> Iterator[T]:
        return iter(self._templates)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self._templates == other._templates

    def __hash__(self) -> int:
        return hash(self._templates)

    def __repr__(self) -> str:
        shown = ", ".join(self.names[:3]) + (", .." if len(self) > 3 else "")
        return f"{type(self).__name__}({len(self)}: {shown})"

    @property
    def names(self) -> list[str]:
        """Each template as text, as files of templates hold them."""
        return [template.name for template in self]

    @property
    @abstractmethod
    def views(self) -> tuple[str, ...]:
        """The views in use, in order of first use."""

    def subset(self, keep: Iterable[int]) -> Self:
        """Return the templates numbered `keep`, in that order."""
        return type(self)(self[index] for index in keep)


class Templates(TemplateSet[Template]):
    """Templates of tokens; `laconic.text.patterns.parse_templates` reads their names."""

    @property
    def views(self) -> tuple[str, ...]:
        """The views in use, in order of first use."""
        return tuple(dict.fromkeys(atom.view for template in self for atom in template.atoms))

    def arrays(self, view_index: Mapping[str, int]) -> TemplateArrays:
        """Return the templates as arrays for the kernels.

        `view_index` is the row of each view in the encoded columns.
        """
        atoms = [atom for template in self for atom in template.atoms]
        if missing := sorted({atom.view for atom in atoms} - view_index.keys()):
            raise ValueError(
                f"templates use the views {', '.join(missing)}, "
                f"but the encoder has {', '.join(view_index)}"
            )
        return TemplateArrays(
            np.cumsum([0, *(len(template.atoms) for template in self)], dtype=np.int64),
            np.array([view_index[atom.view] for atom in atoms], dtype=np.int32),
            np.array([atom.offset for atom in atoms], dtype=np.int32),
            np.array([template.pairs for template in self], dtype=np.uint8),
        )

    def order(self, coarse_to_fine: Sequence[str] = COARSE_TO_FINE) -> Bools:
        """Return (M, M): whether template a is at or below template b, that is b refines a."""
        atoms = {atom for template in self for atom in template.atoms}
        finer = {
            a: {
                b
                for b in atoms
                if a.offset == b.offset and view_at_or_below(a.view, b.view, coarse_to_fine)
            }
            for a in atoms
        }
        seen = [set(template.atoms) for template in self]
        below = np.zeros((len(self), len(self)), dtype=bool)
        for row, a in zip(below, self, strict=True):
            wanted = [finer[atom] for atom in a.atoms]
            row[:] = [
                a.pairs <= b.pairs and not any(map(s.isdisjoint, wanted))
                for b, s in zip(self, seen, strict=True)
            ]
        return below


def ngrams(
    view: str, sizes: tuple[int, int], window: tuple[int, int], touching: bool = False
) -> list[Template]:
    """Return the n-grams of `view` of sizes[0]..sizes[1] neighbouring tokens inside a window.

    The window is the offsets window[0]..window[1]. With `touching` one token inside it is enough:
    the others may lie beyond.

    >>> [template.name for template in ngrams("word", (1, 2), (-1, 0))]
    ['word[-1]', 'word[0]', 'word[-1]|word[0]']
    """
    (smallest, largest), (left, right) = sizes, window
    if not 1 <= smallest <= largest or left > right:
        raise ValueError(
            "n-grams need sizes 1 <= m..n and a window l <= r, "
            f"got {smallest}..{largest} and {left}..{right}"
        )
    if largest * (right - left + largest) > MOST_ATOMS:
        raise ValueError(
            f"n-grams of up to {largest} tokens in a window of {right - left + 1} are too many: "
            f"sizes times places must not exceed {MOST_ATOMS:,}"
        )
    found = []
    for size in range(smallest, largest + 1):
        reach = size - 1
        starts = range(left - reach, right + 1) if touching else range(left, right + 1 - reach)
        found += [
            Template(tuple(Atom(view, start + step) for step in range(size))) for start in starts
        ]
    return found


def view_at_or_below(
    coarse: str, fine: str, coarse_to_fine: Sequence[str] = COARSE_TO_FINE
) -> bool:
    """Return whether `coarse` is the view `fine`, an earlier one of the list, or a part of it.

    `class` has case, punct and digit for parts, a longer affix or cluster string the shorter ones.
    Other views made of the word do not come before it: a penalty would make words pay for all of
    them first.
    """
    if coarse == fine:
        return True
    if fine in coarse_to_fine:
        return coarse in coarse_to_fine[: coarse_to_fine.index(fine)]
    if fine == "class":
        return coarse in ("case", "punct", "digit")
    (kind, length), (other, longer) = _kind(coarse), _kind(fine)
    return kind == other and kind in SIZED and length <= longer


SIZED = ("prefix", "suffix", "cluster")


def _kind(view: str) -> tuple[str, float]:
    """prefix3 -> (prefix, 3); without a number all of it is meant."""
    kind = view.rstrip("0123456789")
    return kind, int(view[len(kind) :]) if len(kind) < len(view) else np.inf


def at_or_below(a: Template, b: Template, coarse_to_fine: Sequence[str] = COARSE_TO_FINE) -> bool:
    """Return whether b refines a: at each position, b sees something at least as fine as a does.

    Nothing is coarser than a tag, and a tag is coarser than a word. Groups of a coarse-to-fine
    penalty are the templates b for each a. At a position with several views, each of a's needs one
    of b's that is at least as fine.
    """
    return bool(Templates([a, b]).order(coarse_to_fine)[0, -1])
