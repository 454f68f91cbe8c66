"""Small, readable, fast linear models of text."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from laconic.coding.online_dictionary import OnlineDictionary as OnlineDictionary
    from laconic.coding.stochastic import StochasticCoding as StochasticCoding
    from laconic.coding.svd import Svd as Svd
    from laconic.errors import InputError as InputError
    from laconic.estimators.compact import save_compact as save_compact
    from laconic.estimators.discrete import discretize as discretize
    from laconic.estimators.discrete import quantize as quantize
    from laconic.estimators.discrete import tune_values as tune_values
    from laconic.estimators.embed import WordVectors as WordVectors
    from laconic.estimators.forecast import Forecaster as Forecaster
    from laconic.estimators.language import LanguageModel as LanguageModel
    from laconic.estimators.linear import SparseClassifier as SparseClassifier
    from laconic.estimators.linear import SparseRegressor as SparseRegressor
    from laconic.estimators.mine import KernelMiner as KernelMiner
    from laconic.estimators.parse import Parser as Parser
    from laconic.estimators.parse_tags import WordTagger as WordTagger
    from laconic.estimators.path import StrengthCV as StrengthCV
    from laconic.estimators.path import regularization_path as regularization_path
    from laconic.estimators.rerank import Reranker as Reranker
    from laconic.estimators.rolling import RollingOrigin as RollingOrigin
    from laconic.estimators.rolling import rolling_forecast as rolling_forecast
    from laconic.estimators.sage import TemporalTextModel as TemporalTextModel
    from laconic.estimators.storage import load_model
    from laconic.estimators.tag import Tagger as Tagger
    from laconic.estimators.tag_batch import Crf as Crf
    from laconic.estimators.temporal import TemporalClassifier as TemporalClassifier
    from laconic.estimators.temporal import TemporalRegressor as TemporalRegressor
    from laconic.estimators.text import TextClassifier as TextClassifier
    from laconic.estimators.text_trees import text_trees as text_trees
    from laconic.estimators.tuning import tune as tune
    from laconic.groups import Groups as Groups
    from laconic.language.kneser_ney import KneserNey as KneserNey
    from laconic.language.log_linear import LogLinear as LogLinear
    from laconic.losses import Logistic as Logistic
    from laconic.losses import Multinomial as Multinomial
    from laconic.losses import Poisson as Poisson
    from laconic.losses import Squared as Squared
    from laconic.losses import SquaredHinge as SquaredHinge
    from laconic.mining import Polynomial as Polynomial
    from laconic.mining import SubTrees as SubTrees
    from laconic.penalties import L0 as L0
    from laconic.penalties import L1 as L1
    from laconic.penalties import AdaptivePrior as AdaptivePrior
    from laconic.penalties import Discrete as Discrete
    from laconic.penalties import ElasticNet as ElasticNet
    from laconic.penalties import FusedLasso as FusedLasso
    from laconic.penalties import GroupLasso as GroupLasso
    from laconic.penalties import LayeredGroupLasso as LayeredGroupLasso
    from laconic.penalties import OverlapGroupLasso as OverlapGroupLasso
    from laconic.penalties import PenaltySum as PenaltySum
    from laconic.penalties import Ridge as Ridge
    from laconic.penalties import SmoothGroupLasso as SmoothGroupLasso
    from laconic.penalties import SmoothRidge as SmoothRidge
    from laconic.penalties import SparseGroupLasso as SparseGroupLasso
    from laconic.penalties import TreeGroupLasso as TreeGroupLasso
    from laconic.penalties import value_set as value_set
    from laconic.penalties.nested import NestedLasso as NestedLasso
    from laconic.penalties.nested import NestedRidge as NestedRidge
    from laconic.penalties.nested_groups import NestedGroups as NestedGroups
    from laconic.penalties.nested_tree import NestedTree as NestedTree
    from laconic.solvers import Admm as Admm
    from laconic.solvers import DiscreteAdmm as DiscreteAdmm
    from laconic.solvers import Fista as Fista
    from laconic.solvers import Owlqn as Owlqn
    from laconic.solvers import Reweighted as Reweighted
    from laconic.solvers import Variational as Variational
    from laconic.solvers import WorkingSet as WorkingSet
    from laconic.solvers.online import KBestMira as KBestMira
    from laconic.solvers.online import Mira as Mira
    from laconic.solvers.online import Perceptron as Perceptron
    from laconic.solvers.online import StochasticGradient as StochasticGradient
    from laconic.solvers.online_discrete import OnlineDiscrete as OnlineDiscrete
    from laconic.solvers.online_sparse import Fobos as Fobos
    from laconic.solvers.online_sparse import Rda as Rda
    from laconic.solvers.online_sparse import Sparseptron as Sparseptron

    load = load_model

__version__ = "0.1.0"

_PENALTIES = (
    "L0",
    "L1",
    "AdaptivePrior",
    "Discrete",
    "ElasticNet",
    "FusedLasso",
    "GroupLasso",
    "LayeredGroupLasso",
    "OverlapGroupLasso",
    "PenaltySum",
    "Ridge",
    "SmoothGroupLasso",
    "SmoothRidge",
    "SparseGroupLasso",
    "TreeGroupLasso",
    "value_set",
)
# Public name -> its room and its name there. Rooms are imported at the first use of a name, so that `import laconic` costs nothing.
_HOMES: dict[str, tuple[str, str]] = {
    "InputError": ("errors", "InputError"),
    "SparseClassifier": ("estimators.linear", "SparseClassifier"),
    "SparseRegressor": ("estimators.linear", "SparseRegressor"),
    "StrengthCV": ("estimators.path", "StrengthCV"),
    "Tagger": ("estimators.tag", "Tagger"),
    "Parser": ("estimators.parse", "Parser"),
    "WordTagger": ("estimators.parse_tags", "WordTagger"),
    "KernelMiner": ("estimators.mine", "KernelMiner"),
    "Polynomial": ("mining", "Polynomial"),
    "SubTrees": ("mining", "SubTrees"),
    "Reranker": ("estimators.rerank", "Reranker"),
    "WordVectors": ("estimators.embed", "WordVectors"),
    "OnlineDictionary": ("coding.online_dictionary", "OnlineDictionary"),
    "StochasticCoding": ("coding.stochastic", "StochasticCoding"),
    "Svd": ("coding.svd", "Svd"),
    "LanguageModel": ("estimators.language", "LanguageModel"),
    "KneserNey": ("language.kneser_ney", "KneserNey"),
    "LogLinear": ("language.log_linear", "LogLinear"),
    **{name: ("penalties.nested", name) for name in ("NestedLasso", "NestedRidge")},
    "NestedGroups": ("penalties.nested_groups", "NestedGroups"),
    "NestedTree": ("penalties.nested_tree", "NestedTree"),
    **{name: ("estimators.temporal", name) for name in ("TemporalClassifier", "TemporalRegressor")},
    "Forecaster": ("estimators.forecast", "Forecaster"),
    "TemporalTextModel": ("estimators.sage", "TemporalTextModel"),
    **{name: ("estimators.rolling", name) for name in ("RollingOrigin", "rolling_forecast")},
    "Crf": ("estimators.tag_batch", "Crf"),
    "TextClassifier": ("estimators.text", "TextClassifier"),
    "text_trees": ("estimators.text_trees", "text_trees"),
    "load": ("estimators.storage", "load_model"),
    "save_compact": ("estimators.compact", "save_compact"),
    "regularization_path": ("estimators.path", "regularization_path"),
    "tune": ("estimators.tuning", "tune"),
    **{name: ("estimators.discrete", name) for name in ("discretize", "quantize", "tune_values")},
    "Groups": ("groups", "Groups"),
    **{name: ("penalties", name) for name in _PENALTIES},
    **{name: ("losses", name) for name in ("Logistic", "Multinomial", "Poisson", "Squared", "SquaredHinge")},
    **{name: ("solvers", name) for name in ("Admm", "DiscreteAdmm", "Fista", "Owlqn", "Reweighted", "Variational", "WorkingSet")},
    **{name: ("solvers.online", name) for name in ("KBestMira", "Mira", "Perceptron", "StochasticGradient")},
    "OnlineDiscrete": ("solvers.online_discrete", "OnlineDiscrete"),
    **{name: ("solvers.online_sparse", name) for name in ("Fobos", "Rda", "Sparseptron")},
}

__all__ = [*_HOMES, "__version__"]


def __getattr__(name: str) -> Any:
    """A public name, from its room."""
    if name not in _HOMES:
        raise AttributeError(f"module 'laconic' has no attribute {name!r}")
    room, its_name = _HOMES[name]
    value = getattr(import_module(f"laconic.{room}"), its_name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
