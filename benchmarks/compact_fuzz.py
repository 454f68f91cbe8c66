"""Damaged and forged model files: a stream of them from a sound one, and what must hold of each
when it is opened and used.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.page import table
from benchmarks.timing import measure_in_subprocess
from laconic import Mira, Parser, Perceptron, Tagger, TextClassifier, value_set
from laconic.classify.compact import CompactClassifier
from laconic.errors import InputError
from laconic.models import file as files
from laconic.models.checks import pack_json, unpack_json
from laconic.models.discrete.values import quantize
from laconic.models.save import load, save_compact
from laconic.parse.compact import CompactParser
from laconic.parse.labels import RelationLabeler
from laconic.parse.relation_columns import RELATION_COLUMNS
from laconic.parse.templates import parse_part_templates
from laconic.parse.trees import DependencyTree
from laconic.text.patterns import parse_templates
from laconic.text.treebanks import COLUMNS
from laconic.text.views import WordClusters

PART_TEMPLATES = (
    "h.word|m.word",
    "h.coarse[-1]|m.word|dist",
    "h.cluster|m.coarse|dir",
    "m.word|between.word",
    "s.coarse|h.coarse|m.word",
    "g.word|h.coarse[+1]|m.coarse|dist",
)
TEXT = """\
### Damaged files

Small taggers, parsers and classifiers, with names and without; {n:,} files made of them were \
opened and, if that went well, used and read, in a
process of their own that would have shown a crash. `forged` files have arrays or descriptions \
changed and a checksum that is right."""
EXTREMES = (
    0,
    1,
    2,
    3,
    15,
    16,
    63,
    64,
    127,
    255,
    256,
    65_535,
    65_536,
    2**31 - 1,
    2**31,
    2**32 - 1,
    2**62,
    2**63 - 1,
    -1,
    -(2**31),
)
Mutation = Callable[[bytes, np.random.Generator], bytes]


def truncated(content: bytes, rng: np.random.Generator) -> bytes:
    """Without its end, or with something after it."""
    if rng.random() < 0.2:
        return content + rng.bytes(int(rng.integers(1, 100)))
    return content[: int(rng.integers(len(content)))]


def flipped(content: bytes, rng: np.random.Generator) -> bytes:
    """One to eight bits flipped."""
    damaged = bytearray(content)
    for place in rng.integers(8 * len(content), size=int(rng.integers(1, 9))).tolist():
        damaged[place // 8] ^= 1 << place % 8
    return bytes(damaged)


def overwritten(content: bytes, rng: np.random.Generator) -> bytes:
    """A run of bytes replaced by noise, zeros or ones."""
    size = int(rng.integers(1, 65))
    start = int(rng.integers(max(1, len(content) - size)))
    run = (rng.bytes(size), bytes(size), b"\xff" * size)[int(rng.integers(3))]
    return content[:start] + run[: len(content) - start] + content[start + size :]


def reheaded(content: bytes, rng: np.random.Generator) -> bytes:
    """Replace a number of the header, such as its version or a byte range, by an extreme one."""
    n_header = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + n_header])
    name = list(header)[int(rng.integers(len(header)))]
    extreme = EXTREMES[int(rng.integers(len(EXTREMES)))]
    if name == "__metadata__":
        header[name]["format_version"] = str(extreme)
    else:
        key = ("shape", "data_offsets")[int(rng.integers(2))]
        values = header[name][key]
        values[int(rng.integers(len(values)))] = extreme
    raw = json.dumps(header).encode()
    raw += b" " * (-len(raw) % 8)
    return len(raw).to_bytes(8, "little") + raw + content[8 + n_header :]


def forged(content: bytes, rng: np.random.Generator) -> bytes:
    """Arrays, or the compressed description, changed by somebody who knows the format, checksum and
    all.
    """
    file = _parsed(content)
    arrays = {name: array.copy() for name, array in file.arrays.items()}
    for _ in range(int(rng.integers(1, 4))):
        name = list(arrays)[int(rng.integers(len(arrays)))]
        arrays[name] = (
            _forged_about(arrays[name], rng)
            if name.endswith("about")
            else _forged_array(arrays[name], rng)
        )
    return _written(file._replace(arrays=arrays))


def _forged_array(array: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    if array.size == 0 or rng.random() < 0.15:  # another length
        rows = max(0, len(array) + int(rng.integers(-2, 3)))
        return (
            np.resize(array, (rows, *array.shape[1:]))
            if array.size
            else np.zeros((rows, *array.shape[1:]), array.dtype)
        )
    flat = array.reshape(-1)
    where = rng.integers(flat.size, size=int(rng.integers(1, 5)))
    if rng.random() < 0.5:
        flat.view(np.uint8)[int(rng.integers(flat.nbytes))] ^= 1 << int(rng.integers(8))
    elif array.dtype.kind == "f":
        flat[where] = rng.choice([0.0, -1.0, np.inf, np.nan, 1e30])
    else:
        limits = np.iinfo(array.dtype)
        flat[where] = np.clip(
            EXTREMES[int(rng.integers(len(EXTREMES)))], limits.min, int(limits.max)
        ).astype(array.dtype)
    return array


def _forged_about(packed: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    about = unpack_json(packed)
    key = list(about)[int(rng.integers(len(about)))]
    value = about[key]
    extreme: Any = EXTREMES[int(rng.integers(len(EXTREMES)))]
    if isinstance(value, list) and value and rng.random() < 0.8:
        place = int(rng.integers(len(value)))
        about[key] = (
            [*value[:place], *value[place + 1 :]]
            if rng.random() < 0.5
            else [*value[:place], extreme, *value[place:]]
        )
    elif isinstance(value, dict) and value:
        inner = list(value)[int(rng.integers(len(value)))]
        about[key] = {**value, inner: extreme}
    else:
        about[key] = (extreme, None, "x", [], True)[int(rng.integers(5))]
    return pack_json(about)


def _parsed(content: bytes) -> files.ModelFile:
    n_header = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + n_header])
    metadata = header.pop("__metadata__")
    arrays = {}
    for name, entry in header.items():
        start, stop = (8 + n_header + offset for offset in entry["data_offsets"])
        arrays[name] = np.frombuffer(content[start:stop], files.DTYPES[entry["dtype"]]).reshape(
            entry["shape"]
        )
    return files.ModelFile(
        metadata["kind"], int(metadata["format_version"]), arrays, json.loads(metadata["meta"])
    )


def _written(file: files.ModelFile) -> bytes:
    return b"".join(files.content_of(file.kind, file.arrays, file.meta))


MUTATIONS: tuple[Mutation, ...] = (
    truncated,
    flipped,
    overwritten,
    reheaded,
    forged,
    forged,
    forged,
)


def damaged(contents: Sequence[bytes], n: int, seed: int = 0) -> Iterator[tuple[str, bytes]]:
    """The name of a mutation and the bytes that it has made of one of `contents`, n times."""
    rng = np.random.default_rng(seed)
    for _ in range(n):
        mutate = MUTATIONS[int(rng.integers(len(MUTATIONS)))]
        content = changed = contents[int(rng.integers(len(contents)))]
        while changed == content:  # zeros may be overwritten by zeros
            changed = mutate(content, rng)
        yield mutate.__name__, changed


def small_models(folder: Path) -> list[bytes]:
    """Compact files of a small tagger, classifier and parsers, with names and without."""
    contents = []
    for model in (_tagger(), _classifier(), _parser("carreras"), _parser("arcs")):
        for names in (True, False):
            save_compact(model, folder / "model", names)
            contents.append((folder / "model").read_bytes())
    return contents


def _tagger() -> Tagger:
    rng = np.random.default_rng(0)
    words = [f"{a}{b}" for a in "bdkt" for b in ("a", "o", "ing", "ed")]
    X = [
        [(word, "NN" if len(word) < 3 else "VB") for word in rng.choice(words, 6).tolist()]
        for _ in range(20)
    ]
    y = [["B-X" if word[0] == "k" else "O" for word, _ in sentence] for sentence in X]
    templates = parse_templates(
        "word[0]\npos[-1]|word[0]\ncluster[0]\nword[-1]|word[0]|word[1]\npairs:pos[0]",
        ("word", "pos"),
    )
    clusters = WordClusters({word: f"{k % 4:02b}" for k, word in enumerate(words)})
    return quantize(
        Tagger(templates, Perceptron(2), clusters=clusters).fit(X, y), [-1.0, -0.5, 0.5, 1.0]
    )


def _classifier() -> TextClassifier:
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice([f"word{k}" for k in range(40)], 10)) for _ in range(40)]
    return TextClassifier(strength=0.1, weighting="tfidf").fit(
        texts, ["yes" if "word1" in text else "no" for text in texts]
    )


def _parser(kind: str) -> Parser:
    """With labels and a pruner and few values, or with crossing arcs and values of their own."""
    rng = np.random.default_rng(0)
    words = [f"{a}{b}" for a in "bdkt" for b in ("a", "o", "ing", "ed")]
    X = [[_token(word) for word in rng.choice(words, 5).tolist()] for _ in range(12)]
    y = [
        DependencyTree([0, 1, 1, int(rng.integers(1, 4)), 4], ["root", "a", "b", "a", "c"])
        for _ in X
    ]
    templates = parse_part_templates(
        [line for line in PART_TEMPLATES if kind == "carreras" or line[0] in "hm"]
    )
    clusters = WordClusters({word: f"{k % 4:02b}" for k, word in enumerate(words)})
    labeler = RelationLabeler(
        parse_templates("word[0]\nhead.word[0]|word[-1]", RELATION_COLUMNS), Perceptron(2)
    )
    parser = Parser(
        kind, templates, Mira(2), labels=kind == "carreras", labeler=labeler, clusters=clusters
    )
    if kind == "arcs":
        return parser.set_params(crossing=True).fit(X, y)
    return quantize(parser.fit(X, y), value_set(0.02, 4))


def _token(word: str) -> tuple[str, ...]:
    tag = "N" if len(word) < 3 else "V"
    return word, word.lower(), tag, tag, "_"


def use(model: Any) -> None:
    """Predict with the model, and read all of it that has names."""
    if isinstance(model, CompactClassifier):
        model.predict_proba(["word1 word2 word3", "", "word39 unknown"])
    elif isinstance(model, CompactParser):
        known = [_token(word) for word in ("king", "ka", "ted", "unknown", "bo")]
        model.set_params(columns=COLUMNS, n_jobs=None)
        model.predict([known, [], known[:1]])
        model.predict_k_best([known], 3)
    else:
        sentence = [("kading", "VB"), ("ka", "NN"), ("ted", "VB"), ("unknown", "XX")]
        model.set_params(columns=("word", "pos"), n_jobs=None)
        model.predict([sentence, [], sentence[:1]])
        model.predict_marginals([sentence])
    if model._contents[1]["names"]:
        model.plain()


def attempt(path: Path, content: bytes) -> str:
    """'refused' in one sentence, 'used', or 'refused in use': anything else is raised."""
    path.write_bytes(content)
    try:
        model = load(path)
    except InputError as error:
        if "\n" in str(error) or not str(error).startswith(f"{path}: "):
            raise AssertionError(f"not a sentence that names the file: {error}") from error
        return "refused"
    try:
        use(model)
    except ValueError:  # of names that turn out not to be the model's
        return "refused in use"
    return "used"


def tally(path: Path, contents: Sequence[bytes], n: int, seed: int) -> Counter[tuple[str, str]]:
    """How often each mutation had which outcome."""
    counts: Counter[tuple[str, str]] = Counter()
    for mutation, content in damaged(contents, n, seed):
        counts[mutation, attempt(path, content)] += 1
    return counts


def report(folder: Path, n: int) -> str:
    """What became of n damaged files."""
    counts: Counter[tuple[str, str]] = measure_in_subprocess(
        tally, folder / "damaged", small_models(folder), n, 0
    ).value
    kinds = list(dict.fromkeys(mutation.__name__ for mutation in MUTATIONS))
    outcomes = ("refused", "refused in use", "used")
    rows = [[kind, *(counts[kind, outcome] for outcome in outcomes)] for kind in kinds]
    rows.append(["all", *(sum(row[k] for row in rows) for k in (1, 2, 3))])
    verdict = (
        f"{counts.total():,} files, no crash, and no error but one sentence that says what "
        "is wrong."
    )
    return "\n\n".join([TEXT.format(n=n), table(["damage", *outcomes], rows).rstrip(), verdict])
