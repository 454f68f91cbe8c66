"""What a fit of TextClassifier needs and no strength changes.

Documents as counts, the groups of structured penalties, and the features that topics and clusters
add. Preparing is slow (topics, clusters) and fitting is fast: one preparation serves all strengths
that are tried.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from laconic.classify import structure
from laconic.classify.columns import Beside, learn_beside
from laconic.classify.label_tree import (
    CONFUSION,
    PENALTY,
    Taxonomy,
    branches_of,
    learned_taxonomy,
    parents_of,
)
from laconic.classify.lexicon import Lexicon, WordText, learn_lexicon
from laconic.classify.multilabel import as_labels, names_of
from laconic.classify.penalty import structures_of, word_families
from laconic.classify.reading import ReadingParameters, encoder_for
from laconic.classify.structure import LATENT, ClusterSource, Family, Training
from laconic.classify.weighting import WEIGHTINGS, idf_of, lengths_of, scale_of, weighted
from laconic.core.arrays import AnyArray, Array, Ints
from laconic.core.penalties import Penalty
from laconic.core.penalties.naming import FeatureNames
from laconic.text.documents import DocumentEncoder, DocumentLike
from laconic.text.trees import Tree

DocumentLabels: TypeAlias = Sequence[object] | NDArray[Any]


class PhraseExamples(NamedTuple):
    """Training examples besides the documents, the phrases of parse trees.

    Their counts, labels, rows and numbers of words.
    """

    counts: sp.csr_matrix
    labels: NDArray[Any]
    X: sp.csr_matrix
    lengths: Array


class Prepared(NamedTuple):
    """Everything of a fit that does not depend on strengths.

    `contrast` scales the words before they are penalised, by their contrast and frequency;
    `examples` take part in the loss alone. `columns` are the numbers and categories beside the
    text, `beside` their features (documents, features); `weight` are the weights of documents.
    """

    X: sp.csr_matrix
    labels: NDArray[Any]
    families: tuple[Family, ...]
    added: tuple[sp.csr_matrix, ...]
    training: Training
    encoder: DocumentEncoder
    idf: Array | None
    contrast: Array | None = None
    examples: PhraseExamples | None = None
    columns: Beside = Beside()
    beside: sp.csr_matrix | None = None
    weight: Array | None = None

    @property
    def n_beside(self) -> int:
        """Number of features beside the text, which come last."""
        return len(self.columns.names)


class TextParameters(ReadingParameters, Protocol):
    """The parameters of TextClassifier that decide how documents become rows and groups."""

    penalty: Penalty | str | None
    weighting: str
    min_count: int
    min_df: float
    max_df: float
    numbers: tuple[str, ...]
    categories: tuple[str, ...]
    label_tree: Taxonomy
    neutral_label: str | None
    n_topics: int | None
    n_top: int
    n_clusters: int | None
    clusters: ClusterSource | None
    features: tuple[str, ...]
    contrast: float
    frequency: float
    constituents: float
    random_state: int


def prepare(
    parameters: TextParameters,
    documents: Sequence[DocumentLike],
    labels: DocumentLabels,
    weight: Array | None = None,
    unlabelled: Sequence[DocumentLike] = (),
) -> Prepared:
    """Encode training documents and build the groups of the penalty.

    Topics and clusters are those of unlabelled documents too. Words that only these have are
    features if the topics or clusters are, which can give them a weight.
    """
    names = structures_of(parameters.penalty)
    if parameters.weighting not in WEIGHTINGS:
        raise ValueError(
            f"weighting is one of {', '.join(WEIGHTINGS)}; got {parameters.weighting!r}"
        )
    if not 0 <= parameters.constituents < np.inf:
        raise ValueError(
            f"constituents must be a weight of at least 0, got {parameters.constituents!r}"
        )
    encoder = encoder_for(parameters)
    columns, beside = Beside(), None
    if parameters.numbers or parameters.categories:
        found: dict[str, list[Any]] = getattr(documents, "columns", {})
        columns = learn_beside(found, parameters.numbers, parameters.categories)
        beside = columns.rows(found, len(documents))
    limits = (parameters.min_count, parameters.min_df, parameters.max_df)
    more = unlabelled if parameters.features else ()
    training = encode_training(documents, labels, encoder, *limits, unlabelled=more)
    text = WordText.read(parameters, training, unlabelled)
    lexicon = learn_lexicon(parameters, {*names, *parameters.features}, training, text)
    families = families_of(names, training, lexicon, parameters.neutral_label)
    families += word_families(parameters.penalty, feature_names(encoder))
    added = added_features(parameters.features, lexicon, len(encoder.vocab))
    gold = as_labels(labels)
    examples = constituent_examples(training, gold, encoder) if parameters.constituents else None
    idf = idf_of(training.counts, parameters.weighting, training.lengths)
    whole = Prepared(training.counts, gold, families, added, training, encoder, idf)
    whole = whole._replace(examples=examples, columns=columns, beside=beside, weight=weight)
    return weigh(parameters, whole)


def adapt(parameters: TextParameters, prepared: Prepared) -> Prepared:
    """Return the part of a richer preparation that a model needs, under its own weighting."""
    training = prepared.training
    idf = idf_of(training.counts, parameters.weighting, training.lengths)
    names = structures_of(parameters.penalty)
    families = tuple(family for family in prepared.families if family.name in names)
    families += word_families(parameters.penalty, feature_names(prepared.encoder))
    examples = prepared.examples if parameters.constituents else None
    return weigh(parameters, prepared._replace(idf=idf, families=families, examples=examples))


def part_of(parameters: TextParameters, whole: Prepared, rows: Ints) -> Prepared:
    """Return the prepared data of some of the documents, weighted by themselves alone.

    The vocabulary and the groups are those of the whole: they are made without labels.
    """
    training = whole.training._replace(
        documents=[whole.training.documents[row] for row in rows.tolist()],
        counts=whole.training.counts[rows],
        lengths=whole.training.lengths[rows],
    )
    part = whole._replace(
        training=training,
        labels=whole.labels[rows],
        beside=None if whole.beside is None else whole.beside[rows],
        weight=None if whole.weight is None else whole.weight[rows],
    )
    return adapt(parameters, part)


def held_out_rows(
    parameters: TextParameters, part: Prepared, whole: Prepared, rows: Ints
) -> sp.csr_matrix:
    """Return documents of the whole as rows under the weighting of a part of it, for its fits."""
    training = whole.training
    X = weighted(training.counts[rows], parameters.weighting, part.idf, training.lengths[rows])
    return with_added(X, part, None if whole.beside is None else whole.beside[rows])


def feature_names(encoder: DocumentEncoder) -> FeatureNames:
    """Return the words of an encoder as names of features, in the case that it gives them."""
    vocab, lowercase = encoder.vocab, encoder.lowercase
    return FeatureNames(
        len(vocab), lambda word: vocab.id(word.lower() if lowercase else word), ready={}
    )


def weigh(parameters: TextParameters, prepared: Prepared) -> Prepared:
    """Apply weighting and contrast to the counts of prepared data."""
    counts, examples = prepared.training.counts, prepared.examples
    X = weighted(counts, parameters.weighting, prepared.idf, prepared.training.lengths)
    seen, labels = counts, prepared.labels
    if examples is not None:
        rows = weighted(examples.counts, parameters.weighting, prepared.idf, examples.lengths)
        examples = examples._replace(X=rows)
        seen = sp.vstack([counts, examples.counts], format="csr")
        labels = np.concatenate([labels, examples.labels])
    powers = (parameters.contrast, parameters.frequency)
    groups = None
    if parameters.penalty == PENALTY and parameters.label_tree is not None:
        groups = branches_of(parameters.label_tree, names_of(labels)).members
    contrast = scale_of(X, seen, labels, *powers, groups)
    return prepared._replace(X=X, contrast=contrast, examples=examples)


def encode_training(
    documents: Sequence[DocumentLike],
    labels: DocumentLabels,
    encoder: DocumentEncoder,
    min_count: int,
    min_df: float = 1,
    max_df: float = 1.0,
    unlabelled: Sequence[DocumentLike] = (),
) -> Training:
    """Encode documents as ids and counts.

    The vocabulary of the encoder grows by the features that occur often enough, in these documents
    and unlabelled ones.
    """
    documents = list(documents)
    if len(documents) != len(labels):
        raise ValueError(f"there are {len(documents)} documents but {len(labels)} labels")
    if not documents:
        raise ValueError("there are no documents to learn from")
    encoded = encoder.grow([*documents, *unlabelled], min_count, min_df, max_df)
    if len(unlabelled):
        encoded = encoder.encode(documents)
    n = len(encoder.vocab)
    if n == 0:
        raise ValueError("the documents hold no words (tokens of two or more letters or digits)")
    return Training(documents, encoded, encoded.counts(n), encoder.vocab, lengths_of(encoded))


def families_of(
    names: Sequence[str], training: Training, lexicon: Lexicon, neutral_label: str | None
) -> tuple[Family, ...]:
    """Return the groups of each structured penalty in `names`."""
    n = len(training.vocab)
    families: list[Family] = []
    for name in names:
        kind = LATENT.get(name, name)
        if kind == "sentence":
            family = structure.sentence_family(training)
        elif kind == "tree":
            family = structure.tree_family(training, neutral_label)
        elif kind == "topics" and lexicon.topics is not None:
            family = structure.topic_family(lexicon.topics, n)
        elif kind == "brown" and lexicon.clusters is not None:
            family = structure.brown_family(lexicon.clusters, n)
        else:
            continue
        families.append(structure.latent_family(family) if name in LATENT else family)
    return tuple(families)


def added_features(
    names: Sequence[str], lexicon: Lexicon, n_features: int
) -> tuple[sp.csr_matrix, ...]:
    """Return one matrix (words, added features) per name: "topics" and "brown"."""
    added = []
    for name in names:
        if name == "topics" and lexicon.topics is not None:
            added.append(structure.topic_features(lexicon.topics, n_features))
        elif name == "brown" and lexicon.clusters is not None:
            added.append(structure.cluster_features(lexicon.clusters, n_features))
        else:
            raise ValueError(f"features is a tuple of 'topics' and 'brown'; got {name!r}")
    return tuple(added)


def constituent_examples(
    training: Training, labels: NDArray[Any], encoder: DocumentEncoder
) -> PhraseExamples:
    """Return every distinct phrase below the root of a tree whose label implies a class, as counts.

    A label implies a class if it is the root's label of training trees of that class only: on a
    treebank of sentiment, labels 0 and 1 are roots of negative sentences, so that phrases with them
    are negative, and neutral phrases are left out. `X` holds the counts until they are weighted.
    """
    root_classes: dict[str, set[object]] = {}
    for document, label in zip(training.documents, labels.tolist(), strict=True):
        if isinstance(document, Tree):
            root_classes.setdefault(document.label[0], set()).add(label)
    class_of = {name: classes.pop() for name, classes in root_classes.items() if len(classes) == 1}
    phrases: dict[tuple[bytes, object], list[str]] = {}
    for d, document in enumerate(training.documents):
        if isinstance(document, Tree):
            words = training.encoded.words_of(int(training.encoded.document_ptr[d]))
            for node in np.flatnonzero(document.parent >= 0).tolist():
                start, end = int(document.start[node]), int(document.end[node])
                if document.label[node] in class_of:
                    key = (words[start:end].tobytes(), class_of[document.label[node]])
                    phrases.setdefault(key, document.words[start:end])
    if not phrases:
        raise ValueError(
            "constituents need trees with labels below the root "
            "that are root labels of one class as well"
        )
    encoded = encoder.encode([[phrase] for phrase in phrases.values()])
    counts = encoded.counts(len(training.vocab))
    classes = np.array([label for _, label in phrases], dtype=labels.dtype)
    return PhraseExamples(counts, classes, counts, lengths_of(encoded))


def taxonomy_for(
    parameters: TextParameters, documents: Sequence[DocumentLike], labels: AnyArray
) -> dict[str, str] | None:
    """Return the tree over labels that the parameters give, or that confusions tell."""
    given = parameters.label_tree
    if given is None:
        return None
    names = names_of(labels)
    if given == CONFUSION:
        limits = (parameters.min_count, parameters.min_df, parameters.max_df)
        encoder = encoder_for(clone(parameters).set_params(ngrams=1, prefixes=()))
        training = encode_training(documents, labels, encoder, *limits)
        return learned_taxonomy(training.counts, labels, parameters.random_state)
    return parents_of(given, [str(name) for name in names.tolist()])


def checked_weight(given: ArrayLike | None, n_documents: int) -> Array | None:
    """Return weights of documents; ValueError unless there is a number from 0 on for each."""
    if given is None:
        return None
    weight: Array = np.asarray(given, dtype=np.float64).ravel()
    if len(weight) != n_documents:
        raise ValueError(f"there are {n_documents} documents but {len(weight)} sample weights")
    if not np.all(np.isfinite(weight)) or np.any(weight < 0) or not np.any(weight > 0):
        raise ValueError("sample weights must be finite, at least 0, and not all 0")
    return weight


def training_rows(
    prepared: Prepared, constituents: float
) -> tuple[sp.csr_matrix, NDArray[Any], Array | None]:
    """Return rows, labels and weights of all examples: documents, then phrases.

    A document weighs 1 unless it has a weight, a phrase `constituents`; weights are None if all
    are 1.
    """
    X = with_added(prepared.X, prepared, prepared.beside)
    if prepared.examples is None:
        return X, prepared.labels, prepared.weight
    examples = with_added(prepared.examples.X, prepared)
    own = np.ones(X.shape[0]) if prepared.weight is None else prepared.weight
    weight = np.concatenate([own, np.full(examples.shape[0], constituents)])
    labels = np.concatenate([prepared.labels, prepared.examples.labels])
    return sp.vstack([X, examples], format="csr"), labels, weight


def with_added(
    X: sp.csr_matrix, prepared: Prepared, beside: sp.csr_matrix | None = None
) -> sp.csr_matrix:
    """Scale words by their contrast, and put the added features and the columns beside them.

    Rows without columns of their own, such as phrases, have zeros.
    """
    words = X if prepared.contrast is None else sp.csr_matrix(X @ sp.diags(prepared.contrast))
    if beside is None and prepared.n_beside:
        beside = sp.csr_matrix((X.shape[0], prepared.n_beside))
    if not prepared.added and beside is None:
        return words
    last = [] if beside is None else [beside]
    return sp.hstack([words, *(X @ part for part in prepared.added), *last], format="csr")
