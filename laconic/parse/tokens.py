"""Tokens as in English treebanks: clitics (do|n't, he|'s), hyphens and marks are tokens.

Numbers and addresses stay whole. Words of classifiers are runs of letters and digits
(`tokens.words`); a parser needs every mark, and words as its treebank splits them.
"""

from __future__ import annotations

import re

from laconic.text.tokens import Span

_APOSTROPHE = "['\u2019]"
# The first alternative that matches counts.
_TOKEN = re.compile(
    rf"""
      (?:https?|ftp)://[^\s<>"]*[\w/]|www\.[^\s<>"]*[\w/]        # addresses of pages and of people
    | [\w.+%-]{{1,64}}@\w[\w-]*(?:\.[\w-]+)*
    | [:;=8]-?[()DPp|](?!\w)                                     # smileys
    | (?:[A-Za-z]\.){{2,}}                                       # U.S., e.g.
    | (?:Mr|Mrs|Ms|Dr|Prof|Rev|St|Mt|Ft|Gen|Col|Lt|Sgt|Capt|Sen|Rep|Gov|Jr|Sr|vs|etc|Inc|Ltd
        |Corp|Co|No)\.(?=\s)
    | (?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec|Mon|Tue|Wed|Thu|Fri|Sat|Sun)\.(?=\s)
    | [A-Z]\.(?=\s+[A-Z])                                        # initials
    | (?:[0-9]{{3}}-)+[0-9]{{4}}                                   # telephones
    | [0-9]+(?:[.,:/][0-9]+)+\w*|\.[0-9]+                        # 2,664,098  10:30  11/17/2004
    | (?i:can(?=not\b)|gon(?=na\b)|wan(?=na\b)|got(?=ta\b))
    | \w+(?=[nN]{_APOSTROPHE}[tT]\b)|[nN]{_APOSTROPHE}[tT]\b     # do|n't
    | {_APOSTROPHE}(?i:s|ll|re|ve|d|m)\b                         # he|'s
    | \w+(?={_APOSTROPHE}(?i:s|ll|re|ve|d|m)\b)
    | [A-Za-z]\w*(?:[.'][A-Za-z]\w*)+                            # comp.sys.mac, O'Brien
    | (?i:e-mail)s?\b|\w+
    | [!?]+
    | \.(?:\ ?\.)+                                               # dots, perhaps spaced
    | ([^\w\s])\1*                                               # any other mark, and runs of it
    """,
    re.VERBOSE,
)


def treebank_tokens(text: str) -> list[Span]:
    """Return the spans (start, end) of the tokens of a sentence, in order.

    All that is not white space is in one of them.
    """
    return [match.span() for match in _TOKEN.finditer(text)]
