"""A small treebank with multiword tokens, glued punctuation, paragraphs and regular endings."""

from __future__ import annotations

import numpy as np

from laconic.text.conllu import Conllu
from laconic.text.conllu_files import parse_conllu

NAMES = ("Mira", "Otto", "Nora", "Ivo")
NOUNS = ("bird", "stone", "river", "lamp", "garden")
VERBS = ("watch", "paint", "follow", "need")


def treebank_text(n: int, seed: int = 0) -> str:
    """Write n sentences such as `Mira won't paint the birds.` in CoNLL-U."""
    random = np.random.default_rng(seed)
    blocks = []
    for s in range(n):
        name, noun, verb = (str(random.choice(words)) for words in (NAMES, NOUNS, VERBS))
        plural, negated, asks = random.random(3) < 0.5
        rows = [(name, name, "PROPN", "Number=Sing", 0, "nsubj", False)]
        if negated:
            rows += [
                ("wo", "will", "AUX", "_", 0, "aux", False),
                ("n't", "not", "PART", "_", 0, "advmod", False),
            ]
            head = (verb, verb, "VERB", "VerbForm=Inf", 0, "root", False)
        else:
            head = (f"{verb}ed", verb, "VERB", "Tense=Past", 0, "root", False)
        root = len(rows) + 1
        form = f"{noun}s" if plural else noun
        rows += [head, ("the", "the", "DET", "_", 0, "det", False)]
        rows += [(form, noun, "NOUN", f"Number={'Plur' if plural else 'Sing'}", 0, "obj", True)]
        rows += [("?" if asks else ".",) * 2 + ("PUNCT", "_", 0, "punct", False)]
        heads = [0 if at == root else root for at in range(1, len(rows) + 1)]
        heads[-3] = len(rows) - 1
        lines = ["# newpar"] if s % 5 == 0 else []
        for at, (word, lemma, upos, feats, _, relation, glued) in enumerate(rows, 1):
            if word == "wo":
                lines.append(f"{at}-{at + 1}\twon't" + "\t_" * 8)
            fields = (at, word, lemma, upos, upos[0], feats, heads[at - 1], relation, "_")
            lines.append("\t".join([*map(str, fields), "SpaceAfter=No" if glued else "_"]))
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) + "\n\n"


def treebank(n: int, seed: int = 0) -> Conllu:
    """Return such sentences."""
    return parse_conllu(treebank_text(n, seed))
