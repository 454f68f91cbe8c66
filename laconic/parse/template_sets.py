"""Ready sets of templates of parts, as lines of text that `laconic.parse.templates` reads.

    arcs       views of an arc in McDonald, Crammer and Pereira (2005), with lemmas, coarse tags and
               morphology
    arcs684    all pairs of views of head and modifier in all contexts
    pruner     mostly tags: a cheap set for the first-order model that prunes arcs
    second     arcs, siblings (McDonald and Pereira 2006) and grandchildren (Carreras 2007)
    third      second, grand-siblings and tri-siblings (Koo and Collins 2010)
    basic      what sub-trees are made of when trees are reranked (Qian and Liu 2015, Table 1)

Where a treebank has only one column of tags, "coarse" and "fine" are the same, and the templates of
one of them are superfluous, but not wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import product

DIRECTION, DISTANCE = "dir", "dist"
BOTH = (DIRECTION, DISTANCE)
# Neighbours of head and modifier: one of each, on all sides.
NEIGHBOURS = (
    ("h", "[+1]", "m", "[-1]"),
    ("h", "[-1]", "m", "[-1]"),
    ("h", "[+1]", "m", "[+1]"),
    ("h", "[-1]", "m", "[+1]"),
)


def arcs() -> list[str]:
    """Return 100 templates of arcs: words, lemmas, tags, morphology, tags around and between."""
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
    """Return 684 = (6 * 6 * 6 + 12) * 3 templates of arcs.

    The number is that of Martins et al. (EMNLP 2011), who do not give the rule. 6 views of the head
    (none, word, shape, lemma, fine and coarse tag) with 6 of the modifier, in 6 contexts (none, the
    tags of one neighbour of each on all sides, all four), and 12 with the tags between them: coarse
    or fine, beside 6 pairs of views. Each of the 228 is there plain, with the direction and with
    the distance.
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
    """Return 31 templates of arcs, mostly of tags: cheap, and enough to prune arcs."""
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
    """Return 27 templates with the sibling next to the modifier: tags, some words, tags around."""
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
    """Return 27 templates with the head of the head: tags, some lemmas or words, tags around."""
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
    """Return 20 templates with the head of the head and the next sibling: tags and lemmas."""
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
    """Return 20 templates with two more siblings: tags and lemmas."""
    found = [f"h.{tag}|t.{tag}|s.{tag}|m.{tag}" for tag in ("fine", "coarse")]
    found += [f"t.{tag}|s.{tag}|m.{tag}" for tag in ("fine", "coarse")] + [
        "t.fine|m.fine",
        "t.coarse|m.coarse",
    ]
    found += _lemma_in_turn("htsm", "fine") + _lemma_in_turn("htsm", "coarse")
    found += ["t.lemma|m.lemma", "t.lemma|m.fine", "t.fine|m.lemma"]
    return [*found, "t.lemma|s.lemma|m.fine", "t.fine|s.lemma|m.lemma", "t.lemma|s.fine|m.lemma"]


def second() -> list[str]:
    """Return 154 templates: `arcs`, `siblings` and `grandchildren`."""
    return [*arcs(), *siblings(), *grandchildren()]


def third() -> list[str]:
    """Return 194 templates: `second`, `grand_siblings` and `tri_siblings`."""
    return [*second(), *grand_siblings(), *tri_siblings()]


def basic() -> list[str]:
    """Return 33 templates of arcs: words and tags of both ends and beside them, tags between."""
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
    """Return every line with each of `signs`, which are dir, dist or nothing."""
    return ["|".join(filter(None, (line, sign))) for line in lines for sign in signs]


def _pairs(pairs: Iterable[tuple[str, str]]) -> list[str]:
    """Return views of head and modifier: ("lemma|fine", "word") -> h.lemma|h.fine|m.word."""
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
    """Return 4 templates of the tags of head, modifier and one neighbour of each."""
    return [
        f"h.{tag}|m.{tag}|{h}.{tag}{before}|{m}.{tag}{after}" for h, before, m, after in NEIGHBOURS
    ]


def _one_near(tag: str) -> list[str]:
    """Return 4 templates of the tags of head, modifier and one neighbour."""
    return [f"h.{tag}|m.{tag}|{role}.{tag}{side}" for role in "hm" for side in ("[-1]", "[+1]")]


def _lemma_in_turn(roles: str, tag: str) -> list[str]:
    """Return templates with one role's lemma beside the tags of the others, for each role."""
    return [
        "|".join(f"{role}.{'lemma' if role == chosen else tag}" for role in roles)
        for chosen in roles
    ]


def _some_lemmas(roles: Sequence[str]) -> list[str]:
    """Return 8 templates of three roles: fine tags, coarse tags, one lemma, two lemmas in turn."""
    two = [
        "|".join(f"{role}.{'fine' if role == chosen else 'lemma'}" for role in roles)
        for chosen in roles
    ]
    return (
        ["|".join(f"{role}.{tag}" for role in roles) for tag in ("fine", "coarse")]
        + _lemma_in_turn("".join(roles), "coarse")
        + two
    )
