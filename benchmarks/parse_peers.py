"""Peers of the parser that the package index has."""

from __future__ import annotations

import gzip
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.timing import measure_in_subprocess
from laconic.parse.metrics import punctuation_of, tree_scores
from laconic.text.treebanks import Treebank

UDPIPE_PARSER = (
    "iterations={iterations};embedding_upostag=20;embedding_feats=20;embedding_xpostag=0;"
    "embedding_form=50;embedding_lemma=0;embedding_deprel=20;learning_rate=0.02;"
    "learning_rate_final=0.001;l2=0.5;hidden_layer=200;batch_size=10;"
    "transition_system=projective;transition_oracle=dynamic;structured_interval=8"
)


class Peer(NamedTuple):
    """The scores of a peer."""

    name: str
    scores: Any
    seconds: float
    megabytes: float
    rate: float
    file: float


def udpipe(folder: Path, test: Treebank, iterations: int) -> Peer:
    """UDPipe 1, trained by its own trainer; a neural transition parser.

    Fewer iterations than its default of 10, which takes an hour.
    """
    measured = measure_in_subprocess(_udpipe, folder, iterations)
    heads, labels, seconds, rate, file = measured.value
    scores = tree_scores(
        test.heads, heads, test.ptr, test.labels, labels, punctuation_of(test.tokens)
    )
    return Peer(
        f"UDPipe 1 (ufal.udpipe), {iterations} iterations",
        scores,
        seconds,
        measured.peak_megabytes,
        rate,
        file,
    )


def _udpipe(folder: Path, iterations: int) -> tuple[np.ndarray, list[str], float, float, float]:
    from ufal import udpipe as peer

    def sentences(part: str) -> Any:
        reader = peer.InputFormat.newConlluInputFormat()
        reader.setText(gzip.decompress((folder / f"{part}.conllu.gz").read_bytes()).decode())
        found, problem = peer.Sentences(), peer.ProcessingError()
        sentence = peer.Sentence()
        while reader.nextSentence(sentence, problem):
            found.append(sentence)
            sentence = peer.Sentence()
        return found

    start = time.process_time()
    problem = peer.ProcessingError()
    options = UDPIPE_PARSER.format(iterations=iterations)
    model_bytes = peer.Trainer.train(
        "morphodita_parsito", sentences("train"), sentences("dev"), "none", "none", options, problem
    )
    if problem.occurred():
        raise RuntimeError(f"UDPipe: {problem.message}")
    seconds = time.process_time() - start
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "udpipe.model"
        path.write_bytes(model_bytes)
        size = path.stat().st_size / 2**20
        model = peer.Model.load(str(path))
    test = list(
        sentences("test")
    )  # the peer's own list hands out copies: what was parsed has to be kept
    start = time.process_time()
    for sentence in test:
        sentence.unlinkAllNodes()
        model.parse(sentence, peer.Pipeline.DEFAULT)
    spent = time.process_time() - start
    words = [word for sentence in test for word in list(sentence.words)[1:]]
    heads = np.array([word.head for word in words], dtype=np.int32)
    return heads, [word.deprel for word in words], seconds, len(words) / spent, size
