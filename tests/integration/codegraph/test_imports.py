"""Imports lead to the definition that is imported, however it is bound."""

from __future__ import annotations

from outcrop.codegraph import build
from outcrop.model.edge import EdgeKind


def imports(folder, **files: str) -> set[tuple[str, str, str]]:
    """Return importer, target and resolution of each import inside the project."""
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    graph = build(folder, workers=1)
    names = {node.id: node.fqn for node in graph.nodes}
    return {
        (names[edge.src], names[edge.dst], edge.resolution)
        for edge in graph.edges
        if edge.kind is EdgeKind.IMPORTS and not edge.external
    }


def test_a_class_and_a_function_are_imported_themselves(tmp_path):
    found = imports(
        tmp_path,
        tasks="class Task:\n    pass\n\n\ndef start():\n    pass\n",
        app="from tasks import Task, start\n",
    )
    assert found == {("app", "tasks.Task", "exact"), ("app", "tasks.start", "exact")}


def test_a_definition_that_a_decorator_may_replace_is_imported_itself(tmp_path):
    found = imports(
        tmp_path,
        tasks="import library\n\n\n@library.register\nclass Task:\n    pass\n",
        app="from tasks import Task\n",
    )
    assert found == {("app", "tasks.Task", "flow")}


def test_the_last_of_several_definitions_is_imported(tmp_path):
    found = imports(
        tmp_path,
        tasks="def run(x: int): ...\n\n\ndef run(x):\n    return x\n\n\nrun = run\n",
        app="from tasks import run\n",
    )
    assert len(found) == 1
    assert {target for _, target, _ in found} == {"tasks.run"}


def test_a_name_is_followed_through_the_modules_that_pass_it_on(tmp_path):
    found = imports(
        tmp_path,
        deep="import library\n\n\n@library.cached\ndef load():\n    pass\n",
        api="from deep import load as read\n",
        app="from api import read\n",
    )
    assert found == {("api", "deep.load", "flow"), ("app", "deep.load", "flow")}


def test_modules_that_import_a_name_from_each_other_lead_to_a_module(tmp_path):
    found = imports(tmp_path, a="from b import name\n", b="from a import name\n")
    assert found == {("a", "b", "exact"), ("b", "a", "exact")}


def test_a_constant_is_imported_itself(tmp_path):
    found = imports(tmp_path, limits="LIMIT = 3\n", app="from limits import LIMIT\n")
    assert found == {("app", "limits.LIMIT", "flow")}
