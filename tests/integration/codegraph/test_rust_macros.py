"""Items of Rust that stand inside macros."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from outcrop.codegraph import build
from outcrop.codegraph.languages.rust import unwrap_item_macros
from outcrop.model.edge import EdgeKind

if TYPE_CHECKING:
    from pathlib import Path

    from outcrop.codegraph import Graph

LIBRARY = """\
cfg_net! {
    /// Listens.
    pub struct TcpListener {
        io: u32,
    }
}

impl TcpListener {
    pub fn bind() -> TcpListener {
        helper()
    }
}

cfg_rt! {
    cfg_unix! {
        pub fn helper() -> TcpListener {
            TcpListener { io: 1 }
        }
    }
}
"""


def build_crate(folder: Path, text: str) -> Graph:
    (folder / "src").mkdir()
    (folder / "Cargo.toml").write_text('[package]\nname = "net"\n')
    (folder / "src" / "lib.rs").write_text(text)
    return build(folder)


def test_items_inside_macros_are_definitions(tmp_path):
    graph = build_crate(tmp_path, LIBRARY)
    nodes = {node.fqn: node for node in graph.nodes}
    listener, helper = nodes["net::TcpListener"], nodes["net::helper"]
    assert (listener.line_start, listener.line_end) == (3, 5)
    assert (helper.line_start, helper.line_end) == (16, 18)
    calls = {(e.src, e.dst) for e in graph.edges if e.kind is EdgeKind.CALLS}
    assert (nodes["net::TcpListener::bind"].id, helper.id) in calls


def test_the_text_around_items_stays_as_it_is(tmp_path):
    graph = build_crate(tmp_path, LIBRARY)
    crate = next(node for node in graph.nodes if node.fqn == "net")
    assert crate.source_code == LIBRARY


@pytest.mark.parametrize(
    "text",
    [
        "quote! {\n    pub struct Made;\n}\n",
        "quote::quote! {\n    pub struct Made;\n}\n",
        "macro_rules! make {\n    () => {};\n}\n",
        "select! {\n    a = b => {}\n}\n",
        "cfg! {\n    pub struct Open;\n",
    ],
)
def test_other_macros_are_left_alone(text):
    assert unwrap_item_macros(text.encode()) == text.encode()


def test_a_file_that_cannot_be_read_without_its_macros_is_read_with_them(tmp_path):
    text = (
        "mock! {\n    pub File {\n        pub fn create();\n    }\n}\n\nfn kept() {}\n"
    )
    assert unwrap_item_macros(text.encode()) != text.encode()
    graph = build_crate(tmp_path, text)
    assert {node.fqn for node in graph.nodes} == {"net", "net::kept"}


@pytest.mark.parametrize("ending", [b"", b"}\n"])
def test_macros_are_laid_open_in_linear_time(ending):
    def seconds(count: int) -> float:
        data = b"a! {\n//\n" * count + ending
        started = time.process_time()
        unwrap_item_macros(data)
        return time.process_time() - started

    small, large = (min(seconds(n) for _ in range(3)) for n in (10_000, 80_000))
    assert large < 32 * max(small, 0.001)
