"""Small code graphs for the tests of the store."""

from __future__ import annotations

from typing import Any

from outcrop.model.edge import Edge, EdgeKind
from outcrop.model.node import Node, NodeKind


def node(fqn: str, application: str = "app", **fields: Any) -> Node:
    """Return a function whose id is its name."""
    package, _, name = fqn.rpartition(".")
    values: dict[str, Any] = {
        "id": f"{application}:{fqn}",
        "application_id": application,
        "kind": NodeKind.FUNCTION,
        "lang": "python",
        "name": name,
        "package_name": package,
        "fqn": fqn,
        "signature": f"def {name}()",
        "doc_comment": None,
        "source_code": f"def {name}(): ...",
        "file_path": f"{package.replace('.', '/')}.py",
        "line_start": 1,
        "line_end": 1,
        "start_offset": 0,
        "end_offset": 10,
    }
    values |= fields
    return Node(**values)


def edge(src: str, dst: str, application: str = "app", **fields: Any) -> Edge:
    """Return a call between two functions, by their names."""
    external = fields.get("external", False)
    target = dst if external else f"{application}:{dst}"
    values: dict[str, Any] = {"kind": EdgeKind.CALLS, **fields}
    return Edge(src=f"{application}:{src}", dst=target, **values)


def versioned_graph(version: int) -> tuple[list[Node], list[Edge]]:
    """Return a graph of which every changing part names the version."""
    size = 20 + version % 5
    names = [f"m.f{number}" for number in range(size)] + ["m.stays"]
    nodes = [
        node(name, doc_comment=None if name == "m.stays" else f"version {version}")
        for name in names
    ]
    edges = [edge("m.stays", f"m.f{number}") for number in range(size)]
    edges += [edge(f"m.f{n}", f"v{version}", external=True) for n in range(size)]
    return nodes, edges
