"""Laws of parsers: parameters are only stored, fits repeat, inputs stay, trees are trees, and all ways of predicting agree."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from sklearn.base import clone

from laconic.core.checks.law import near, require
from laconic.tag.checks import check_parameters
from laconic.text.treebanks import first_on_cycle


def check_parser(parser: Any, X: list[list[Any]], y: list[Any]) -> None:
    """Every law of a parser on a few sentences, tokens of X with trees (or lists of heads) y. The parser itself is not fitted."""
    check_parameters(parser, deepcopy(X))
    given, trees = deepcopy(X), deepcopy(y)
    fitted = clone(parser).fit(X, y)
    found = fitted.predict(X)
    require((X, y) == (given, trees), "fit and predict do not change their input")
    require(
        repr(fitted.get_params()) == repr(parser.get_params()), "fit does not change parameters"
    )
    check_trees(fitted, X)
    require(
        clone(parser).fit(X, y).predict(X) == found, "the same input gives the same predictions"
    )
    require(fitted.fit(X, y).predict(X) == found, "a second fit starts anew")
    require(deepcopy(fitted).predict(X) == found, "a copy predicts the same")
    require(
        [fitted.predict([sentence])[0] for sentence in X] == found,
        "sentences are parsed one by one as all together",
    )
    require(0 <= fitted.score(X, y) <= 1, "a score lies between 0 and 1")


def check_trees(fitted: Any, X: list[list[Any]]) -> None:
    """Every prediction is a tree, with one root if there may be but one; of several trees the best come first, all different."""
    for sentence, best, ranked in zip(
        X, fitted.predict(X), fitted.predict_k_best(X, 5), strict=True
    ):
        require(len(best.heads) == len(sentence), "a head for every token")
        for tree in (best, *(tree for tree, _ in ranked)):
            require(
                all(0 <= head <= len(sentence) for head in tree.heads),
                "heads are tokens of the sentence, or the root",
            )
            require(first_on_cycle(tree.heads) is None, "every token leads to the root")
            require(
                not sentence or not fitted.shape_.single_root or tree.heads.count(0) == 1,
                "one root where there is but one",
            )
            require(
                tree.labels is None or len(tree.labels) == len(sentence),
                "a label for every token, or for none",
            )
        scores = [score for _, score in ranked]
        require(scores == sorted(scores, reverse=True), "several trees come best first")
        if sentence:
            require(
                ranked[0][0] == best or near(scores[0], scores[min(1, len(scores) - 1)], 1e-5),
                "the first is the prediction",
            )
