import pytest

from outcrop.codegraph import build
from outcrop.planning.cutting.tiles import is_trivial

TRIVIAL = {
    "python": ("A.py", ["def a(self):\n  return self._a", "def a(self): ...",
                        "def a(self):\n  pass", "def __init__(self, x):\n  self.x = x"]),
    "java": ("A.java", ["int a() { return this.a; }", "A() {}", "void a(int x) { this.a = x; }",
                        "A() {\n super();\n}"]),
    "typescript": ("a.ts", ["a(): T { return this.a; }", "constructor(private a: T) {}"]),
    "kotlin": ("A.kt", ["fun a() = b", "fun a() {\n}"]),
    "c-sharp": ("A.cs", ["int A() => a;", "void A()\n{\n}"]),
}  # fmt: skip
WORTH = {
    "python": ("A.py", ["def a(self):\n  '''Said.'''\n  return self._a",
                        "@property\ndef a(self):\n  return self._a",
                        "def a(self):\n  return self.b(1)",
                        "def a(self):\n  x = 1\n  return x"]),
    "java": ("A.java", ["int a() { return b(); }", "int a() { log(); return a; }",
                        "@Get int a() { return a; }"]),
}  # fmt: skip
FRAMES = {"python": "class A:\n", "java": "class A {\n", "typescript": "class A {\n",
          "kotlin": "class A {\n", "c-sharp": "class A {\n"}  # fmt: skip


def member(folder, lang, name, text):
    frame = FRAMES[lang]
    indented = "".join(f"  {line}\n" for line in text.splitlines())
    end = "}\n" if frame.endswith("{\n") else ""
    (folder / name).write_text(frame + indented + end)
    graph = build(folder / name, "app", workers=1)
    return next(n for n in graph.nodes if n.kind in {"METHOD", "FUNCTION"})


@pytest.mark.parametrize(
    ("lang", "name", "text"),
    [(lang, name, text) for lang, (name, texts) in TRIVIAL.items() for text in texts],
)
def test_members_that_only_hand_a_value_through_are_trivial(tmp_path, lang, name, text):
    assert is_trivial(member(tmp_path, lang, name, text))


@pytest.mark.parametrize(
    ("lang", "name", "text"),
    [(lang, name, text) for lang, (name, texts) in WORTH.items() for text in texts],
)
def test_members_that_do_or_say_something_are_not(tmp_path, lang, name, text):
    assert not is_trivial(member(tmp_path, lang, name, text))
