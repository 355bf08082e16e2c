"""Several programs in one repository that use the same names for their packages."""

from __future__ import annotations

import pytest

from outcrop.codegraph import build

_SERVICE = {
    "app/db.py": "def load():\n    return 1\n",
    "app/routes.py": (
        "from fastapi import APIRouter\n"
        "from app.db import load\n\n"
        "router = APIRouter(prefix='/{name}')\n\n\n"
        "@router.get('/item')\n"
        "def item():\n    return load()\n"
    ),
    "app/main.py": (
        "import app.db\n"
        "from fastapi import FastAPI\n"
        "from app import routes\n"
        "from app.routes import router\n\n"
        "api = FastAPI()\n"
        "api.include_router(router, prefix='/v1')\n\n\n"
        "def start():\n    app.db.load()\n    return routes.item()\n"
    ),
    "tests/test_main.py": (
        "from app.main import start\n\n\ndef test_start():\n    start()\n"
    ),
}


def _write(root, name, *, packages):
    for path, text in _SERVICE.items():
        file = root / "services" / f"{name}-api" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text.replace("{name}", name))
        if packages:
            (file.parent / "__init__.py").touch()


def _calls(graph):
    """The (path, name) of caller and callee of each call inside the project."""
    nodes = {node.id: node for node in graph.nodes}
    return {
        (nodes[e.src].file_path, nodes[e.src].name, nodes[e.dst].file_path)
        for e in graph.edges
        if e.kind == "CALLS" and not e.external
    }


@pytest.mark.parametrize("packages", [True, False])
def test_an_import_means_the_module_of_its_own_program(tmp_path, packages):
    for name in ("order", "user"):
        _write(tmp_path, name, packages=packages)
    graph = build(tmp_path)
    own = {
        (f"services/{name}-api/{caller}", function, f"services/{name}-api/{callee}")
        for name in ("order", "user")
        for caller, function, callee in [
            ("app/routes.py", "item", "app/db.py"),
            ("app/main.py", "start", "app/db.py"),
            ("app/main.py", "start", "app/routes.py"),
            ("tests/test_main.py", "test_start", "app/main.py"),
        ]
    }
    between_files = {call for call in _calls(graph) if call[0] != call[2]}
    assert {c for c in between_files if not c[1].startswith(("GET", "/"))} == own
    assert {n.name for n in graph.nodes if n.kind == "ENDPOINT"} == {
        "GET /v1/order/item",
        "GET /v1/user/item",
    }


def test_a_module_is_contained_in_the_package_of_its_own_program(tmp_path):
    for name in ("order", "user"):
        _write(tmp_path, name, packages=True)
    graph = build(tmp_path)
    nodes = {node.id: node for node in graph.nodes}
    containers = {
        (nodes[e.src].file_path, nodes[e.dst].file_path)
        for e in graph.edges
        if e.kind == "CONTAINS" and nodes[e.dst].name == "db"
    }
    assert containers == {
        (f"services/{n}-api/app/__init__.py", f"services/{n}-api/app/db.py")
        for n in ("order", "user")
    }


def test_a_package_spread_over_several_folders_stays_one(tmp_path):
    files = {
        "left/space/one.py": "def first():\n    return 1\n",
        "right-side/space/two.py": (
            "from space.one import first\nfrom space.gone import lost\n\n\n"
            "def second():\n    lost()\n    return first()\n"
        ),
    }
    for folder in ("left", "right-side"):
        init = tmp_path / folder / "space" / "__init__.py"
        init.parent.mkdir(parents=True)
        init.touch()
    for path, text in files.items():
        (tmp_path / path).write_text(text)
    graph = build(tmp_path)
    called = {
        graph.name_of(e.dst)
        for e in graph.edges
        if e.kind == "CALLS" and graph.name_of(e.src) == "space.two.second"
    }
    assert called == {"space.one.first", "space.gone.lost"}


def test_loose_files_of_another_program_are_not_imported(tmp_path):
    files = {
        "web/site.py": (
            "from settings import Base\n\n\ndef read():\n    return Base()\n"
        ),
        "old-site/settings.py": "class Base:\n    def __init__(self):\n        pass\n",
        "old-site/site.py": (
            "from settings import Base\n\n\ndef read():\n    return Base()\n"
        ),
    }
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    graph = build(tmp_path)
    nodes = {node.id: node for node in graph.nodes}
    made = {
        nodes[e.src].file_path: nodes[e.dst].file_path if e.dst in nodes else e.dst
        for e in graph.edges
        if e.kind == "CALLS"
    }
    assert made["old-site/site.py"] == "old-site/settings.py"
    assert made["web/site.py"] == "settings.Base"
