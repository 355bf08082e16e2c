"""Settings files as people write them, for property tests."""

from __future__ import annotations

import json

from hypothesis import strategies as st

NAMES = st.sampled_from(["outcrop", "a", "b", "other server", "имя", 'quo"te', ""])
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 5),
    st.sampled_from(["", "x", "// no comment", "/* nor this */", "a, b}", "\\", "é"]),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(NAMES, inner, max_size=3)
    ),
    max_leaves=8,
)
ENTRIES = st.fixed_dictionaries(
    {"command": st.sampled_from(["outcrop", "C:\\x"]), "args": st.just(["mcp"])}
)
SETTINGS = st.fixed_dictionaries(
    {},
    optional={
        "before": VALUES,
        "servers": st.dictionaries(NAMES, VALUES, max_size=3),
        "behind": VALUES,
    },
)


@st.composite
def jsonc(draw, data):
    """Return a text that says `data`, with comments and commas wherever they may be."""
    count = 0

    def space() -> str:
        nonlocal count
        pieces = []
        for kind in draw(st.lists(st.sampled_from("s nlb"), max_size=2)):
            count += 1
            pieces.append(
                {
                    "s": " ",
                    " ": "\t",
                    "n": "\n  ",
                    "l": f"// note {count}\n",
                    "b": f"/* note {count} */",
                }[kind]
            )
        return "".join(pieces)

    def write(value: object) -> str:
        if isinstance(value, dict):
            pairs = value.items()
            items = [f"{json.dumps(k)}{space()}:{space()}{write(v)}" for k, v in pairs]
            return "{" + joined(items) + "}"
        if isinstance(value, list):
            return "[" + joined([write(item) for item in value]) + "]"
        return json.dumps(value, ensure_ascii=draw(st.booleans()))

    def joined(items: list[str]) -> str:
        last = draw(st.sampled_from(["", ","])) if items else ""
        return ",".join(f"{space()}{item}{space()}" for item in items) + last + space()

    return f"{space()}{write(data)}{space()}"


def notes(text: str) -> list[str]:
    """Return the comments that `jsonc` wrote, in order."""
    words = text.replace("*/", " ").split()
    return [words[at + 1] for at, word in enumerate(words) if word.endswith("note")]
