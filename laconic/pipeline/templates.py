"""Feature templates of the parts of a pipeline; a view without an offset is of the token itself."""

from __future__ import annotations

from collections.abc import Sequence

from laconic.text.patterns import parse_template
from laconic.text.templates import Templates

# Units of few characters may be initials or abbreviations.
TOKENS = """
bias
gap
gap[-1]
gap[1]
gap[-1] gap gap[1]
unit
unit gap
unit[1]
unit[1] gap
unit[-1]
unit[2]
unit[-2]
unit unit[1] gap
unit[-1] unit gap
unit[-1] unit unit[1] gap
unit[1] unit[2] gap
unit[-1] unit[1]
lower gap
lower[1] gap
lower lower[1] gap
lower[-1] lower lower[1] gap
lower[-1] lower gap
lower[1] lower[2] gap
lower lower[1] lower[2] gap
lower[-2] lower[-1] lower gap
shape gap
shape[1] gap
shape shape[1] gap
shape[-1] shape shape[1] gap
shape shape[1] shape[2] gap gap[1]
shape[-1] shape shape[1] gap[-1] gap gap[1]
shape[-2] shape[-1] shape shape[1] gap
unit shape[1] gap
unit shape[1] gap gap[1]
unit shape[1] shape[2] gap gap[1]
shape[-1] unit shape[1] gap[-1] gap gap[1]
unit[-1] gap[-1] unit gap
unit[-1] gap[-1] unit gap shape[1]
shape unit[1] gap gap[1]
unit lower[1] gap
prefix2[1] suffix2 gap
suffix3 gap
prefix3[1] gap
suffix3 prefix1[1] gap
class gap
class class[1] gap
class[-1] class class[1] gap
class[-2] class[-1] class class[1] class[2] gap
gap[-2] gap[-1] gap gap[1] gap[2]
test(unit,"^.{1,3}$") unit[1] gap
test(unit,"^.{1,3}$") unit[1] gap gap[-1]
test(unit,"^.{1,3}$")[-1] unit gap
test(unit,"^.{1,3}$")[-1] unit gap gap[-2]
"""
# Tokens in the place of units; the next one may begin a sentence: known words with capitals, short
# pieces between stops.
SENTENCES = (
    TOKENS.replace("unit", "token")
    + """known[1] gap
known known[1] gap
shape known[1] gap
token known[1] gap
shape known[1] gap gap[1]
known[1] shape[1] shape[2] gap
lower[2] gap
lower[3] gap
lower[-2] gap
lower[-3] gap
lower[-1] gap
lower[2] lower[3] gap
shape[1] shape[2] shape[3] gap
suffix3[-1] gap
suffix2[1] gap
suffix2[-1] gap
prefix1[1] suffix2 gap
suffix2 suffix2[1] gap
since gap
until gap
since until gap
since shape shape[1] gap
until shape shape[1] gap
since until shape shape[1] gap
since known[1] gap
known[-1] shape known[1] gap
known known[1] known[2] gap
since known[1] known[2] gap
until known[1] known[2] gap
known[-1] known known[1] known[2] gap
since known known[1] gap
"""
)
UPOS = """
word
word[-1]
word[1]
word[-2]
word[2]
word[-2] word[-1]
word[-1] word
word word[1]
word[1] word[2]
word[-1] word[1]
lower
lower[-1]
lower[1]
shape
shape[-1]
shape[1]
shape[-1] shape
shape shape[1]
prefix1
prefix2
prefix3
prefix4
prefix5
suffix1
suffix2
suffix3
suffix4
suffix5
suffix6
suffix1[-1]
suffix1[1]
suffix2[-1]
suffix2[1]
suffix3[-1]
suffix3[1]
shape suffix3
lower shape
lower[-1] suffix3
suffix2 suffix2[1]
suffix2[-1] suffix2
suffix3 suffix3[1]
suffix3[-1] suffix3
lower suffix2[-1]
lower suffix2[1]
suffix2[-1] suffix2[1]
suffix3[-1] suffix3[1]
digit
punct
"""
# Few pairs of words, which would be learned by heart: endings decide, and for short words such as
# articles and prepositions what stands beside them.
SPLITS = """
bias
word
prefix1
prefix2
prefix3
suffix1
suffix2
suffix3
suffix4
suffix5
suffix6
suffix7
suffix8
match(word,"^.{1,4}$") suffix2[-1]
match(word,"^.{1,4}$") prefix2[1]
"""
# What is left to say of a word when its part of speech is known, and that of its neighbours. Of
# those the endings alone are read: words beside words are learned by heart.
MORPHOLOGY = """
bias
upos
upos[-1] upos
upos upos[1]
upos[-1] upos upos[1]
upos[-2] upos[-1] upos
upos upos[1] upos[2]
word
word upos
lower upos
prefix1
prefix2
prefix3
prefix4
prefix2 upos
prefix3 upos
prefix4 upos
suffix3
suffix4
suffix1 upos
suffix2 upos
suffix3 upos
suffix4 upos
suffix5 upos
suffix6 upos
suffix7 upos
suffix8 upos
prefix2 suffix2 upos
prefix3 suffix3 upos
suffix1[-1] upos[-1] upos
suffix1[1] upos[1] upos
suffix2[-1] upos[-1] upos
suffix2[1] upos[1] upos
suffix3 upos[-1] upos
suffix3 upos upos[1]
suffix2 suffix2[-1] upos
suffix2 suffix2[1] upos
shape upos
"""
# Of a form alone, with its tags.
LEMMAS = """
bias
upos
upos feats
word
lower upos
shape upos
suffix1 upos
suffix2 upos
suffix3 upos
suffix4 upos
suffix5 upos
suffix6 upos
suffix7 upos
suffix1 upos feats
suffix2 upos feats
suffix3 upos feats
suffix4 upos feats
suffix5 upos feats
suffix6 upos feats
prefix1 upos
prefix2 upos
prefix3 upos
prefix4 upos
prefix5 upos
prefix2 suffix2 upos
prefix3 suffix3 upos
xpos
suffix2 xpos
suffix3 xpos
suffix4 xpos
case upos
class upos
"""


def templates_of(text: str, columns: Sequence[str]) -> Templates:
    """Return the templates of one of the texts above, over these columns."""
    return Templates(
        parse_template(" ".join(map(_with_offset, line.split())), columns)
        for line in text.split("\n")
        if line
    )


def _with_offset(view: str) -> str:
    return view if view.endswith("]") or view == "bias" else f"{view}[0]"
