"""The section on adaptation: a model of one text that goes on learning from a little of another."""

from __future__ import annotations

import time
import warnings
from pathlib import Path
from typing import Any

from benchmarks.lm_defaults import corpora
from benchmarks.page import table
from laconic import LanguageModel, LogLinear, adapted, interpolated

ORDER, MOST = 5, 60_000  # words of the general text
GENERAL = "WikiText-2"
DOMAINS = ("Penn Treebank", "BBC news", "Brown")
SIZES = (3_000, 20_000)  # words of a domain
LINEAR = "summed, weights on dev"
TEXT = """\
## Adaptation

`general` is `LanguageModel(order={order})` of the first {most:,} words of {general}; a domain is \
the first words of another text. Perplexity of the words that either has, and of ends of \
sentences, on every second sentence of the domain's test part. `one fit`: `LanguageModel()` of \
both texts together. `summed` and `multiplied`: `interpolated([general, domain], dev)` of two \
default models, linear and log-linear, with weights chosen on the other half of the test part, \
which no other column uses. `adapted n-grams`: `adapted(general, X, LogLinear())`; `adapted`: \
`adapted(general, X)`. The last columns: the latter against `summed`, and its CPU seconds.
"""


def section(data: Path, quick: bool = False) -> str:
    """The section of the page."""
    texts = {name: (train, test) for name, train, test in corpora(data, MOST)}
    rows: list[list[Any]] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # discounts of few n-grams
        general = texts[GENERAL][0]
        model = LanguageModel(ORDER).fit(general)
        for name in DOMAINS[: 1 if quick else None]:
            for most in SIZES[: 1 if quick else None]:
                rows.append([name, *_row(model, general, *texts[name], most)])
                print(rows[-1], flush=True)
    columns = ["domain", "words", "one fit", LINEAR, "multiplied", "adapted n-grams", "adapted"]
    return "\n".join(
        [
            TEXT.format(order=ORDER, most=MOST, general=GENERAL),
            table([*columns, "against summed", "CPU s"], rows),
        ]
    )


def _row(
    model: LanguageModel,
    general: list[list[str]],
    train: list[list[str]],
    test: list[list[str]],
    most: int,
) -> list[Any]:
    """The perplexities of one domain of at most `most` words."""
    domain: list[list[str]] = []
    for words in train:
        most -= len(words)
        if most < 0:
            break
        domain.append(words)
    dev, held_out = test[::2], test[1::2]
    alone = LanguageModel(ORDER).fit(domain)
    began = time.process_time()
    whole = adapted(model, domain)
    seconds = time.process_time() - began
    models = [
        LanguageModel(ORDER).fit([*general, *domain]),
        interpolated([model, alone], dev),
        interpolated([model, alone], dev, log_linear=True),
        adapted(model, domain, LogLinear()),
        whole,
    ]
    found = [each.perplexity(held_out, unknown=False) for each in models]
    return [
        f"{sum(map(len, domain)):,}",
        *(f"{each:.1f}" for each in found),
        f"{100 * (found[-1] / found[1] - 1):+.1f} %",
        seconds,
    ]
