"""`laconic demo tag`: which words of a sentence did its author mark as code or as a formula?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from laconic.core.solvers.online import Mira
from laconic.core.solvers.online_sparse import Sparseptron
from laconic.models.demonstration import Demonstration, stored_bytes
from laconic.models.discrete.values import quantize
from laconic.tag.model import Tagger
from laconic.text.held_out import hold_out, split_sizes
from laconic.text.markup import markup_corpus
from laconic.text.patterns import parse_templates

if TYPE_CHECKING:
    from laconic.cli.console import Bar

TEMPLATES = """
ngrams(word, 1..3, -2..2)
ngrams(shape, 1..4, -3..3)
ngrams(prefix2, 1..3, -2..2)
ngrams(suffix3, 1..3, -2..2)
ngrams(punct, 1..5, -4..4)
"""
BUDGET, VALUES, MOST_TOKENS = 15, 32, 25


def demo(seed: int, bar: Bar) -> Demonstration:
    """Train taggers with all templates of features, and with a few that are chosen."""
    split = hold_out(*markup_corpus(), seed)
    templates = parse_templates(TEMPLATES, ("word",))
    rows: list[dict[str, Any]] = []

    def add(name: str, model: Tagger) -> None:
        rows.append(
            {
                "model": name,
                "f1": model.score(*split.test),
                "templates": len(model.templates_),
                "features": model.report_.features_kept,
                "bytes": stored_bytes(model),
            }
        )

    bar.describe(f"training with all {len(templates)} templates")
    add("all templates", Tagger(templates, Mira(5), columns=("word",)).fit(*split.train))
    bar.describe(f"choosing {BUDGET} of {len(templates)} templates")
    learners = Sparseptron(BUDGET), Mira(10)
    model = Tagger(templates, *learners, columns=("word",)).fit(*split.train)
    add(f"{BUDGET} chosen templates", model)
    small = quantize(model, VALUES)
    add(f"the same, {VALUES} weight values", small)
    tokens = next((s for s in split.test[0] if len(s) <= MOST_TOKENS), [])
    labels = small.predict([tokens])[0]
    marked = [
        piece
        for token, label in zip(tokens, labels, strict=True)
        for piece in ((token, float(label != "O")), (" ", 0.0))
    ]
    return Demonstration(
        "Which words of a docstring are marked as code or as a formula? The marks are removed and "
        "become the labels; models on sentences held out, and one sentence with what is found:",
        {**split_sizes("sentences", split), "models": rows},
        small,
        " ".join(tokens),
        "laconic train tag YOURS.conllu -o model.laconic",
        [marked] if tokens else [],
    )
