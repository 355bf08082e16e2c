"""Every field of a node, in every language that is read in full."""

from __future__ import annotations

import pytest

from outcrop.codegraph import build

PROGRAMS = {
    "a.py": (
        (
            "import functools\n\n\nclass Shop:\n    limit: int = 1\n\n"
            "    @functools.cache\n    async def _open(self, key: str, *rest) -> bool:\n"
            '        """Open it.\n\n        With care.\n        """\n        return True\n'
        ),
        "a.Shop._open",
        "METHOD",
        "async def _open(self, key: str, *rest) -> bool",
        "Open it.\n\nWith care.",
        ("@functools.cache",),
        "protected",
        (7, 13),
    ),
    "A.java": (
        (
            "package app;\nclass Shop {\n  /**\n   * Open it.\n   */\n  @Override\n"
            "  protected <T> boolean open(String key, int... rest) throws Exception {\n"
            "    return true;\n  }\n}\n"
        ),
        "app.Shop.open",
        "METHOD",
        "protected <T> boolean open(String key, int... rest) throws Exception",
        "Open it.",
        ("@Override",),
        "protected",
        (6, 9),
    ),
    "A.kt": (
        (
            "package app\nclass Shop {\n  /** Open it. */\n  @JvmStatic\n"
            "  private fun open(key: String): Boolean {\n    return true\n  }\n}\n"
        ),
        "app.Shop.open",
        "METHOD",
        "private fun open(key: String): Boolean",
        "Open it.",
        ("@JvmStatic",),
        "private",
        (4, 7),
    ),
    "a.ts": (
        (
            "export class Shop {\n  /** Open it. */\n"
            "  private async open(key: string): Promise<boolean> {\n    return true;\n  }\n}\n"
        ),
        "a.Shop.open",
        "METHOD",
        "private async open(key: string): Promise<boolean>",
        "Open it.",
        (),
        "private",
        (3, 5),
    ),
    "a.js": (
        "/**\n * Open it.\n */\nexport const open = async (key) => {\n  return key;\n};\n",
        "a.open",
        "FUNCTION",
        "async (key)",
        "Open it.",
        (),
        "public",
        (4, 6),
    ),
    "a.go": (
        (
            "package shop\n\ntype Shop struct{}\n\n// Open it.\n// With care.\n"
            "func (s *Shop) open(key string) (bool, error) {\n\treturn true, nil\n}\n"
        ),
        "shop.Shop.open",
        "METHOD",
        "func (s *Shop) open(key string) (bool, error)",
        "Open it.\nWith care.",
        (),
        "package",
        (7, 9),
    ),
    "a.rs": (
        (
            "struct Shop;\nimpl Shop {\n    /// Open it.\n    #[inline]\n"
            "    pub fn open(&self, key: &str) -> bool {\n        true\n    }\n}\n"
        ),
        "crate::a::Shop::open",
        "METHOD",
        "pub fn open(&self, key: &str) -> bool",
        "Open it.",
        ("#[inline]",),
        "public",
        (5, 7),
    ),
    "A.cs": (
        (
            "namespace App;\nclass Shop\n{\n    /// <summary>Open it.</summary>\n    [Pure]\n"
            "    internal bool Open(string key)\n    {\n        return true;\n    }\n}\n"
        ),
        "App.Shop.Open",
        "METHOD",
        "internal bool Open(string key)",
        "Open it.",
        ("[Pure]",),
        "internal",
        (5, 9),
    ),
}


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_a_node_has_all_its_fields(name, tmp_path):
    text, fqn, kind, signature, doc, annotations, visibility, lines = PROGRAMS[name]
    (tmp_path / name).write_text(text)
    graph = build(tmp_path, "demo", workers=1)
    node = next(node for node in graph.nodes if node.fqn == fqn)
    assert node.kind == kind
    assert node.signature == signature
    assert node.doc_comment == doc
    assert node.annotations == annotations
    assert node.visibility == visibility
    assert (node.line_start, node.line_end) == lines
    assert node.source_code == text[node.start_offset : node.end_offset]
    assert node.application_id == "demo"
    assert node.file_path == name


def test_fields_of_a_class_are_nodes_once_each(tmp_path):
    (tmp_path / "a.py").write_text(
        "class A:\n    x = 1\n    def __init__(self):\n        self.x = 2\n"
        "        self.y = 3\n    def m(self):\n        self.y = 4\n"
    )
    graph = build(tmp_path, workers=1)
    assert [n.fqn for n in graph.nodes if n.kind == "FIELD"] == ["a.A.x", "a.A.y"]


def test_two_builds_give_the_same_ids(tmp_path):
    (tmp_path / "a.py").write_text("def f():\n    pass\ndef f():\n    pass\n")
    first, second = (build(tmp_path, "x", workers=1) for _ in range(2))
    assert first.nodes == second.nodes
    assert len({node.id for node in first.nodes}) == len(first.nodes)


@pytest.mark.parametrize(
    ("name", "text", "signature"),
    [
        (
            "state.py",
            "class State(Enum):\n    # OPEN:\n    #   It began.\n    OPEN = 1\n",
            "class State(Enum)",
        ),
        ("pour.py", "def pour(cup):  # hot\n    return cup\n", "def pour(cup)"),
        (
            "steep.py",
            "def steep(a,  # leaves\n          b):  # water\n    return a\n",
            "def steep(a,  # leaves\n          b)",
        ),
        (
            "a.go",
            "package a\n\nfunc Pour(n int) int /* hot */ {\n\treturn n\n}\n",
            None,
        ),
        ("a.ts", "function pour(cup: Cup): Cup // hot\n{\n  return cup;\n}\n", None),
    ],
)
def test_comments_before_a_body_are_not_in_the_signature(
    name, text, signature, tmp_path
):
    (tmp_path / name).write_text(text)
    kinds = {"FUNCTION", "CLASS"}
    (node,) = (n for n in build(tmp_path, workers=1).nodes if n.kind in kinds)
    assert "hot" not in node.signature
    assert signature in {node.signature, None}
