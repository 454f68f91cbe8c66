"""Templates chosen by the columns that tokens have: `templates="auto"`.

    word                 the set `tagging`: words, pairs, affixes and shapes
    + a tag              n-grams of tags, and tags beside words, neighbours and shapes
    + any other column   its values near by, pairs of neighbours, and each beside word and tag
    + clusters           prefixes of bits near by, and pairs of neighbours

Tokens that are dicts of features have one template per key: what is near is among the features.
The first column is the word, the second the tag, whatever their names are.
"""

from __future__ import annotations

from collections.abc import Sequence

from laconic.text.template_sets import CLUSTER_VIEWS, tagging
from laconic.text.templates import Atom, Template, Templates, ngrams

TAG_SIZES = (1, 4)
NEAR = range(-2, 3)


def auto_templates(columns: Sequence[str], clusters: bool = False) -> Templates:
    """Return the templates for tokens with these columns, with views of clusters if there are any.

    >>> len(auto_templates(["word"])), len(auto_templates(["word", "pos"]))
    (31, 62)
    """
    word, *others = columns
    found = [_renamed(template, word) for template in tagging()]
    if others:
        found += _of_tags(word, others[0])
    for column in others[1:]:
        found += _of_column(column, (word, others[0]))
    if clusters:
        found += [Template((Atom(view, at),)) for view in CLUSTER_VIEWS for at in NEAR]
        found += [pair for view in CLUSTER_VIEWS for pair in ngrams(view, (2, 2), (-1, 1))]
    return Templates(found)


def single_columns(columns: Sequence[str]) -> Templates:
    """Return a template per column, of tokens whose dicts of features say all there is to see."""
    return Templates(Template((Atom(column, 0),)) for column in columns)


def _of_tags(word: str, tag: str) -> list[Template]:
    """Return n-grams of tags, and tags, shapes and affixes beside words and neighbours."""
    here = Atom(word, 0)
    found = [*ngrams(tag, TAG_SIZES, (-2, 2)), *ngrams("shape", (3, 3), (-2, 2))]
    found += ngrams("class", (1, 2), (-1, 1))
    for side in (-1, 1):
        found += [Template((here, Atom(tag, side))), Template((Atom(word, side), Atom(tag, 0)))]
        found += [Template((Atom("shape", 0), Atom(word, side)))]
        found += [Template((Atom(view, side),)) for view in ("prefix3", "suffix3")]
    return [*found, Template((Atom("shape", 0), Atom(tag, 0)))]


def _of_column(column: str, beside: Sequence[str]) -> list[Template]:
    """Return values of one more column near by, in pairs, and beside the word and the tag."""
    found = [Template((Atom(column, at),)) for at in NEAR]
    found += ngrams(column, (2, 2), (-1, 1))
    return found + [Template((Atom(column, 0), Atom(other, 0))) for other in beside]


def _renamed(template: Template, word: str) -> Template:
    """Return a template whose atoms of the column `word` are of the column of another name."""
    return Template(tuple(Atom(word if v == "word" else v, at) for v, at in template.atoms))
