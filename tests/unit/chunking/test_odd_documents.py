"""Small documents that once broke a promise, found by the fuzzer and made shorter."""

from __future__ import annotations

import pytest

from outcrop import ChunkConfig, InvariantValidator, MarkdownChunker, TokenCounter
from promises import check_promises
from trees import check_tree

TOKENS = {"length": TokenCounter()}
WORDS = {"length": lambda text: len(text.split())}
SPLIT = {"oversize_blocks": "split"}
EM_SPACE, NO_BREAK_SPACE, MARK = "\u2003", "\u00a0", "\ufeff"
FAMILY = "👩\u200d👩\u200d👧"
LONG = "aaaa " * 20


def _case(name, text, size, **settings):
    return pytest.param(text, ChunkConfig(max_chunk_size=size, **settings), id=name)


BLANK = [
    _case("no-break space after ATX", f"#\n{NO_BREAK_SPACE}", 40),
    _case("em space after setext", f"a\n=\n{EM_SPACE}", 40),
    _case(
        "no-break space before code",
        f"#\r{NO_BREAK_SPACE}\r   \r         aaaaaaaaaaa {NO_BREAK_SPACE}\r         a",
        40,
    ),
    _case("em space before footnote", f"#\n{EM_SPACE}\n[^a]:" + LONG[:40], 40),
    _case("no-break space before text", f"a: a\n-\n{NO_BREAK_SPACE}\n\n{LONG}", 80),
    _case("em space before code", f"######\n{EM_SPACE}\n\n    aaa", 16),
    _case("em space before ATX", f"{EM_SPACE}\n#", 80),
    _case("no-break space before setext", f"{NO_BREAK_SPACE}\n\na\n-", 80),
    _case("form feed before setext", ">\t~~~\n> a a\n> a a\n\x0c\na\n-", 10),
    _case("em space before fence", f"#\n{EM_SPACE}\n```\na\n a", 10, **SPLIT),
    _case("form feed at the end", f"2) 0. ```{FAMILY}a\n\x0c\n", 40, **TOKENS),
    _case(
        "code of an em space in a quote", f">     {EM_SPACE}\n>\n>     a", 16, **SPLIT
    ),
    _case(
        "code of a no-break space in an item",
        f"56789.     {NO_BREAK_SPACE}\n       a|a\n       -|:",
        5,
    ),
    _case(
        "code that starts with an em space",
        f"+ a\n    >     {EM_SPACE}\n  >     a",
        3,
        **SPLIT,
    ),
    _case("code of an em space after a formula", f"$$$$\n-\n9.     {EM_SPACE}", 5),
    _case("file separator after a fence", "# a\n```\n```\x1c\na. a", 10, **SPLIT),
    _case("vertical tab in quoted code", ">\t  a .a. \x0b\n>", 8, **TOKENS, **SPLIT),
]
PANICS = [
    _case("braces after a footnote", "[^a]:~~~\n[\u2028]\n{}\n -", 10),
    _case("braces after a quoted heading", ">a\n>  {}\n>-\n*\\\n {}\n=", 10),
    _case("braces after a fence", "```\n[^a]:\n```\n[a\x0b]\n{}\n -", 10),
    _case("braces after definitions", "-\n# 2a 0a\n[2a]::/aa.1\n{}\n =\na", 10),
    _case("braces below a formula", "-\r\x0b $$a$$\r\n       { aa }\r\n   =", 1),
    _case("shift characters", "* a\n   {}\n  =\n\n# \x0e{a}\x0f b\n\x0f {b}\n=", 10),
    _case(
        "row of dashes before a form feed",
        "a \u2028 a | aa\n--:|:--\naaaaa aa a aaaaa a\n---\x0c",
        40,
        **SPLIT,
    ),
    _case("form feed after an underline", "# {}\n- [x] \\\n  =\x0c", 30),
    _case("a task of a backslash after a title", "a\n# {}\x85\n- [x] \\\n  =", 10),
]
MARKS = [
    _case(
        "table whose first cell starts with a mark",
        f"\n{MARK} 1. | aaa \x0c | aa\n---|:-:|:--\naaa a\na aaa",
        40,
        **SPLIT,
    ),
    _case(
        "table after a heading whose first cell starts with a mark",
        f"a a\n-\n{MARK} | a a | a a a\n-|-|:\na a a\na a a a a a a a",
        20,
        **SPLIT,
    ),
    _case("heading that starts with a mark", f"\n{MARK} aaa\n---\n{LONG}", 100),
    _case("heading after a mark on a line", f"{MARK}\n#", 1),
    _case("heading after a mark and blanks", f"{MARK}\t{NO_BREAK_SPACE}\na\n=", 2),
    _case("two headings after a mark", f"{MARK}\n# a\r\n\r\n## a\na", 12),
    _case("paragraph of a mark", f" {MARK}\n#", 150),
]
TITLES = [
    _case("attributes before closing marks", "# {} #\n{}\n  -", 60),
    _case("attributes after a definition", "[a]:\n*\n{}\n =", 80),
    _case("attributes beside a nested underline", "+ a\n   {}\n  =\n {}\n-", 4096),
    _case("attributes before a form feed", "{}\n =\n{}\n\x0c\n=", 14),
    _case("footnote before attributes", "[^1]: a\n~~~\n~~~\n[^1] a\n {a}\n  -\n", 250),
    _case("link after a brace", "{}[ref]\n=\n>     {}\n =\n>[ref]:a", 60),
    _case("footnote defined in code only", "```\n[^1]:\n```\n[^1]\n{}\n -", 500),
    _case("footnote before a brace", "*\n{}\n =\n[^1]{\n-\n[^1]:", 1000),
    _case("attributes after a backslash", "`\\\n{}\n =", 500),
    _case(
        "title of nothing but marks",
        "->\n-\n[^a]:\na a | a\n-|-\na a a a a a\na a",
        12,
        **WORDS,
        **SPLIT,
    ),
    _case("title of 400 characters", "a\n# " + LONG * 4, 1000),
]
SIZES = [
    _case(
        "table after a link definition, with an indented head",
        "[a]:a\n    a|a\n-|-\na\naaa\naaaaaaaaaaaaa",
        30,
        oversize_blocks="split",
    ),
    _case(
        "table after a link definition, with an indented head, below a heading",
        "#\n[a]:a\n\ta|a\n-|-\na]a\na|a\na|a[a]a\na|a",
        16,
        oversize_blocks="split",
        oversize_tolerance=0.5,
    ),
    _case(
        "table with an indented head after code and a link definition",
        "#\n```\n```\n[a]:a\n    a|a\n-|-\na\na\na",
        12,
        oversize_blocks="split",
        **TOKENS,
    ),
    _case(
        "title after a link definition that would open a fence by itself",
        "[a]:a\n    ```\n-\na\n  ~~~a\t\n  [a]a\na  +a+  +a a$",
        20,
        oversize_blocks="split",
    ),
    _case(
        "the same title, indented by a tab",
        "[a]:a\n\t```\n-\na\n  ~~~a\t\n  [a]a\na  +a+  +a a$",
        20,
        oversize_blocks="split",
    ),
    _case(
        "fence below an indented title after a link definition",
        "[a]:a\n    a\n-\n~~~a\t\na\n  aaa",
        20,
        oversize_blocks="split",
    ),
    _case(
        "a title that would open a fence by itself, and text that continues it",
        "[a]:a\n    ```\n-\naa\na  aaa  aa aa",
        25,
    ),
    _case(
        "two headings of 16 tokens", "# 0005aas eprambeaaar\n## atxa\na", 16, **TOKENS
    ),
    _case("family at 1 token", FAMILY, 1, **TOKENS),
    _case("ideograph in a heading at 1 token", "# 洱\na", 1, **TOKENS),
    _case("ideograph below a heading at 4 tokens", "# a\n\n洱洱洱洱", 4, **TOKENS),
    _case("HTML after a marker at 1 word", "* <aaa>", 1, **WORDS, **SPLIT),
    _case("HTML below a formula", "###### $$y$$\n\n<custom-tag>\n\na", 11, **SPLIT),
    _case("HTML in a footnote at 2 tokens", "[^ a]:<?aa\n", 2, **TOKENS, **SPLIT),
    _case("marker after a table", "👍🏽a|a\n-|-\n-", 11, **TOKENS),
    _case("digit before a formula", "2$$$$", 2),
    _case(
        "formula after a plus on a line of its own",
        f"$$y$$\n{' ' * 9}+ $$y$$ a",
        5,
        oversize_tolerance=0.5,
        **SPLIT,
    ),
    _case("two headings that are formulas", "# $$$${}\n$$$$\n-", 14),
    _case(
        "heading that alone is a list item",
        "[a]:a\n*\n  " + "a" * 38 + "\n   ---\n   ```a\n   " + LONG[:33] + "\n   \taa",
        100,
        **SPLIT,
    ),
]


@pytest.mark.parametrize(("text", "config"), BLANK + PANICS + MARKS + TITLES + SIZES)
def test_every_promise_holds(text, config):
    chunks = MarkdownChunker(config).chunk(text)
    check_promises(text, chunks, config)
    result = InvariantValidator(config, strict=True).validate(chunks, text)
    assert result.errors == []


@pytest.mark.parametrize(("text", "config"), BLANK + PANICS + MARKS + TITLES + SIZES)
def test_every_tree_holds_together(text, config):
    tree = MarkdownChunker(config).chunk_hierarchical(text)
    check_tree(text, tree)
    leaves = tree.get_flat_chunks()
    result = InvariantValidator(config, strict=True).validate(leaves, text)
    assert result.errors == []


def test_a_code_point_over_the_limit_stands_alone_and_says_so():
    config = ChunkConfig(max_chunk_size=1, **TOKENS)
    chunks = MarkdownChunker(config).chunk("a 👩")
    assert [chunk.content for chunk in chunks] == ["a", "👩"]
    assert "oversize_reason" not in chunks[0].metadata
    assert chunks[1].metadata["oversize_reason"] == "code_point_integrity"


def test_a_code_point_gives_up_its_heading_before_the_limit():
    config = ChunkConfig(max_chunk_size=4, **TOKENS)
    chunks = MarkdownChunker(config).chunk("# a\n\n洱洱洱洱")
    assert all(config.length(chunk.content) <= 4 for chunk in chunks)
