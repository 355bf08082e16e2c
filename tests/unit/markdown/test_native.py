"""The scanner in C sees what the walk over the parser's events sees, or passes."""

from __future__ import annotations

import os
import random
import resource
import subprocess
import sys
import time
from itertools import starmap
from pathlib import Path

import pytest

from fuzz.readers import facts
from fuzz.seeds import spec_examples
from outcrop.markdown import parse
from outcrop.markdown.native import load_scanner, read_natively
from outcrop.markdown.parse import SCANNER
from outcrop.text.native import PURE_VARIABLE

CORPUS = Path(__file__).parents[4] / "shared" / "corpus" / "markdown"
needs_scanner = pytest.mark.skipif(
    SCANNER is None, reason="the scanner was not built: python hatch_build.py"
)


def _differs(text: str) -> bool:
    return facts(parse(text)) != facts(parse(text, scanner=None))


# One of each kind that the two readers have once disagreed on, or that is easily read
# in another way.
SHAPES = (
    "---\n---\n", "---\na: b\n---\nc", "---\n?\n---\t\n", "a\n\n---\nb: c\n...\n",
    "[a]: b\n---\nc", "[a]: b\n---\nc: d\n---", "[a]: b\n===", "[a]: b\n    code",
    "[a]: b\n2. x", "[a]: b\n<b>\nx", "[a]: b\nc|d\n-|-", '[a]:\nb\n"t\nt"\nx',
    "[a]:a '\n-\n'", "[a]:a\n-\na\n=\n", "[a]:a\n    a\na\n-", "[a]:a\n[a]:\x7f",
    "[a\nb]: c\nd", "> [a\nb]: c\n> d", "> [a]: b\nlazy", "> [a]: b\n2. x", " >[a]:a\na",
    "b|c\n-|-\nx|y\nzz\n\nq", "a\nb|c\n-|-\nx|y", "a\n|b|c|\n|-|-|", "a\n-|\n", "||\n-|\n    a",
    "a||\n-|-\n|", "a||\n-|-\n-", "a|`\n-|-\n9.", "a||\n-|-\n<a>", "a||\n-|-\n\t```",
    "a\n    |b|c\n|-|-", "> a\n|b|c\n-|-", "- a\n  |b|c\n  -|-", "| \\| |\n|-|\n",
    "[^1]: a\nb\n\n    c\n\nd", "p\n[^1]: a", "[^a]:    a", "[^ a]: b", "[^a[]: c", "[^]: c",
    "[^a\\]]: c", " [^a]:\n    #", "[^a]:\n\ta", "[^a]: ```\n    ```\n",
    "* [W](#w)\n<br >\n\na", "<style\n</pre>\na", "<pre\n</PRE>\na", "<PRE\n</pre>\na", "<pre\n</pre >\na", "- <!-- x -->\n  a",
    "<a\nb>\n", "<a b='c'>\nd\n\ne", "</div >\na\n\nb", "<?a\n\n?>\nb", "<!A\n\n>\nb",
    "<![CDATA[\n\n]]>\nb", "<details><summary>\n", "><a>\n>\n[a]:a",
    "-\n\n  a", "- a\n\n\n  b\n- c", "- L\n\t- a\n\t- b\n- d", "-     a\n\n      b",
    "1) a\n1. b\n- c\n+ d", "1234567890. a", "a\n2. b", "a\n1. b", "- a\n2. b", "- a\n  ***\n  b",
    "> a\nb\n> c\n\nd", "> - a\n> b", ">\n> a", "> ```\na\n```", "-\ta\n\n\tb", "- ```\n\n  a\n",
    "`{`}\n-", "# #\t", "# a\t#", "# `` ` `` `a`  #", "# a_b __c__ &amp; <b> *d*", "# {#a}",
    "# [a] [b](c)\n\n[a]: d", "a\nb `c\nd`\n===", "## a ##b ##", "#a\n#\n###### b\n####### c",
    "\n\n    code\n\n\tmore\n", "\u00a0\n\n# a", "\ufeff# a\n", "+++\na = 1\n+++\n# b *c*\n",
    "# <-@a>", "# a <=@b>\n===", "# a < b <", "a\r\rb\r\n\r\n# c\r\n", "# é *ü*\n\nß\n", "a\\\n===\n", "\ud800\n# \udc80\n", "a\0\n# b\0",
)  # fmt: skip


@pytest.mark.parametrize("text", SHAPES)
def test_both_readers_see_the_same_blocks(text):
    assert facts(parse(text)) == facts(parse(text, scanner=None))


@needs_scanner
@pytest.mark.parametrize(
    "text",
    [
        "$$ a $$",
        "a\x0cb",
        "- [ ]\n  a",
        "- a\n- [x] |\n  -|",
        ">\n\t>",
        "1. ---\na\n---",
        "[^a]:[^a]:a",
        "a\\|\n-|",
        "- a|a\n\t  -|-",
        "*\n  >9.\n  >\n  >9.\n\n    a",
        "- a\n  >9.\n  >\n  >9.\n\n  a",
        "> - \t[ ] a",
        "[a]:\n||a\n-|-",
        ">[a]:\n=",
        "> > " * 60 + "a",
        "> # [a]\n\n> [a]: b\n\n# [a]",
        "# [^1]\n\n[^1]: a",
    ],
)
def test_the_scanner_passes_where_it_is_not_sure(text):
    assert SCANNER is not None
    assert read_natively(SCANNER, text) is None
    assert not _differs(text)


@needs_scanner
def test_both_readers_see_the_same_blocks_in_the_examples_of_the_specifications():
    examples = ["".join(lines) for lines in spec_examples()]
    if not examples:
        pytest.skip("no examples of the specifications: make fuzz downloads them")
    assert [text for text in examples if _differs(text)] == []


@needs_scanner
@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not here")
@pytest.mark.timeout(300)
def test_both_readers_see_the_same_blocks_in_the_corpus():
    paths = sorted(CORPUS.glob("*.md"))
    texts = {path.name: path.read_bytes().decode("utf-8", "replace") for path in paths}
    assert [name for name, text in texts.items() if _differs(text)] == []
    assert SCANNER is not None
    passed = sum(read_natively(SCANNER, text) is None for text in texts.values())
    assert passed * 20 < len(texts)


@needs_scanner
@pytest.mark.parametrize(
    "make",
    [
        lambda n: "> " * 90 + "a\n" * n,
        lambda n: "- " * 90 + "a\n" + "\n" * n,
        lambda n: "> " * n + "a",
        lambda n: "".join("  " * i + "- a\n" for i in range(90)) * (n // 3000),
        lambda n: "|a" * n + "|\n" + "|-" * n + "|\n" + "|" * n,
        lambda n: "|a|b|\n|-|-|\n" + "|c|d|\n" * n,
        lambda n: "- a\n" * n,
        lambda n: "[a\n" * n,
        lambda n: "[a]: b\n" * n,
        lambda n: "[a]: b\n(c\n" * n,
        lambda n: "[a]: b '\n" + "c\n" * n,
        lambda n: "".join(f"[{i}]: b\n# [{i}]\n\n" for i in range(n // 10)),
        lambda n: "---\na\n\n" * n,
        lambda n: "<!--\n" * n,
        lambda n: "<a " * n,
        lambda n: "```\n" * n,
        lambda n: "# " + "`" * n + "\n",
        lambda n: "# a`b\n" * n,
        lambda n: "a\n" * n + "===",
        lambda n: "[^a]: b\n" * n,
        lambda n: "a\r" * n,
        lambda n: "\u00a0\n\n" * n,
        lambda n: "*" * n + "\n" + "* " * 99 + "\n" * n,
    ],
)
def test_the_scanner_is_linear_on_hostile_shapes(make):
    assert SCANNER is not None
    small, large = (make(n).encode() for n in (20_000, 160_000))

    def seconds(data: bytes) -> float:
        started = time.process_time()
        SCANNER(data, 0, 0)
        return time.process_time() - started

    best = [min(starmap(seconds, [(data,)] * 3)) for data in (small, large)]
    growth = len(large) / len(small)
    assert best[1] < 4 * growth * max(best[0], 0.001)


@needs_scanner
def test_the_scanner_reads_any_bytes():
    assert SCANNER is not None
    source = random.Random(1)  # noqa: S311 - the same bytes every time
    for _ in range(3000):
        data = bytes(source.choices(b"\xe2\x80\xc2\xff[]:-|>`#\n\r\t <a*", k=40))
        SCANNER(data, 0, 0)


@needs_scanner
def test_the_scanner_frees_its_memory():
    assert SCANNER is not None
    data = b"# a *b*\n\n[c]: d\n\n- e\n" * 5000
    SCANNER(data, 0, 0)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(100):
        SCANNER(data, 0, 0)
    unit = 1 if sys.platform == "darwin" else 1024
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown * unit < 20 * 2**20


@needs_scanner
def test_the_scanner_counts_its_references_to_none():
    assert SCANNER is not None
    before = sys.getrefcount(None)
    SCANNER(b"# a`b\n" * 5000, 0, 0)
    assert abs(sys.getrefcount(None) - before) < 500


@needs_scanner
@pytest.mark.parametrize("arguments", [(), (3, 0, 0), (b"", "0", 0)])
def test_the_scanner_refuses_other_arguments(arguments):
    assert SCANNER is not None
    with pytest.raises(TypeError):
        SCANNER(*arguments)


def test_a_variable_switches_the_scanner_off(monkeypatch):
    monkeypatch.setenv(PURE_VARIABLE, "1")
    assert load_scanner() is None
    monkeypatch.setenv(PURE_VARIABLE, "0")
    assert load_scanner() is SCANNER or PURE_VARIABLE in os.environ


def test_chunks_are_the_same_without_the_scanner():
    command = (
        "from pathlib import Path; from outcrop import MarkdownChunker;"
        "print(MarkdownChunker().chunk(Path('README.md').read_text('utf-8')))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", command],
            cwd=Path(__file__).parents[3],
            env={**os.environ, PURE_VARIABLE: value},
            check=True,
            capture_output=True,
        ).stdout
        for value in ("", "1")
    }
    assert len(outputs) == 1
