"""TextClassifier: documents in, labels out, with what is known about the text as the penalty."""

from __future__ import annotations

import warnings
from collections.abc import Sequence, Sized
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClassifierMixin, clone
from sklearn.utils import Tags

from laconic.classify.losses import checked_loss, used_loss
from laconic.classify.multilabel import as_labels, is_multilabel
from laconic.classify.parameters import ClassifierParameters
from laconic.classify.penalty import named_penalty, penalty_names
from laconic.classify.predict import TextPredictor
from laconic.classify.settings import (
    UNLABELLED,
    Settings,
    Tried,
    is_open,
    plain_settings,
    reads_unlabelled,
)
from laconic.classify.structure import Family
from laconic.classify.summary import GroupSummary, with_examples
from laconic.core.arrays import Array, Bools
from laconic.core.penalties import OverlapGroupLasso, Penalty
from laconic.core.penalties.parameter import TakesPenalty
from laconic.core.report import Callback, Reported
from laconic.models.save import Saved
from laconic.text.documents import DocumentLike

# What fits is imported where it is needed: a model is opened without it.
if TYPE_CHECKING:
    from laconic.classify.learn import LearnedWeights
    from laconic.classify.preparation import DocumentLabels, Prepared

EMPTY = (
    "no word was kept, so that every document gets the same label: leave out the strength to have "
    "it chosen from the documents, or try a lower one"
)


class TextClassifier(
    Saved, Reported, ClassifierParameters, TextPredictor, ClassifierMixin, TakesPenalty
):
    """min_{w,b} sum_d loss(y_d, x_d w + b) + sum_r strength_r Omega_r(w) + lasso |w|_1.

    x_d is the bag of words of document d, the loss the log-loss unless stated; Omega_r sums the
    norms of the weights in the groups of one structure of the text (sentences, phrases, topics,
    word clusters). Words whose groups do not help have weights of exactly zero.

    Parameters
    ----------
    penalty : str, Penalty or None, default=None
        A name such as lasso, ridge or elastic, a structure of the text (sentence, tree, topics,
        brown), or a sum such as sentence+topics. With latent before it, as in latent sentence, the
        words kept are those of few sentences, chosen as a whole. Or an object over words, such as
        ``GroupLasso({"sports": ["ball", "goal"], "food": ["bread"]})``,
        ``OverlapGroupLasso("sentence", norm="inf")`` or ``L1(factors={"the": 3.0})``.
    strength : float, dict or None, default=None
        Strength of the penalty; a dict names one per penalty of a sum. A stated strength (or lasso,
        or a penalty object) fixes the problem: nothing is chosen, and what is not stated has its
        plain value: penalty lasso, weighting count, ngrams 1, no prefixes, contrast or refit.
    lasso : float or None, default=None
        Strength of the lasso in a sum, which structured penalties have without naming it; where
        only `strength` is stated, that of the sum, or 1 where it is not named.
    weighting : {"count", "binary", "log", "tfidf", "logtfidf"} or None, default=None
        Values of features: count, binary, (1 + log count) / sqrt(words of the document), tfidf,
        which is count * idf / sqrt(words of the document), or logtfidf (with 1 + log count). The
        idf is that of scikit-learn, scaled so that rows have a mean squared length of 1.
    ngrams : int or None, default=None
        Length of the longest n-gram.
    min_count : int, default=1
        Drop features that occur less often in training.
    min_df, max_df : int or float, default=1 and 1.0
        Drop features in fewer or more training documents: a number of them, or a share.
    stop_words : "english", list of str or None, default=None
        Words to leave out, before n-grams are formed.
    tokenizer : str, callable or None, default=None
        A regular expression that matches words, or a function from a string to its words; with a
        function the model cannot be written to a file.
    numbers, categories : tuple of str, default=()
        Columns beside the text that are features too; documents then come with columns: a frame, a
        data set, or a list of dicts.
    free_columns : bool, default=True
        Whether the weights of these columns are not penalised.
    text : str, default="text"
        The column of frames and records that holds the text.
    label_tree : "dots", "confusion", dict or None, default=None
        A tree over the labels, whose sisters then share words: read from names such as comp.sys.mac
        (dots), learned from confusions, or the parent of each label and node. With another penalty
        the tree serves paths and scores alone.
    lowercase : bool, default=True
        Whether words are lowercased.
    boundary : {"auto", "line", "double-space"}, default="auto"
        Where sentences end in strings: by rule (auto), at line or at double-space.
    neutral_label : str or None, default=None
        tree: use only constituents with this label.
    n_topics : int or None, default=None
        topics: number of topics; None for one per 5,000 words of the text they are learned from.
    n_top : int, default=10
        topics: number of words per topic.
    n_clusters : int or None, default=None
        brown: number of clusters to learn; None for the square root of the length of the text.
    clusters : path or (Vocab, Clusters) or None, default=None
        brown: a `paths` file (bits, tab, word) instead of learned clusters.
    features : tuple of {"topics", "brown"}, default=()
        Structures that are features too, folded back into the weights of words.
    tol : float, default=1e-3
        Certificate (relative duality gap) to reach.
    max_iter : int or None, default=None
        Maximum number of steps of the solver.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes in the loss, as in scikit-learn.
    n_jobs : int or None, default=None
        Number of threads; -1 for all cores.
    random_state : int, default=0
        Seed of the topics.
    ridge : float, default=0.0
        Strength of an extra ridge of structured penalties.
    contrast : float or None, default=None
        Power of the log-ratio between classes that makes words which tell them apart cost less; at
        0 all words cost the same.
    constituents : float, default=0.0
        Weight of labelled phrases of trees as training examples, where a document weighs 1.
    refit : float or None, default=None
        Strength of a ridge that alone gives the kept words their final weights; 0 for none.
    values : iterable of float or None, default=None
        Values that weights may take (see `laconic.value_set`), for lasso, ridge and elastic.
    prefixes : tuple of int or None, default=None
        Lengths of word prefixes that are features too: one weight for bore, bored and boring.
    frequency : float or None, default=None
        Power p of N in the cost of words, N the number of documents that have a word: a ridge of
        the word is multiplied by N^p, a lasso by N^(p/2).
    folds : int, default=5
        Number of parts of the documents on which choices are judged in turn.
    seconds : float, default=60.0
        Seconds of computing after which choices are made from what has been tried.
    max_features : int or None, default=None
        Largest number of words with a weight; None is a tenth of the words of the training
        documents (or 200 if that is more) where things are chosen, or two or four times as many
        where that lowers the held-out log-loss by more than its standard error; else any number.
    structure : {"auto"} or None, default=None
        With auto, structures of the text are tried as terms beside the elastic net, with strengths
        and numbers of topics and clusters chosen by Bayesian optimization.
    loss : Loss, str or None, default=None
        Loss of the labels, or its name: logistic (of more than two labels each against the rest),
        multinomial (of two labels logistic) or squared_hinge; None is multinomial for more than two
        labels and logistic for two, or where documents have several.

    Attributes
    ----------
    coef_ : ndarray of shape (1 or n_classes, n_features)
        Weights of words, n-grams and prefixes.
    intercept_ : ndarray of shape (1 or n_classes,)
        Constants of the scores.
    classes_ : ndarray
        The labels, sorted.
    loss_ : Loss
        The loss that was used.
    thresholds_ : ndarray of shape (n_classes,) or None
        Of documents with several labels: a label is given where its score is above its threshold.
    taxonomy_ : dict or None
        Parent of each label and node of the tree over labels.
    columns_ : Beside
        Columns beside the text; `column_weights_` (outputs, features) are their weights.
    encoder_ : DocumentEncoder
        Vocabulary and tokenization.
    idf_ : ndarray or None
        Inverse document frequencies, with tf-idf alone.
    groups_ : dict of str to GroupSummary
        Number of groups and of kept groups per structured penalty, with examples; of latent groups
        those that were chosen, strongest first.
    selected_ : dict of str to ndarray of bool
        Which groups hold a weight that is not zero.
    settings_ : dict
        What was chosen or stated: penalty, strength, lasso, refit, weighting, ngrams, prefixes,
        contrast, frequency, numbers of topics and clusters.
    tried_ : tuple of Tried
        What was tried, with the log-loss and accuracy on held-out documents; empty if nothing was
        chosen.
    report_ : FitReport
        Objective, certificate, number of steps and of kept features; also as `objective_`,
        `certificate_`, `n_iter_`, `converged_`, `n_features_selected_` ..

    Examples
    --------
    >>> texts = ["sun and sand", "snow and ice", "sun and heat", "ice and frost"] * 5
    >>> labels = ["warm", "cold", "warm", "cold"] * 5
    >>> model = TextClassifier("lasso", strength=0.5).fit(texts, labels)
    >>> model.predict(["so much snow and ice", "heat in the sun"]).tolist()
    ['cold', 'warm']
    >>> [word for word in model.get_feature_names_out()[model.coef_[0] != 0]]
    ['sun', 'ice']
    """

    settings_: Settings
    tried_: tuple[Tried, ...] = ()
    families_: tuple[Family, ...]
    learned_: LearnedWeights
    groups_: dict[str, GroupSummary]
    selected_: dict[str, Bools]
    part_norms_: Array | None = None

    def __sklearn_tags__(self) -> Tags:
        tags: Tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        return tags

    def make_penalty(self, given: Penalty | str | None) -> Penalty:
        """Return the penalty that a value of the parameter means, over groups by name."""
        return given if isinstance(given, Penalty) else named_penalty(self, given, None)

    def parts(self) -> list[str]:
        """Return the names of the penalties that are added up, checked."""
        return penalty_names(getattr(self, "settings_", {}).get("penalty", self.penalty))

    def stated(self) -> TextClassifier:
        """Return this model with a value for everything: what a fit chose, else plain values."""
        settings = plain_settings(self) if not hasattr(self, "settings_") else self.settings_
        given = {name: value for name, value in settings.items() if value is not None}
        if self.taxonomy_ is not None:
            given["label_tree"] = self.taxonomy_
        model: TextClassifier = clone(self).set_params(**given)
        return model

    def prepare(
        self,
        documents: object,
        labels: DocumentLabels,
        weight: Array | None = None,
        unlabelled: Sequence[DocumentLike] = (),
    ) -> Prepared:
        """Encode the documents and build the groups: all that fits at other strengths can reuse."""
        from laconic.classify import preparation

        read = self.read(documents)
        return preparation.prepare(self.stated(), read, labels, weight, unlabelled)

    def adapt(self, prepared: Prepared) -> Prepared:
        """Return what this model needs of a richer preparation, under its own weighting.

        One set of topics then serves many models.
        """
        from laconic.classify import preparation

        return preparation.adapt(self.stated(), prepared)

    def adopt_preparation(self, prepared: Prepared) -> TextClassifier:
        """Take over the vocabulary and idf of prepared data."""
        self.encoder_ = prepared.encoder
        self.idf_ = prepared.idf
        self.width_, self.unit_rows_ = len(prepared.encoder.vocab), False
        self.columns_ = prepared.columns
        self.weighting_ = str(self.stated().weighting)
        return self

    def fit(
        self,
        documents: object,
        labels: DocumentLabels | str | None = None,
        callback: Callback | None = None,
        dev: tuple[Any, DocumentLabels] | None = None,
        sample_weight: ArrayLike | None = None,
        unlabelled: Sized = (),
    ) -> TextClassifier:
        """Choose what is left open, and learn the weights of words.

        Parameters
        ----------
        documents : sequence of str, list of sentences, list of tokenized sentences, or Tree
            Training documents; or a frame, a data set or a list of dicts that has them as a column.
        labels : sequence, str or None
            One label per document, or one list of labels per document; of a frame also the name of
            the column, None for the usual names.
        callback : callable, optional
            Called with the Event of each step; the fit stops if it returns True.
        dev : pair of documents and labels, optional
            Held-out documents to choose by, instead of folds. The last fit learns from them too;
            if nothing is to be chosen, they are not used.
        sample_weight : array of shape (n_documents,), optional
            How much each training document counts.
        unlabelled : sequence, optional
            Documents without labels, from which topics and clusters are learned too.
        """
        from laconic.classify.preparation import checked_weight, taxonomy_for
        from laconic.text.frames import labels_of

        checked_loss(self.loss)
        labels = as_labels(labels_of(documents, labels))
        documents = self.read(documents)
        weight = checked_weight(sample_weight, len(documents))
        self.forget()
        if self.structure is not None:
            from laconic.classify.automatic import check_structure

            check_structure(self)
        more = self.read(unlabelled) if len(unlabelled) else []
        if more and not reads_unlabelled(self):
            raise ValueError(UNLABELLED)
        self.taxonomy_ = taxonomy_for(self, documents, labels)
        if not is_open(self):
            prepared = self.prepare(documents, labels, weight, more)
            self.fit_prepared(prepared, callback=callback).describe_groups(prepared)
        else:
            from laconic.classify.tuning import chosen

            model: TextClassifier = clone(self).set_params(label_tree=self.taxonomy_)
            found = chosen(model, documents, labels, dev, callback, weight, more)
            self.settings_, self.tried_ = found.settings, found.tried
            self.most_ = found.most
            self.fit_prepared(found.prepared, found.start, callback)
            if found.thresholds is not None:
                self.thresholds_ = found.thresholds
            self.describe_groups(found.prepared)
        if self.report_.features_kept == 0 and not self.report_.interrupted:
            warnings.warn(EMPTY, UserWarning, stacklevel=2)
        return self

    def forget(self) -> None:
        """Drop what an earlier fit has chosen."""
        for name in ("settings_", "tried_", "most_", "thresholds_", "taxonomy_"):
            self.__dict__.pop(name, None)

    def fit_prepared(
        self,
        prepared: Prepared,
        start: Array | None = None,
        callback: Callback | None = None,
    ) -> TextClassifier:
        """Learn the weights from prepared data, from a warm start if one is given."""
        from laconic.classify.learn import fit_weights, only_strongest, refit_weights

        model = self.stated()
        self.settings_ = {**plain_settings(model), **getattr(self, "settings_", {})}
        self.adopt_preparation(prepared)
        most = np.inf if model.max_features is None else model.max_features
        found = fit_weights(model, prepared, start, callback)
        most = min(most, getattr(self, "most_", np.inf))
        found = only_strongest(found, most, prepared.n_beside)
        if model.refit:
            found = refit_weights(model, prepared, found, model.refit, callback)
        return self._adopt(found, prepared)

    def refitted(
        self,
        prepared: Prepared,
        strength: float,
        callback: Callback | None = None,
    ) -> TextClassifier:
        """Return a copy whose kept features have weights under a ridge of `strength` alone."""
        from laconic.classify.learn import refit_weights

        model: TextClassifier = copy(self).set_params(refit=strength)
        model.settings_ = {**self.settings_, "refit": strength}
        found = refit_weights(self.stated(), prepared, self.learned_, strength, callback)
        return model._adopt(found, prepared)

    @property
    def solution_(self) -> Array:
        """The point where the solver stopped, from which another fit can start."""
        return self.learned_.point

    def _adopt(self, found: LearnedWeights, prepared: Prepared) -> TextClassifier:
        """Take over learned weights, as weights of words, and find out which groups hold any."""
        first = prepared.X.shape[1]
        coef = found.weights[:, :first] * (1.0 if prepared.contrast is None else prepared.contrast)
        for part in prepared.added:
            # An added feature is a sum of words, so its weight is a weight on each of them.
            coef += (part @ found.weights[:, first : first + part.shape[1]].T).T
            first += part.shape[1]
        self.column_weights_ = found.weights[:, first:]
        several = is_multilabel(prepared.labels)
        self.thresholds_ = np.zeros(len(found.classes)) if several else None
        self.learned_ = found
        self.families_ = prepared.families
        self.coef_, self.intercept_, self.classes_ = coef, found.intercept, found.classes
        self.loss_ = used_loss(self.loss, len(found.classes), several)
        self.part_norms_ = found.part_norms
        self.selected_ = self._selected(prepared.families)
        self.groups_ = {
            name: GroupSummary(len(kept), int(kept.sum())) for name, kept in self.selected_.items()
        }
        self.report_ = replace(
            found.report,
            groups_total=sum(summary.total for summary in self.groups_.values()),
            groups_kept=sum(summary.selected for summary in self.groups_.values()),
        )
        return self

    def describe_groups(self, prepared: Prepared) -> TextClassifier:
        """Add a few kept and dropped groups in words to groups_.

        This is apart from fitting, since a tuned grid needs it once.
        """
        for family in prepared.families:
            self.groups_[family.name] = with_examples(
                self.groups_[family.name],
                family,
                prepared.training,
                self.boundary,
                self.coef_,
                self.part_norms_,
            )
        return self

    def _selected(self, families: Sequence[Family]) -> dict[str, Bools]:
        """Return which groups of each penalty hold a weight that is not zero.

        Of latent groups those that were chosen, as far as words of theirs were kept.
        """
        alive = self.alive().astype(np.float64)
        chosen = {}
        for family in families:
            index, inner = OverlapGroupLasso(family.groups).copied(family.groups.n_features)
            chosen[family.name] = inner.norms(alive[index]) > 0
            if self.part_norms_ is not None:
                self.part_norms_ = np.where(chosen[family.name], self.part_norms_, 0.0)
                chosen[family.name] = self.part_norms_ > 0
        return chosen
