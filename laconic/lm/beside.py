"""The likelihood of a text beside the scores of another model.

    p(v | x) = exp(score(x, v) + sum of w(c, v) over the suffixes c of x) / Z(x)

score is that of the other model: the gains of `ContextModel`. Where all weights are zero, p is the
other model.
"""

from __future__ import annotations

import numpy as np

from laconic.core.arrays import Array
from laconic.core.ragged import pointers
from laconic.lm.context_model import ContextModel
from laconic.lm.contexts import Contexts
from laconic.lm.matching import numbers_in
from laconic.lm.nested import NestedTerms, WrappedTerms, discounts
from laconic.lm.pruning import closed, weights_of_pairs


class TiltedTerms(WrappedTerms):
    """Omega(w) + tilt . w over w >= 0.

    The prox is that of Omega at w - tilt / curvature, bounds are those of Omega at slope - tilt.
    """

    def __init__(self, terms: NestedTerms, tilt: Array) -> None:
        super().__init__(terms)
        self.tilt = tilt

    def value(self, w: Array) -> float:
        """See NestedTerms."""
        return self.terms.value(w) + float(self.tilt @ w)

    def prox(self, w: Array, curvature: Array) -> Array:
        """See NestedTerms."""
        return self.terms.prox(w - self.tilt / curvature, curvature)

    def bound(self, slope: Array, w: Array, most: float) -> float:
        """See NestedTerms."""
        return self.terms.bound(slope - self.tilt, w, most)


def tilted(terms: NestedTerms) -> TiltedTerms:
    """Return the penalty with the discount of Kneser and Ney as slope of the empty context.

    A text alone knows the frequencies of its words, which have hardly a penalty. Beside a model
    they are an opinion like others: without this slope words that the text lacks would have nothing
    left.
    """
    depth = terms.weights.depth
    return TiltedTerms(terms, np.where(depth == 0, discounts(terms.weights)[0], 0.0))


class BesideModel:
    """The likelihood of a text beside the scores of another model, as `_core.ContextTree`.

    Weights and gradients are those of the text's own pairs.
    """

    def __init__(self, contexts: Contexts, prior: ContextModel) -> None:
        full = closed(prior.typed())
        context = numbers_in(contexts, full)[full.context_of_pairs()]
        known = np.flatnonzero(context >= 0)
        known = known[np.lexsort((full.target[known], context[known]))]
        ptr = pointers(np.bincount(context[known], minlength=len(contexts.parent)))
        offset = weights_of_pairs(full)[known]
        self.kernel = contexts.kernel.beside(ptr, full.target[known], offset)
        self.own = self.kernel.own()
        n = len(self.kernel.target())
        self._weights, self._gradient = np.zeros(n), np.empty(n)

    def loss(self, weights: Array, gradient: Array, threads: int = 1) -> float:
        """Return minus the log-likelihood; `gradient`, unless empty, becomes its gradient."""
        self._weights[self.own] = weights
        if not len(gradient):
            return float(self.kernel.loss(self._weights, gradient, threads))
        loss = float(self.kernel.loss(self._weights, self._gradient, threads))
        gradient[:] = self._gradient[self.own]
        return loss

    def negative_entropy(self) -> float:
        """Return minus the conjugate of the loss, at the weights of the last `loss`."""
        return float(self.kernel.negative_entropy())
