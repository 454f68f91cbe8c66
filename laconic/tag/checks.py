"""Laws of taggers: parameters are only stored, fits repeat, inputs stay, and all ways of predicting agree."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from laconic.core.checks.law import near, require


def check_tagger(tagger: Any, X: list[list[Any]], y: list[list[str]]) -> None:
    """Every law of a tagger on a few sentences, tokens of X with labels y. The tagger itself is not fitted."""
    check_parameters(tagger, deepcopy(X))
    given, labels = deepcopy(X), deepcopy(y)
    fitted = clone(tagger).fit(X, y)
    found = fitted.predict(X)
    require((X, y) == (given, labels), "fit and predict do not change their input")
    require(
        repr(fitted.get_params()) == repr(tagger.get_params()), "fit does not change parameters"
    )
    require([len(part) for part in found] == [len(part) for part in X], "a label for every token")
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


def check_parameters(tagger: Any, X: list[list[Any]]) -> None:
    """The constructor stores its parameters as they are; clones are equal and not fitted; who is not fitted says so."""
    given = tagger.get_params(deep=False)
    made = type(tagger)(**given)
    require(
        all(made.get_params(deep=False)[name] is value for name, value in given.items()),
        "the constructor only stores",
    )
    require(set(vars(made)) == set(given), "the constructor sets nothing but parameters")
    require(repr(clone(tagger)) == repr(tagger), "a clone has the same parameters")
    try:
        clone(tagger).predict(X)
    except NotFittedError:
        return
    require(False, "predict before fit is a NotFittedError")


def check_ways_of_predicting(fitted: Any, X: list[list[Any]]) -> None:
    """Marginals are probabilities; the best of several sequences is the prediction; what is fixed stays."""
    found = fitted.predict(X)
    for sentence, node in zip(X, fitted.predict_marginals(X), strict=True):
        require(
            node.shape == (len(sentence), len(fitted.classes_)),
            "marginals: a row a token, a column a class",
        )
        require(
            near(node.sum(axis=1), np.ones(len(sentence))) and np.all(node >= 0),
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
