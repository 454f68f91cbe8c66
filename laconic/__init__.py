"""Small, readable, fast linear models of text."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from laconic.models.kind import TASKS
from laconic.version import __version__ as __version__

if TYPE_CHECKING:
    from laconic.classify.model import TextClassifier as TextClassifier
    from laconic.core.groups import Groups as Groups
    from laconic.core.losses import Cox as Cox
    from laconic.core.losses import Huber as Huber
    from laconic.core.losses import Logistic as Logistic
    from laconic.core.losses import Loss as Loss
    from laconic.core.losses import Multinomial as Multinomial
    from laconic.core.losses import Poisson as Poisson
    from laconic.core.losses import Quantile as Quantile
    from laconic.core.losses import Squared as Squared
    from laconic.core.losses import SquaredHinge as SquaredHinge
    from laconic.core.losses import Tweedie as Tweedie
    from laconic.core.penalties import L0 as L0
    from laconic.core.penalties import L1 as L1
    from laconic.core.penalties import MCP as MCP
    from laconic.core.penalties import SCAD as SCAD
    from laconic.core.penalties import Discrete as Discrete
    from laconic.core.penalties import ElasticNet as ElasticNet
    from laconic.core.penalties import GroupLasso as GroupLasso
    from laconic.core.penalties import LabelTree as LabelTree
    from laconic.core.penalties import LatentGroupLasso as LatentGroupLasso
    from laconic.core.penalties import LayeredGroupLasso as LayeredGroupLasso
    from laconic.core.penalties import LogSum as LogSum
    from laconic.core.penalties import Oscar as Oscar
    from laconic.core.penalties import OverlapGroupLasso as OverlapGroupLasso
    from laconic.core.penalties import PenaltySum as PenaltySum
    from laconic.core.penalties import Ridge as Ridge
    from laconic.core.penalties import Slope as Slope
    from laconic.core.penalties import SparseGroupLasso as SparseGroupLasso
    from laconic.core.penalties import TreeGroupLasso as TreeGroupLasso
    from laconic.core.penalties import adaptive as adaptive
    from laconic.core.penalties import learned_values as learned_values
    from laconic.core.penalties import value_set as value_set
    from laconic.core.solvers.admm import Admm as Admm
    from laconic.core.solvers.by_feature import ByFeature as ByFeature
    from laconic.core.solvers.discrete import DiscreteAdmm as DiscreteAdmm
    from laconic.core.solvers.exchange import Exchange as Exchange
    from laconic.core.solvers.fista import Fista as Fista
    from laconic.core.solvers.growing import Growing as Growing
    from laconic.core.solvers.majorized import Majorized as Majorized
    from laconic.core.solvers.newton import Newton as Newton
    from laconic.core.solvers.online import KBestMira as KBestMira
    from laconic.core.solvers.online import Mira as Mira
    from laconic.core.solvers.online import Perceptron as Perceptron
    from laconic.core.solvers.online import StochasticGradient as StochasticGradient
    from laconic.core.solvers.online_discrete import OnlineDiscrete as OnlineDiscrete
    from laconic.core.solvers.online_sparse import Fobos as Fobos
    from laconic.core.solvers.online_sparse import Rda as Rda
    from laconic.core.solvers.online_sparse import Sparseptron as Sparseptron
    from laconic.core.solvers.owlqn import Owlqn as Owlqn
    from laconic.core.solvers.reweighted import Reweighted as Reweighted
    from laconic.core.solvers.smoothing import Smoothing as Smoothing
    from laconic.core.solvers.working_set import WorkingSet as WorkingSet
    from laconic.embed.model import WordVectors as WordVectors
    from laconic.embed.online_dictionary import OnlineDictionary as OnlineDictionary
    from laconic.embed.stochastic import StochasticCoding as StochasticCoding
    from laconic.embed.svd import Svd as Svd
    from laconic.errors import InputError as InputError
    from laconic.linear.bootstrap import bootstrap_intervals as bootstrap_intervals
    from laconic.linear.criteria import StrengthIC as StrengthIC
    from laconic.linear.cv import StrengthCV as StrengthCV
    from laconic.linear.model import SparseClassifier as SparseClassifier
    from laconic.linear.model import SparseRegressor as SparseRegressor
    from laconic.linear.path import regularization_path as regularization_path
    from laconic.linear.stability import StabilitySelection as StabilitySelection
    from laconic.lm.adaptation import adapted as adapted
    from laconic.lm.class_mixture import ClassMixture as ClassMixture
    from laconic.lm.interpolation import interpolated as interpolated
    from laconic.lm.kneser_ney import KneserNey as KneserNey
    from laconic.lm.log_linear import LogLinear as LogLinear
    from laconic.lm.model import LanguageModel as LanguageModel
    from laconic.lm.nested import NestedLasso as NestedLasso
    from laconic.lm.nested import NestedRidge as NestedRidge
    from laconic.lm.nested_groups import NestedGroups as NestedGroups
    from laconic.lm.nested_tree import NestedTree as NestedTree
    from laconic.mine.model import KernelMiner as KernelMiner
    from laconic.mine.polynomial import Polynomial as Polynomial
    from laconic.mine.sub_trees import SubTrees as SubTrees
    from laconic.models.discrete.tuning import tune_values as tune_values
    from laconic.models.discrete.values import discretize as discretize
    from laconic.models.discrete.values import quantize as quantize
    from laconic.models.save import load as load
    from laconic.models.save import save_compact as save_compact
    from laconic.parse.model import Parser as Parser
    from laconic.parse.tags import WordTagger as WordTagger
    from laconic.parse.texts import text_trees as text_trees
    from laconic.pipeline.doc import Doc as Doc
    from laconic.pipeline.model import Pipeline as Pipeline
    from laconic.rerank.model import Reranker as Reranker
    from laconic.tag.auto import AutoLearner as AutoLearner
    from laconic.tag.crf import Crf as Crf
    from laconic.tag.model import Tagger as Tagger
    from laconic.time.adaptive import AdaptivePrior as AdaptivePrior
    from laconic.time.forecast.model import Forecaster as Forecaster
    from laconic.time.fused import FusedLasso as FusedLasso
    from laconic.time.fused import SmoothGroupLasso as SmoothGroupLasso
    from laconic.time.model import TemporalClassifier as TemporalClassifier
    from laconic.time.model import TemporalRegressor as TemporalRegressor
    from laconic.time.rolling import RollingOrigin as RollingOrigin
    from laconic.time.rolling import rolling_forecast as rolling_forecast
    from laconic.time.sage.model import TemporalTextModel as TemporalTextModel
    from laconic.time.trajectories import SmoothRidge as SmoothRidge
    from laconic.time.variational import Variational as Variational

# Public names of the rooms that all tasks share; each task names its own in `PUBLIC`.
_SHARED = {
    "errors": ("InputError",),
    "core.groups": ("Groups",),
    "core.losses": (
        "Cox",
        "Huber",
        "Logistic",
        "Loss",
        "Multinomial",
        "Poisson",
        "Quantile",
        "Squared",
        "SquaredHinge",
        "Tweedie",
    ),
    "core.penalties": (
        "L0",
        "L1",
        "MCP",
        "SCAD",
        "Discrete",
        "ElasticNet",
        "GroupLasso",
        "LabelTree",
        "LatentGroupLasso",
        "LayeredGroupLasso",
        "LogSum",
        "Oscar",
        "OverlapGroupLasso",
        "PenaltySum",
        "Ridge",
        "Slope",
        "SparseGroupLasso",
        "TreeGroupLasso",
        "adaptive",
        "learned_values",
        "value_set",
    ),
    "core.solvers.admm": ("Admm",),
    "core.solvers.discrete": ("DiscreteAdmm",),
    "core.solvers.fista": ("Fista",),
    "core.solvers.by_feature": ("ByFeature",),
    "core.solvers.growing": ("Growing",),
    "core.solvers.majorized": ("Majorized",),
    "core.solvers.exchange": ("Exchange",),
    "core.solvers.newton": ("Newton",),
    "core.solvers.owlqn": ("Owlqn",),
    "core.solvers.reweighted": ("Reweighted",),
    "core.solvers.smoothing": ("Smoothing",),
    "core.solvers.working_set": ("WorkingSet",),
    "core.solvers.online": ("KBestMira", "Mira", "Perceptron", "StochasticGradient"),
    "core.solvers.online_discrete": ("OnlineDiscrete",),
    "core.solvers.online_sparse": ("Fobos", "Rda", "Sparseptron"),
    "models.save": ("load", "save_compact"),
    "models.discrete.tuning": ("tune_values",),
    "models.discrete.values": ("discretize", "quantize"),
}


def _home(name: str) -> str | None:
    """Return the module of a public name; tasks are asked one after the other."""
    for room, names in _SHARED.items():
        if name in names:
            return f"laconic.{room}"
    for task in TASKS:
        homes: dict[str, str] = import_module(f"laconic.{task}").PUBLIC
        if name in homes:
            return homes[name]
    return None


def _public_names() -> list[str]:
    """Return all public names."""
    shared = [name for names in _SHARED.values() for name in names]
    of_tasks = [name for task in TASKS for name in import_module(f"laconic.{task}").PUBLIC]
    return [*shared, *of_tasks, "__version__"]


def __getattr__(name: str) -> Any:
    """Import what is asked for and nothing else: a public name, or the list of all of them."""
    value: object
    if name == "__all__":
        value = _public_names()
    else:
        home = None if name.startswith("_") else _home(name)
        if home is None:
            raise AttributeError(f"module 'laconic' has no attribute {name!r}")
        value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_public_names()})
