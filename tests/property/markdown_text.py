"""Hypothesis strategies that build hostile Markdown."""

from __future__ import annotations

from hypothesis import strategies as st

_WORDS = st.sampled_from(
    [
        "word", "e.g.", "v1.2", "http://a.b/c?d=e.", "End.", "Stop!", "Да.", "Нет?",
        "これは文です。", "次です！", "中文", "👩‍👩‍👧", "é", "e\u0301", "\u00a0", "\u2028",
        "`code`", "`a|b`", "**bold**", "[link](u)", "[ref]", "<b>", "&amp;", "$x$", "#",
        "{#id}", "|", "\\|", "\t", "a" * 60, "\udc80", "\x00", "한국어", "1.", "-", ">",
    ]
)  # fmt: skip
_TEXT = st.lists(_WORDS, min_size=1, max_size=12).map(" ".join)
_EOL = st.sampled_from(["\n", "\n", "\n", "\r\n", "\r"])
_INDENT = st.sampled_from(["", "", "", " ", "  ", "   ", "    ", "\t"])


def _lines(*parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.tuples(*parts).map("\n".join)


_HEADING = st.one_of(
    st.tuples(st.integers(1, 6), _TEXT).map(lambda t: "#" * t[0] + " " + t[1]),
    st.tuples(st.integers(1, 6), _TEXT).map(lambda t: "#" * t[0] + " " + t[1] + " ##"),
    st.tuples(_TEXT, st.sampled_from(["===", "---"])).map("\n".join),
    st.sampled_from(["#", "##", "# {#only}", "#nospace", "####### seven"]),
)
_PARAGRAPH = st.lists(_TEXT, min_size=1, max_size=6).map("\n".join)
_CODE_LINES = st.lists(
    st.sampled_from(
        [
            "x = 1",
            "",
            "# not a heading",
            "    deep",
            "```",
            "~~~",
            "| a |",
            "- b",
            "```x",
        ]
    ),
    max_size=12,
).map("\n".join)
_FENCE = st.one_of(
    st.tuples(st.sampled_from(["```", "````", "~~~"]), _CODE_LINES).map(
        lambda t: f"{t[0]}py\n{t[1]}\n{t[0]}"
    ),
    _CODE_LINES.map(lambda code: f"```\n{code}"),
)
_INDENTED = st.lists(_TEXT, min_size=1, max_size=4).map(
    lambda lines: "\n".join("    " + line for line in lines)
)
_TABLE = st.lists(_TEXT, min_size=0, max_size=8).map(
    lambda rows: "| a | b |\n|---|:-:|\n" + "\n".join(f"| {r} | x |" for r in rows)
)
_HTML = st.sampled_from(
    [
        "<div>\n# no heading\n</div>", "<!-- # no\n\nheading -->", "<script>\n\n# x\n</script>",
        "<?php\n\n# y ?>", "<![CDATA[ # z ]]>", "</p>", "<custom-tag>", "<é>",
    ]
)  # fmt: skip
_MATH = st.sampled_from(
    ["$$\nx = 1\n\n# no\n$$", "$$ y $$", "text $$z$$ more", "$$ open"]
)
_OTHER = st.sampled_from(
    [
        "---", "***", "[ref]: http://example.org", "[^1]: A note.", "[^1]: # x\n    y",
        "", "", "   ", "[a]: b\n[c]: d 'e'", "-", "1.", "- [x] done", "- [ ] todo",
        "Term\n: Definition", ">", "> > > deep",
    ]
)  # fmt: skip
_LEAF = st.one_of(
    _HEADING, _PARAGRAPH, _PARAGRAPH, _FENCE, _INDENTED, _TABLE, _HTML, _MATH, _OTHER
)


def _in_list(body: str, marker: str) -> str:
    pad = " " * len(marker)
    first, *rest = body.split("\n")
    return "\n".join([marker + first, *(pad + line if line else "" for line in rest)])


def _nest(children: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    bodies = st.lists(children, min_size=1, max_size=4)
    markers = st.sampled_from(["- ", "* ", "1. ", "10. ", "-   ", "+ "])
    return st.one_of(
        bodies.map(
            lambda b: "\n".join("> " + line for line in "\n\n".join(b).split("\n"))
        ),
        st.tuples(bodies, markers).map(
            lambda t: "\n".join(_in_list(one, t[1]) for one in t[0])
        ),
        st.tuples(bodies, markers).map(
            lambda t: "\n\n".join(_in_list(one, t[1]) for one in t[0])
        ),
        st.tuples(bodies, markers).map(lambda t: _in_list("\n\n".join(t[0]), t[1])),
    )


_BLOCK = st.recursive(_LEAF, _nest, max_leaves=8)
_FRONT = st.sampled_from(
    [
        "",
        "",
        "",
        "---\ntitle: x\n# c\n---\n",
        "\ufeff",
        "\n\n",
        "  ",
        "---\nkey: y\ntitle: x\n---\n",
        '+++\ntitle = "x"\nkey = 1\n+++\n',
    ]
)


@st.composite
def documents(draw: st.DrawFn) -> str:
    """A document of hostile blocks with any line ends."""
    blocks = draw(st.lists(_BLOCK, min_size=1, max_size=10))
    gaps = st.sampled_from(["\n", "\n\n", "\n\n", "\n\n\n"])
    text = draw(_FRONT)
    for block in blocks:
        text += draw(_INDENT) + block + draw(gaps)
    return text.replace("\n", draw(_EOL))


def any_text() -> st.SearchStrategy[str]:
    """Any string at all, with the characters Markdown cares for made common."""
    return st.text(
        st.one_of(
            st.sampled_from("#`~|-*_>+1.)([]:<!&$\\ \t\r\n=ab"),
            st.characters(codec=None),
        ),
        max_size=200,
    )


# Headings whose titles depend on definitions, rules that may open metadata, and text.
_LINES = st.sampled_from(
    [
        *("# A", "## B [x]", "### C", "## [^n] D", "# [y z]", "Title [x]\n==="),
        *("[x]: u", "[^n]: note", "[y\nz]: u", "> [x]: u", "```\n[x]: u\n# no\n```"),
        *("---", "---\ntext", "---\n# E", "...", "- ---\n  a", "```\nopen"),
        *("Some words. More words.", "- a [t][y\n  z]\n- b", "| a |\n|---|\n| b |"),
        *("<div>\n# no\n</div>", "<!-- open", "$$\nx\n$$", "1. one\n\n2. two"),
    ]
)


@st.composite
def texts_with_headings(draw: st.DrawFn) -> str:
    """Texts with many headings, so that windows end early."""
    lines = draw(st.lists(_LINES, min_size=1, max_size=40))
    if draw(st.booleans()):
        lines.insert(draw(st.integers(0, len(lines))), draw(documents()))
    texts = [
        f"# H{number}\n\n{line}" if draw(st.booleans()) else line
        for number, line in enumerate(lines)
    ]
    end = draw(st.sampled_from(["\n\n", "\n\n", "\n", "\r\n\r\n", "\r"]))
    return end.join(texts)
