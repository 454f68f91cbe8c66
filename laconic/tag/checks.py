"""Laws of taggers: constructors only store, fits repeat, inputs stay as they are, and all ways of
predicting agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import Protocol

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import NotFittedError

from laconic.core.checks.law import near, require
from laconic.tag.model import Tagger
from laconic.text.token_columns import Token


def check_tagger(tagger: Tagger, X: list[list[Token]], y: list[list[str]]) -> None:
    """Check every law of a tagger on a few sentences.

    The tagger itself is not fitted, only clones of it.

    Parameters
    ----------
    tagger : Tagger
        The tagger, with the parameters to check.
    X : list of list of tokens
        Sentences; a token is a string, or a tuple with one string per column.
    y : list of list of str
        One label per token.

    Raises
    ------
    AssertionError
        If a law is broken; the message names it.

    Examples
    --------
    >>> from laconic import Mira, Tagger
    >>> from laconic.tag.checks import check_tagger
    >>> from laconic.text.patterns import parse_templates
    >>> templates = parse_templates("word[0]", ("word",))
    >>> X, y = [["the", "cat"], ["a", "cat"]], [["D", "N"], ["D", "N"]]
    >>> check_tagger(Tagger(templates, Mira(2), columns=("word",)), X, y)
    """
    check_parameters(tagger, deepcopy(X))
    given, labels = deepcopy(X), deepcopy(y)
    fitted = clone(tagger).fit(X, y)
    found = fitted.predict(X)
    require((X, y) == (given, labels), "fit and predict do not change their input")
    require(
        repr(fitted.get_params()) == repr(tagger.get_params()), "fit does not change parameters"
    )
    require([len(part) for part in found] == [len(part) for part in X], "one label per token")
    seen = {label for sentence in y for label in sentence}
    require(
        all(label in seen for sentence in found for label in sentence),
        "only labels that were seen in training",
    )
    again = clone(tagger).fit(X, y)
    require(again.predict(X) == found, "the same input gives the same predictions")
    require(fitted.fit(X, y).predict(X) == found, "a second fit starts anew")
    require(deepcopy(fitted).predict(X) == found, "a copy predicts the same")
    require(
        [fitted.predict([sentence])[0] for sentence in X] == found,
        "sentences are tagged one by one as all together",
    )
    require(0 <= fitted.score(X, y) <= 1, "a score lies between 0 and 1")
    if not any(template.pairs for template in fitted.templates_):
        check_ways_of_predicting(fitted, X)


class _Predictor(Protocol):
    def predict(self, X: list[list[Token]], /) -> Sequence[object]: ...


def check_parameters(model: BaseEstimator, X: list[list[Token]]) -> None:
    """Check that a constructor stores its parameters as they are and does nothing else.

    Clones are equal and not fitted, and `predict` before `fit` raises NotFittedError.

    Parameters
    ----------
    model : estimator
        A tagger or a parser.
    X : list of list of tokens
        Sentences to predict.
    """
    given = model.get_params(deep=False)
    made = type(model)(**given)
    require(
        all(made.get_params(deep=False)[name] is value for name, value in given.items()),
        "the constructor only stores",
    )
    require(set(vars(made)) == set(given), "the constructor sets nothing but parameters")
    require(repr(clone(model)) == repr(model), "a clone has the same parameters")
    unfitted: _Predictor = clone(model)
    try:
        unfitted.predict(X)
    except NotFittedError:
        return
    require(False, "predict before fit is a NotFittedError")


def check_ways_of_predicting(fitted: Tagger, X: list[list[Token]]) -> None:
    """Check that the ways of predicting of a fitted tagger agree.

    Marginals are probabilities, the best of several sequences is the prediction, and fixed labels
    stay.

    Parameters
    ----------
    fitted : Tagger
        A fitted tagger without templates of pairs of labels.
    X : list of list of tokens
        Sentences to predict.
    """
    found = fitted.predict(X)
    for sentence, node in zip(X, fitted.predict_marginals(X), strict=True):
        require(
            node.shape == (len(sentence), len(fitted.classes_)),
            "marginals: one row per token, one column per class",
        )
        require(
            near(node.sum(axis=1), np.ones(len(sentence))) and bool(np.all(node >= 0)),
            "marginals are probabilities",
        )
    for best, ranked in zip(found, fitted.predict_k_best(X, 5), strict=True):
        scores = [one.score for one in ranked]
        require(
            ranked[0].labels == best or near(scores[0], scores[min(1, len(scores) - 1)], 1e-5),
            "the first is the prediction",
        )
        require(scores == sorted(scores, reverse=True), "several sequences come best first")
        require(
            len({tuple(one.labels) for one in ranked}) == len(ranked),
            "several sequences are different",
        )
    require(fitted.predict(X, found) == found, "labels that are fixed stay")
