"""What the embedder is trained on."""

import struct

import pytest
from training.archives import Member
from training.catalogues import read_pak, read_po, read_properties
from training.comment_pairs import comment_pairs
from training.licences import is_permissive, licence_of, read_copyright
from training.python_pairs import python_pairs
from training.translation_pairs import language_of, translation_pairs

COPYRIGHT = """\
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/

Files: *
Copyright: 2020 Somebody
License: Expat

Files: lib/copied/*
 lib/other.c
Copyright: 2019 Somebody else
License: GPL-2+

Files: debian/*
License: GPL-3
"""


@pytest.mark.parametrize(
    ("declared", "allowed"),
    [
        ("MIT", True),
        ("BSD-3-Clause", True),
        ("GPL-2+ or Apache-2.0", True),
        ("Apache-2.0 and GPL-2", False),
        ("LGPL-2.1", False),
        ("unknown", False),
        ("", False),
    ],
)
def test_only_permissive_licences_are_allowed(declared, allowed):
    assert is_permissive(declared) is allowed


def test_the_last_stanza_that_names_a_file_decides():
    stanzas = read_copyright(COPYRIGHT)
    assert licence_of("lib/own.c", stanzas) == "Expat"
    assert licence_of("lib/copied/a.c", stanzas) == "GPL-2+"
    assert licence_of("lib/other.c", stanzas) == "GPL-2+"
    assert licence_of("lib/own.c", []) == "unknown"


def test_a_docstring_is_the_question_and_not_in_the_answer():
    code = (
        'def read_body(request):\n    """Return the body."""\n    return request.body\n'
    )
    found = {pair.kind: pair for pair in python_pairs(code)}
    assert found["docstring"].query == "Return the body."
    assert "return request.body" in found["docstring"].passage
    assert "Return the body" not in found["docstring"].passage
    assert found["name"].query == "read body"


def test_a_comment_above_a_function_loses_the_name_it_starts_with():
    code = "// ReadBody returns the body of a request.\nfunc ReadBody(r R) B {\n\treturn r.b\n}\n"
    pair = next(iter(comment_pairs(code, "go")))
    assert (pair.kind, pair.query) == (
        "doc_comment",
        "returns the body of a request.",
    )


def test_fuzzy_messages_are_left_out():
    po = (
        b'msgid "Open"\nmsgstr "\xc3\x96ffnen"\n\n#, fuzzy\nmsgid "Close"\nmsgstr "?"\n'
    )
    assert read_po(po) == {"Open": "Öffnen"}


def test_properties_are_read_with_escapes_and_continued_lines():
    data = b"# note\na.b = \\u00d6ffnen \\\n  und lesen\n"
    assert read_properties(data) == {"a.b": "Öffnen und lesen"}


def test_messages_of_a_resource_file_are_read():
    head = struct.pack("<IB3xHH", 5, 1, 2, 0)
    start = len(head) + 3 * 6
    entries = [(7, start), (9, start + 4), (0, start + 9)]
    data = head + b"".join(struct.pack("<HI", *entry) for entry in entries)
    assert read_pak(data + b"OpenClose") == {"7": "Open", "9": "Close"}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("x/locale/ja/LC_MESSAGES/x.po", ("ja", "x/locale/*/LC_MESSAGES/x.po")),
        ("x/po/pt_BR.po", ("pt", "x/po/*.po")),
        ("x/Strings_zh_CN.properties", ("zh", "x/Strings_*.properties")),
        ("x/zh_TW/x.po", None),
        ("x/locale/ca_ES/x.po", None),
        ("x/design/notes.md", None),
    ],
)
def test_the_language_is_in_the_path(path, expected):
    assert language_of(path) == expected


def test_messages_are_paired_by_key_in_both_directions():
    members = [
        Member("locales/en.json", b'{"a": {"b": "Open the file"}, "c": "only here"}'),
        Member("locales/de.json", '{"a": {"b": "Datei öffnen"}}'.encode()),
    ]
    found = {
        (pair.kind, pair.query, pair.passage) for pair in translation_pairs(members)
    }
    assert found == {
        ("translation_de", "Open the file", "Datei öffnen"),
        ("translation_de", "Datei öffnen", "Open the file"),
    }
