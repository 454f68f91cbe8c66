"""`Tagger`: sentences in, one label per token out.

    labels = argmax_y  sum_t ( w_{y_t} . features of t  +  edge[y_{t-1}, y_t] )

Templates make the features of a token from it and its neighbours. A learner selects and weighs
them; a second one may learn again from what the first has kept, without its penalty (debiasing).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from laconic import _core
from laconic.core.arrays import Ints32
from laconic.core.report import Callback, FitReport
from laconic.core.solvers.online import Sentences
from laconic.models.features import kept_templates, narrow
from laconic.tag.auto import AutoLearner
from laconic.tag.learn import OnlineState, TrainingData, as_learner, online_learner
from laconic.tag.predict import REFIT_FEATURES, TagPredictor, TokenSentences
from laconic.tag.refit import joined_reports
from laconic.tag.training import (
    KnownLabels,
    distinct_labels,
    flat_labels,
    learn_labels,
    weighting_of,
)
from laconic.tag.weights import TagWeights, load_kernel, make_kernel
from laconic.text.auto_templates import auto_templates, single_columns
from laconic.text.patterns import templates_from
from laconic.text.sequences import SequenceEncoder
from laconic.text.templates import AUTO, Templates
from laconic.text.token_columns import TokenColumns
from laconic.text.views import WordClusters


class Tagger(TagPredictor, BaseEstimator):
    """labels = argmax_y sum_t (w_{y_t} . features of t + edge[y_{t-1}, y_t]): a label per token.

    Parameters
    ----------
    templates : str, path or Templates, default="auto"
        Feature templates: "auto" chooses them by the columns (see
        `laconic.text.auto_templates`). Else the name of a ready set, a file of templates, or
        Templates. Ready sets are "tagging" (31 templates, of words alone), "chunking" (96),
        "chunking72", "ner" (452) and "ner_clusters"; files are in the format of laconic, CRF++ or
        Wapiti.
    learner : learner, default=None
        What selects and weighs features, such as Mira(10), Sparseptron(budget=30) or Crf(). None
        is AutoLearner(): a Sparseptron whose budget is chosen on held-out sentences, then Mira.
    refit : learner, default=None
        A second learner, which learns again from what the first has kept.
    refit_features : {"templates", "features"}, default="templates"
        What the second learner learns from: all features of the kept templates, or only the
        features that were kept.
    columns : sequence of str, default=None
        Names of the strings of a token. A token is a string if there is one column, else a tuple.
        None is "word" for strings, and "word", "pos", "column3" .. for tuples.
    scheme : {"IOB1", "IOB2", "BIOES", "plain"}, default=None
        Scheme in which chunk labels are learned. Predictions are in the scheme of the training
        data; None learns in that scheme too.
    clusters : path or WordClusters, default=None
        Brown clusters for templates with cluster views: a file with bits, tab and word per line.
    constrained : bool, default=False
        Whether to predict only sequences that the scheme of the labels allows.
    n_jobs : int, default=None
        Number of threads. None is one, -1 is all processors.
    label : str, default="label"
        Name of the column of labels: that of CoNLL-U which `laconic predict` fills.
    class_weight : dict or "balanced", default=None
        Weight of each label, 1 where it has none: of learners with a margin (Mira, the hinge), the
        cost of a wrong label at its tokens; of others, the mean over the tokens of a sentence
        multiplies its loss. "balanced" is inversely proportional to the number of tokens.

    Attributes
    ----------
    columns_ : tuple of str
        Names of the strings of a token.
    classes_ : array of str
        The labels, in the scheme in which they were learned.
    templates_, templates_given_ : Templates
        The templates that were kept, and all templates.
    weights_ : TagWeights
        The weights of the kept features, and of transitions between labels.
    encoder_ : SequenceEncoder
        From strings to the numbers of the values that kept features mention.
    scheme_, given_scheme_ : str
        Scheme of the labels in learning, and in the training data.
    n_features_first_ : int
        Number of weights that the first learner kept.
    report_ : FitReport
        How the fit went.

    Examples
    --------
    >>> from laconic import Mira, Tagger
    >>> from laconic.text.patterns import parse_templates
    >>> X = [["the", "cat", "sleeps"], ["a", "dog", "barks"]]
    >>> y = [["DET", "NOUN", "VERB"], ["DET", "NOUN", "VERB"]]
    >>> templates = parse_templates("word[0]", ("word",))
    >>> tagger = Tagger(templates, Mira(3), columns=("word",)).fit(X, y)
    >>> tagger.predict([["the", "dog", "sleeps"]])
    [['DET', 'NOUN', 'VERB']]
    >>> tagger.report_.n_iter
    3
    """

    encoder_: SequenceEncoder
    weights_: TagWeights
    _kernel: _core.Tagger
    n_features_first_: int
    online_: OnlineState

    def fit(
        self,
        X: TokenSentences,
        y: Sequence[Sequence[str]],
        callback: Callback | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Tagger:
        """Learn from labelled sentences.

        Parameters
        ----------
        X : list of list of tokens, or TokenColumns
            Sentences; a token is a string, a tuple with one string per column, or a dict of
            features.
        y : list of list of str
            One label per token.
        callback : callable, optional
            Called with an Event after every pass or step; True stops, and what was learned is kept.
        sample_weight : array of shape (number of sentences,), optional
            What multiplies the loss of each sentence; of online learners, their steps.

        Returns
        -------
        Tagger
            The tagger itself.
        """
        if self.refit_features not in REFIT_FEATURES:
            raise ValueError(
                f"refit_features must be 'templates' or 'features', got {self.refit_features!r}"
            )
        began = time.perf_counter()
        self.__dict__.pop("online_", None)
        tokens = TokenColumns.of(X, self.columns)
        labels = flat_labels(tokens, y)
        gold = self._learn_labels(tokens, labels)
        self.columns_ = tuple(self.columns or tokens.names)
        templates = self._given_templates(tokens.of_dicts)
        encoder = self._new_encoder(templates)
        weighting = weighting_of(tokens, labels, sample_weight, self.class_weight)
        data = Sentences(*encoder.grow(tokens), gold, weighting)
        training = TrainingData(
            templates,
            encoder,
            data,
            len(self.classes_),
            self._n_threads(),
            callback,
            labels=tuple(self.classes_.tolist()),
        )
        first = as_learner(AutoLearner() if self.learner is None else self.learner)
        weights, report = first.learn(training)
        self.templates_given_ = templates
        self.n_features_first_ = weights.n_nonzero
        templates, weights = kept_templates(templates, weights)
        if self.refit is not None and not report.interrupted:
            start = weights if self.refit_features == "features" else None
            weights, second = as_learner(self.refit).learn(
                training._replace(templates=templates, start=start)
            )
            report = joined_reports(report, second)
            templates, weights = kept_templates(templates, weights)
        report = self._of_all_labels(report, began)
        return self._adopt(templates, *narrow(templates, encoder, weights), report)

    def partial_fit(
        self,
        X: TokenSentences,
        y: Sequence[Sequence[str]],
        labels: Sequence[str] | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Tagger:
        """Make one more pass of an online learner, over new sentences.

        The model can be used between calls. After `fit`, or with a model from a file, learning goes
        on from its weights, with its templates and labels; the learner is `refit` if there is one,
        else `learner`, and Mira where neither is at hand. Averages, and the rounds between
        penalties, count from the first call.

        Parameters
        ----------
        X : list of list of tokens, or TokenColumns
            Sentences.
        y : list of list of str
            One label per token.
        labels : sequence of str, optional
            All labels there are, in the learning scheme; needed in the first call of a tagger that
            has learned nothing yet.
        sample_weight : array of shape (number of sentences,), optional
            What multiplies the step of each sentence.

        Returns
        -------
        Tagger
            The tagger itself.
        """
        began = time.perf_counter()
        tokens = TokenColumns.of(X, getattr(self, "columns_", self.columns))
        if not hasattr(self, "online_"):
            self._begin_online(tokens, labels)
        state = self.online_
        given = flat_labels(tokens, y)
        known = KnownLabels(self.classes_, self.scheme_, self.given_scheme_)
        gold = self._learn_labels(tokens, given, known)
        weighting = weighting_of(tokens, given, sample_weight, self.class_weight)
        data = Sentences(*state.encoder.grow(tokens), gold, weighting)
        weights, report = state.learn(data, self._n_threads())
        self.templates_given_ = state.given
        kept, weights = kept_templates(state.templates, weights)
        report = self._of_all_labels(report, began)
        return self._adopt(kept, *narrow(kept, state.encoder, weights), report)

    def _begin_online(self, tokens: TokenColumns, labels: Sequence[str] | None) -> None:
        """Set the state of `partial_fit`: of an empty model, or of what was learned before."""
        if hasattr(self, "weights_"):
            learner = online_learner(self.learner if self.refit is None else self.refit)
            self.online_ = OnlineState.of(
                learner, self.templates_, self.encoder_.thawed(), self.weights_
            )
            self.online_.given = self.templates_given_
            self.online_.n_passes = self.report_.n_iter
            return
        learner = online_learner(self.learner)
        if labels is None:
            raise ValueError("the first call of partial_fit needs labels, the names of all")
        self.classes_ = distinct_labels(labels)
        self.scheme_ = self.given_scheme_ = "plain"
        self.columns_ = tuple(self.columns or tokens.names)
        templates = self._given_templates(tokens.of_dicts)
        self.online_ = OnlineState(
            learner, templates, self._new_encoder(templates), len(self.classes_)
        )

    def _learn_labels(
        self, tokens: TokenColumns, labels: list[str], known: KnownLabels | None = None
    ) -> Ints32:
        """Return the number of each token's label; sets classes_ and the schemes of the labels."""
        gold, found = learn_labels(tokens, labels, self.scheme, known)
        self.classes_, self.scheme_, self.given_scheme_ = found
        return gold

    def _given_templates(self, of_dicts: bool) -> Templates:
        """Return all templates, chosen by the columns unless they are given."""
        if self.templates == AUTO and of_dicts:
            return single_columns(self.columns_)
        if self.templates == AUTO:
            return auto_templates(self.columns_, self.clusters is not None)
        return templates_from(self.templates, self.columns_)

    def _new_encoder(self, templates: Templates) -> SequenceEncoder:
        clusters = self.clusters
        if clusters is not None and not isinstance(clusters, WordClusters):
            clusters = WordClusters.read(clusters)
        return SequenceEncoder(templates.views, self.columns_, clusters)

    def _of_all_labels(self, report: FitReport, began: float) -> FitReport:
        """Return a learner's report as that of the tagger, whose features are pairs with labels."""
        return replace(
            report,
            features_total=report.features_total * len(self.classes_),
            seconds=time.perf_counter() - began,
        )

    def _adopt(
        self, templates: Templates, encoder: SequenceEncoder, found: TagWeights, report: FitReport
    ) -> Tagger:
        """Become the model with these weights."""
        self.templates_ = templates
        self.encoder_ = encoder
        self.weights_ = found
        self.report_ = replace(
            report,
            features_kept=found.n_nonzero,
            groups_total=len(self.templates_given_),
            groups_kept=len(templates),
        )
        self.__dict__.pop("_kernel", None)
        return self

    def _loaded_kernel(self) -> _core.Tagger:
        """Return the kernel that scores; made when it is needed, for it holds all weights too."""
        if not hasattr(self, "_kernel"):
            kernel = make_kernel(self.templates_, self.encoder_, len(self.classes_))
            self._kernel = load_kernel(kernel, self.weights_)
        return self._kernel

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        return {name: value for name, value in state.items() if name not in ("_kernel", "online_")}

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "weights_")

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[np.object_]:
        """Return every kept feature as text, in the order of `templates_` and `weights_`."""
        check_is_fitted(self)
        return np.array(
            [name for m in range(len(self.templates_)) for name in self.feature_names(m)],
            dtype=object,
        )
