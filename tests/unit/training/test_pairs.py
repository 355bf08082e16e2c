"""What the embedder is trained on."""

import struct
import tarfile

import pytest
from training.archives import Member
from training.catalogues import read_pak, read_po, read_properties
from training.comment_pairs import comment_pairs
from training.document_pairs import Links, document_pairs
from training.licences import is_permissive, licence_of, read_copyright
from training.packages import read_package
from training.python_pairs import python_pairs
from training.sections import read_html, read_markdown, read_rst
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


def test_a_source_package_with_a_damaged_part_is_named_and_left_out(tmp_path):
    (tmp_path / "tool.py").write_text("x = 1\n")
    archive = tmp_path / "tool_1.orig.tar.gz"
    with tarfile.open(archive, "w:gz") as members:
        members.add(tmp_path / "tool.py", "tool-1/tool.py")
    (tmp_path / "tool_1-1.debian.tar.xz").touch()
    read = read_package(archive)
    assert (read.name, read.pairs) == ("tool", [])
    assert read.problem.startswith("unreadable")


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


def test_a_comment_in_python_is_paired_with_the_lines_below():
    code = (
        "def read(request):\n"
        "    # Bodies of old clients are not compressed.\n"
        "    if request.version < 2:\n"
        "        return request.body\n"
    )
    found = {pair.kind: pair for pair in python_pairs(code)}
    assert found["comment"].query == "Bodies of old clients are not compressed."
    assert "return request.body" in found["comment"].passage


LONG = "A pool keeps connections open. " * 6
SENTENCE = "Every request takes a connection from the pool of the client."


@pytest.mark.parametrize(
    ("read", "one", "other", "target"),
    [
        (
            read_html,
            '<p>Every request takes a connection from the <a href="b.html#pool">pool</a> of the client.</p>',
            f'<section id="pool"><h2>Pools</h2><p>{LONG}</p></section>',
            "b.html",
        ),
        (
            read_markdown,
            "Every request takes a connection from the [pool](b.md#pools) of the client.",
            f"## Pools\n\n{LONG}",
            "b.md",
        ),
        (
            read_rst,
            "Every request takes a connection from the :ref:`pool <the-pool>` of the client.",
            f".. _the-pool:\n\nPools\n=====\n\n{LONG}",
            "b.rst",
        ),
    ],
)
def test_a_sentence_is_paired_with_the_section_its_link_leads_to(
    read, one, other, target
):
    links = Links()
    links.add("a", read(one))
    links.add(target, read(other))
    (pair,) = links.pairs()
    assert (pair.kind, pair.query) == ("link", SENTENCE)
    assert pair.passage.startswith("Pools\nA pool keeps")


def test_links_to_other_sites_are_text_and_sections_are_free_of_link_marks():
    text = f"# Pools\n\nRead [the guide](https://example.org/x) or [more](b.md). {LONG}"
    (_, section) = read_markdown(text)
    pairs = list(document_pairs([section]))
    assert {pair.kind for pair in pairs} >= {"heading"}
    assert pairs[0].passage.startswith("Read the guide or more. A pool")


def test_lists_and_code_are_no_sentences_to_ask():
    code = "x = read(a, b); y = write(c::d, e) + 17 * call(f[0], g->h); return x + y;"
    text = f"{LONG} {code} {LONG}"
    section = read_markdown(f"# Pools\n\n{text}")[-1]
    assert not any(code[:20] in pair.query for pair in document_pairs([section]))
