"""What a certificate is: said by the fit, kept in files, shown on pages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import result_of
from hostile import refused

import laconic
from laconic import (
    L0,
    L1,
    MCP,
    Discrete,
    ElasticNet,
    Fista,
    OverlapGroupLasso,
    Owlqn,
    Quantile,
    Ridge,
    Smoothing,
    SparseClassifier,
    SparseRegressor,
    TextClassifier,
)
from laconic.linear.page import write_report
from laconic.linear.store import pack
from laconic.models import file as files

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 9))
Y = X[:, 0] - X[:, 4] + 0.1 * RNG.normal(size=60)
FREE = np.r_[0.0, np.ones(8)]
FITS: dict[str, tuple[Any, str]] = {
    "lasso": (SparseRegressor(L1(3.0)), "duality gap"),
    "lasso by gradients": (SparseRegressor(L1(3.0), solver=Fista()), "duality gap"),
    "quasi-newton": (SparseRegressor(ElasticNet(1.0), solver=Owlqn()), "duality gap"),
    "ridge": (SparseRegressor(Ridge(1.0)), "duality gap"),
    "overlapping groups": (SparseRegressor(OverlapGroupLasso([[0, 1], [1, 2]])), "duality gap"),
    "classes": (SparseClassifier(L1(0.5)), "duality gap"),
    "a loss with kinks": (SparseRegressor(L1(1.0), loss=Quantile(0.5)), "duality gap"),
    "one free weight": (SparseRegressor(L1(1.0, factors=FREE)), "prox residual"),
    "nothing penalised": (SparseRegressor(Ridge(0.0)), "prox residual"),
    "mcp": (SparseRegressor(MCP(3.0)), "prox residual"),
    "counts of weights": (SparseRegressor(L0(1.0)), "prox residual"),
    "counts of weights and a loss with kinks": (
        SparseRegressor(L0(1.0), loss=Quantile(0.5), solver=Smoothing(max_iter=3)),
        "prox residual",
    ),
    "few values": (SparseRegressor(Discrete([-1, 1])), "ADMM residual"),
}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", FITS)
def test_fits_say_what_their_certificate_is(name: str) -> None:
    model, kind = FITS[name]
    model.fit(X, Y > 0 if isinstance(model, SparseClassifier) else Y)
    assert np.isfinite(model.certificate_)
    assert model.report_.certificate_kind == kind


@pytest.mark.parametrize("name", ["lasso", "mcp", "nothing penalised"])
def test_files_commands_and_pages_say_it_too(tmp_path: Path, name: str) -> None:
    model, kind = FITS[name]
    model.fit(X, Y).save(tmp_path / "m")
    assert laconic.load(tmp_path / "m").report_.certificate_kind == kind
    assert result_of("inspect", str(tmp_path / "m"))["certificate_kind"] == kind
    write_report(model, tmp_path / "page.html")
    other = {"duality gap", "prox residual"} - {kind}
    page = (tmp_path / "page.html").read_text("utf-8")
    assert kind in page and not other & {word for word in other if word in page}


def test_older_files_do_not_say(tmp_path: Path) -> None:
    arrays, meta = pack(SparseRegressor(L1(3.0)).fit(X, Y))
    good = files.ModelFile("linear", 1, arrays, meta)
    for wrong in ("proof", None, ["duality gap"], 1):
        refused(tmp_path, good._replace(meta={**meta, "certificate_kind": wrong}))
    del meta["certificate_kind"]
    files.save(tmp_path / "m", "linear", arrays, meta)
    old = laconic.load(tmp_path / "m")
    assert old.report_.certificate_kind == "" and np.isfinite(old.certificate_)
    write_report(old, tmp_path / "page.html")
    assert "certificate" in (tmp_path / "page.html").read_text("utf-8")


def test_text_classifiers_say_it(tmp_path: Path) -> None:
    texts, labels = ["good plot", "nice cast", "dull plot", "poor cast"] * 5, [1, 1, 0, 0] * 5
    model = TextClassifier(strength=0.1).fit(texts, labels)
    assert model.report_.certificate_kind == "duality gap"
    model.save(tmp_path / "m")
    assert laconic.load(tmp_path / "m").report_.certificate_kind == "duality gap"
