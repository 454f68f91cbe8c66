"""Ready sets of templates of parts, as lines of text; `laconic.parse.templates` says how they are read.

    arcs       what McDonald, Crammer and Pereira (2005) see of an arc, with lemmas, coarse tags and morphology
    arcs684    all pairs of views of head and modifier in all contexts; how 684 come about: see there
    pruner     tags mostly: a cheap set for the first-order model that prunes arcs
    second     arcs, siblings (McDonald and Pereira 2006) and grandchildren (Carreras 2007)
    third      second, grand-siblings and tri-siblings (Koo and Collins 2010)
    basic      what sub-trees are made of when trees are ranked anew (Qian and Liu 2015, Table 1)

Where a treebank has but one column of tags, "coarse" and "fine" are the same and the templates of one are wasted, not wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import product

DIRECTION, DISTANCE = "dir", "dist"
BOTH = (DIRECTION, DISTANCE)
# Neighbours of head and modifier: one of either, on all sides.
NEIGHBOURS = (
    ("h", "[+1]", "m", "[-1]"),
    ("h", "[-1]", "m", "[-1]"),
    ("h", "[+1]", "m", "[+1]"),
    ("h", "[-1]", "m", "[+1]"),
)


def arcs() -> list[str]:
    """100 for arcs: words, lemmas, tags and morphology of both ends, tags around them and between them."""
    one_end = ["word", "lemma", "fine", "coarse", "word|fine", "coarse|morph"]
    pairs = [("fine", "fine"), ("coarse", "coarse"), ("word", "word"), ("lemma", "lemma")]
    pairs += [
        ("word", "fine"),
        ("fine", "word"),
        ("lemma", "coarse"),
        ("coarse", "lemma"),
        ("coarse|morph", "coarse|morph"),
    ]
    triples = [
        ("word|fine", "fine"),
        ("fine", "word|fine"),
        ("lemma|fine", "lemma"),
        ("lemma", "lemma|fine"),
    ]
    triples += [("lemma|fine", "lemma|fine"), ("coarse|morph", "fine"), ("fine", "coarse|morph")]
    shapes = [("shape", "fine"), ("fine", "shape"), ("suffix3", "fine"), ("fine", "suffix3")]
    around_end = ["h.fine[-1]|h.fine|h.fine[+1]", "m.fine[-1]|m.fine|m.fine[+1]"]
    words_around = [
        f"h.fine|m.fine|{near}"
        for near in ("h.lemma[-1]", "h.lemma[+1]", "m.lemma[-1]", "m.lemma[+1]")
    ]
    wide = [
        f"h.{tag}[-1]|h.{tag}|h.{tag}[+1]|m.{tag}[-1]|m.{tag}|m.{tag}[+1]"
        for tag in ("coarse", "fine")
    ]
    wide += ["h.fine[-1]|h.fine|h.fine[+1]|m.fine", "h.fine|m.fine[-1]|m.fine|m.fine[+1]"]
    wide += ["h.fine|m.fine[-2]|m.fine[-1]|m.fine", "h.fine|m.fine|m.fine[+1]|m.fine[+2]"]
    between = [
        "between.coarse",
        "h.fine|between.coarse",
        "m.fine|between.coarse",
        "h.coarse|m.coarse|between.coarse",
    ]
    between += [
        "h.fine|m.fine|between.fine",
        "h.lemma|m.coarse|between.coarse",
        "h.coarse|m.lemma|between.coarse",
    ]
    return [
        *BOTH,
        *_with(
            [f"{role}.{views}".replace("|", f"|{role}.") for role in "hm" for views in one_end],
            BOTH,
        ),
        *_with([*_pairs(pairs), *_near("fine")], BOTH),
        *_with(
            [*_pairs([*triples, *shapes]), *_near("coarse"), *_one_near("coarse"), *wide],
            (DIRECTION,),
        ),
        *_with(_one_near("fine"), BOTH),
        *_with([*around_end, *words_around, "h.lemma|m.fine|m.lemma[-1]"], (DISTANCE,)),
        *_with(between, (DIRECTION,)),
        "h.coarse|m.coarse|between.coarse|dist",
    ]


def arcs684() -> list[str]:
    """684 = (6 * 6 * 6 + 12) * 3 for arcs, in the manner of Martins et al. (EMNLP 2011), who give the number, not the rule.

    6 views of the head (none, word, shape, lemma, fine and coarse tag) with 6 of the modifier, in 6 contexts (none, one neighbour's
    tag of either on all sides, all four), and 12 with the tags between them: coarse or fine, beside 6 pairs of views. Each of the 228
    is there plain, with the direction and with the distance.
    """
    views = ("", "word", "shape", "lemma", "fine", "coarse")
    near = [f"{h}.coarse{before}|{m}.coarse{after}" for h, before, m, after in NEIGHBOURS]
    contexts = ["", *near, "h.coarse[-1]|h.coarse[+1]|m.coarse[-1]|m.coarse[+1]"]
    ends = [
        ("fine", ""),
        ("", "fine"),
        ("coarse", "coarse"),
        ("fine", "fine"),
        ("lemma", "fine"),
        ("fine", "lemma"),
    ]
    seen = [
        "|".join(filter(None, (pair, context)))
        for pair, context in product(_pairs(product(views, views)), contexts)
    ]
    seen += [f"{pair}|between.{tag}" for pair, tag in product(_pairs(ends), ("coarse", "fine"))]
    return [line or "bias" for line in _with(seen, ("", *BOTH))]


def pruner() -> list[str]:
    """31 for arcs, tags mostly: cheap to compute, and enough to tell which arcs are out of question."""
    with_distance = [
        "h.fine",
        "m.fine",
        "h.coarse",
        "m.coarse",
        "m.lemma",
        "h.lemma",
        "h.coarse|m.coarse",
        "h.fine|m.fine",
    ]
    with_direction = [
        "h.lemma|m.coarse",
        "h.coarse|m.lemma",
        "h.lemma|m.lemma",
        "h.coarse|h.morph|m.coarse|m.morph",
    ]
    with_direction += [*_near("fine"), *_near("coarse"), *_one_near("fine"), *_one_near("coarse")]
    between = ["h.coarse|m.coarse|between.coarse", "between.coarse"]
    return [
        DISTANCE,
        *_with(with_distance, (DISTANCE,)),
        *_with([*with_direction, *between], (DIRECTION,)),
    ]


def siblings() -> list[str]:
    """27 with the sibling next to the modifier: pairs and triples of tags, some ends as lemmas or words, tags around."""
    found = [
        f"s.{a}|m.{b}"
        for a, b in (("word", "word"), ("word", "fine"), ("fine", "word"), *_LEMMAS_AND_TAGS)
    ]
    found += ["h.fine|s.fine", "h.lemma|s.lemma", "h.lemma|s.fine", *_some_lemmas(("h", "s", "m"))]
    found += [
        f"h.coarse|s.coarse|m.coarse|{role}.coarse{side}"
        for role in "hsm"
        for side in ("[-1]", "[+1]")
    ]
    return [
        *found,
        "h.coarse|s.coarse|s.morph|m.coarse|m.morph",
        "h.coarse|h.morph|s.coarse|m.coarse",
    ]


def grandchildren() -> list[str]:
    """27 with the head of the head: pairs and triples of tags, some ends as lemmas or words, tags around."""
    found = [
        f"g.{a}|m.{b}"
        for a, b in (("word", "word"), ("word", "fine"), ("fine", "word"), *_LEMMAS_AND_TAGS)
    ]
    found += [
        *_some_lemmas(("g", "h", "m")),
        "g.lemma|h.lemma|m.lemma",
        "g.fine|h.word|m.fine",
        "g.fine|h.word|m.word",
    ]
    found += [
        f"g.coarse|h.coarse|m.coarse|{role}.coarse{side}"
        for role in "ghm"
        for side in ("[-1]", "[+1]")
    ]
    return [
        *found,
        "g.coarse|g.morph|h.coarse|m.coarse|m.morph",
        "g.coarse|h.coarse|h.morph|m.coarse|m.morph",
    ]


def grand_siblings() -> list[str]:
    """20 with the head of the head and the next sibling: tags, and all places but two or three as lemmas in turn."""
    found = [f"g.{tag}|h.{tag}|s.{tag}|m.{tag}" for tag in ("fine", "coarse")]
    found += [f"g.{tag}|s.{tag}|m.{tag}" for tag in ("fine", "coarse")]
    found += _lemma_in_turn("ghsm", "fine") + _lemma_in_turn("ghsm", "coarse")
    found += [
        "g.lemma|s.lemma|m.fine",
        "g.lemma|s.fine|m.lemma",
        "g.fine|s.lemma|m.lemma",
        "g.lemma|s.coarse|m.coarse",
    ]
    found += [
        f"g.coarse|h.coarse|s.coarse|m.coarse|{near}" for near in ("m.coarse[-1]", "m.coarse[+1]")
    ]
    return [*found, "g.coarse|h.lemma|s.lemma|m.coarse", "g.coarse|h.coarse|s.lemma|m.lemma"]


def tri_siblings() -> list[str]:
    """20 with two more siblings: tags, and all places but two or three as lemmas in turn."""
    found = [f"h.{tag}|t.{tag}|s.{tag}|m.{tag}" for tag in ("fine", "coarse")]
    found += [f"t.{tag}|s.{tag}|m.{tag}" for tag in ("fine", "coarse")] + [
        "t.fine|m.fine",
        "t.coarse|m.coarse",
    ]
    found += _lemma_in_turn("htsm", "fine") + _lemma_in_turn("htsm", "coarse")
    found += ["t.lemma|m.lemma", "t.lemma|m.fine", "t.fine|m.lemma"]
    return [*found, "t.lemma|s.lemma|m.fine", "t.fine|s.lemma|m.lemma", "t.lemma|s.fine|m.lemma"]


def second() -> list[str]:
    """154: `arcs`, `siblings` and `grandchildren`."""
    return [*arcs(), *siblings(), *grandchildren()]


def third() -> list[str]:
    """194: `second`, `grand_siblings` and `tri_siblings`."""
    return [*second(), *grand_siblings(), *tri_siblings()]


def basic() -> list[str]:
    """33 for arcs: 16 of words and tags of both ends and of one token beside an end, plain and with the distance; tags between."""
    ends = ["h.word|m.word", "h.fine|m.fine", "h.word|m.fine", "h.fine|m.word"]
    beside_head = [
        f"h.fine{side}|m.{view}" for side in ("[-1]", "[+1]") for view in ("fine", "word")
    ]
    beside_modifier = [
        f"h.{view}|m.fine{side}" for side in ("[-1]", "[+1]") for view in ("fine", "word")
    ]
    three = [
        "h.fine[-1]|h.fine|m.fine",
        "h.fine|h.fine[+1]|m.fine",
        "h.fine|m.fine[-1]|m.fine",
        "h.fine|m.fine|m.fine[+1]",
    ]
    return [
        *_with([*ends, *beside_head, *beside_modifier, *three], ("", DISTANCE)),
        "h.fine|m.fine|between.fine",
    ]


SETS: dict[str, Callable[[], list[str]]] = {
    "arcs": arcs,
    "arcs684": arcs684,
    "pruner": pruner,
    "second": second,
    "third": third,
    "basic": basic,
}

_LEMMAS_AND_TAGS = (
    ("lemma", "lemma"),
    ("lemma", "fine"),
    ("fine", "lemma"),
    ("fine", "fine"),
    ("coarse", "coarse"),
)


def _with(lines: Iterable[str], signs: Sequence[str]) -> list[str]:
    """Every line with each of `signs`, which are dir, dist or nothing."""
    return ["|".join(filter(None, (line, sign))) for line in lines for sign in signs]


def _pairs(pairs: Iterable[tuple[str, str]]) -> list[str]:
    """("lemma|fine", "word") -> h.lemma|h.fine|m.word."""
    return [
        "|".join(
            f"{role}.{view}"
            for role, views in zip("hm", pair, strict=True)
            for view in views.split("|")
            if view
        )
        for pair in pairs
    ]


def _near(tag: str) -> list[str]:
    """Tags of head, modifier and one neighbour of either: 4."""
    return [
        f"h.{tag}|m.{tag}|{h}.{tag}{before}|{m}.{tag}{after}" for h, before, m, after in NEIGHBOURS
    ]


def _one_near(tag: str) -> list[str]:
    """Tags of head, modifier and one neighbour: 4."""
    return [f"h.{tag}|m.{tag}|{role}.{tag}{side}" for role in "hm" for side in ("[-1]", "[+1]")]


def _lemma_in_turn(roles: str, tag: str) -> list[str]:
    """One role's lemma beside the tags of the others, for each role."""
    return [
        "|".join(f"{role}.{'lemma' if role == chosen else tag}" for role in roles)
        for chosen in roles
    ]


def _some_lemmas(roles: Sequence[str]) -> list[str]:
    """Three roles: fine tags, coarse tags, one lemma in turn beside coarse ones, two lemmas in turn beside a fine one: 8."""
    two = [
        "|".join(f"{role}.{'fine' if role == chosen else 'lemma'}" for role in roles)
        for chosen in roles
    ]
    return (
        ["|".join(f"{role}.{tag}" for role in roles) for tag in ("fine", "coarse")]
        + _lemma_in_turn("".join(roles), "coarse")
        + two
    )
