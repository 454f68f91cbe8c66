"""Families of templates: what a template looks at, in a word or two."""

from __future__ import annotations

from collections.abc import Iterable

from laconic.parse.templates import ARC, KINDS, PartTemplate
from laconic.text.templates import BIAS

_KIND_OF_VIEW = {
    **dict.fromkeys(("shape", "case", "punct", "digit", "class"), "shape"),
    **dict.fromkeys(("coarse", "fine", "pos"), "POS"),
    "morph": "morphology",
}


def families_of(template: PartTemplate) -> tuple[str, ...]:
    """Return the families of a template: what it sees of head and modifier, then what else."""
    return tuple(dict.fromkeys((*_pair_family(template), *_other_families(template))))


def _kind_of_view(view: str) -> str:
    """Return shape, POS, morphology, or lexical for all that is made of words and lemmas."""
    name = view.partition("(")[0]
    column = view[len(name) + 1 : -1].partition(",")[0]
    return _KIND_OF_VIEW.get(name) or _KIND_OF_VIEW.get(column, "lexical")


def _pair_family(template: PartTemplate) -> Iterable[str]:
    """Return which of words and tags of head and modifier are paired; of larger parts the kind."""
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
    """Yield the families by what lies between and around, by shapes, and by distance."""
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
