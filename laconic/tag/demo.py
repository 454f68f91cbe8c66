"""`laconic demo tag`: which words of a sentence did its author mark as code or as a formula?"""

from __future__ import annotations

import time
from typing import Any

from laconic.cli.console import Bar
from laconic.cli.split import split_sizes, three_quarters
from laconic.core.solvers.online import Mira, passes_of
from laconic.core.solvers.online_sparse import Sparseptron
from laconic.tag.cli import inspect
from laconic.tag.model import Tagger
from laconic.text.markup import markup_corpus
from laconic.text.patterns import parse_templates

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
    """Train and inspect two small models; the marks are taken out and become the labels."""
    split = three_quarters(*markup_corpus(), seed)
    templates = parse_templates(TEMPLATES, ("word",))
    rows = []
    for learner, refit in ((Mira(5), None), (Sparseptron(BUDGET), Mira(10))):
        bar.describe(f"training {learner}")
        began = time.perf_counter()
        model = Tagger(templates, learner, refit, columns=("word",)).fit(*split.train)
        seconds = time.perf_counter() - began
        rows.append(
            {
                "learner": f"{learner}, then {refit}" if refit else str(learner),
                "f1": model.score(*split.test),
                "templates": f"{len(model.templates_)} of {len(templates)}",
                "features_nonzero": model.n_features_selected_,
                "features_held_most": max(
                    held for epoch in passes_of(model.trace_) for _, held in epoch.held
                ),
                "seconds": seconds,
            }
        )
    shown = inspect(model, N_SHOWN, as_json)
    wanted = ("templates", "features", "bigrams") if as_json else ("templates kept", "features")
    return {
        **split_sizes("sentences", split),
        "models": rows,
        **{name: shown[name] for name in wanted},
    }
