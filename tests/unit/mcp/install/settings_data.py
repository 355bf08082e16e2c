"""Settings as people have them, for property tests."""

from __future__ import annotations

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
