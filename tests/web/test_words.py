"""Words and sentences in JavaScript are those of Python, in all scripts."""

from __future__ import annotations

import gzip
import json
import random
import sys
import unicodedata
from pathlib import Path

import pytest
from javascript import run_js

from laconic.text.tokens import sentences, word_spans, words

# Of ten scripts and more, with what their rules are about.
TEXTS = [
    "Dr. Jones left. He was tired!! e.g. Unix, no. 5 p. ¾ etc. The end? I. Maybe J. Smith",
    "ΟΔΥΣΣΕΥΣ ΟΔΟΣ. Ναι; Σ ΣΑΣ", "Привет, мир! Как дела? Й и\u0306", "İstanbul ŞİİR ıI GROẞ ǅ",
    "हिन्दी में लिखा। यह एक परीक्षा है॥ ठीक नमस्‍ते", "தமிழ் மொழி. நன்று!", "ภาษาไทยไม่มีช่องว่าง ครับ",
    "שָׁלוֹם עולם. מה שלומך?", "تمت. هذا؟ نعم۔ باشه", "日本語の文章です。東京に行きました！１．５",
    "한국어 문장입니다. 네, 그렇습니다.", "Հայերեն լեզու։ Այո՛", "አማርኛ ቋንቋ። ሰላም፧", "ကျေးဇူး။ ဟုတ်",
    "ភាសាខ្មែរ។ បាទ", "བོད་ཡིག །", "𝔘𝔫𝔦 𝟘𝟙 😀 e\u0301te\u0301 ﬁne a\u200db\u200c c\u200d \ufeff",
    "\x1c x \x85 y\u2028z\xa0", "<a@b.c> wrote:\n> quoted text\n>> more: x\n> back\nJD> it\n\n- 1",
    "From: me\nSubject: it\n  more\n\nBody. Text\n2. item two\nTo: x\n----\na    b    c\n  a\tb\n",
]  # fmt: skip

CHECK = """
import { sentenceSpans } from "WEB/lib/sentences.js";
import { wordSpans, wordsOf } from "WEB/lib/words.js";
say(given.map((text) => sentenceSpans(text).map(([start, end]) => {
  const sentence = text.slice(start, end);
  return [sentence, wordsOf(sentence), wordSpans(sentence).map(([a, b]) => sentence.slice(a, b))];
})));
"""


def split(text: str) -> list[list[object]]:
    """Return every sentence, its words, and how they are written."""
    return [
        [part, words(part), [part[a:b] for a, b in word_spans(part)]]
        for part in (text[start:end] for start, end in sentences(text))
    ]


def test_texts_of_many_scripts_and_mixtures_of_them() -> None:
    random.seed(0)
    signs, glue = "".join(TEXTS), " .!?\n\t>:-()'\"AaBb12"
    mixed = [
        "".join(random.choice(signs if random.random() < 0.6 else glue) for _ in range(60))
        for _ in range(2000)
    ]
    given = [*TEXTS, *(f"{text}\n\n{text}" for text in TEXTS), *mixed, ""]
    assert run_js(CHECK, given) == [split(text) for text in given]


def test_messages(data: Path) -> None:
    with gzip.open(data / "20news_bydate" / "test.jsonl.gz", "rt") as stream:
        given = [json.loads(line)["text"][:3000] for line in stream][::8]
    assert len(given) > 900
    assert run_js(CHECK, given) == [split(text) for text in given]


@pytest.mark.slow
def test_what_each_character_is() -> None:
    """Newer versions of Unicode know more characters: only those that Python knows are compared."""
    characters = [
        chr(place)
        for place in range(sys.maxunicode + 1)
        if unicodedata.category(chr(place)) not in ("Cn", "Cs")
    ]
    script = """
    import { S, W } from "WEB/lib/words.js";
    const tests = [`[${W}]`, `[${S}]`, "\\\\p{Lowercase}", "\\\\p{Uppercase}", "\\\\p{L}"];
    const patterns = tests.map((test) => new RegExp(test, "u"));
    const flags = (c) => patterns.map((one) => Number(one.test(c))).join("");
    say([...given].map((c) => `${flags(c)} ${c.toLowerCase()}`));
    """
    questions = (str.isalnum, str.isspace, str.islower, str.isupper, str.isalpha)
    found = run_js(script, "".join(characters))
    assert len(found) == len(characters)
    differing = [
        c
        for c, said in zip(characters, found, strict=True)
        if said
        != "".join(str(int(q(c) or (q is str.isalnum and c == "_"))) for q in questions)
        + f" {c.lower()}"
    ]
    # Versions of Unicode have changed the properties of a few letters.
    assert len(differing) < 30 and not any(c < "\u0250" for c in differing)
