"""What a build leaves in memory beside its result."""

from __future__ import annotations

import gc

import pytest

from outcrop.codegraph import build
from outcrop.codegraph.flow.program import Program
from outcrop.codegraph.flow.solver import Solver
from outcrop.codegraph.symbols import SymbolTable

FILES = {
    "urls.py": (
        "from django.urls import path\nimport views\n"
        'urlpatterns = [path("a/", views.site.missing)]\n'
    ),
    "views.py": "class View:\n    def show(self):\n        return View().show()\n",
}


@pytest.fixture
def without_collector():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("without_collector")
def test_a_build_frees_all_but_the_graph_without_the_collector(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)

    graph = build(tmp_path)

    assert graph.nodes
    kinds = (Program, Solver, SymbolTable)
    assert [each for each in gc.get_objects() if isinstance(each, kinds)] == []
