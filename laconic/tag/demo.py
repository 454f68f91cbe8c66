"""`laconic demo tag`: which words of a sentence did its author mark as code or as a formula?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from laconic.core.solvers.online import Mira
from laconic.core.solvers.online_sparse import Sparseptron
from laconic.tag.model import Tagger
from laconic.tag.scores import most_held
from laconic.tag.selection import selection
from laconic.text.held_out import hold_out, split_sizes
from laconic.text.markup import markup_corpus
from laconic.text.patterns import parse_templates

if TYPE_CHECKING:
    from laconic.cli.console import Bar

N_SHOWN = 6
TEMPLATES = """
ngrams(word, 1..3, -2..2)
ngrams(shape, 1..4, -3..3)
ngrams(prefix2, 1..3, -2..2)
ngrams(suffix3, 1..3, -2..2)
ngrams(punct, 1..5, -4..4)
"""
BUDGET = 15


def demo(seed: int, bar: Bar, as_json: bool) -> dict[str, Any]:
    """Train and inspect two small models; the marks are removed and become the labels."""
    split = hold_out(*markup_corpus(), seed)
    templates = parse_templates(TEMPLATES, ("word",))
    rows = []
    for learner, refit in ((Mira(5), None), (Sparseptron(BUDGET), Mira(10))):
        bar.describe(f"training {learner}")
        model = Tagger(templates, learner, refit, columns=("word",)).fit(*split.train)
        rows.append(
            {
                "learner": model.report_.learner,
                "f1": model.score(*split.test),
                "templates": f"{len(model.templates_)} of {len(templates)}",
                "features_kept": model.report_.features_kept,
                "features_held_most": most_held(model.report_.trace),
                "seconds": model.report_.seconds,
            }
        )
    shown = selection(model, N_SHOWN, as_json)
    wanted = ("templates", "features", "bigrams") if as_json else ("templates kept", "features")
    return {
        **split_sizes("sentences", split),
        "models": rows,
        **{name: shown[name] for name in wanted},
    }
