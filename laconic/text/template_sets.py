"""Ready sets of templates: `ready_templates("chunking")` and its like.

How the published counts of 96 and 452 come about. Let F(n, w) be the number of n-grams of sizes
1..n that have at least one token within w of the present one: size s has (2w + 1) + (s - 1) of
them, so F(5, 5) = 65, F(3, 3) = 24, F(2, 1) = 7.

    chunking   POS F(5, 5) + words F(3, 3) + shapes F(2, 1)
               65 + 24 + 7 = 96
    ner        chunking, shapes F(3, 3) in place of F(2, 1), three prefixes and three suffixes
               F(3, 3), case, punctuation and digit indicators F(5, 5)
               65 + 24 + 24 + 6 * 24 + 3 * 65 = 452

The article (Martins et al., EMNLP 2011) gives the sizes and the windows, not the rule; it says 2
tokens on either side for shapes, which is as far as bigrams with a token within 1 reach. Counting
only n-grams that lie inside the windows as printed gives 45 + 18 + 9 = 72 (`chunking72`). Label
bigrams are in no set: they always have weights.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from laconic.text.templates import Atom, Template, Templates, ngrams

CLUSTER_VIEWS = (
    "cluster4",
    "cluster6",
    "cluster8",
    "cluster10",
    "cluster12",
    "cluster16",
    "cluster",
)
AFFIX_VIEWS = tuple(f"{end}{length}" for end in ("prefix", "suffix") for length in (1, 2, 3, 4))


def chunking() -> Templates:
    """Return 96: tags up to 5-grams, words up to 3-grams, shapes up to 2-grams."""
    return Templates([*_around("pos", 5, 5), *_around("word", 3, 3), *_around("shape", 2, 1)])


def chunking72() -> Templates:
    """Return 72: the n-grams of `chunking` that lie inside 5, 3 and 2 tokens on either side."""
    sized = (("pos", 5), ("word", 3), ("shape", 2))
    return Templates(template for view, n in sized for template in ngrams(view, (1, n), (-n, n)))


def chunking_clusters() -> Templates:
    """Return 96: `chunking72`, and 1- to 3-grams of word clusters and of their first 8 bits.

    Those lie within 2 tokens on either side.
    """
    return Templates(
        [*chunking72(), *ngrams("cluster", (1, 3), (-2, 2)), *ngrams("cluster8", (1, 3), (-2, 2))]
    )


def chunking_pairs() -> Templates:
    """Return 116: `chunking_clusters`, conjunctions with neighbours, and pairs of labels.

    Words and clusters are joined with tags and clusters of neighbours; tags, words and clusters
    are seen with pairs of labels.
    """
    found = [*chunking_clusters()]
    for view in ("word", "cluster"):
        found += [Template((Atom(view, here), Atom("pos", 0))) for here in (-1, 1)]
        found += [Template((Atom(view, 0), Atom("pos", here))) for here in (-1, 1)]
    around = (-1, 0, 1)  # no tag beside its own word, which says as much by itself
    found += [
        Template((Atom("word", here), *(Atom("pos", at) for at in around if at != here)))
        for here in around
    ]
    found.append(Template((Atom("cluster", 0), Atom("pos", -1), Atom("pos", 1))))
    found += [Template((Atom("word", here), Atom("cluster", 0))) for here in (-1, 1)]
    found += [Template((Atom("word", 0), Atom("cluster", here))) for here in (-1, 1)]
    found += [Template((Atom(view, 0),), pairs=True) for view in ("pos", "cluster8", "word")]
    return Templates([*found, Template((Atom("pos", -1), Atom("pos", 0)), pairs=True)])


def chunking_compact() -> Templates:
    """Return 20 around the present token: n-grams, and words beside tags of neighbours.

    Tags have up to 4-grams, words and clusters up to 2-grams.
    """
    found = [
        Template((Atom("pos", 0),)),
        *ngrams("pos", (2, 2), (-1, 1)),
        *ngrams("pos", (3, 3), (-2, 2)),
        *ngrams("pos", (4, 4), (-2, 2)),
    ]
    for view in ("word", "cluster"):
        found += [Template((Atom(view, 0),)), *ngrams(view, (2, 2), (-1, 1))]
    found += ngrams("cluster8", (2, 2), (-1, 1))
    for here in (-1, 1):
        found += [
            Template((Atom("word", 0), Atom("pos", here))),
            Template((Atom("word", here), Atom("pos", 0))),
        ]
    return Templates(found)


def ner() -> Templates:
    """Return 452: `chunking` with shapes up to 3-grams, affixes of 1 to 3 letters, and indicators.

    These are of case, punctuation and digits.
    """
    affixes = [f"{end}{length}" for length in (1, 2, 3) for end in ("prefix", "suffix")]
    added = [template for view in ("shape", *affixes) for template in _around(view, 3, 3)]
    indicators = [
        template for view in ("case", "punct", "digit") for template in _around(view, 5, 5)
    ]
    return Templates([*chunking(), *added, *indicators])


def ner_compact() -> Templates:
    """Return a compact set for names: views near by, pairs of neighbours, shapes beside both."""
    found = [
        *ngrams("word", (1, 2), (-2, 2)),
        *ngrams("pos", (1, 3), (-2, 2)),
        *ngrams("shape", (1, 3), (-2, 2)),
    ]
    found += (
        _each(("lower", "class"), range(-2, 3))
        + _each(AFFIX_VIEWS, (-1, 0, 1))
        + ngrams("class", (2, 2), (-1, 1))
    )
    found += [Template((Atom("shape", 0), Atom("word", here))) for here in (-1, 1)]
    found += [
        Template((Atom("shape", 0), Atom("suffix3", 0))),
        Template((Atom("shape", 0), Atom("pos", 0))),
    ]
    return Templates(found)


def ner_wide() -> Templates:
    """Return `ner_compact`, one token further on either side, and more conjunctions.

    These are of affixes and of words in lower case.
    """
    found = [
        *ner_compact(),
        *_each(("lower", "shape", "class", "pos"), (-3, 3)),
        *ngrams("shape", (4, 4), (-2, 2)),
    ]
    found += [
        *ngrams("lower", (2, 3), (-1, 1)),
        *_each(("prefix3", "prefix4", "suffix3", "suffix4"), (-2, 2)),
    ]
    found += [
        template
        for view in ("prefix3", "suffix2", "suffix3")
        for template in ngrams(view, (2, 2), (-1, 1))
    ]
    found += [Template((Atom("lower", here), Atom("class", 0))) for here in (-2, -1, 1)]
    found += [
        Template((Atom("lower", -1), Atom("class", 0), Atom("class", 1))),
        Template((Atom("lower", -1), Atom("suffix3", 0))),
    ]
    found.append(Template((Atom("class", -1), Atom("class", 0), Atom("suffix3", 0))))
    return Templates(dict.fromkeys(found))


def ner_clusters() -> Templates:
    """Return `ner_compact` with word clusters: their prefixes near by, pairs, and conjunctions.

    These are with words and shapes.
    """
    found = [*ner_compact(), *_each(CLUSTER_VIEWS, range(-2, 3))]
    found += [template for view in CLUSTER_VIEWS for template in ngrams(view, (2, 2), (-1, 1))]
    for view in ("cluster8", "cluster"):
        found += ngrams(view, (3, 3), (-1, 1))
        found += [Template((Atom(view, left), Atom("word", left + 1))) for left in (-1, 0)]
        found += [Template((Atom("word", left), Atom(view, left + 1))) for left in (-1, 0)]
        found += [Template((Atom(view, here), Atom("shape", 0))) for here in (-1, 0, 1)]
    return Templates(found)


def tagging() -> Templates:
    """Return 31 for tags of words, from the words alone: words, pairs, affixes and shapes."""
    found = [
        *ngrams("word", (1, 2), (-2, 2)),
        Template((Atom("word", -1), Atom("word", 1))),
        *_each(("lower", "shape"), (-1, 0, 1)),
    ]
    found += [
        *_each(AFFIX_VIEWS, (0,)),
        *_each(("suffix2", "suffix3"), (-1, 1)),
        *ngrams("shape", (2, 2), (-1, 1)),
    ]
    return Templates([*found, Template((Atom("shape", 0), Atom("suffix3", 0)))])


def for_cluster_column(column: str) -> Templates:
    """Return 45 of a column of cluster bits: prefixes near by, and pairs of neighbours.

    The column is of another clustering than that of the `cluster` views.
    """
    views = [f"prefix{length}({column})" for length in (4, 6, 8, 10, 12, 16)] + [column]
    pairs = [template for view in views[2:] for template in ngrams(view, (2, 2), (-1, 1))]
    return Templates([*_each(views, range(-2, 3)), *pairs])


def for_list_columns(columns: Sequence[str]) -> Templates:
    """Return templates of columns that mark phrases of lists of names.

    Each is taken near by and beside shapes, tags and classes, and all lists together.
    """
    found = []
    for column in columns:
        here = Atom(column, 0)
        found += [*_each((column,), range(-2, 3)), *ngrams(column, (2, 3), (-1, 1))]
        found += [
            Template((here, Atom("shape", 0))),
            Template((here, Atom("pos", 0))),
            Template((here, Atom("class", 1))),
        ]
        found += [
            Template((Atom(column, -1), Atom("class", 0))),
            Template((here, Atom(column, 1), Atom("class", 1))),
        ]
    found.append(Template(tuple(Atom(column, 0) for column in columns)))
    return Templates(dict.fromkeys(found))


def for_kind_columns(columns: Sequence[str]) -> Templates:
    """Return templates of columns of how likely kinds of words are, the likeliest kind last.

    Each is taken near by, beside neighbours, classes, words and tags.
    """
    *kinds, best = columns
    found = []
    for kind in kinds:
        found += [*_each((kind,), range(-2, 3)), *ngrams(kind, (2, 2), (-1, 1))]
        found += [Template((Atom(kind, here), Atom("class", 0))) for here in (-1, 0, 1)]
    found += [
        *ngrams(best, (1, 3), (-2, 2)),
        *(Template((Atom(best, here), Atom("class", 0))) for here in (-1, 0, 1)),
    ]
    found += [
        Template((Atom(best, 0), beside))
        for beside in (Atom("word", -1), Atom("word", 1), Atom("pos", 0))
    ]
    return Templates(found)


SETS: dict[str, Callable[[], Templates]] = {
    "chunking": chunking,
    "chunking72": chunking72,
    "chunking_clusters": chunking_clusters,
    "chunking_pairs": chunking_pairs,
    "chunking_compact": chunking_compact,
    "tagging": tagging,
    "ner": ner,
    "ner_compact": ner_compact,
    "ner_wide": ner_wide,
    "ner_clusters": ner_clusters,
}


def ready_templates(name: str) -> Templates:
    """Return the ready set `name`."""
    if name not in SETS:
        raise ValueError(
            f"there is no ready set of templates {name!r}; the sets are {', '.join(SETS)}"
        )
    return SETS[name]()


def _around(view: str, size: int, reach: int) -> list[Template]:
    """Return the F(size, reach) n-grams of `view`."""
    return ngrams(view, (1, size), (-reach, reach), touching=True)


def _each(views: Iterable[str], offsets: Iterable[int]) -> list[Template]:
    places = list(offsets)
    return [Template((Atom(view, offset),)) for view in views for offset in places]
