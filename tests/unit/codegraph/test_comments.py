"""Documentation comments without their markers."""

from __future__ import annotations

import pytest

from outcrop.codegraph.language import clean_comment
from outcrop.codegraph.languages.csharp import strip_xml_tags


@pytest.mark.parametrize(
    ("comments", "expected"),
    [
        (["/** One. */"], "One."),
        (["/**\n * One.\n *\n *   indented\n */"], "One.\n\n  indented"),
        (["/// One.", "/// Two."], "One.\nTwo."),
        (["// One.", "//", "// Two."], "One.\n\nTwo."),
        (["//! Crate."], "Crate."),
        (["# Ruby."], "Ruby."),
        (["-- Lua."], "Lua."),
        (["/* plain */"], "plain"),
        ([], ""),
    ],
)
def test_markers_are_removed(comments, expected):
    assert clean_comment(comments) == expected


def test_xml_documentation_becomes_text():
    text = (
        '<summary>\nAdds a <see cref="T:App.User"/>.\n</summary>\n'
        '<param name="user">Who.</param>\n<returns>The id.</returns>'
    )
    assert strip_xml_tags(text) == "Adds a App.User.\nuser: Who.\nThe id."
