"""GraphML, for Gephi, yEd and NetworkX."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outcrop.codegraph.graph import Graph

_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
"""
_NODE_KEYS = ("fqn", "name", "kind", "lang", "file_path", "signature", "visibility")
_EDGE_KEYS = ("kind", "resolution", "confidence", "external")
# XML 1.0 has no way to write these characters at all.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def write_graphml(graph: Graph) -> Iterator[str]:
    """Yield the graph; names outside the project are nodes of kind EXTERNAL."""
    yield _HEAD
    for target, keys in (("node", _NODE_KEYS), ("edge", _EDGE_KEYS)):
        for key in keys:
            type_ = {"confidence": "double", "external": "boolean"}.get(key, "string")
            yield (
                f'<key id="{target}_{key}" for="{target}" attr.name="{key}" '
                f'attr.type="{type_}"/>\n'
            )
    yield f'<graph id={quoteattr(_clean(graph.application))} edgedefault="directed">\n'
    for node in graph.nodes:
        data = "".join(
            _data("node", key, getattr(node, key))
            for key in _NODE_KEYS
            if getattr(node, key) is not None
        )
        yield f'<node id="{node.id}">{data}</node>\n'
    outside = sorted({edge.dst for edge in graph.edges if edge.external})
    for name in outside:
        data = _data("node", "fqn", name) + _data("node", "kind", "EXTERNAL")
        yield f"<node id={quoteattr(_clean(name))}>{data}</node>\n"
    for edge in graph.edges:
        data = "".join(_data("edge", key, getattr(edge, key)) for key in _EDGE_KEYS)
        target = quoteattr(_clean(edge.dst))
        yield f'<edge source="{edge.src}" target={target}>{data}</edge>\n'
    yield "</graph>\n</graphml>\n"


def _data(target: str, key: str, value: object) -> str:
    text = str(value).lower() if isinstance(value, bool) else _clean(str(value))
    return f'<data key="{target}_{key}">{escape(text)}</data>'


def _clean(text: str) -> str:
    return _FORBIDDEN.sub("\ufffd", text)
