"""A TOML text is divided where its statements are, whatever is in them."""

from __future__ import annotations

from outcrop.mcp.install.toml_lines import split_statements

TEXT = (
    """\
# a = 1
a = 1 # [no.header]
"quo ted"."b=c" = 'it"""
    "'"
    ''' # yes
[ table . "x.y" ] # note
text = """
[not.a.header]
\\""" still """"" # end
raw = \'\'\'
c = "
\'\'\'
many = [
  "]", # ]
  { k = "}" }, [ 1 ],
]  # behind

  indented = 2026-11-15T10:00:00Z
[[list]]
last = -1.5'''
)


def test_statements_are_found_with_their_values():
    found = split_statements(TEXT)
    assert [each.path for each in found] == [
        ("a",),
        ("quo ted", "b=c"),
        ("table", "x.y"),
        ("text",),
        ("raw",),
        ("many",),
        ("indented",),
        ("list",),
        ("last",),
    ]
    assert [each.is_header for each in found].count(True) == 2
    values = {
        each.path[-1]: TEXT[each.value_start : each.value_end]
        for each in found
        if not each.is_header
    }
    assert values["a"] == "1"
    assert values["b=c"] == "'it'"
    assert values["text"].endswith('still """""')
    assert values["many"].startswith("[\n")
    assert values["many"].endswith("]")
    assert values["indented"] == "2026-11-15T10:00:00Z"
    assert values["last"] == "-1.5"


def test_a_statement_takes_whole_lines():
    for each in split_statements(TEXT):
        assert each.end == len(TEXT) or TEXT[each.end - 1] == "\n"


def test_an_empty_text_has_none():
    assert split_statements("") == []
    assert split_statements("\n# only this\n") == []
